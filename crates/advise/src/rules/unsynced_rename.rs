//! A file is replaced by a new one that may not be on the disk yet.

use super::common::{Bounded, ProcessCounts, plain, thing};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::counts::kinds::{Io, io, opens};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::TIMES;
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

const UNSYNCED_RENAMES: Threshold = Threshold::count("unsynced-renames", 20, "replacements of one file by one process");

pub const RULE: RuleInfo = RuleInfo {
    id: "unsynced-rename",
    title: "replaced before it was on the disk",
    explanation: "A program writes a new version of a file under another name and renames it over the old one, so that a \
                  complete file exists at any time. Without fsync(2) of the new file before rename(2), the new name may \
                  reach the disk before the data: after a power cut the file is empty or cut off, and the old version is \
                  gone. (ext4 and btrfs write the data first in this case, unless told otherwise; other file systems do \
                  not.)\n\n\
        A file is reported if one process replaced it at least twenty times in this way, because a program that does so \
        often depends on that file. It is reported whatever the cost in time. Files in directories that do not survive a \
        restart (/tmp, /run, /dev/shm), files opened with O_SYNC and files that sync(2) wrote do not count.\n\n\
        Example: a service writes state.json.new and renames it to state.json every second. The machine loses power, and \
        state.json has 0 bytes. With fsync between write and rename, it has either the old or the new content.",
    thresholds: &[UNSYNCED_RENAMES],
    make: || Box::new(UnsyncedRename::default()),
};

#[derive(Default)]
struct UnsyncedRename {
    /// Files that were opened for writing, by path.
    written: Bounded<ObjectId, Written>,
    paths: Bounded<FileId, ObjectId>,
    /// By process and replaced path.
    replaced: Bounded<(Tid, ObjectId), Replaced>,
    /// The number of sync(2) calls so far.
    syncs: u64,
    processes: ProcessCounts,
}

struct Written {
    file: FileId,
    /// For a closed file: it has bytes that were not synced.
    unsynced: bool,
    open: bool,
    syncs: u64,
}

struct Replaced {
    by: ObjectId,
    unsynced: u64,
    line: u64,
    /// The latest call.
    key: CallKey,
}

