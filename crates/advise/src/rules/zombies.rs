//! Children are never waited for.

use super::common::{plain, process_name};
use crate::finding::{Confidence, Draft, Evidence, EvidenceKind};
use crate::index::{Index, Observed};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::ZOMBIES;
use rustc_hash::{FxHashMap, FxHashSet};
use stride_event::{Event, Memory, Outcome, Phase, Tid, grouped};
use stride_track::Tracker;

pub const RULE: RuleInfo = RuleInfo {
    id: "zombies",
    title: "children never waited for",
    explanation: "Children of a process are gone, and it does not ask how they ended (wait4, waitid): each stays behind as a zombie, \
        with its process id, until the parent ends. Ids run out some day.\n\n\
        It counts children that were gone while their parent went on making calls, and that it had not waited for when it ended or \
        tracing did; at least 16. A process that ignores SIGCHLD has its children cleared away by the kernel, and is left out.\n\n\
        Example: a server forks for each connection and forgets waitpid. Loop over waitpid(-1, NULL, WNOHANG) in a handler of \
        SIGCHLD, or ignore SIGCHLD.",
    make: || Box::new(Zombies::default()),
};

#[derive(Default)]
struct Zombies {
    /// Children that are gone and not waited for, by parent.
    gone: FxHashMap<Tid, FxHashSet<Tid>>,
    ignores: FxHashSet<Tid>,
    /// What parents that are gone had left: the most.
    worst: Option<(u64, Tid, Vec<u8>)>,
    children: usize,
}

const MAX_CHILDREN: usize = 1 << 18;

impl Rule for Zombies {
    fn wants(&self, name: &'static str) -> bool {
        matches!(name, "wait4" | "waitid" | "waitpid" | "rt_sigaction")
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let pid = observed.seen.pid;
        let Outcome::Value(value) = observed.call.outcome else { return };
        match observed.name {
            "rt_sigaction" => self.disposition(observed, pid),
            // The id is in the siginfo; that somebody was waited for is what counts.
            "waitid" => {
                if let Some(gone) = self.gone.get_mut(&pid)
                    && let Some(one) = gone.iter().next().copied()
                {
                    gone.remove(&one);
                    self.children -= 1;
                }
            }
            _ => {
                if self.gone.get_mut(&pid).is_some_and(|gone| gone.remove(&(value as Tid))) {
                    self.children -= 1;
                }
            }
        }
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. }) = *event else {
            return;
        };
        let Some(process) = tracker.process(tid) else { return };
        self.parent_ends(tid, &process.comm);
        if let Some(parent) = process.parent.filter(|_| !matches!(event, Event::Detached { .. }))
            && self.children < MAX_CHILDREN
            && tracker.process(parent).is_some()
        {
            self.children += usize::from(self.gone.entry(parent).or_default().insert(tid));
        }
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Draft> {
        for pid in self.gone.keys().copied().collect::<Vec<_>>() {
            let comm = tracker.process(pid).map(|process| process.comm.clone()).unwrap_or_default();
            self.parent_ends(pid, &comm);
        }
        let Some((children, pid, comm)) = self.worst.take() else { return Vec::new() };
        let name = process_name(pid, &comm);
        vec![Draft {
            sentence: format!(
                "{} children of {} were gone, and it had waited for none of them when it ended or tracing did.",
                grouped(children),
                plain(&name)
            ),
            evidence: vec![Evidence::new(EvidenceKind::Process, name, 0)],
            advice: "Call waitpid(-1, NULL, WNOHANG) until it finds none, on SIGCHLD; or ignore SIGCHLD.".into(),
            confidence: Confidence::Likely,
            matters: true,
            ..Draft::default()
        }]
    }
}

impl Zombies {
    fn parent_ends(&mut self, pid: Tid, comm: &[u8]) {
        let ignores = self.ignores.remove(&pid);
        let Some(gone) = self.gone.remove(&pid) else { return };
        self.children -= gone.len();
        let left = gone.len() as u64;
        if !ignores && left >= ZOMBIES && self.worst.as_ref().is_none_or(|worst| worst.0 < left) {
            self.worst = Some((left, pid, comm.to_vec()));
        }
    }

    /// SIG_IGN and SA_NOCLDWAIT leave no zombies.
    fn disposition(&mut self, observed: &Observed<'_>, pid: Tid) {
        const SIGCHLD: u64 = 17;
        const SIG_IGN: u64 = 1;
        const SA_NOCLDWAIT: u64 = 2;
        let act = observed.arg("act");
        if observed.arg("signum") != SIGCHLD || act == 0 {
            return;
        }
        let word = observed.call.abi.word();
        let bytes = observed.call.blocks.prefix(Phase::Entry, act, 2 * word);
        let value = |at: usize| {
            bytes.get(at..at + word).map_or(0, |b| b.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        };
        if value(0) == SIG_IGN || value(word) & SA_NOCLDWAIT != 0 {
            self.ignores.insert(pid);
        } else {
            self.ignores.remove(&pid);
        }
    }
}
