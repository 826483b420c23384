//! The same paths are checked again and again.

use super::common::{Bounded, Claims, Processes, base_name, directory, has_own_rule, largest, plain, thing};
use crate::finding::{Confidence, Draft, Evidence};
use crate::index::{CallKey, Index, Observed};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::{FEW_CALLS, STATS_PER_PATH, STATS_PER_PROCESS};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use stride_event::{Memory, Outcome, Phase, Tid, grouped};
use stride_track::{ObjectId, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "stat-storm",
    title: "stat storm",
    explanation: "The same path is asked about again and again (stat, access, readlink and their kin), and the answer never \
        changes.\n\n\
        Each path that one process checked at least four times with the same answer counts, if there are three hundred such checks in it, or a \
        thousand where they are all of parents: compilers and interpreters walk some when they start; all checks but the first could be \
        saved by keeping the answer. A check whose answer differs from the one before starts anew: it was worth making. An open \
        that finds nothing is a check, too. Parents are told apart: directories that are checked for each path below them.\n\n\
        Example: a program visits 30,600 files and, to be safe, checks that the directory still exists before each. The \
        directory's 30,600 checks have one answer: 30,599 are saved by asking once per directory. Walks with fts(3), nftw(3) or \
        openat(2) relative to an open directory need none.",
    make: || Box::new(StatStorm::default()),
};

const CHECKS: &[&str] = &[
    "stat",
    "lstat",
    "newfstatat",
    "fstatat64",
    "stat64",
    "lstat64",
    "statx",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
];

const OPENS: &[&str] = &["open", "openat", "openat2"];
const ENOENT: u32 = 2;

#[derive(Default)]
struct StatStorm {
    paths: Bounded<(Tid, CallKey, ObjectId), Checks>,
    calls: u64,
    /// Of paths, by one syscall in one process.
    distinct: u64,
    /// What each thread looked for last and did not find: the same name elsewhere is a search, of which another rule tells.
    missed: Bounded<Tid, ObjectId>,
}

/// Of one path, by one syscall in one process.
struct Checks {
    answer: u64,
    calls: u64,
    /// Had the same answer as the one before.
    repeats: u64,
    line: u64,
}

impl Rule for StatStorm {
    fn wants(&self, name: &'static str) -> bool {
        CHECKS.contains(&name) || OPENS.contains(&name)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(path) = observed.seen.path else { return };
        let (pid, tracker) = (observed.seen.pid, observed.tracker);
        let name = tracker.name(path);
        let missing = observed.errno() == Some(ENOENT);
        // An open(2) that finds nothing is a check, too.
        if has_own_rule(name) || !missing && OPENS.contains(&observed.name) {
            return;
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

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft> {
        let paths: FxHashSet<ObjectId> = self.paths.iter().map(|((_, _, path), _)| *path).collect();
        let (mut claims, mut processes) = (Claims::default(), Processes::default());
        let mut often: FxHashMap<ObjectId, Checks> = FxHashMap::default();
        let parents = parents(paths.iter().map(|path| tracker.name(*path)));
        // Repeats by each process, of directories that are others' parents, and of the rest.
        let mut storms: FxHashMap<Tid, [u64; 2]> = FxHashMap::default();
        let repeated = || self.paths.iter().filter(|(_, checks)| checks.repeats + 1 >= STATS_PER_PATH);
        for ((pid, _, path), checks) in repeated() {
            let of = &mut storms.entry(*pid).or_default()[usize::from(!parents.contains(tracker.name(*path)))];
            *of += checks.repeats;
        }
        storms.retain(|_, [walked, others]| *others >= FEW_CALLS || *walked + *others >= STATS_PER_PROCESS);
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
        let mut sentence = format!(
            "{:.1} checks per path: {} was checked {} times and {} of the answers were the same as before",
            self.calls as f64 / self.distinct as f64,
            plain(tracker.name(**worst)),
            grouped(checks.calls),
            if checks.repeats + 1 == checks.calls { "all".into() } else { grouped(checks.repeats) },
        );
        if walked * 2 > claims.total() && directories > 1 {
            sentence += &format!(
                "; {} directories were checked again and again for the paths below them, {} times in all",
                grouped(directories),
                grouped(walked)
            );
        }
        let evidence = top
            .iter()
            .map(|(path, checks)| Evidence { line: Some(checks.line), ..thing(**path, checks.calls, tracker) });
        vec![Draft {
            sentence: sentence + ".",
            evidence: evidence.chain(processes.evidence()).collect(),
            advice: "Ask once and keep the answer; walk trees with fts(3) or openat(2) relative to an open directory, which \
                checks no parent; where modules or libraries are searched for, shorten the path."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "every check whose answer was the same as the one before".into(),
            more_time: 0,
            matters: false,
        }]
    }
}

/// The directories that these paths are in.
fn parents<'a>(paths: impl Iterator<Item = &'a [u8]>) -> FxHashSet<&'a [u8]> {
    let mut parents = FxHashSet::default();
    for mut path in paths {
        while path.len() > 1 {
            path = directory(path);
            // Its own are known.
            if !parents.insert(path) || path == b"." {
                break;
            }
        }
    }
    parents
}

/// What the kernel said, but for the time of the last access.
fn answer(observed: &Observed<'_>) -> u64 {
    // The buffers as x86-64 has them, with where the time of access is.
    const ANSWERS: [(&str, usize, std::ops::Range<usize>); 2] = [("statbuf", 144, 72..88), ("statxbuf", 256, 64..80)];
    let mut hasher = rustc_hash::FxHasher::default();
    match observed.call.outcome {
        Outcome::Error(errno) => errno.hash(&mut hasher),
        Outcome::Value(value) => value.hash(&mut hasher),
        Outcome::Pending | Outcome::Gone => {}
    }
    if observed.ok() {
        for (name, size, accessed) in ANSWERS {
            let bytes = observed.call.blocks.prefix(Phase::Exit, observed.arg(name), size);
            bytes.get(..accessed.start).hash(&mut hasher);
            bytes.get(accessed.end..).hash(&mut hasher);
        }
    }
    hasher.finish()
}
