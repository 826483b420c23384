//! The same file or directory is opened, read and closed again and again.

use super::common::{Bounded, Claims, ProcessCounts, and_others, has_own_rule, is_last_access, largest, plain, thing};
use crate::counts::index::{Index, Observed, OpenFile, Pace};
use crate::counts::kinds::{CallKind, keeps_bytes, kind_of};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::TIMES;
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHasher;
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, ObjectKind, Tracker};

const OPENS_PER_PATH: Threshold = Threshold::count("opens-per-path", 8, "openings of one path by one process");
const LISTINGS: Threshold = Threshold::count("listings", 100, "listings of one directory, which changes meanwhile");

pub const RULE: RuleInfo = RuleInfo {
    id: "reopened",
    title: "opened again and again",
    explanation: "One process opens the same file, reads it, closes it, and soon does so again, though it has not \
        changed; or it lists the same directory again; or it opens a file for each line that it appends; or it asks \
        /proc or /sys again what the machine is like, or what a process is like, for each item; or it opens a device such as \
        /dev/urandom for each few bytes.\n\n\
        Opening a file counts as a repeat if the same thread read as many bytes from it before, no traced process has \
        changed, replaced or truncated the file since, and the thread has not waited for anything (input, a child, a timer) \
        in between. After a wait the thread may have a reason to look again. Then an opening counts as a repeat only if the \
        file is configuration under /etc, or if fstat(2) of the open file had the same answer both times (the same inode, size \
        and times), because then it was the same file. Paths that were opened at least eight times are reported.\n\n\
        A directory that has changed since counts as well if one thread lists it at least a hundred times without waiting in between: \
        with n names, of which each listing removes one, n²/2 are read.\n\n\
        Example: a filter reads its configuration for each of 10,000 lines: open, fstat, read, read, close. Reading \
        it once at the start saves 50,000 calls. In a shell, `echo ... >> log` in a loop opens the log for each \
        line: redirect the loop.",
    thresholds: &[OPENS_PER_PATH, LISTINGS],
    make: || Box::new(Reopened::default()),
};

#[derive(Default)]
struct Reopened {
    openings: Bounded<(Tid, ObjectId), Openings>,
    /// The latest facts about each object that a thread asked for: the thread's number of calls then, and a hash.
    facts: Bounded<(Tid, ObjectId), (u64, u64)>,
    /// The number of times that each object was changed or replaced.
    changes: Bounded<ObjectId, u64>,
    repeats: [Repeats; 7],
}

/// Openings of one path by one process.
struct Openings {
    latest: Latest,
    calls: u64,
    repeats: u64,
    /// Those of them that were opened to be written.
    appends: u64,
    line: u64,
    /// The calls of the repeats: open, fstat, read, close.
    claims: Claims,
    directory: bool,
    /// Listings of a directory without a wait in between, each after a change.
    changed: Changed,
}

/// Listings of a directory that had changed since the one before.
#[derive(Default)]
struct Changed {
    listings: u64,
    claims: Claims,
}

struct Latest {
    bytes: u64,
    writes: bool,
    changes: u64,
    by: Tid,
    waits: u64,
    /// A hash of what fstat(2) said while it was open.
    facts: Option<u64>,
}

impl Openings {
    fn matter(&self) -> bool {
        self.repeats + 1 >= OPENS_PER_PATH.get() || self.are_of_changing()
    }

    fn are_of_changing(&self) -> bool {
        self.changed.listings + 1 >= LISTINGS.get()
    }
}

impl Latest {
    /// Nothing was new, as far as this can be known.
    fn repeats(&self, before: &Latest) -> bool {
        let same_wait = self.waits == before.waits;
        let same_file = self.facts.is_some() && self.facts == before.facts && !self.writes;
        (self.bytes, self.writes, self.changes, self.by) == (before.bytes, before.writes, before.changes, before.by)
            && (same_wait || same_file)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    File,
    Appended,
    Directory,
    Changing,
    Machine,
    Process,
    Source,
}

/// Repeats of one kind.
#[derive(Default)]
struct Repeats {
    paths: Bounded<ObjectId, (u64, u64, u64)>,
    claims: Claims,
    processes: ProcessCounts,
}

impl Rule for Reopened {
    fn wants(&self, row: &'static Syscall) -> bool {
        [Effect::Unlinks, Effect::Renames, Effect::Links, Effect::Truncates]
            .into_iter()
            .any(|effect| row.has_effect(effect))
            || asks(row)
    }

