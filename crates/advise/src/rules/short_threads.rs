//! Threads are made for tasks that are smaller than a thread.

use super::common::{Bounded, Claims, Covered, MOST_FOLLOWED, on_path, plain, process};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_LIFE, PID, THREADS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Event, Ns, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::{Cloned, Tracker};

const SHORT_THREAD: Threshold =
    Threshold::time("short-thread", 5_000_000, "a thread that ends within this time is short");
const SHORT_THREAD_CALLS: Threshold = Threshold::count("short-thread-calls", 32, "and makes at most so many calls");
const SHORT_THREADS: Threshold = Threshold::count("short-threads", 200, "short threads of one process");

pub const RULE: RuleInfo = RuleInfo {
    id: "short-threads",
    title: "a thread for each task",
    explanation: "A process makes a thread for each small task, and each thread ends at once. Making and ending a thread takes \
        some five to ten calls (memory for its stack, clone3, its registration, exit, the join) and 20 to 100 µs, more than \
        many tasks.\n\n\
        A thread counts if it ended within 5 ms and made at most 32 calls. At least 200 threads of one process must have done \
        so, and they must be four fifths of its threads. The estimate is all these threads but one, and the calls that made \
        them.\n\n\
        Example: a server makes and joins 3,000 threads for 3,000 tasks of 10 µs each. Two threads that take tasks from a queue \
        (a pool: ThreadPoolExecutor, rayon, OpenMP) do the same work without 18,000 of the calls.",
    thresholds: &[SHORT_THREAD, SHORT_THREAD_CALLS, SHORT_THREADS],
    make: || Box::new(ShortThreads::default()),
};

/// A thread makes a call of one kind at most this often for its own beginning and end, and so does the thread that
/// makes it.
const OWN_CALLS: u64 = 2;

#[derive(Default)]
struct ShortThreads {
    processes: Bounded<Tid, Threads>,
}

#[derive(Default)]
struct Threads {
    comm: Vec<u8>,
    short: u64,
    long: u64,
    lived: Ns,
    /// The time in which any of the short ones lived.
    covered: Covered,
    /// The short ones.
    tids: Vec<Tid>,
    made: Option<(CallKey, u64)>,
    /// Calls of the threads about themselves: what their beginning and end take.
    own: Claims,
    /// The same of all other threads: signals are blocked while a thread is made.
    makers: Claims,
}

impl Rule for ShortThreads {
    fn wants(&self, row: &'static Syscall) -> bool {
        // Threads register themselves and set their signal mask by calls that have no other effect, and give back the
        // memory of their stack.
        row.has_effect(Effect::Forks)
            || row.effects.is_empty()
            || matches!(row.effects, [Effect::Private | Effect::Advises])
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if observed.has(Effect::Forks) {
            if observed.ok() && Cloned::of(observed.call).makes_thread() {
                let new = || Threads { made: Some((observed.key, observed.line)), ..Threads::default() };
                self.processes.forget_ended(observed.tracker, |threads| threads.short >= SHORT_THREADS.get());
                self.processes.entry(observed.seen.pid, new);
            }
        } else if let Some(threads) = self.processes.get_mut(&observed.seen.pid) {
            if observed.call.tid != observed.seen.pid {
                threads.own.add(observed.key, 1);
            } else if observed.has(Effect::Private) {
                threads.makers.add(observed.key, 1);
            }
        }
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let Event::Exited { tid, at, .. } = *event else { return };
        let Some(thread) = tracker.thread(tid).filter(|thread| thread.pid != tid) else { return };
        let Some(threads) = self.processes.entry(thread.pid, Threads::default) else { return };
        let lived = at.saturating_sub(thread.started);
        if lived > SHORT_THREAD.get() || index.pace(tid).calls > SHORT_THREAD_CALLS.get() {
            threads.long += 1;
            return;
        }
        threads.short += 1;
        threads.lived += lived;
        threads.covered.add(thread.started, at);
        if threads.tids.len() < MOST_FOLLOWED {
            threads.tids.push(tid);
        }
        if threads.comm.is_empty() {
            threads.comm = tracker.process(thread.pid).map(|process| process.comm.clone()).unwrap_or_default();
        }
    }

    fn findings(&mut self, index: &Index, _: &Tracker) -> Vec<Candidate> {
        let many = |threads: &Threads| threads.short >= SHORT_THREADS.get() && threads.short >= threads.long * 4;
        let mut many: Vec<_> = self.processes.iter().filter(|(_, threads)| many(threads)).collect();
        many.sort_by_key(|(pid, threads)| (std::cmp::Reverse(threads.short), **pid));
        let Some((pid, worst)) = many.first() else { return Vec::new() };
        let evidence = many.iter().map(|(pid, threads)| {
            let mut evidence = process(**pid, &threads.comm, threads.short);
            evidence.time = Some(threads.lived);
            evidence.line = threads.made.map(|(_, line)| line);
            evidence
        });
        let mut claims = Claims::default();
        let mut time = 0.0;
        for (_, threads) in &many {
            let most = (threads.short - 1) * OWN_CALLS;
            let made = threads.made.map(|(key, _)| (key, threads.short - 1));
            for (key, calls) in made.into_iter().chain(threads.makers.iter()) {
                let calls = calls.min(most);
                claims.add(key, calls);
                time += index.price_on_path(key, calls);
            }
            threads.own.iter().for_each(|(key, calls)| claims.add(key, calls.min(most)));
            let whole = (threads.covered.time as f64).min(index.span() as f64);
            let all_but_one = 1.0 - 1.0 / threads.short as f64;
            time += whole * on_path(&threads.tids, threads.covered.time, index.path()) * all_but_one;
        }
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) made {} threads that ended at once, each after {} on average.",
                plain(&worst.comm),
                PID.id(**pid),
                THREADS.of(worst.short),
                MEAN_LIFE.of(worst.lived / worst.short),
            ),
            evidence: evidence.take(4).collect(),
            advice: "Keep a few threads and give them the tasks through a queue (a thread pool).".into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "the calls that made these threads and began them, and the time that they lived".into(),
            whole_time: Some((time * index.untraced_part()) as Ns),
            ..Candidate::default()
        }]
    }
}
