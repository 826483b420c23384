//! Programs are searched along PATH, each time anew.

use super::common::{Bounded, Claims, ProcessCounts, base_name, largest, plain, thing};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{CALLS, MEAN_CALLS, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const EXEC_MISSES: Threshold = Threshold::count("exec-misses", 100, "attempts that found nothing before one that did");

pub const RULE: RuleInfo = RuleInfo {
    id: "exec-search",
    title: "programs searched along PATH",
    explanation: "execvp(3) and posix_spawnp(3) try execve(2) in one directory of PATH after another. It fails with ENOENT \
                  until they come to the directory that has the program. The next child begins the same search again.\n\n\
        Every failed attempt before a successful one could be saved by running the program by its full path, or by putting \
        its directory first in PATH. Shells remember where they found a program (hash); programs that use execvp do not.\n\n\
        Example: with ten directories before /usr/bin in PATH, a build tool that starts 1,000 compilers makes 10,000 calls that \
        find nothing.",
    thresholds: &[EXEC_MISSES],
    make: || Box::new(ExecSearch::default()),
};

const ENOENT: u32 = c::ENOENT as u32;

#[derive(Default)]
struct ExecSearch {
    /// The failed attempts of each thread since its last success.
    tried: Bounded<Tid, Vec<Observation>>,
    /// By program: how often the search found it, after how many misses, and one line.
    found: FxHashMap<ObjectId, Found>,
    claims: Claims,
    /// The processes that started the searchers.
    processes: ProcessCounts,
}

struct Observation {
    key: crate::counts::index::CallKey,
    path: ObjectId,
}

#[derive(Default)]
struct Found {
    times: u64,
    misses: u64,
    line: u64,
    /// The first path that was tried, where the program was not.
    first: Option<ObjectId>,
}

/// More directories than any PATH has.
const MAX_TRIED: usize = 256;

impl Rule for ExecSearch {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Executes)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (tid, Some(path)) = (observed.call.tid, observed.seen.path) else { return };
        let name = |path| base_name(observed.tracker.name(path));
        if observed.errno() == Some(ENOENT) {
            let Some(tried) = self.tried.entry(tid, Vec::new) else { return };
            // A search for another program begins.
            if tried.last().is_some_and(|last| name(last.path) != name(path)) || tried.len() >= MAX_TRIED {
                tried.clear();
            }
            tried.push(Observation { key: observed.key, path });
            return;
        }
        let Some(tried) = self.tried.remove(&tid).filter(|_| observed.ok()) else { return };
        if tried.last().is_none_or(|last| name(last.path) != name(path)) {
            return;
        }
        tried.iter().for_each(|miss| self.claims.add(miss.key, 1));
        let parent = observed.tracker.process(observed.seen.pid).and_then(|process| process.parent);
        self.processes.count_calls(parent.unwrap_or(observed.seen.pid), tried.len() as u64, observed.tracker);
        let found = self.found.entry(path).or_default();
        found.times += 1;
        found.misses += tried.len() as u64;
        found.line = observed.line;
        found.first = tried.first().map(|miss| miss.path);
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let misses = self.claims.total();
        let worst = largest(&self.found, 4, |(path, found)| (found.misses, **path));
        let Some((path, found)) = worst.first().filter(|_| misses >= EXEC_MISSES.get()) else { return Vec::new() };
        let began = found.first.map(|first| plain(tracker.name(first))).unwrap_or_default();
        let evidence = worst.iter().map(|(path, found)| Evidence {
            line: Some(found.line),
            ..thing(**path, found.misses + found.times, tracker)
        });
        vec![Candidate {
            sentence: say!(
                "execve failed {} times with ENOENT while PATH was searched: {} was found {} times, each time after {} \
                 attempts that began with {began}.",
                CALLS.of(misses),
                plain(tracker.name(**path)),
                TIMES.of(found.times),
                MEAN_CALLS.mean(found.misses, found.times),
            ),
            evidence: evidence.chain(self.processes.evidence()).collect(),
            advice: "Run programs by their full path, or put their directory first in PATH.".into(),
            confidence: Confidence::Certain,
            claims: std::mem::take(&mut self.claims).list(),
            estimate: "every attempt that found nothing".into(),
            ..Candidate::default()
        }]
    }
}
