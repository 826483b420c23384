//! Threads get a lock only after they have waited out a time, because another thread computes and gives the lock back no earlier.

use super::common::{Bounded, Covered, plain, process};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, THREADS, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{Syscall, uapi::consts as c};
use stride_track::{Futex, Tracker};

const LATE_LOCKS: Threshold =
    Threshold::count("late-locks", 50, "waits of a thread whose time ran out before it got the lock");
const LATE_LOCKS_PART: Threshold =
    Threshold::part("late-locks-part", 0.2, "the part of the run that a thread waited so");
pub const TIME_BEFORE_ASKING: Threshold =
    Threshold::time("time-before-asking", 20_000_000, "a thread that waits for longer does not ask for a lock");
const HANDED_OVER: Threshold =
    Threshold::time("handed-over", 1_000_000, "a thread that asks for a lock gets the lock within this time");
const SHARED_LOCK_PART: Threshold = Threshold::part(
    "shared-lock-part",
    0.5,
    "the part of the run in which threads waited so, together, if several of them want the lock",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "late-locks",
    title: "a lock given back only when asked for",
    explanation: "A thread waits at a futex until a short time runs out, waits there again, and is woken at once. That is the picture of an interpreter's lock \
        (Python, Ruby): only the thread that has the lock runs. A thread that computes keeps the lock until another one has waited for a while, 5 ms in Python, and \
        asks for the lock. A thread that gives the lock back at each small call (a server, a client) waits those 5 ms after each.\n\n\
        Reported are fifty such waits of a thread, if they are a fifth of the run. The estimate is the time of these waits. If more than two threads want the lock, a thread may \
        have to ask several times, and only the sum of their waits is known: threads that all compute are no faster together than one.\n\n\
        Example: one thread of a Python server answers, and another one computes. 200 answers take 1.4 s, because each waits for the lock. With the computing in a process of \
        its own, they take 0.5 s.",
    thresholds: &[LATE_LOCKS, LATE_LOCKS_PART, TIME_BEFORE_ASKING, HANDED_OVER, SHARED_LOCK_PART],
    make: || Box::new(LateLocks::default()),
};

#[derive(Default)]
struct LateLocks {
    threads: Bounded<Tid, Thread>,
    /// The time in which at least one thread waited so, and got the lock in the end.
    waited: Covered,
}

#[derive(Default)]
struct Thread {
    process: Tid,
    asks: Option<Ask>,
    late: u64,
    /// Those of them that were given the lock at once when they asked.
    handed_over: u64,
    /// Those that got the lock in the end, at once or later.
    got: u64,
    time: Ns,
    key: Option<CallKey>,
}

/// A wait whose time ran out, or several in a row.
#[derive(Clone, Copy)]
struct Ask {
    word: u64,
    since: Ns,
    until: Ns,
}

impl Ask {
    fn is_soon(&self, at: Ns) -> bool {
        at.saturating_sub(self.until) <= HANDED_OVER.get()
    }
}

/// A condition variable of glibc has two words beside each other, at which threads wait in turn.
const SAME_PLACE: u64 = 7;

/// So large a part of the waits has to be given the lock at once. (The others found that the lock had been given back before they waited again.)
const HANDED_OVER_PART: f64 = 0.25;

