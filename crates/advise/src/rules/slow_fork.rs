//! fork(2) takes long, because the process is large.

use super::common::{Bounded, plain, process};
use crate::counts::by_thread::LostTime;
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Event, Ns, Outcome, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::{Cloned, Tracker};

const SLOW_FORKS: Threshold = Threshold::count("slow-forks", 3, "slow forks of one process");
const SLOW_FORK: Threshold = Threshold::time("slow-fork", 2_000_000, "a fork that takes so long on average is slow");
const SLOW_FORKS_PART: Threshold =
    Threshold::part("slow-forks-part", 0.03, "the part of the run that the slow forks took");

pub const RULE: RuleInfo = RuleInfo {
    id: "slow-fork",
    title: "slow forks of a large process",
    explanation: "fork(2) copies the tables that say where each page of the process is: about 10 ms for each GiB of memory in use. After that, the first write of \
        either process to a page copies the page, and the end of the child gives all the tables back. A process that holds a large cache or a heap of some GiB pays this for each child, \
        however little the child does. vfork(2), posix_spawn(3) and clone(2) with CLONE_VM copy nothing.\n\n\
        Reported are three forks of a process that took 2 ms and more on average, and a thirtieth of the run. The estimate is the time of these calls as far as the run waited for them, and at most the \
        lives of the children up to their execve(2) or their end.\n\n\
        In C, start programs with posix_spawn(3). In Python, subprocess uses vfork unless preexec_fn or the like is given; for multiprocessing, take the start method `forkserver`, or start the pool \
        before the data is loaded. In Ruby and PHP, use spawn or proc_open in place of fork. In Go, Java and Node.js, starting a program copies no tables. Or let a small helper, which is \
        started before the data is loaded, start the children; or let threads do their work. Huge pages make the tables smaller. Where a fork is a snapshot on purpose (as in Redis), it may stay.\n\n\
        Example: a cache with 1.2 GB of data forks 40 times to save a table each: 9.3 s. Saved without a fork: 2.2 s.",
    thresholds: &[SLOW_FORKS, SLOW_FORK, SLOW_FORKS_PART],
    make: || Box::new(SlowForks::default()),
};

#[derive(Default)]
struct SlowForks {
    forks: Bounded<Tid, Forks>,
    /// Children that have neither ended nor run a program: their parent, and when they were made. `None`: it has run a program before its fork returned.
    children: Bounded<Tid, Option<(Tid, Ns)>>,
}

struct Forks {
    calls: u64,
    key: CallKey,
    time: LostTime,
    least: Ns,
    /// The lives of the children up to an execve or their end.
    lived: Ns,
}

impl Rule for SlowForks {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Forks) || row.has_effect(Effect::Executes)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, pid) = (observed.call, observed.seen.pid);
        let Outcome::Value(child) = call.outcome else { return };
        self.children.make_room_of_ended(observed.tracker, |_| false);
        if observed.has(Effect::Executes) {
            self.ends(pid, call.began());
            self.children.entry(pid, || None);
            // From now on the process is another program, such as the one that a shell has looked up, and is of another size.
            if self.forks.get(&pid).is_some_and(|forks| !forks.are_slow()) {
                self.forks.remove(&pid);
            }
            return;
        }
        // The parent of a vfork sleeps until the child has run another program, and no table is copied.
        let is_vfork = matches!(self.children.remove(&(child as Tid)), Some(None));
        if is_vfork || Cloned::of(call).shares_memory() {
            return;
        }
        let slept = call.waits.as_deref().map_or(0, |waits| waits.in_call.all());
        let took = observed.time().saturating_sub(slept);
        let key = observed.key;
        self.forks.make_room_of_ended(observed.tracker, |forks| forks.calls >= SLOW_FORKS.get());
        let new = || Forks { calls: 0, key, time: LostTime::default(), least: Ns::MAX, lived: 0 };
        let Some(forks) = self.forks.entry(pid, new) else { return };
        forks.calls += 1;
        forks.time.add(call.tid, took);
        forks.least = forks.least.min(took);
        self.children.entry(child as Tid, || Some((pid, call.returned)));
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, _: &Tracker) {
        if let Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. } = *event {
            self.ends(tid, at);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let run = index.span();
        let slow = self.forks.iter().filter(|(_, forks)| {
            forks.are_slow() && forks.time.total() as f64 >= index.own_span() as f64 * SLOW_FORKS_PART.ratio()
        });
        let worst = slow.max_by_key(|(pid, forks)| (forks.time.total(), Reverse(**pid)));
        let Some((pid, forks)) = worst else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        vec![Candidate {
            sentence: say!(
                "{} forked {} times, and each fork took {} on average, {} in all of the run's {}: the tables of its memory are copied for each child.",
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                TIMES.of(forks.calls),
                MEAN_WAIT.of(forks.time.total() / forks.calls),
                WAITED.of(forks.time.total()),
                RUN.of(run),
            ),
            evidence: vec![process(*pid, comm, forks.calls)],
            advice: "Start programs with posix_spawn(3) or vfork(2), which copy nothing; do the work in a thread; or start a small helper before the data is loaded, and let it start the \
                     children."
                .into(),
            confidence: Confidence::Likely,
            makers: vec![(forks.key, forks.calls)],
            more_time: forks.time.on_path(index.path()),
            perhaps_more: forks.lived,
            estimate: "the time of these calls, and at most the lives of the children up to their execve or end".into(),
            matters: true,
            instead_of: &["short-children"],
            ..Candidate::default()
        }]
    }
}

impl Forks {
    fn are_slow(&self) -> bool {
        self.calls >= SLOW_FORKS.get()
            && self.time.total() / self.calls >= SLOW_FORK.get()
            // Some forks of a small process are slow by chance.
            && self.least >= SLOW_FORK.get() / 2
    }
}

impl SlowForks {
    fn ends(&mut self, pid: Tid, at: Ns) {
        let Some((parent, made)) = self.children.remove(&pid).flatten() else { return };
        if let Some(forks) = self.forks.get_mut(&parent) {
            forks.lived += at.saturating_sub(made);
        }
    }
}
