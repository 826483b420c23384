//! All threads of a pool wait for something slow, and work that is quick waits behind them.

use super::common::{Bounded, count_stack, family, family_name, process};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{Io, io, is_write, opens, waits_for_any};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{RUN, THREADS, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;
use stride_event::{Ns, Stack, Tid};
use stride_syscalls::{Effect, For, Syscall};
use stride_track::{Futex, ObjectId, Tracker};

const POOL_WAIT: Threshold =
    Threshold::time("pool-wait", 20_000_000, "a shorter wait of a thread of a pool is not looked at");
const POOL_QUICK: Threshold = Threshold::part(
    "pool-quick",
    0.1,
    "the work behind such a wait is quick if it waits for less than this part of it",
);
const POOL_PART: Threshold =
    Threshold::part("pool-part", 0.1, "the part of the run in which all threads of the pool waited");

pub const RULE: RuleInfo = RuleInfo {
    id: "blocked-pool",
    title: "a pool whose threads all wait",
    explanation: "A runtime gives work that may take long to a few threads: Node.js gives the files, the names of hosts and the cryptography of the whole program to four (libuv). If all of them wait for something that does not come soon (for a \
        writer of a FIFO, for a terminal, for an answer from the network), everything else that needs the pool waits behind them, however quick that is.\n\n\
        Reported is a pool (threads of one name and process, two or more, which tell an event loop of their results) if, for a tenth of the run, all of its threads waited for 20 ms or more each in calls that open, read or connect, and \
        if one of them told the event loop of its result (eventfd(2)) and took up quick work about another file directly after that: this work had waited in the queue.\n\n\
        Wait for such things where waiting costs nothing: in Node.js, open a FIFO with O_RDONLY | O_NONBLOCK and give the descriptor to net.Socket, read a child's output from its pipe, and resolve names with dns.resolve in place of \
        dns.lookup; or enlarge the pool (UV_THREADPOOL_SIZE, max_workers). In other languages, use a pool of its own for what waits.\n\n\
        Example: a program reads the reports of six plugins from FIFOs by fs.promises.readFile, which takes all four threads until the plugins have written, 0.9 s later. The reading of 40 small files \
        begins only then: 1.9 s, and 1.2 s if the FIFOs are read by sockets.",
    thresholds: &[POOL_WAIT, POOL_QUICK, POOL_PART],
    make: || Box::new(BlockedPool::default()),
};

#[derive(Default)]
struct BlockedPool {
    /// By thread: the latest long wait, until it is known what came behind.
    latest: Bounded<Tid, Blocked>,
    /// By process: when a thread told the event loop of a result last (eventfd(2)). Calls after that are other work.
    told: Bounded<Tid, Ns>,
    /// By process and name of the threads.
    pools: Bounded<(Tid, Box<[u8]>), Pool>,
}

struct Blocked {
    pool: (Tid, Box<[u8]>),
    began: Ns,
    returned: Ns,
    object: Option<ObjectId>,
    stack: Option<(Arc<Stack>, u64)>,
}

#[derive(Default)]
struct Pool {
    /// The threads that have told the event loop of a result, or waited long.
    threads: BTreeSet<Tid>,
    waits: Vec<PoolWait>,
    stacks: Vec<(Arc<Stack>, u64)>,
}

/// A long wait of a thread of the pool.
struct PoolWait {
    tid: Tid,
    began: Ns,
    returned: Ns,
    /// Quick work came behind it.
    kept_waiting: bool,
}

/// A shorter wait at a futex is for the lock of the queue, and not for work.
const SHORTEST_IDLE: Ns = 1_000_000;
const MOST_WAITS: usize = 4096;
const MOST_THREADS: usize = 64;
const MOST_STACKS: usize = 32;

impl Rule for BlockedPool {
    fn wants(&self, row: &'static Syscall) -> bool {
        works(row) || may_wait_long(row) || row.waits().is_some()
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, tid) = (observed.call, observed.call.tid);
        // The first thread gives the pool its work.
        if tid == observed.seen.pid {
            return;
        }
        let Some(thread) = observed.tracker.thread(tid) else { return };
        let of = || (observed.seen.pid, Box::from(family(&thread.comm)));
        let waited = observed.time_waiting();
        let is_idle = Futex::is(observed.row) || waits_for_any(observed.row) || observed.row.waits() == Some(For::Time);
        if is_idle && waited < SHORTEST_IDLE {
            return;
        }
        if is_idle || waited >= POOL_WAIT.get() {
            if let Some(blocked) = self.latest.remove(&tid) {
                let told = self.told_at(observed.seen.pid);
                let kept_waiting = works(observed.row) && blocked.is_kept_waiting(observed, told);
                self.add(tid, blocked, kept_waiting, observed.tracker);
            }
            if !is_idle && (works(observed.row) || may_wait_long(observed.row)) {
                let began = call.returned.saturating_sub(call.took().unwrap_or(0));
                let stack = call.stack.clone().map(|stack| (stack, call.stack_calls.into()));
                let (object, returned) = (observed.seen.object, call.returned);
                let blocked = Blocked { pool: of(), began, returned, object, stack };
                self.latest.make_room_of_ended(observed.tracker, |_| false);
                self.latest.entry(tid, || blocked);
            }
            return;
        }
        let is_other = |object| io(object, observed.tracker) == Io::Other;
        if is_write(observed.row) && observed.seen.object.is_some_and(is_other) {
            self.told.make_room_of_ended(observed.tracker, |_| false);
            self.told.entry(observed.seen.pid, || 0).into_iter().for_each(|told| *told = call.returned);
            self.pools.make_room_of_ended(observed.tracker, |pool| !pool.waits.is_empty());
            self.pools.entry(of(), Pool::default).into_iter().for_each(|pool| pool.joins(tid));
        }
        if !works(observed.row) {
            return;
        }
        let told = self.told_at(observed.seen.pid);
        if self.latest.get(&tid).is_some_and(|blocked| blocked.is_kept_waiting(observed, told))
            && let Some(blocked) = self.latest.remove(&tid)
        {
            self.add(tid, blocked, true, observed.tracker);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        for (tid, blocked) in self.latest.take() {
            self.add(tid, blocked, false, tracker);
        }
        let least = index.own_span() as f64 * POOL_PART.ratio();
        let blocked = self.pools.iter().map(|(of, pool)| (pool.all_waited(), of, pool));
        let worst = blocked
            .filter(|(time, ..)| *time as f64 >= least && *time > 0)
            .max_by_key(|(time, of, _)| (*time, Reverse((of.0, of.1.clone()))));
        let Some((time, (pid, name), pool)) = worst else { return Vec::new() };
        vec![Candidate {
            sentence: say!(
                "All {} threads of a pool of {} waited at the same time, for {} of the run's {} in all, and quick work was in the queue behind them.",
                THREADS.of(pool.threads.len() as u64),
                family_name(name, *pid),
                WAITED.of(time),
                RUN.of(index.own_span()),
            ),
            evidence: vec![process(*pid, index.comm(*pid, tracker), pool.waits.len() as u64)],
            advice: "Wait for such things outside the pool: in Node.js, open a FIFO with O_NONBLOCK and give it to net.Socket, take a child's output from its pipe, and use dns.resolve in place of dns.lookup; elsewhere, use a pool of its own. Or \
                     enlarge the pool (UV_THREADPOOL_SIZE, max_workers)."
                .into(),
            confidence: Confidence::Likely,
            stacks: pool.stacks.clone(),
            perhaps_more: time,
            estimate: "the time in which the work behind could not begin".into(),
            matters: true,
            instead_of: &["lost-time"],
            ..Candidate::default()
        }]
    }
}

impl BlockedPool {
    /// When the event loop of a process was told of a result last.
    fn told_at(&self, pid: Tid) -> Ns {
        self.told.get(&pid).copied().unwrap_or(0)
    }

    fn add(&mut self, tid: Tid, blocked: Blocked, kept_waiting: bool, tracker: &Tracker) {
        self.pools.make_room_of_ended(tracker, |pool| !pool.waits.is_empty());
        let Blocked { pool, began, returned, stack, .. } = blocked;
        let Some(pool) = self.pools.entry(pool, Pool::default) else { return };
        pool.joins(tid);
        if pool.waits.len() < MOST_WAITS {
            pool.waits.push(PoolWait { tid, began, returned, kept_waiting });
        }
        if let Some((stack, calls)) = &stack {
            count_stack(&mut pool.stacks, MOST_STACKS, stack, *calls);
        }
    }
}

/// A thread tells the event loop nothing if another one has just done so, and the loop has not run since.
const SOON: Ns = 10_000_000;

impl Blocked {
    /// The call is quick work that was in the queue while the thread waited.
    fn is_kept_waiting(&self, observed: &Observed<'_>, told: Ns) -> bool {
        let is_other_work = told + SOON >= self.returned && self.object != observed.key.object;
        let waited = self.returned.saturating_sub(self.began);
        is_other_work && observed.time_waiting() as f64 <= waited as f64 * POOL_QUICK.ratio()
    }
}

impl Pool {
    fn joins(&mut self, tid: Tid) {
        if self.threads.len() < MOST_THREADS {
            self.threads.insert(tid);
        }
    }

    /// For how long all threads waited at the same time, until one of them took up quick work.
    fn all_waited(&self) -> Ns {
        let all = self.threads.len();
        if all < 2 {
            return 0;
        }
        let mut ends: Vec<(Ns, bool, &PoolWait)> = Vec::new();
        for wait in self.waits.iter().filter(|wait| self.threads.contains(&wait.tid)) {
            ends.push((wait.began, true, wait));
            ends.push((wait.returned, false, wait));
        }
        ends.sort_by_key(|(at, begins, wait)| (*at, *begins, wait.tid));
        let (mut waiting, mut since, mut time) = (BTreeSet::new(), 0, 0);
        for (at, begins, wait) in ends {
            if begins {
                waiting.insert(wait.tid);
                if waiting.len() == all {
                    since = at;
                }
                continue;
            }
            if waiting.len() == all && wait.kept_waiting {
                time += at.saturating_sub(since);
            }
            waiting.remove(&wait.tid);
        }
        time
    }
}

/// Looks at a file or opens one: the work of a pool.
fn works(row: &Syscall) -> bool {
    opens(row) || row.has_effect(Effect::Asks)
}

fn may_wait_long(row: &Syscall) -> bool {
    let waits = row.waits().or(row.may_wait());
    matches!(waits, Some(For::Peer | For::Readiness)) || row.transfer().is_some() || row.has_effect(Effect::Connects)
}
