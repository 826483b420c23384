//! The thread of an event loop waits for one thing while others are ready.

use super::common::{Bounded, plain, process};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::waits_for_any;
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{Effect, For, Syscall, table};
use stride_track::Tracker;

const BLOCKED_LOOP: Threshold = Threshold::count("blocked-loop", 10, "waits of a loop's thread outside its loop");
const BLOCKED_PART: Threshold = Threshold::part("blocked-part", 0.2, "the part of the run that passes in such waits");
const BLOCKED_FOR: Threshold = Threshold::time("blocked-for", 2_000_000, "shorter waits delay nobody");

pub const RULE: RuleInfo = RuleInfo {
    id: "blocked-loop",
    title: "an event loop that waits outside its loop",
    explanation: "A thread runs an event loop: it waits at an epoll instance for many descriptors (asyncio, Node.js, nginx, libuv). Then it waits in another call, \
        for a sleep, a child, a lock of a file, an answer or a disk. Meanwhile it looks after nobody else.\n\n\
        Reported are ten or more such waits of 2 ms and more that take a fifth of the run, if something else was ready each time when the thread came back to its loop. If several \
        threads wait at the epoll instance, another one may have looked after that, and nothing is reported. Locks in memory do not count.\n\n\
        Example: a handler of an asyncio server calls time.sleep(0.02). Five clients wait for each other: 1.7 s instead of 0.4 s with asyncio.sleep. \
        (execSync in Node.js waits in a loop of its own, and is not told here.)",
    thresholds: &[BLOCKED_LOOP, BLOCKED_PART, BLOCKED_FOR],
    make: || Box::new(BlockedLoop::default()),
};

/// A wait that took no longer found that something was ready.
const READY: Ns = 200_000;

#[derive(Default)]
struct BlockedLoop {
    /// By process and descriptor of the epoll instance.
    loops: Bounded<(Tid, u64), Loop>,
    /// Waits of the loops' threads since they left their loops.
    blocked: Bounded<Tid, Waits>,
}

#[derive(Default)]
struct Loop {
    tid: Tid,
    /// Other threads wait at the instance, too.
    is_shared: bool,
    /// Those after which something was ready.
    waits: Waits,
}

#[derive(Default)]
struct Waits {
    calls: u64,
    time: Ns,
    /// The kind of the longest one.
    longest: Option<(Ns, CallKey)>,
}

impl Waits {
    fn add(&mut self, other: Waits) {
        self.calls += other.calls;
        self.time += other.time;
        let time = |waits: Option<(Ns, CallKey)>| waits.map_or(0, |(time, _)| time);
        if time(other.longest) > time(self.longest) {
            self.longest = other.longest;
        }
    }
}

impl Rule for BlockedLoop {
    fn wants(&self, row: &'static Syscall) -> bool {
        waits_for_any(row) || may_block(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let tid = observed.call.tid;
        if waits_for_any(observed.row) {
            return self.in_loop(observed);
        }
        let time = observed.time_waiting();
        if time < BLOCKED_FOR.get() || observed.slept() == Some(false) {
            return;
        }
        // Only threads that have been in a loop have an entry.
        if let Some(blocked) = self.blocked.get_mut(&tid) {
            blocked.add(Waits { calls: 1, time, longest: Some((time, CallKey { object: None, ..observed.key })) });
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_total() as f64 * BLOCKED_PART.ratio();
        let blocked = self
            .loops
            .iter()
            .filter(|(_, it)| !it.is_shared && it.waits.calls >= BLOCKED_LOOP.get() && it.waits.time as f64 >= least);
        let worst = blocked.max_by_key(|((pid, epoll), it)| (it.waits.time, Reverse((*pid, *epoll))));
        let Some(((pid, _), Loop { waits, .. })) = worst else { return Vec::new() };
        let Some((_, key)) = waits.longest else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        vec![Candidate {
            sentence: say!(
                "The thread of {}'s event loop waited {} times outside the loop, {} on average and most of all in {}: {} of the run's {}. Each time, something else was ready after that.",
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                TIMES.of(waits.calls),
                MEAN_WAIT.of(waits.time / waits.calls),
                table(key.abi).name(key.nr.into()).into_owned(),
                WAITED.of(waits.time),
                RUN.of(index.span())
            ),
            evidence: vec![process(*pid, comm, waits.calls)],
            advice: "Wait in the loop, by its own means (asyncio.sleep, asyncio.create_subprocess_exec, an asynchronous client), or give \
                     the work to a thread (asyncio.to_thread)."
                .into(),
            confidence: Confidence::Likely,
            makers: index.calls_like(key).collect(),
            perhaps_more: waits.time,
            estimate: "all of that if others can be served meanwhile, less if they wait for the same".into(),
            matters: true,
            instead_of: &["lost-time", "serial-service", "lock-step"],
            ..Candidate::default()
        }]
    }
}

impl BlockedLoop {
    /// The thread is back in its loop.
    fn in_loop(&mut self, observed: &Observed<'_>) {
        let tid = observed.call.tid;
        self.loops.make_room_of_ended(observed.tracker, |it| it.waits.calls >= BLOCKED_LOOP.get());
        self.blocked.make_room_of_ended(observed.tracker, |_| false);
        let of = (observed.seen.pid, observed.arg("epfd"));
        let Some(it) = self.loops.entry(of, || Loop { tid, ..Loop::default() }) else { return };
        it.is_shared |= it.tid != tid;
        let Some(blocked) = self.blocked.entry(tid, Waits::default) else { return };
        let waits = std::mem::take(blocked);
        let is_ready = matches!(observed.call.outcome, Outcome::Value(1..)) && observed.time_waiting() < READY;
        if is_ready {
            it.waits.add(waits);
        }
    }
}

/// Calls for whose end a loop's thread should not wait. (Locks in memory have rules of their own.)
fn may_block(row: &Syscall) -> bool {
    match row.waits().or(row.may_wait()) {
        Some(For::Lock) => false,
        Some(_) => true,
        None => row.transfer().is_some() || row.has_effect(Effect::Connects) || row.has_effect(Effect::Syncs),
    }
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, forked, lasting, spawned};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;

    /// A run of 40 rounds: a wait at an epoll instance that takes so long, by this thread in each second round, and this call of 10 ms.
    fn found(name: &str, wait: Ns, second: Tid) -> bool {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        run.show(forked(MAIN, MAIN + 1, MAIN, 1));
        for i in 0..40 {
            let (at, tid) = (i * 20 * MS, if i % 2 == 0 { MAIN } else { second });
            let waits = call(tid, "epoll_wait", &[3, 0x1000, 8, u64::MAX], Outcome::Value(1));
            run.show(Event::Exit(&lasting(waits, at + 10, wait)));
            run.show(Event::Exit(&lasting(call(MAIN, name, &[0x2000, 0], Outcome::Value(0)), at + 6 * MS, 10 * MS)));
        }
        run.show(exited(MAIN + 1, 800 * MS));
        run.show(exited(MAIN, 800 * MS));
        run.finding_ids().contains(&"blocked-loop")
    }

    #[test]
    fn waits_outside_the_loop_are_found_if_something_is_ready_then() {
        assert!(found("nanosleep", 10_000, MAIN));
        assert!(!found("nanosleep", 5 * MS, MAIN), "nothing was ready");
        assert!(!found("futex", 10_000, MAIN), "a lock");
        assert!(!found("nanosleep", 10_000, MAIN + 1), "another thread looks after the rest");
    }
}
