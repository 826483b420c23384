//! The same paths are checked again and again.

use super::common::{
    Bounded, Claims, ProcessCounts, base_name, directory, has_own_rule, is_last_access, largest, plain, thing,
};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::opens;
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{CALLS, DIRECTORIES, DIRECTORY_CHECKS, MEAN_CALLS, REPEATED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::FEW_CALLS;
use crate::thresholds::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use stride_event::{Outcome, Tid};
use stride_syscalls::{Effect, For, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const STATS_PER_PATH: Threshold =
    Threshold::count("stats-per-path", 4, "checks of one path with the same answer from which on the path counts");
const STATS_PER_PROCESS: Threshold = Threshold::count(
    "stats-per-process",
    1000,
    "repeats in one process that count although all are checks of parent directories",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "stat-storm",
    title: "stat storm",
    explanation: "The same path is asked about again and again (stat, access, readlink and their kin), and the \
        answer never changes.\n\n\
        A path counts if one process checked it at least four times with the same answer. A process is reported if it made \
        three hundred such checks, or a thousand if all of them were for parent directories, since compilers and \
        interpreters check some when they start. Keeping the answer would save all checks but the first. A check whose \
        answer differs from the one before was worth making, so counting begins anew there. An open that fails with ENOENT \
        is a check, too. Parent directories that are checked for each path below them are counted apart.\n\n\
        Example: a program visits 30,600 files and, to be safe, checks before each that the directory still exists. All 30,600 checks of the directory have the same answer, so asking once saves 30,599. Walks with fts(3), nftw(3) or openat(2) relative to an open directory need no such check.",
    thresholds: &[STATS_PER_PATH, STATS_PER_PROCESS],
    make: || Box::new(StatStorm::default()),
};

const ENOENT: u32 = c::ENOENT as u32;

#[derive(Default)]
struct StatStorm {
    paths: Bounded<(Tid, CallKey, ObjectId), Checks>,
    calls: u64,
    /// The number of different triples of process, syscall and path.
    distinct: u64,
    /// The path that each thread looked for last and did not find. The same name at another path is a search, which
    /// search-path tells.
    missed: Bounded<Tid, ObjectId>,
    /// Threads that have slept since they last looked for something missing.
    slept: Bounded<Tid, ()>,
}

/// The checks of one path by one syscall in one process.
struct Checks {
    answer: u64,
    calls: u64,
    /// Checks with the same answer as the one before.
    repeats: u64,
    line: u64,
}

impl Rule for StatStorm {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Asks) || opens(row) || row.waits() == Some(For::Time)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if observed.row.waits() == Some(For::Time) {
            self.slept.forget_ended(observed.tracker, |()| false);
            self.slept.entry(observed.call.tid, || ());
            return;
        }
        let Some(path) = observed.seen.path else { return };
        let (pid, tracker) = (observed.seen.pid, observed.tracker);
        let name = tracker.name(path);
        let missing = observed.errno() == Some(ENOENT);
        // An open(2) that finds nothing is a check, too.
        if has_own_rule(name) || !missing && opens(observed.row) {
            return;
        }
        // A thread that sleeps and looks again waits for a file, which `retries` tells.
        if missing && self.slept.remove(&observed.call.tid).is_some() {
            return;
        }
        if missing {
            self.missed.forget_ended(tracker, |_| false);
        }
        if missing && let Some(missed) = self.missed.entry(observed.call.tid, || path) {
            let last = std::mem::replace(missed, path);
            if last != path && base_name(tracker.name(last)) == base_name(name) {
                return;
            }
        }
        let answer = answer(observed);
        let new = || Checks { answer, calls: 0, repeats: 0, line: observed.line };
        self.paths.make_room(|checks| checks.repeats > 0);
        let Some(checks) = self.paths.entry((pid, observed.key, path), new) else { return };
        self.calls += 1;
        self.distinct += u64::from(checks.calls == 0);
        checks.calls += 1;
        if checks.calls > 1 && checks.answer == answer {
            checks.repeats += 1;
        }
        checks.answer = answer;
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let paths: FxHashSet<ObjectId> = self.paths.iter().map(|((_, _, path), _)| *path).collect();
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        let mut often: FxHashMap<ObjectId, Checks> = FxHashMap::default();
        let parents = parents(paths.iter().map(|path| tracker.name(*path)));
        // Repeats of each process: of directories that are parents of other paths, and of all other paths.
        let mut storms: FxHashMap<Tid, [u64; 2]> = FxHashMap::default();
        let repeated = || self.paths.iter().filter(|(_, checks)| checks.repeats + 1 >= STATS_PER_PATH.get());
        for ((pid, _, path), checks) in repeated() {
            let of = &mut storms.entry(*pid).or_default()[usize::from(!parents.contains(tracker.name(*path)))];
            *of += checks.repeats;
        }
        storms.retain(|_, [walked, others]| *others >= FEW_CALLS.get() || *walked + *others >= STATS_PER_PROCESS.get());
        for ((pid, key, path), checks) in repeated().filter(|((pid, ..), _)| storms.contains_key(pid)) {
            claims.add(*key, checks.repeats);
            processes.add(*pid, checks.calls, index.comm(*pid, tracker));
            let sum = often.entry(*path).or_insert(Checks { answer: 0, calls: 0, repeats: 0, line: checks.line });
            sum.calls += checks.calls;
            sum.repeats += checks.repeats;
            sum.line = sum.line.min(checks.line);
        }
        let top = largest(often.iter(), 4, |(path, checks)| (checks.repeats, Reverse(**path)));
        let Some((worst, checks)) = top.first() else { return Vec::new() };
        let of_parents = often.iter().filter(|(path, _)| parents.contains(tracker.name(**path)));
        let (directories, walked) = of_parents.fold((0, 0), |(n, calls), (_, checks)| (n + 1, calls + checks.repeats));
        // A mean says nothing where one path has most of the checks.
        let mean = match checks.calls * 2 > self.calls {
            true => "".into(),
            false => say!("{} checks per path: ", MEAN_CALLS.mean(self.calls, self.distinct)),
        };
        let mut sentence = say!(
            "{}{} was checked {} times and {} of the answers were the same as before",
            mean,
            plain(tracker.name(**worst)),
            CALLS.of(checks.calls),
            if checks.repeats + 1 == checks.calls { "all".into() } else { say!("{}", REPEATED.of(checks.repeats)) },
        );
        if walked * 2 > claims.total() && directories > 1 {
            sentence = say!(
                "{}; {} directories were checked again and again for the paths below them, {} times in all",
                sentence,
                DIRECTORIES.of(directories),
                DIRECTORY_CHECKS.of(walked)
            );
        }
        let evidence = top
            .iter()
            .map(|(path, checks)| Evidence { line: Some(checks.line), ..thing(**path, checks.calls, tracker) });
        vec![Candidate {
            sentence: say!("{}.", sentence),
            evidence: evidence.chain(processes.evidence()).collect(),
            advice: "Ask once and keep the answer; walk trees with fts(3) or openat(2) relative to an open \
                directory, which checks no parent; where modules or libraries are searched for, shorten the path."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "every check whose answer was the same as the one before".into(),
            more_time: 0,
            ..Candidate::default()
        }]
    }
}

/// All directories above these paths.
fn parents<'a>(paths: impl Iterator<Item = &'a [u8]>) -> FxHashSet<&'a [u8]> {
    let mut parents = FxHashSet::default();
    for mut path in paths {
        while path.len() > 1 {
            path = directory(path);
            // The directories above this one are known already.
            if !parents.insert(path) || path == b"." {
                break;
            }
        }
    }
    parents
}

/// A hash of the kernel's answer without the time of the last access.
fn answer(observed: &Observed<'_>) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    match observed.call.outcome {
        Outcome::Error(errno) => errno.hash(&mut hasher),
        Outcome::Value(value) => value.hash(&mut hasher),
        Outcome::Pending | Outcome::Gone => {}
    }
    if observed.ok() {
        let buffers = ["statbuf", "statxbuf"].into_iter().filter_map(|name| observed.call.fields(name));
        buffers.flat_map(|fields| fields.without(is_last_access)).for_each(|bytes| bytes.hash(&mut hasher));
    }
    hasher.finish()
}
