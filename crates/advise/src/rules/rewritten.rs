//! One file is written as a whole again and again, and renamed over the version before.

use super::common::{Bounded, Claims, plain, process, thing};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{BYTES, SYNCS, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, table, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const REWRITTEN: Threshold = Threshold::count("rewritten", 100, "versions of one file");

pub const RULE: RuleInfo = RuleInfo {
    id: "rewritten",
    title: "written as a whole again and again",
    explanation: "A program keeps its state in one file. For each change it writes the whole state to a new file and renames the \
        new file over the old one. That is the right way to replace a file, but each change costs all of the state: with n \
        changes, n times the bytes, and often a sync of each version.\n\n\
        A file is reported if one process replaced it in this way at least 100 times. The estimate is all versions but the \
        last.\n\n\
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
    targets: Bounded<(Tid, ObjectId), Target>,
}

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
    line: u64,
    claims: Claims,
}

impl Rule for Rewritten {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Renames) || row.has_effect(Effect::Syncs) && !row.has_effect(Effect::SyncsAll)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if !observed.ok() {
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
        let (Some(from), Some(to)) = (observed.seen.path, observed.seen.other_path) else { return };
        let Some(version) = self.written.remove(&from).filter(|version| version.bytes > 0) else { return };
        self.targets.forget_ended(observed.tracker, |target| target.versions >= REWRITTEN.get());
        let Some(target) = self.targets.entry((observed.seen.pid, to), Target::default) else { return };
        target.versions += 1;
        target.bytes += version.bytes;
        target.syncs += version.syncs;
        target.by = Some(from);
        target.line = observed.line;
        if target.versions > 1 {
            target.claims.add(observed.key, 1);
            version.calls.into_iter().for_each(|(key, calls)| target.claims.add(key, calls));
            if let Some(key) = version.synced {
                target.claims.add(key, version.syncs);
            }
        }
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        let whole = file.flags & (c::O_TRUNC | c::O_EXCL) != 0;
        let (Some(made), Some(write), true) = (file.made, file.writes.key, whole) else { return };
        let synced = self.written.remove(&file.object).and_then(|version| version.synced);
        let others = file.others.iter().filter(|(key, _)| Some(*key) != synced);
        let calls = [(made, 1), (write, file.writes.calls)].into_iter().chain(file.closed.map(|key| (key, 1)));
        let calls = calls.chain(others).collect();
        let version = Version { bytes: file.writes.bytes, syncs: file.syncs, calls, synced };
        self.written.make_room(|_| false);
        self.written.entry(file.object, || version);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> = self.targets.iter().filter(|(_, target)| target.versions >= REWRITTEN.get()).collect();
        often.sort_by_key(|((pid, path), target)| (Reverse((target.bytes, target.versions)), *path, *pid));
        let Some(((pid, path), worst)) = often.first() else { return Vec::new() };
        let synced = match worst.syncs {
            0 => "".into(),
            n => say!(", with {} syncs", SYNCS.of(n)),
        };
        let by = worst.by.map_or(String::new(), |by| format!(" ({})", plain(tracker.name(by))));
        let evidence = often.iter().map(|((_, path), target)| {
            let mut evidence = thing(*path, target.versions, tracker);
            evidence.bytes = Some(target.bytes);
            evidence.line = Some(target.line);
            evidence
        });
        let process = process(*pid, index.comm(*pid, tracker), worst.versions);
        let mut claims = Claims::default();
        often.iter().flat_map(|(_, target)| target.claims.iter()).for_each(|(key, calls)| claims.add(key, calls));
        // Programs look at the target before they rename: Go's os.Rename does.
        for (key, looks) in index.tallies().filter(|(key, _)| asks(*key)) {
            if let Some((_, target)) = often.iter().find(|((_, path), _)| key.object == Some(*path)) {
                claims.add(key, looks.calls.min(target.versions - 1));
            }
        }
        vec![Candidate {
            sentence: say!(
                "{} was written as a whole {} times, each time to a new file{by} that was renamed over it: {} in all{}.",
                plain(tracker.name(*path)),
                TIMES.of(worst.versions),
                BYTES.of(worst.bytes),
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

/// True if these calls ask for facts about the file that a path names.
fn asks(key: CallKey) -> bool {
    table(key.abi).get(key.nr.into()).is_some_and(|entry| entry.row.has_effect(Effect::Asks))
}