    /// After a successful call, its paths stand for something else.
    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        if asks(observed.row) {
            return self.asked(observed, index);
        }
        if observed.ok() {
            let seen = observed.seen;
            [seen.path, seen.other_path].into_iter().flatten().for_each(|path| self.changed(path));
        }
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, tracker: &Tracker) {
        let (Some(_), (by, Pace { waits, turns, calls, .. })) = (file.made, file.opened) else { return };
        let facts = self.facts.remove(&(by, file.object)).filter(|(at, _)| *at > calls).map(|(_, hash)| hash);
        let name = tracker.name(file.object);
        let of_process = is_of_process(name);
        let machine = is_machine(name) || of_process || is_source(name);
        // Facts about a process change while a thread waits.
        let facts = facts.filter(|_| !of_process);
        // A file or a directory that is opened to be synced.
        let only_synced = file.syncs > 0 && file.reads.calls == 0 && file.writes.calls == 0;
        if file.gone
            || only_synced
            || tracker.kind(file.object) != ObjectKind::Path
            || !machine && !keeps_bytes(file.object, tracker)
            || has_own_rule(name)
            || file.is_directory() && file.reads.calls == 0
        {
            return;
        }
        let writes = file.flags & c::O_ACCMODE != 0;
        if file.flags & (c::O_TRUNC | c::O_EXCL) != 0 {
            self.changed(file.object);
            return;
        }
        let changes = self.changes.get(&file.object).copied().unwrap_or(0);
        let bytes = if machine || writes { 0 } else { file.reads.bytes };
        // Files that rarely change need no second look even after a wait.
        let lasting = name.starts_with(b"/etc/") || is_fixed(name);
        let waits = match () {
            () if lasting => 0,
            // A lock that guards each line is no reason to open the file again.
            () if writes => waits - turns,
            () => waits,
        };
        let latest = Latest { bytes, writes, changes, by, waits, facts };
        if let Some(known) = self.openings.get_mut(&(file.pid, file.object)) {
            known.calls += 1;
            if latest.repeats(&known.latest) {
                known.repeats += 1;
                known.appends += u64::from(writes);
                claim(file, &mut known.claims);
            } else if known.directory && (by, waits) == (known.latest.by, known.latest.waits) {
                known.changed.listings += 1;
                claim(file, &mut known.changed.claims);
            }
            known.latest = latest;
        } else {
            let new = || Openings {
                latest,
                calls: 1,
                repeats: 0,
                appends: 0,
                line: file.line,
                claims: Claims::default(),
                directory: file.is_directory(),
                changed: Changed::default(),
            };
            self.openings.forget_ended(tracker, Openings::matter);
            self.openings.make_room(|openings| openings.repeats + openings.changed.listings > 0);
            self.openings.entry((file.pid, file.object), new);
        }
        if file.writes.calls > 0 {
            // A process that appends knows its own change.
            self.changed(file.object);
            let changes = self.changes.get(&file.object).copied().unwrap_or(0);
            if let Some(known) = self.openings.get_mut(&(file.pid, file.object)) {
                known.latest.changes = changes;
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        for ((pid, object), mut openings) in self.openings.take() {
            if !openings.matter() {
                continue;
            }
            let changing = openings.are_of_changing();
            if changing {
                openings.claims.add_all(openings.changed.claims.iter());
                openings.repeats += openings.changed.listings;
            }
            let what = match () {
                () if changing => What::Changing,
                () if is_source(tracker.name(object)) => What::Source,
                () if is_machine(tracker.name(object)) => What::Machine,
                () if is_of_process(tracker.name(object)) => What::Process,
                () if openings.appends * 2 > openings.repeats => What::Appended,
                () if openings.directory => What::Directory,
                () => What::File,
            };
            let of_kind = &mut self.repeats[what as usize];
            let Some((calls, repeats, line)) = of_kind.paths.entry(object, || (0, 0, openings.line)) else { continue };
            *calls += openings.calls;
            *repeats += openings.repeats;
            *line = openings.line;
            of_kind.claims.add_all(openings.claims.iter());
            of_kind.processes.add(pid, openings.calls, index.comm(pid, tracker));
        }
        let repeats = std::mem::take(&mut self.repeats).into_iter();
        let kinds =
            [What::File, What::Appended, What::Directory, What::Changing, What::Machine, What::Process, What::Source];
        repeats.zip(kinds).filter_map(|(repeats, what)| repeats.candidate(what, tracker)).collect()
    }
}

impl Reopened {
    /// Keeps what fstat(2) says about an open file, without the time of the last access.
    fn asked(&mut self, observed: &Observed<'_>, index: &Index) {
        let (Some(object), None, true) = (observed.seen.object, observed.seen.path, observed.ok()) else { return };
        let fields = ["statbuf", "statxbuf"].into_iter().find_map(|name| observed.call.fields(name));
        let Some(fields) = fields else { return };
        let mut hasher = FxHasher::default();
        fields.without(is_last_access).for_each(|bytes| bytes.hash(&mut hasher));
        let tid = observed.call.tid;
        let now = (index.pace(tid).calls, hasher.finish());
        self.facts.make_room(|_| false);
        if let Some(facts) = self.facts.entry((tid, object), || now) {
            *facts = now;
        }
    }

    fn changed(&mut self, path: ObjectId) {
        if let Some(changes) = self.changes.entry(path, || 0) {
            *changes += 1;
        }
    }
}

impl Repeats {
    fn candidate(self, what: What, tracker: &Tracker) -> Option<Candidate> {
        let top = largest(self.paths.iter(), 4, |(object, (_, repeats, _))| (*repeats, Reverse(**object)));
        let (object, (calls, _, _)) = top.first().filter(|_| !self.claims.few())?;
        let (name, times) = (plain(tracker.name(**object)), TIMES.of(*calls));
        let (sentence, advice) = match what {
            What::File => (
                say!("{name} was opened and closed {} times by one process although it had not changed", times),
                "Read it once and keep what it says; if it may change, check its modification time, or watch it with \
                inotify(7).",
            ),
            What::Appended => (
                say!("{name} was opened {} times by one process to write to it, and closed each time", times),
                "Keep it open; in a shell, redirect the whole loop: done >> file.",
            ),
            What::Directory => (
                say!("{name} was listed {} times by one process, and nothing was new in it", times),
                "List it once and keep the names; to learn of new ones, use inotify(7).",
            ),
            What::Changing => (
                say!(
                    "{name} was listed {} times by one process without a wait in between, and most times it had changed",
                    times
                ),
                "Take all names from one listing, and list the directory again only when they are used up; to learn of new ones, use inotify(7).",
            ),
            What::Machine => (
                say!("{name} was opened {} times by one process to learn about the machine", times),
                "Ask once and keep the answer: the number of processors, the size of memory or what is mounted \
                    hardly changes while a program runs (sysconf(3) and get_nprocs(3) read files). What does change, such as \
                    free memory, need not be asked for each item: ask now and then.",
            ),
            What::Process => (
                say!(
                    "{name} was opened {} times by one process to learn about a process, without a wait in between",
                    times
                ),
                "The kernel writes such a file anew for each reader. Ask now and then, by the clock, not for each item; keep the file open \
                 and read it at offset 0 with pread(2); or ask with a call that has the number (getrusage(2), getppid(2)).",
            ),
            What::Source => (
                say!("{name} was opened {} times by one process, and closed each time", times),
                "Keep it open and take many bytes at a time; for random bytes, getrandom(2) needs no descriptor.",
            ),
        };
        let (estimate, work_after) = match what {
            What::Appended => {
                ("opening and closing, each time but the first, and at most the work after opening", true)
            }
            What::File | What::Machine | What::Process => {
                ("opening, reading and closing, each time but the first, and at most the work on what was read", true)
            }
            What::Directory | What::Changing | What::Source => {
                ("opening, reading and closing, each time but the first", false)
            }
        };
        let evidence = top
            .iter()
            .map(|(object, (calls, _, line))| Evidence { line: Some(*line), ..thing(**object, *calls, tracker) });
        Some(Candidate {
            sentence: say!("{}{}", sentence, and_others(self.paths.len())),
            evidence: evidence.chain(self.processes.evidence()).collect(),
            advice: advice.into(),
            confidence: Confidence::Likely,
            claims: self.claims.list(),
            estimate: estimate.into(),
            work_after,
            ..Candidate::default()
        })
    }
}

/// Claims all calls about an open file, from the first to the last.
fn claim(file: &OpenFile, claims: &mut Claims) {
    [file.made, file.closed].into_iter().flatten().for_each(|key| claims.add(key, 1));
    if let Some(key) = file.reads.key {
        claims.add(key, file.reads.calls);
    }
    // (A file that stays open is synced as often.)
    let others = file.others.iter().filter(|(key, _)| kind_of(*key) != Some(CallKind::Sync));
    claims.add_all(others);
}

/// fstat(2) of an open file, which newfstatat(2) does as well.
fn asks(row: &Syscall) -> bool {
    row.has_effect(Effect::Asks) || row.has_effect(Effect::AsksOfFile)
}

/// Files that sysconf(3) and similar functions read, except those about a process.
fn is_machine(path: &[u8]) -> bool {
    match path.strip_prefix(b"/proc/") {
        Some(rest) => {
            !rest.starts_with(b"self/")
                && !rest.starts_with(b"thread-self/")
                && !rest.iter().take(1).all(u8::is_ascii_digit)
        }
        None => path.starts_with(b"/sys/"),
    }
}

/// Files about one process that are written for their reader, such as /proc/self/status. Those of its descriptors and its threads are not meant.
fn is_of_process(path: &[u8]) -> bool {
    let Some(rest) = path.strip_prefix(b"/proc/") else { return false };
    let mut parts = rest.split(|byte| *byte == b'/');
    let of = parts.next().unwrap_or_default();
    let is_process =
        [&b"self"[..], b"thread-self"].contains(&of) || of.iter().all(u8::is_ascii_digit) && !of.is_empty();
    is_process && parts.next().is_some() && parts.next().is_none()
}

/// Devices that give the same bytes, or others without end, to whoever opens them.
fn is_source(path: &[u8]) -> bool {
    [&b"/dev/urandom"[..], b"/dev/random", b"/dev/zero"].contains(&path)
}

/// Facts that hold as long as the machine is up, or nearly so.
fn is_fixed(path: &[u8]) -> bool {
    path.starts_with(b"/sys/devices/system/")
        || [&b"/proc/cpuinfo"[..], b"/proc/version", b"/proc/filesystems"].contains(&path)
        || path.starts_with(b"/proc/sys/")
}