impl Rule for LateLocks {
    fn wants(&self, row: &'static Syscall) -> bool {
        Futex::is(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        const ETIMEDOUT: u32 = c::ETIMEDOUT as u32;
        const EAGAIN: u32 = c::EAGAIN as u32;
        let call = observed.call;
        if !matches!(Futex::of(&call.args), Some(Futex::Wait { .. })) {
            return;
        }
        let word = call.args[0] & !SAME_PLACE;
        let time_ran_out =
            call.outcome == Outcome::Error(ETIMEDOUT) && observed.time_waiting() <= TIME_BEFORE_ASKING.get();
        self.threads.make_room_of_ended(observed.tracker, |_| false);
        let thread = match time_ran_out {
            true => self.threads.entry(call.tid, Thread::default),
            false => self.threads.get_mut(&call.tid),
        };
        let Some(thread) = thread else { return };
        let before = thread.asks.take();
        let again = before.filter(|ask| ask.word == word && ask.is_soon(call.began()));
        if time_ran_out {
            let since = again.map_or(call.began(), |ask| ask.since);
            thread.asks = Some(Ask { word, since, until: call.returned });
            thread.process = observed.seen.pid;
            thread.key = Some(observed.key);
        }
        if time_ran_out && again.is_some() {
            return;
        }
        let is_given = matches!(call.outcome, Outcome::Value(0) | Outcome::Error(EAGAIN));
        let is_handed_over = is_given && again.is_some_and(|ask| ask.is_soon(call.returned));
        if let Some(ask) = before {
            thread.late += 1;
            thread.handed_over += u64::from(is_handed_over);
            thread.time += ask.until.saturating_sub(ask.since);
            if is_given && again.is_some() {
                thread.got += 1;
                self.waited.add(ask.since, call.returned);
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let often = self.threads.iter().filter(|(_, thread)| {
            thread.late >= LATE_LOCKS.get()
                && thread.handed_over as f64 >= thread.late as f64 * HANDED_OVER_PART
                && thread.time as f64 >= index.own_span() as f64 * LATE_LOCKS_PART.ratio()
        });
        let Some((tid, thread)) = often.max_by_key(|(tid, thread)| (thread.time, Reverse(**tid))) else {
            return self.shared(index, tracker).into_iter().collect();
        };
        let comm = index.comm(thread.process, tracker);
        vec![Candidate {
            sentence: say!(
                "A thread of {} got a lock {} times only after the time of its wait had run out, {} each time on average: so it waited {} of the run's {}.",
                if comm.is_empty() { format!("process {}", thread.process) } else { plain(comm) },
                TIMES.of(thread.late),
                MEAN_WAIT.of(thread.time / thread.late.max(1)),
                WAITED.of(thread.time),
                RUN.of(index.span()),
            ),
            evidence: vec![process(*tid, comm, thread.late)],
            advice: format!(
                "Another thread computes with the lock. {ELSEWHERE}; a shorter sys.setswitchinterval makes each wait shorter."
            ),
            confidence: Confidence::Likely,
            makers: thread.key.map(|key| (key, thread.late)).into_iter().collect(),
            estimate: "the time of these waits".into(),
            whole_time: Some(thread.time),
            instead_of: &["lock-step", "taking-turns"],
            ..Candidate::default()
        }]
    }
}

const ELSEWHERE: &str = "If that is the lock of an interpreter, compute in a process of its own (in Python, multiprocessing or \
    concurrent.futures.ProcessPoolExecutor), or in native code that gives the lock back";

impl LateLocks {
    /// Several threads of a process want the lock, and each has to ask more than once.
    fn shared(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let mut processes: BTreeMap<Tid, Vec<&Thread>> = BTreeMap::new();
        let get_it = |thread: &&Thread| thread.got > 0 && thread.got as f64 >= thread.late as f64 * HANDED_OVER_PART;
        for thread in self.threads.iter().map(|(_, thread)| thread).filter(get_it) {
            processes.entry(thread.process).or_default().push(thread);
        }
        let sums = processes.into_iter().map(|(process, threads)| {
            let sum = |part: fn(&Thread) -> u64| threads.iter().map(|thread| part(thread)).sum::<u64>();
            (sum(|thread| thread.time), sum(|thread| thread.late), process, threads)
        });
        let (time, late, pid, threads) = sums.max_by_key(|(time, _, process, _)| (*time, Reverse(*process)))?;
        let much = time as f64 >= index.own_span() as f64 * SHARED_LOCK_PART.ratio();
        if threads.len() < 3 || late < LATE_LOCKS.get() || !much {
            return None;
        }
        let comm = index.comm(pid, tracker);
        let makers = threads.iter().filter_map(|thread| Some((thread.key?, thread.late)));
        Some(Candidate {
            sentence: say!(
                "{} threads of {} shared a lock that each gave back only when asked for, so one ran at a time: they waited {} in all, and {} times they got the lock only after a time had run out.",
                THREADS.of(threads.len() as u64),
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                WAITED.of(time),
                TIMES.of(late),
            ),
            evidence: vec![process(pid, comm, late)],
            advice: format!("Threads that compute with such a lock are no faster together than one. {ELSEWHERE}."),
            confidence: Confidence::Likely,
            makers: makers.collect(),
            estimate: "half of the time in which some thread waited, if what they compute is computed on two CPUs"
                .into(),
            perhaps_more: self.waited.time / 2,
            instead_of: &["lock-step", "taking-turns"],
            ..Candidate::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, forked, lasting, spawned};

    const MS: Ns = 1_000_000;
    const TIMED_OUT: Outcome = Outcome::Error(110);

    /// A thread that waits for 5 ms, and again for so long, 100 times in a second.
    fn found(again: Ns, word: u64) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(7, 0));
        for i in 0..100 {
            let at = 10 * i * MS;
            run.show(Event::Exit(&lasting(call(7, "futex", &[0x1000, 0x89, 0, 0x2000], TIMED_OUT), at, 5 * MS)));
            let next = call(7, "futex", &[word, 0x89, 0, 0x2000], Outcome::Value(0));
            run.show(Event::Exit(&lasting(next, at + 5 * MS + 1000, again)));
        }
        run.show(exited(7, 1_000 * MS));
        run.finding_ids()
    }

    #[test]
    fn locks_that_come_only_when_asked_for_are_found() {
        assert_eq!(found(20_000, 0x1000), ["late-locks"]);
        // The thread waits for something else then, or for as long as before.
        assert!(!found(20_000, 0x1100).contains(&"late-locks"));
        assert!(!found(3 * MS, 0x1000).contains(&"late-locks"));
        // The other word of the same condition variable.
        assert_eq!(found(20_000, 0x1004), ["late-locks"]);
    }

    /// Threads that wait in turn for 5 ms, for 5 ms again, and then until they are woken after 3 ms, at the words of one condition variable.
    fn shared(threads: Tid) -> Vec<&'static str> {
        const PERIOD: Ns = 20 * MS;
        let mut run = TestRun::new(false);
        run.show(spawned(7, 0));
        (1..threads).for_each(|thread| run.show(forked(7, 7 + thread, 7, 1)));
        for i in 0..30 {
            for thread in 0..threads {
                let (tid, at) = (7 + thread, i * PERIOD + Ns::from(thread.unsigned_abs()) * 1000);
                let mut wait = |word: u64, outcome, from, time| {
                    let wait = call(tid, "futex", &[word, 0x89, 0, 0x2000], outcome);
                    run.show(Event::Exit(&lasting(wait, at + from, time)));
                };
                wait(0x1000, TIMED_OUT, 0, 5 * MS);
                wait(0x1004, TIMED_OUT, 5 * MS + 1000, 5 * MS);
                wait(0x1000, Outcome::Value(0), 10 * MS + 2000, 3 * MS);
            }
        }
        (0..threads).rev().for_each(|thread| run.show(exited(7 + thread, 30 * PERIOD)));
        run.finding_ids()
    }

    #[test]
    fn a_lock_that_several_threads_wait_for_is_found() {
        assert_eq!(shared(4), ["late-locks"]);
        // A thread that waits out its time and is woken then may wait for anything.
        assert!(!shared(2).contains(&"late-locks"));
    }
}
