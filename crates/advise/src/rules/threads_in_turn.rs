//! A process makes a thread for each piece of work, and each begins after the end of the one before.

use super::common::{Bounded, MOST_FOLLOWED, count_stack, on_path, plain, process};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_LIFE, PID, RUN, THREADS, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Event, Ns, Stack, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::{Cloned, Tracker};

const THREADS_IN_TURN: Threshold =
    Threshold::count("threads-in-turn", 16, "threads that began after the end of the one before");
const THREADS_IN_TURN_PART: Threshold =
    Threshold::part("threads-in-turn-part", 0.4, "the part of the run that such threads lived");
const LONG_THREAD: Threshold = Threshold::time("long-thread", 5_000_000, "shorter threads are not looked at");

pub const RULE: RuleInfo = RuleInfo {
    id: "threads-in-turn",
    title: "a new thread for each piece of work, one after another",
    explanation: "A process makes a thread, waits until the thread has ended, and makes the next one. So a thread's beginning is paid for each piece of work, and no two of them work at the same \
        time. A beginning can be dear: a worker thread of Node.js has a JavaScript engine of its own, which takes 15 to 50 ms to begin; a thread of a JVM language or of a library may load what the one before had loaded.\n\n\
        Reported are 16 threads of 5 ms and more that began after the end of the one before, if nearly all such threads did, and if they lived for two fifths of the run. (Shorter ones are \
        `short-threads`.) How much of a thread's life is its beginning, calls do not show, nor whether the pieces of work need each other's results.\n\n\
        Make a few threads once, and give them the pieces of work by a queue or by messages (a pool: piscina or worker.postMessage in Node.js, ThreadPoolExecutor, rayon). It is fine if the work of each is long beside its beginning and must be \
        done in order; then the thread is of no use either.\n\n\
        Example: a program of Node.js makes a worker for each of 45 documents and ends it: 2.7 s. One worker that gets all documents as messages takes 0.3 s.",
    thresholds: &[THREADS_IN_TURN, THREADS_IN_TURN_PART, LONG_THREAD],
    make: || Box::new(ThreadsInTurn::default()),
};

#[derive(Default)]
struct ThreadsInTurn {
    /// By process.
    rows: Bounded<Tid, Row>,
}

#[derive(Default)]
struct Row {
    /// Threads that began before the end of another one.
    at_once: u64,
    /// The latest end of a thread.
    until: Ns,
    /// The others.
    in_turn: u64,
    lived: Ns,
    longest: Ns,
    tids: Vec<Tid>,
    makers: Vec<(Arc<Stack>, u64)>,
}

const MOST_STACKS: usize = 32;

impl Rule for ThreadsInTurn {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Forks)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if !observed.ok() || !Cloned::of(observed.call).makes_thread() {
            return;
        }
        self.rows.make_room_of_ended(observed.tracker, Row::is_in_turn);
        let Some(row) = self.rows.entry(observed.seen.pid, Row::default) else { return };
        if let Some(stack) = &observed.call.stack {
            count_stack(&mut row.makers, MOST_STACKS, stack, observed.call.stack_calls.into());
        }
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let Event::Exited { tid, at, .. } = *event else { return };
        let Some(thread) = tracker.thread(tid).filter(|thread| thread.pid != tid) else { return };
        let lived = at.saturating_sub(thread.started);
        // (Threads of a pool end together, with their process.)
        let Some(row) = self.rows.get_mut(&thread.pid).filter(|_| lived >= LONG_THREAD.get()) else { return };
        let in_turn = thread.started >= row.until;
        row.until = row.until.max(at);
        if !in_turn {
            row.at_once += 1;
            return;
        }
        row.in_turn += 1;
        row.lived += lived;
        row.longest = row.longest.max(lived);
        if row.tids.len() < MOST_FOLLOWED {
            row.tids.push(tid);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let on_path = |row: &Row| (row.lived as f64 * on_path(&row.tids, row.lived, index.path())) as Ns;
        let least = index.own_span() as f64 * THREADS_IN_TURN_PART.ratio();
        let rows = self.rows.iter().filter(|(_, row)| row.is_in_turn()).map(|(pid, row)| (on_path(row), *pid, row));
        let worst = rows.filter(|(time, ..)| *time as f64 >= least).max_by_key(|(time, pid, _)| (*time, Reverse(*pid)));
        let Some((time, pid, row)) = worst else { return Vec::new() };
        let comm = index.comm(pid, tracker);
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) made {} threads, each after the end of the one before. They lived for {} on average, and the run waited for them for {} of its {}.",
                plain(comm),
                PID.id(pid),
                THREADS.of(row.in_turn),
                MEAN_LIFE.of(row.lived / row.in_turn.max(1)),
                WAITED.of(time),
                RUN.of(index.own_span()),
            ),
            evidence: vec![process(pid, comm, row.in_turn)],
            advice: "Make a few threads once, and give them the pieces of work (a pool, messages to a worker, a queue), several at a time if the pieces do not need each other's results."
                .into(),
            confidence: Confidence::Possible,
            stacks: row.makers.clone(),
            perhaps_more: time.saturating_sub(row.longest),
            estimate: "all of that but the longest thread's, if their beginnings take most of it or if they can work at the same time; little if the work must be done in order and is \
                       itself what takes so long"
                .into(),
            matters: true,
            unless_told: &["reconnects", "serial-service", "lock-step", "short-threads", "hand-overs"],
            ..Candidate::default()
        }]
    }
}

impl Row {
    fn is_in_turn(&self) -> bool {
        self.in_turn >= THREADS_IN_TURN.get() && self.at_once * 4 <= self.in_turn
    }
}
