//! A process makes files and removes each again.

use super::common::{Bounded, Claims, plain, process, thing};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{BYTES, FILES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const TEMP_FILES: Threshold = Threshold::count("temp-files", 100, "files that a process made and removed again");

pub const RULE: RuleInfo = RuleInfo {
    id: "temp-files",
    title: "files made and removed again",
    explanation: "A process makes a file for each piece of its work, writes the piece to it, reads it again, and removes the file. Making and removing a file \
        changes directories, which costs more than the bytes: some calls and 20 to 100 microseconds for each, and more on a network or with a journal.\n\n\
        Reported are at least a hundred new files (O_EXCL) that one process made, wrote to, then or after it had opened them anew, and removed, and that no other traced process opened meanwhile. The estimate is all calls about \
        these files.\n\n\
        Example: a signer writes each of 14,000 invoices to a temporary file, because its library digests files: 110,000 calls and 0.6 s. The same \
        library digests strings. Where only a file will do, memfd_create(2) makes one that needs no directory, or one file can be truncated and used again.",
    thresholds: &[TEMP_FILES],
    make: || Box::new(TempFiles::default()),
};

#[derive(Default)]
struct TempFiles {
    made: Bounded<ObjectId, Made>,
    /// Paths that were removed before their file was closed: by which process and call, and on which line.
    unlinked: Bounded<ObjectId, (Tid, CallKey, u64)>,
    removed: Bounded<Tid, Removed>,
}

/// A new file, and the calls about it.
struct Made {
    by: Tid,
    bytes: u64,
    calls: Vec<(CallKey, u64)>,
}

#[derive(Default)]
struct Removed {
    files: u64,
    bytes: u64,
    latest: Option<ObjectId>,
    claims: Claims,
}

/// One file has no more kinds of calls that are told apart.
const MOST_KINDS: usize = 16;

impl Rule for TempFiles {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Unlinks) || row.has_effect(Effect::Renames) || row.has_effect(Effect::Links)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(path) = observed.seen.path.filter(|_| observed.ok()) else { return };
        let (pid, made) = (observed.seen.pid, self.made.remove(&path));
        // What has another name stays.
        if !observed.has(Effect::Unlinks) {
            return;
        }
        match made {
            Some(made) if made.by == pid => self.remove(path, made, observed.key, observed.tracker),
            Some(_) => {}
            None => {
                self.unlinked.remove(&path);
                self.unlinked.make_room(|_| false);
                self.unlinked.entry(path, || (pid, observed.key, observed.line));
            }
        }
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, tracker: &Tracker) {
        let is_new = file.flags & c::O_EXCL != 0;
        let unlinked = self.unlinked.remove(&file.object).filter(|(.., line)| *line > file.line);
        let calls = [file.made, file.closed].into_iter().flatten().map(|key| (key, 1));
        let transfers = [&file.reads, &file.writes].into_iter().filter_map(|sum| Some((sum.key?, sum.calls)));
        let calls = calls.chain(transfers).chain(file.others.iter());
        if is_new {
            let made = Made { by: file.pid, bytes: file.writes.bytes, calls: calls.take(MOST_KINDS).collect() };
            match unlinked {
                Some((by, unlink, _)) if by == file.pid => self.remove(file.object, made, unlink, tracker),
                Some(_) => {}
                None => {
                    self.made.make_room(|_| false);
                    self.made.remove(&file.object);
                    self.made.entry(file.object, || made);
                }
            }
        } else if let Some(known) = self.made.get_mut(&file.object) {
            if known.by == file.pid {
                // (A library makes the file, so that nobody else has its name, and the program opens it anew.)
                known.bytes += file.writes.bytes;
                let room = MOST_KINDS.saturating_sub(known.calls.len());
                known.calls.extend(calls.take(room));
            } else {
                self.made.remove(&file.object);
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let often = self.removed.iter().filter(|(_, removed)| removed.files >= TEMP_FILES.get());
        let most = often.max_by_key(|(pid, removed)| (removed.files, Reverse(**pid)));
        let Some((&pid, removed)) = most else { return Vec::new() };
        let comm = index.comm(pid, tracker);
        let latest = removed.latest.map(|path| thing(path, 1, tracker));
        let such_as = removed.latest.map_or(String::new(), |path| format!(", such as {}", plain(tracker.name(path))));
        let mut claims = Claims::default();
        claims.add_all(removed.claims.iter());
        vec![Candidate {
            sentence: say!(
                "{} made {} files{such_as}, and removed each again. They had {} in all.",
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                FILES.of(removed.files),
                BYTES.of(removed.bytes),
            ),
            evidence: latest.into_iter().chain([process(pid, comm, removed.files)]).collect(),
            advice: "Keep the contents in memory: libraries that take a file mostly take a buffer or a descriptor, too. Where only a file will do, use one file again \
                     (ftruncate(2)), or memfd_create(2) and its name in /proc/self/fd."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "all calls about these files".into(),
            ..Candidate::default()
        }]
    }
}

impl TempFiles {
    fn remove(&mut self, path: ObjectId, made: Made, by: CallKey, tracker: &Tracker) {
        // A file without contents is a lock.
        if made.bytes == 0 {
            return;
        }
        self.removed.forget_ended(tracker, |removed| removed.files >= TEMP_FILES.get());
        let Some(removed) = self.removed.entry(made.by, Removed::default) else { return };
        removed.files += 1;
        removed.bytes += made.bytes;
        removed.latest = Some(path);
        removed.claims.add(by, 1);
        removed.claims.add_all(made.calls);
    }
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Outcome};
    use stride_syscalls::uapi::consts as c;
    use stride_test_support::calls::{call, exited, lasting, naming, spawned};

    const MS: u64 = 1_000_000;
    const NEW: u64 = c::O_CREAT | c::O_EXCL | c::O_RDWR;

    /// 200 files of one process, which makes these calls about each: a name, arguments, and a result.
    fn found(calls: &[(&str, &[u64], i64)]) -> bool {
        let mut run = TestRun::new(true);
        run.show(spawned(7, 0));
        let mut now = 0;
        for i in 0..200 {
            let path = format!("/tmp/{i}");
            for (name, args, result) in calls {
                now += MS;
                let made = naming(call(7, name, args, Outcome::Value(*result)), 0x1000, &path);
                run.show(Event::Exit(&lasting(made, now, 100_000)));
            }
        }
        run.show(exited(7, now + MS));
        run.finding_ids().contains(&"temp-files")
    }

    const MAKE: (&str, &[u64], i64) = ("open", &[0x1000, NEW, 0o600], 3);
    const OPEN: (&str, &[u64], i64) = ("open", &[0x1000, c::O_WRONLY | c::O_TRUNC], 3);
    const WRITE: (&str, &[u64], i64) = ("write", &[3, 0x5000, 100], 100);
    const CLOSE: (&str, &[u64], i64) = ("close", &[3], 0);
    const UNLINK: (&str, &[u64], i64) = ("unlink", &[0x1000], 0);

    /// As with mkstemp(3) and tempnam(3).
    #[test]
    fn files_may_be_opened_anew_to_be_written() {
        assert!(found(&[MAKE, CLOSE, OPEN, WRITE, CLOSE, UNLINK]));
        assert!(!found(&[MAKE, CLOSE, OPEN, CLOSE, UNLINK]), "these are locks");
    }

    #[test]
    fn files_are_removed_while_they_are_open_and_later() {
        assert!(found(&[MAKE, WRITE, CLOSE, UNLINK]));
        assert!(found(&[MAKE, WRITE, UNLINK, CLOSE]));
        assert!(!found(&[MAKE, WRITE, CLOSE]));
    }
}
