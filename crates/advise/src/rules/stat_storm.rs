//! The same paths are checked again and again.

use super::common::{Processes, plain, thing};
use crate::finding::{Claim, Confidence, Draft};
use crate::index::{CallKey, Index, Observed};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::STATS_PER_PATH;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use stride_event::{Memory, Outcome, Phase, grouped};
use stride_track::{ObjectId, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "stat-storm",
    title: "stat storm",
    explanation: "The same path is asked about again and again (stat, access, readlink and their kin), and the answer never \
        changes.\n\n\
        Each path that was checked at least four times with the same answer counts; all checks but the first could be saved by \
        keeping the answer. A check whose answer differs from the one before starts anew: it was worth making.\n\n\
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

#[derive(Default)]
struct StatStorm {
    paths: FxHashMap<(CallKey, ObjectId), Checks>,
    processes: Processes,
}

/// Of one path, by one syscall.
struct Checks {
    answer: u64,
    calls: u64,
    /// Had the same answer as the one before.
    repeats: u64,
    line: u64,
}

const MAX_PATHS: usize = 1 << 20;

impl Rule for StatStorm {
    fn wants(&self, name: &'static str) -> bool {
        CHECKS.contains(&name)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(path) = observed.seen.path else { return };
        let at = (observed.key, path);
        let answer = answer(observed);
        let room = self.paths.len() < MAX_PATHS;
        match self.paths.get_mut(&at) {
            Some(checks) => {
                checks.calls += 1;
                if checks.answer == answer {
                    checks.repeats += 1;
                    if checks.repeats + 1 >= STATS_PER_PATH {
                        self.processes.count(observed.seen.pid, observed.tracker);
                    }
                }
                checks.answer = answer;
            }
            None if room => {
                self.paths.insert(at, Checks { answer, calls: 1, repeats: 0, line: observed.line });
            }
            None => {}
        }
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Draft> {
        let all: u64 = self.paths.values().map(|checks| checks.calls).sum();
        let files = self.paths.len() as u64;
        let mut often: Vec<_> = self.paths.iter().filter(|(_, c)| c.repeats + 1 >= STATS_PER_PATH).collect();
        often.sort_by_key(|((_, path), checks)| (std::cmp::Reverse(checks.repeats), *path));
        let Some(((_, worst), checks)) = often.first() else { return Vec::new() };
        let evidence = often.iter().map(|((_, path), checks)| {
            let mut evidence = thing(*path, checks.calls, tracker);
            evidence.line = Some(checks.line);
            evidence
        });
        vec![Draft {
            sentence: format!(
                "{:.1} checks per path: {} was checked {} times and {} of the answers were the same as before.",
                all as f64 / files as f64,
                plain(tracker.name(*worst)),
                grouped(checks.calls),
                if checks.repeats + 1 == checks.calls { "all".into() } else { grouped(checks.repeats) },
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Ask once and keep the answer; walk trees with fts(3) or openat(2) relative to an open directory, which \
                checks no parent."
                .into(),
            confidence: Confidence::Likely,
            claims: often.iter().map(|((key, _), checks)| Claim { key: *key, calls: checks.repeats }).collect(),
            estimate: "every check whose answer was the same as the one before".into(),
            more_time: 0,
            matters: false,
        }]
    }
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
