//! One file is written as a whole again and again: over the version before, or to a new file that is renamed over it.

use super::common::{Bounded, Claims, plain, process, thing};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::counts::kinds::keeps_bytes;
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{BYTES, SYNCS, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_syscalls::{Effect, Syscall, table, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

const REWRITTEN: Threshold = Threshold::count("rewritten", 100, "versions of one file");

pub const RULE: RuleInfo = RuleInfo {
    id: "rewritten",
    title: "written as a whole again and again",
    explanation: "A program keeps its state in one file. For each change it writes the whole state to a new file and renames the \
        new file over the old one. That is the right way to replace a file, but each change costs all of the state: with n \
        changes, n times the bytes, and often a sync of each version. So does a program that empties its file and writes it anew (which also loses \
        the state if the program ends in between).\n\n\
        A file is reported if one process replaced it in one of these ways at least 100 times, or emptied and wrote it at least 100 times and more than five \
        times a second. The estimate is all versions but the last.\n\n\
        Example: a job queue writes state.json.new after each of 800 items and renames it to state.json: 3,200 calls and 20 MB for \
        a state of 50 KB. Writing after every hundred items, or once a second, costs a hundredth of that. A log to which each \
        change is appended, or a database, keeps every change.",
    thresholds: &[REWRITTEN],
    make: || Box::new(Rewritten::default()),
};

#[derive(Default)]
struct Rewritten {
    /// Closed files that had been written from their beginning, by path.
    written: Bounded<ObjectId, Version>,
    /// Open files that were emptied after they had been opened: ftruncate(2).
    emptied: Bounded<FileId, ()>,
    targets: Bounded<(Tid, (ObjectId, Way)), Target>,
}

/// How a version takes the place of the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Way {
    Renamed,
    InPlace,
}

/// A file that is emptied and written less often may be a sign of life, or be read by others meanwhile: so many nanoseconds for each version.
const SELDOM: Ns = 200_000_000;

struct Version {
    bytes: u64,
    syncs: u64,
    /// The calls about it, from open to close, without its syncs.
    calls: Vec<(CallKey, u64)>,
    synced: Option<CallKey>,
}

#[derive(Default)]
struct Target {
    versions: u64,
    bytes: u64,
    syncs: u64,
    by: Option<ObjectId>,
    /// Written in place: the bytes of the version that is there. It is not counted yet.
    latest: Option<u64>,
    line: u64,
    claims: Claims,
}

impl Target {
    /// The versions and their bytes, with the one that is not counted yet.
    fn all(&self) -> (u64, u64) {
        (self.versions + u64::from(self.latest.is_some()), self.bytes + self.latest.unwrap_or(0))
    }

    /// Counts a version, whose calls need not be made if there was one before.
    fn add(&mut self, version: Version, line: u64) {
        self.versions += 1;
        self.bytes += version.bytes;
        self.syncs += version.syncs;
        self.line = line;
        if self.versions > 1 {
            self.claims.add_all(version.calls);
            if let Some(key) = version.synced {
                self.claims.add(key, version.syncs);
            }
        }
    }
}

impl Rule for Rewritten {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Renames)
            || row.has_effect(Effect::Unlinks)
            || row.has_effect(Effect::Syncs) && !row.has_effect(Effect::SyncsAll)
            || row.has_effect(Effect::SetsSize)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if !observed.ok() {
            return;
        }
        if observed.has(Effect::SetsSize) {
            let file = observed.seen.file.filter(|_| observed.call.arg("length") == Some(0));
            self.emptied.make_room(|_| false);
            file.and_then(|file| self.emptied.entry(file, || ()));
            return;
        }
        if observed.has(Effect::Syncs) {
            let Some(object) = observed.seen.object else { return };
            let new = || Version { bytes: 0, syncs: 0, calls: Vec::new(), synced: None };
            if let Some(version) = self.written.entry(object, new) {
                version.synced = Some(observed.key);
            }
            return;
        }
        let Some(from) = observed.seen.path else { return };
        if observed.has(Effect::Unlinks) {
            self.written.remove(&from);
            return;
        }
        let Some(to) = observed.seen.other_path else { return };
        let Some(version) = self.written.remove(&from).filter(|version| version.bytes > 0) else { return };
        let Some(target) = self.target(observed.seen.pid, to, Way::Renamed, observed.tracker) else { return };
        target.by = Some(from);
        if target.versions > 0 {
            target.claims.add(observed.key, 1);
        }
        target.add(version, observed.line);
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, tracker: &Tracker) {
        let emptied = self.emptied.remove(&file.id).is_some();
        let whole = emptied || file.flags & (c::O_TRUNC | c::O_EXCL) != 0;
        let (Some(made), Some(write), true) = (file.made, file.writes.key, whole) else { return };
        let before = self.written.remove(&file.object);
        let synced = before.as_ref().and_then(|version| version.synced);
        let others = file.others.iter().filter(|(key, _)| Some(*key) != synced);
        let calls = [(made, 1), (write, file.writes.calls)].into_iter().chain(file.closed.map(|key| (key, 1)));
        let calls = calls.chain(others).collect();
        let version = Version { bytes: file.writes.bytes, syncs: file.syncs, calls, synced };
        // The version before is still there, neither renamed nor removed: this one was written over it.
        if let Some(before) = before.filter(|before| before.bytes > 0)
            && file.flags & c::O_EXCL == 0
            && keeps_bytes(file.object, tracker)
            && let Some(target) = self.target(file.pid, file.object, Way::InPlace, tracker)
        {
            target.add(before, file.line);
            target.latest = Some(version.bytes);
        }
        self.written.make_room(|_| false);
        self.written.entry(file.object, || version);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let is_seldom = |way, versions: u64| way == Way::InPlace && versions.saturating_mul(SELDOM) < index.span();
        let is_often = |way, target: &Target| target.versions >= REWRITTEN.get() && !is_seldom(way, target.versions);
        let mut often: Vec<_> = self.targets.iter().filter(|((_, (_, way)), target)| is_often(*way, target)).collect();
        often.sort_by_key(|((pid, path), target)| (Reverse((target.bytes, target.versions)), *path, *pid));
        let Some(((pid, (path, way)), worst)) = often.first() else { return Vec::new() };
        let synced = match worst.syncs {
            0 => "".into(),
            n => say!(", with {} syncs", SYNCS.of(n)),
        };
        let by = worst.by.map_or(String::new(), |by| format!(" ({})", plain(tracker.name(by))));
        let evidence = often.iter().map(|((_, (path, _)), target)| {
            let (versions, bytes) = target.all();
            let mut evidence = thing(*path, versions, tracker);
            evidence.bytes = Some(bytes);
            evidence.line = Some(target.line);
            evidence
        });
        let (versions, bytes) = worst.all();
        let process = process(*pid, index.comm(*pid, tracker), versions);
        let mut claims = Claims::default();
        claims.add_all(often.iter().flat_map(|(_, target)| target.claims.iter()));
        // Programs look at the target before they rename: Go's os.Rename does.
        for (key, looks) in index.tallies().filter(|(key, _)| asks(*key)) {
            if let Some((_, target)) =
                often.iter().find(|((_, (path, way)), _)| key.object == Some(*path) && *way == Way::Renamed)
            {
                claims.add(key, looks.calls.min(target.versions - 1));
            }
        }
        let how = match way {
            Way::Renamed => format!("each time to a new file{by} that was renamed over it"),
            Way::InPlace => "each time over the version before".to_owned(),
        };
        vec![Candidate {
            sentence: say!(
                "{} was written as a whole {} times, {how}: {} in all{}.",
                plain(tracker.name(*path)),
                TIMES.of(versions),
                BYTES.of(bytes),
                synced,
            ),
            evidence: evidence.take(4).chain([process]).collect(),
            advice: "Write the file after many changes, or at most once a second, instead of after each; or append each change to a \
                log and write the whole now and then; or keep the state in a database."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "the calls for all versions but one".into(),
            ..Candidate::default()
        }]
    }
}

impl Rewritten {
    fn target(&mut self, pid: Tid, path: ObjectId, way: Way, tracker: &Tracker) -> Option<&mut Target> {
        self.targets.forget_ended(tracker, |target| target.versions >= REWRITTEN.get());
        self.targets.entry((pid, (path, way)), Target::default)
    }
}

/// True if these calls ask for facts about the file that a path names.
fn asks(key: CallKey) -> bool {
    table(key.abi).get(key.nr.into()).is_some_and(|entry| entry.row.has_effect(Effect::Asks))
}
