//! One thread hands each piece of work to another one and waits for it, and the pieces are small.

use super::common::{Bounded, plain, process};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_read, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{LASTED, MEAN_WAIT, PID, THREADS, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{Futex, HandOver, HandOvers, ObjectKind, Tracker};

const PIECES: Threshold =
    Threshold::count("handed-pieces", 2_000, "pieces of work that one thread handed to others and waited for");
const SMALL_PIECE: Threshold = Threshold::time(
    "small-piece",
    150_000,
    "the longest wait for a piece, on average, that is mostly the price of handing it over",
);
const HAND_OVER_PART: Threshold =
    Threshold::part("hand-over-part", 0.25, "the part of the run in which the first thread waits for pieces");
const WAITS_FOR_EACH: Threshold = Threshold::part(
    "waits-for-each",
    0.4,
    "if the first thread waits less often than this part of the waits of the others, it does not wait for each piece",
);
const FOR_ONE: Threshold = Threshold::part(
    "waits-for-one",
    0.8,
    "the part of a worker's waits that the thread must end that hands out the work",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "hand-overs",
    title: "each small piece of work goes to another thread and back",
    explanation: "A thread gives a piece of work to another thread (by a queue, a condition variable, an eventfd), waits until that piece is done, and gives the next one. So hardly more than one of them \
        works at a time, and each piece takes two wakes. A wake costs some microseconds on both sides, and tens of them if the other CPU was idle. If the pieces are small, \
        most of the time goes by in between.\n\n\
        Reported are 2,000 pieces that a thread of a process handed to other threads of the process, each of which waits for that thread in four fifths of its waits, if the first thread waited two times for five waits of theirs or more often, and if it waited for a quarter of the \
        run, but for less than 150 µs for each piece: most of that is the price of waking and being woken. Under ptrace, each call stops its thread, so nothing is reported. Go's scheduler parks threads that have no goroutine to run, \
        so its threads do not count.\n\n\
        Do the piece in the thread that needs it, hand over many pieces at once, or hand over the next ones before the first is done: in Java, invokeAll, or submit everything before the first get(); in Node.js, \
        Promise.all over many files, or the Sync functions in a script; in Python, map with a chunksize; in C, a ring of pieces with one wake for many. It is fine if the pieces are large, \
        or if the other thread is there to keep the first one responsive.\n\n\
        Example: a Java program submits 40,000 tasks of an addition each to a pool, and waits for each with get(): 0.45 s. Without the pool, it takes 0.04 s.",
    thresholds: &[PIECES, SMALL_PIECE, HAND_OVER_PART, WAITS_FOR_EACH, FOR_ONE],
    make: || Box::new(HandedPieces::default()),
};

#[derive(Default)]
struct HandedPieces {
    /// The calls by which each thread waits for another one, or wakes one.
    calls: Bounded<(Tid, CallKey), u64>,
}

/// A thread that hands out work, and those that do it.
struct Star {
    hub: Tid,
    workers: Vec<Tid>,
    /// The waits of the hub, and those of the workers.
    pieces: u64,
    waits_for_work: u64,
    /// The time in which the hub waited for them.
    waited: Ns,
    /// From the first wait to the last.
    lasted: Ns,
    /// The time in which a thread of these worked, and two of them count twice.
    worked: Ns,
}

impl Star {
    /// The hub does not hand out many pieces before it waits.
    fn waits_for_each(&self) -> bool {
        self.pieces as f64 >= self.waits_for_work as f64 * WAITS_FOR_EACH.ratio()
    }

    /// The time in which none of them worked.
    fn between(&self) -> Ns {
        self.lasted.saturating_sub(self.worked)
    }
}

impl Rule for HandedPieces {
    fn wants(&self, row: &'static Syscall) -> bool {
        Futex::is(row) || row.waits() == Some(For::Readiness) || is_read(row) || is_write(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let is_between = |object| matches!(observed.tracker.kind(object), ObjectKind::Pipe | ObjectKind::Anonymous);
        let moves = is_read(observed.row) || is_write(observed.row);
        if moves && !observed.seen.object.is_some_and(is_between) {
            return;
        }
        self.calls.make_room_of_ended(observed.tracker, |_| false);
        if let Some(calls) = self.calls.entry((observed.call.tid, observed.key), || 0) {
            *calls += 1;
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        if index.calls_are_stopped() {
            return Vec::new();
        }
        let least = index.own_span() as f64 * HAND_OVER_PART.ratio();
        let stars = processes(index.hand_overs()).into_iter().filter_map(|(pid, pairs)| Some((pid, star(&pairs)?)));
        let waited = stars.map(|(pid, star)| (index.own_time(star.waited), pid, star));
        let worst =
            waited.filter(|(waited, _, star)| *waited as f64 >= least && waited / star.pieces <= SMALL_PIECE.get());
        let worst = worst.max_by_key(|(waited, pid, _)| (*waited, Reverse(*pid)));
        worst.map(|(waited, pid, star)| self.candidate(waited, pid, &star, index, tracker)).into_iter().collect()
    }
}

impl HandedPieces {
    fn candidate(&self, waited: Ns, pid: Tid, star: &Star, index: &Index, tracker: &Tracker) -> Candidate {
        let comm = index.comm(pid, tracker);
        let to = match star.workers.len() {
            1 => say!("another thread"),
            workers => say!("one of {} other threads", THREADS.of(workers as u64)),
        };
        let least = index.own_time(star.between());
        let by_hub = self.calls.iter().filter(|((tid, _), _)| *tid == star.hub);
        let makers = by_hub.map(|((_, key), calls)| (*key, *calls)).collect();
        Candidate {
            sentence: say!(
                "A thread of {} (pid {}) handed each piece of work to {} and waited until that piece was done, {} times: it waited for {} of {}, {} for each. A good part of that is the time that a \
                 wake takes on both sides.",
                plain(comm),
                PID.id(pid),
                to,
                TIMES.of(star.pieces),
                WAITED.of(waited),
                LASTED.of(star.lasted),
                MEAN_WAIT.of(waited / star.pieces),
            ),
            evidence: vec![process(pid, comm, star.pieces)],
            advice: "Do small pieces in the thread that needs them, hand over many pieces at once, or hand over the next ones before the first is done."
                .into(),
            confidence: Confidence::Likely,
            makers,
            estimate: "the time in which none of these threads worked, because the one that had been woken did not run yet, and at most all of the waiting".into(),
            whole_time: Some(least.min(waited)),
            perhaps_more: waited.saturating_sub(least),
            instead_of: &["vain-wakes", "taking-turns", "lock-contention"],
            ..Candidate::default()
        }
    }
}

/// The waits of one thread (the first of the key) that another one ended, in any way.
type Pairs = FxHashMap<(Tid, Tid), HandOver>;

/// True if a thread of this process hands pieces of work to others, and waits for each.
pub fn hands_out(hand_overs: &HandOvers, pid: Tid) -> bool {
    processes(hand_overs).get(&pid).is_some_and(|pairs| star(pairs).is_some())
}

/// The pairs of threads of each process.
fn processes(hand_overs: &HandOvers) -> FxHashMap<Tid, Pairs> {
    let mut all: FxHashMap<Tid, Pairs> = FxHashMap::default();
    for (between, waits) in hand_overs.iter().filter(|(between, _)| between.within_process()) {
        let pairs = all.entry(between.waiter.1).or_default();
        pairs
            .entry((between.waiter.0, between.waker.0))
            .and_modify(|pair| {
                pair.waits += waits.waits;
                pair.time += waits.time;
                pair.first = pair.first.min(waits.first);
                pair.last = pair.last.max(waits.last);
            })
            .or_insert(waits);
    }
    all
}

/// The thread of a process that hands out the most pieces and waits for each, if those that do them wait for this thread.
fn star(pairs: &Pairs) -> Option<Star> {
    let mut ended_for: FxHashMap<Tid, u64> = FxHashMap::default();
    for ((waiter, _), pair) in pairs {
        *ended_for.entry(*waiter).or_default() += pair.waits;
    }
    let mut stars: FxHashMap<Tid, Vec<(Tid, HandOver, HandOver)>> = FxHashMap::default();
    for ((worker, hub), for_work) in pairs {
        let waits_for_hub = for_work.waits as f64 >= ended_for[worker] as f64 * FOR_ONE.ratio();
        if let Some(for_answer) = pairs.get(&(*hub, *worker)).filter(|_| waits_for_hub) {
            stars.entry(*hub).or_default().push((*worker, *for_work, *for_answer));
        }
    }
    let stars = stars.into_iter().map(|(hub, spokes)| Star::of(hub, &spokes));
    let busy = stars.filter(|star| star.pieces >= PIECES.get() && star.waits_for_each());
    busy.max_by_key(|star| (star.pieces, Reverse(star.hub)))
}

impl Star {
    /// Each worker, with its waits for the hub and the waits of the hub for this worker.
    fn of(hub: Tid, spokes: &[(Tid, HandOver, HandOver)]) -> Star {
        let both = || spokes.iter().flat_map(|(_, for_work, for_answer)| [for_work, for_answer]);
        let from = both().map(|pair| pair.first).min().unwrap_or(0);
        let lasted = both().map(|pair| pair.last).max().unwrap_or(0).saturating_sub(from);
        let waits = |of: fn(&(Tid, HandOver, HandOver)) -> u64| spokes.iter().map(of).sum::<u64>();
        let hub_waited: Ns = spokes.iter().map(|(.., for_answer)| for_answer.time).sum();
        let worked =
            spokes.iter().map(|(_, for_work, _)| (for_work.last - for_work.first).saturating_sub(for_work.time));
        Star {
            hub,
            waited: hub_waited,
            workers: spokes.iter().map(|(worker, ..)| *worker).collect(),
            pieces: waits(|(.., for_answer)| for_answer.waits),
            waits_for_work: waits(|(_, for_work, _)| for_work.waits),
            lasted,
            worked: lasted.saturating_sub(hub_waited) + worked.sum::<Ns>(),
        }
    }
}