impl Rule for UnsyncedRename {
    fn wants(&self, row: &'static Syscall) -> bool {
        opens(row) || row.has_effect(Effect::Renames) || row.has_effect(Effect::SyncsAll)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        if !observed.ok() {
            return;
        }
        match () {
            () if observed.has(Effect::SyncsAll) => self.syncs += 1,
            () if opens(observed.row) => self.opened(observed),
            () => self.renamed(observed, index),
        }
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        let Some(path) = self.paths.remove(&file.id) else { return };
        if let Some(written) = self.written.get_mut(&path).filter(|written| written.file == file.id) {
            written.unsynced = is_unsynced(file);
            written.open = false;
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        // They may have synced the files.
        if index.has_unseen_operations() {
            return Vec::new();
        }
        let mut often: Vec<_> = self.replaced.iter().filter(|(_, r)| r.unsynced >= UNSYNCED_RENAMES.get()).collect();
        often.sort_by_key(|((pid, path), replaced)| (Reverse(replaced.unsynced), *path, *pid));
        let Some(((_, path), worst)) = often.first() else { return Vec::new() };
        let evidence = often.iter().map(|((_, path), replaced)| {
            let mut evidence = thing(*path, replaced.unsynced, tracker);
            evidence.line = Some(replaced.line);
            evidence
        });
        vec![Candidate {
            sentence: say!(
                "{} was replaced {} times by a new file ({}) that had not been synced: after a power cut it may be empty, and \
                the old one is gone.",
                plain(tracker.name(*path)),
                TIMES.of(worst.unsynced),
                plain(tracker.name(worst.by)),
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Call fsync(2) on the new file before rename(2); and on the directory after it, if the new version must \
                last."
                .into(),
            confidence: Confidence::Likely,
            makers: vec![(worst.key, worst.unsynced)],
            matters: true,
            ..Candidate::default()
        }]
    }
}

impl UnsyncedRename {
    fn opened(&mut self, observed: &Observed<'_>) {
        let flags = observed.open_flags();
        // A file opened for appending is a log. Logs are renamed to move them out of the way.
        let writes = observed.has(Effect::Truncates) || flags & c::O_ACCMODE != 0 && flags & c::O_APPEND == 0;
        let (Some((_, file, _)), Some(path), true) = (observed.seen.made, observed.seen.path, writes) else { return };
        if io(path, observed.tracker) != Io::File || is_volatile(observed.tracker.name(path)) {
            return;
        }
        let new = || Written { file, unsynced: false, open: true, syncs: 0 };
        let Some(written) = self.written.entry(path, new) else { return };
        *written = Written { syncs: self.syncs, ..new() };
        self.paths.entry(file, || path);
    }

    fn renamed(&mut self, observed: &Observed<'_>, index: &Index) {
        let (Some(from), Some(to)) = (observed.seen.path, observed.seen.other_path) else { return };
        let Some(written) = self.written.remove(&from) else { return };
        let unsynced = if written.open { index.file(written.file).is_some_and(is_unsynced) } else { written.unsynced };
        if !unsynced || written.syncs != self.syncs {
            return;
        }
        let new = || Replaced { by: from, unsynced: 0, line: observed.line, key: observed.key };
        let Some(replaced) = self.replaced.entry((observed.seen.pid, to), new) else { return };
        replaced.unsynced += 1;
        (replaced.by, replaced.key) = (from, observed.key);
        if replaced.unsynced >= UNSYNCED_RENAMES.get() {
            self.processes.count(observed.seen.pid, observed.tracker);
        }
    }
}

fn is_unsynced(file: &OpenFile) -> bool {
    file.writes.bytes > 0 && file.syncs == 0 && file.flags & c::O_DSYNC == 0
}

/// A reboot loses these files in any case.
fn is_volatile(path: &[u8]) -> bool {
    [&b"/tmp/"[..], b"/run/", b"/var/run/", b"/dev/"].iter().any(|dir| path.starts_with(dir))
}

#[cfg(test)]
mod tests {
    use crate::Scope;
    use crate::test_run::TestRun;
    use stride_event::{Event, Outcome};
    use stride_syscalls::uapi::consts::{O_CREAT, O_WRONLY};
    use stride_test_support::calls::{attached, call, naming, operation};

    /// The findings about a program that replaces a file again and again. `synced`: an operation of io_uring syncs each
    /// new file.
    fn found(operations: bool, synced: bool) -> Vec<&'static str> {
        let mut run = TestRun::of(Scope { operations, ..Scope::default() }, true);
        run.show(attached(7, 1));
        for _ in 0..40 {
            let open = call(7, "open", &[0x1000, O_WRONLY | O_CREAT], Outcome::Value(3));
            run.show(Event::Exit(&naming(open, 0x1000, "/srv/state.new")));
            run.show(Event::Exit(&call(7, "write", &[3, 0x2000, 5000], Outcome::Value(5000))));
            if synced {
                run.show(Event::Exit(&call(7, "io_uring_enter", &[4, 1], Outcome::Value(1))));
            }
            if synced && operations {
                run.show(Event::Library(&operation(7, "fsync", &[3], &[], 0)));
            }
            run.show(Event::Exit(&call(7, "close", &[3], Outcome::Value(0))));
            let rename = naming(call(7, "rename", &[0x1000, 0x3000], Outcome::Value(0)), 0x1000, "/srv/state.new");
            run.show(Event::Exit(&naming(rename, 0x3000, "/srv/state")));
        }
        run.finding_ids()
    }

    #[test]
    fn operations_of_io_uring_sync_files() {
        assert!(found(true, false).contains(&"unsynced-rename"));
        assert!(!found(true, true).contains(&"unsynced-rename"));
        // Operations that are not reported may have synced the files.
        assert!(!found(false, true).contains(&"unsynced-rename"));
    }
}
