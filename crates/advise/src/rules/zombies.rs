//! A parent never waits for its children.

use super::common::{plain, process, process_name};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::CHILDREN;
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHashSet};
use stride_event::{Event, Outcome, Tid};
use stride_syscalls::{Effect, For, Ret, Syscall, uapi::consts as c};
use stride_track::Tracker;

const ZOMBIES: Threshold = Threshold::count("zombies", 16, "children that have ended and were not waited for");

pub const RULE: RuleInfo = RuleInfo {
    id: "zombies",
    title: "children never waited for",
    explanation: "Children of a process have ended, and the process does not ask how (wait4, waitid). Each stays behind as \
                  a zombie and keeps its process id until the parent ends. One day there are no ids left.\n\n\
        A process is reported if at least 16 of its children ended while it went on making calls, and it had not waited for \
        them when it ended or tracing did. A process that ignores SIGCHLD is left out, because the kernel removes its \
        children.\n\n\
        Example: a server forks for each connection and forgets waitpid. Call waitpid(-1, NULL, WNOHANG) in a loop when SIGCHLD comes, or ignore SIGCHLD.",
    thresholds: &[ZOMBIES],
    make: || Box::new(Zombies::default()),
};

#[derive(Default)]
struct Zombies {
    /// Children that have ended and were not waited for, by parent.
    gone: FxHashMap<Tid, FxHashSet<Tid>>,
    ignores: FxHashSet<Tid>,
    /// The parent that left the most children when it ended, and how many.
    worst: Option<(u64, Tid, Vec<u8>)>,
    children: usize,
}

/// The generated constants lack SIG_IGN, because the headers define it with a cast.
const SIG_IGN: u64 = 1;
const MAX_CHILDREN: usize = 1 << 18;

impl Rule for Zombies {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits() == Some(For::Child) || row.has_effect(Effect::SetsDisposition)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let pid = observed.seen.pid;
        let Outcome::Value(value) = observed.call.outcome else { return };
        match observed.row.ret {
            _ if observed.has(Effect::SetsDisposition) => self.disposition(observed, pid),
            // waitid(2) has the id in its siginfo. The id does not matter here, only that the parent waited for some
            // child.
            Ret::Int => {
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

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        for pid in self.gone.keys().copied().collect::<Vec<_>>() {
            let comm = index.comm(pid, tracker).to_vec();
            self.parent_ends(pid, &comm);
        }
        let Some((children, pid, comm)) = self.worst.take() else { return Vec::new() };
        let name = process_name(pid, &comm);
        vec![Candidate {
            sentence: say!(
                "{} children of {} had ended, and it had waited for none of them when it ended or tracing did.",
                CHILDREN.of(children),
                plain(&name)
            ),
            evidence: vec![process(pid, &comm, 0)],
            advice: "When SIGCHLD comes, call waitpid(-1, NULL, WNOHANG) until it finds no more children; or ignore \
                     SIGCHLD."
                .into(),
            confidence: Confidence::Likely,
            matters: true,
            ..Candidate::default()
        }]
    }
}

impl Zombies {
    fn parent_ends(&mut self, pid: Tid, comm: &[u8]) {
        let ignores = self.ignores.remove(&pid);
        let Some(gone) = self.gone.remove(&pid) else { return };
        self.children -= gone.len();
        let left = gone.len() as u64;
        if !ignores && left >= ZOMBIES.get() && self.worst.as_ref().is_none_or(|worst| worst.0 < left) {
            self.worst = Some((left, pid, comm.to_vec()));
        }
    }

    /// SIG_IGN and SA_NOCLDWAIT leave no zombies.
    fn disposition(&mut self, observed: &Observed<'_>, pid: Tid) {
        if observed.arg("signum") != c::SIGCHLD {
            return;
        }
        // signal(2) has the handler as an argument. Without a new action, sigaction(2) only asks.
        let act = observed.call.fields("act");
        let Some(handler) = observed.call.arg("handler").or_else(|| act?.get("sa_handler")) else { return };
        let flags = act.and_then(|act| act.get("sa_flags")).unwrap_or(0);
        if handler == SIG_IGN || flags & c::SA_NOCLDWAIT != 0 {
            self.ignores.insert(pid);
        } else {
            self.ignores.remove(&pid);
        }
    }
}
