//! The critical path: the thread that the run waited for at each moment, from its end back to its beginning.
//!
//! At each moment one thread is on the path. Where this thread had been waiting until another one did something, that other
//! thread is on the path before. A thread that is shorter, off the path, does not make the run shorter.

use crate::causes::chains::Chains;
use crate::causes::ended_wait::EndedWait;
use crate::causes::path_parts::{ThreadWaits, add};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};

/// The start of a thread. An id may be given to several threads, one after the other.
#[derive(Clone, Copy)]
struct ThreadStart {
    at: Ns,
    parent: Option<Tid>,
}

#[derive(Default)]
struct Timeline {
    starts: Vec<ThreadStart>,
    /// In the order of their ends.
    waits: Vec<EndedWait>,
    first: Ns,
    last: Ns,
}

impl Timeline {
    /// The time of the waits. If two waits share some time, the later one counts for the rest.
    fn sums(&self) -> ThreadWaits {
        let (mut sums, mut until) = (ThreadWaits::default(), 0);
        for wait in &self.waits {
            let from = wait.from.max(until);
            let (to, part) = match wait.by {
                Some((_, at)) => (at, &mut sums.followed),
                None => (wait.to, &mut sums.alone),
            };
            add(part, wait.activity, to.saturating_sub(from));
            until = until.max(to);
        }
        sums
    }
}

/// The starts and waits of all threads.
#[derive(Default)]
pub struct Timelines {
    threads: FxHashMap<Tid, Timeline>,
    waits: usize,
    /// Shorter waits are forgotten, because there were too many.
    shortest: Ns,
    /// Threads that no traced thread made and whose processes have not ended: the command.
    roots: usize,
    /// The thread that ended the last of these processes.
    last: Option<(Tid, Ns)>,
}

/// Ids of threads beyond this many are not followed.
const MAX_THREADS: usize = 1 << 17;
/// The most threads with the same id that are told apart.
const MAX_STARTS: usize = 64;
const MAX_WAITS: usize = if cfg!(test) { 1 << 8 } else { 1 << 19 };
const SHORT: Ns = 10_000;
/// So many later waits of a thread may be known before one.
const MAX_LATER: usize = 64;

impl Timelines {
    fn timeline(&mut self, tid: Tid, at: Ns) -> Option<&mut Timeline> {
        if self.threads.len() >= MAX_THREADS && !self.threads.contains_key(&tid) {
            return None;
        }
        Some(self.threads.entry(tid).or_insert_with(|| Timeline { first: at, last: at, ..Timeline::default() }))
    }

    pub fn begins(&mut self, tid: Tid, parent: Option<Tid>, at: Ns) {
        self.roots += usize::from(parent.is_none());
        if let Some(timeline) = self.timeline(tid, at).filter(|timeline| timeline.starts.len() < MAX_STARTS) {
            timeline.starts.push(ThreadStart { at, parent });
        }
    }

    /// The thread existed at this time.
    pub fn seen(&mut self, tid: Tid, at: Ns) {
        if let Some(timeline) = self.timeline(tid, at) {
            timeline.last = timeline.last.max(at);
        }
    }

    /// The thread was seen.
    pub fn knows(&self, tid: Tid) -> bool {
        self.threads.contains_key(&tid)
    }

    /// A process ended that no traced process made.
    pub fn root_ended(&mut self, tid: Tid, at: Ns) {
        self.roots = self.roots.saturating_sub(1);
        self.last = Some((tid, at));
    }

    /// A thread waited. Returns whether the wait is kept.
    pub fn waited(&mut self, tid: Tid, wait: EndedWait) -> bool {
        let EndedWait { from, to, by, .. } = wait;
        if to.saturating_sub(from) < self.shortest {
            return false;
        }
        if self.waits >= MAX_WAITS {
            self.forgets_short_ones();
        }
        let Some(timeline) = self.timeline(tid, to) else { return false };
        let by = by.map(|(tid, at)| (tid, at.clamp(from, to)));
        let wait = EndedWait { by, ..wait };
        // The waker of an earlier wait may be known later, but not much later: a search through all would cost a hostile
        // recording's square.
        let recent = timeline.waits.len().saturating_sub(MAX_LATER);
        let before = timeline.waits[recent..].iter().rposition(|before| before.to <= to);
        let Some(after) = before.map(|last| recent + last + 1).or((recent == 0).then_some(0)) else { return false };
        timeline.waits.insert(after, wait);
        self.waits += 1;
        true
    }

    fn forgets_short_ones(&mut self) {
        while self.waits >= MAX_WAITS / 2 {
            self.shortest = (self.shortest * 4).max(SHORT);
            self.waits = 0;
            for timeline in self.threads.values_mut() {
                timeline.waits.retain(|wait| wait.to - wait.from >= self.shortest);
                self.waits += timeline.waits.len();
            }
        }
    }

    /// The step back from a wait that no known thread ended. A second thread, `waiter`, waits for the thread since a time. If the wait had
    /// begun before that, the path goes back to the waiter, at the time before it waited: where the cause is unknown, the waiter may be it, and a
    /// thread that slept until a timer (a watchdog that ends at its next look) did less for the run than the waiter. A later wait is part of
    /// what the waiter waits for.
    fn back_to(&self, (waiter, since): (Tid, Ns), wait: &EndedWait) -> Option<(Tid, Ns)> {
        if wait.by.is_some() || wait.from > since {
            return None;
        }
        let at = since.min(wait.to);
        // The waiter may have waited for others at that time. It was done with that when it began this wait.
        let at = if self.waits_at(waiter, at) { since } else { at };
        Some((waiter, at))
    }

    /// True if the thread waited at this time.
    fn waits_at(&self, tid: Tid, at: Ns) -> bool {
        let waits = self.threads.get(&tid).map_or(&[][..], |timeline| &timeline.waits);
        waits.get(waits.partition_point(|wait| wait.to <= at)).is_some_and(|wait| wait.from < at)
    }

    /// When a thread woke another one, whose wait was over at `until`. The time that is told of that is an estimate, so it may lie before the start of the waker, or in the
    /// last moments of a wait in which the waker could do nothing.
    fn acted_at(&self, waker: Tid, told: Ns, until: Ns) -> Ns {
        let of_start = self.start_within(waker, told, until);
        let of_wait = || {
            let waits = self.threads.get(&waker).map_or(&[][..], |timeline| &timeline.waits);
            let wait = waits.get(waits.partition_point(|wait| wait.to <= told))?;
            (wait.to < until && wait.from < told && wait.to - told < told - wait.from).then_some(wait.to)
        };
        of_start.or_else(of_wait).unwrap_or(told)
    }

    /// The latest start of a thread between these times.
    fn start_within(&self, tid: Tid, after: Ns, until: Ns) -> Option<Ns> {
        let starts = &self.threads.get(&tid)?.starts;
        starts.iter().rev().map(|start| start.at).find(|at| *at <= until).filter(|at| *at > after)
    }

    pub fn critical_path(&self) -> CriticalPath {
        // Servers and the like may outlive the command. The run does not wait for them.
        let latest = || self.threads.iter().max_by_key(|(tid, timeline)| (timeline.last, Reverse(**tid)));
        let end =
            self.last.filter(|_| self.roots == 0).or_else(|| latest().map(|(tid, timeline)| (*tid, timeline.last)));
        let Some((mut tid, mut to)) = end else { return CriticalPath::default() };
        let mut path = CriticalPath { of_run: self.roots == 0 && self.last.is_some(), ..CriticalPath::default() };
        // The thread that waited for this one, and since when.
        let mut waiter: Option<(Tid, Ns)> = None;
        let mut behind = Vec::new();
        let waits_of = |tid| self.threads.get(&tid).map_or(&[][..], |timeline: &Timeline| &timeline.waits);
        // Each step goes back in time, or to a thread's parent.
        for _ in 0..2 * (MAX_WAITS + MAX_THREADS) {
            let Some(timeline) = self.threads.get(&tid) else { break };
            // A thread that acts before its start is told has started then.
            let start = timeline.starts.iter().rev().find(|start| start.at <= to).or(timeline.starts.first());
            let began = start.map_or(timeline.first, |start| start.at).min(to);
            let waits = &timeline.waits[..timeline.waits.partition_point(|wait| wait.to <= to)];
            let waits = waits.iter().rev().take_while(|wait| wait.from >= began);
            // Where no thread ended a wait, the path may go back to the thread that waits for this one (see `back_to`).
            let mut ended =
                waits.filter_map(|wait| wait.by.or_else(|| self.back_to(waiter?, wait)).map(|by| (wait, by)));
            match ended.find(|(_, (_, at))| *at < to) {
                Some((wait, (by, at))) => {
                    let at = self.acted_at(by, at, wait.to.min(to));
                    path.adds(tid, at, to);
                    path.chains.adds(tid, at, to, &mut behind, waits_of);
                    waiter = wait.by.map(|_| (tid, wait.from));
                    (tid, to) = (by, at);
                }
                None => {
                    waiter = None;
                    path.adds(tid, began, to);
                    path.chains.adds(tid, began, to, &mut behind, waits_of);
                    let Some(parent) = start.and_then(|start| start.parent).filter(|parent| *parent != tid) else {
                        path.of_run &= start.is_some_and(|start| start.parent.is_none());
                        break;
                    };
                    (tid, to) = (parent, began);
                }
            }
        }
        for (tid, timeline) in &self.threads {
            let waits = timeline.sums();
            let waited: Ns = waits.followed.iter().map(|(_, time)| time).sum();
            let lifetime =
                timeline.last - timeline.starts.first().map_or(timeline.first, |start| start.at).min(timeline.last);
            path.active.insert(*tid, lifetime.saturating_sub(waited));
            path.waits.insert(*tid, waits);
        }
        path
    }
}

/// The threads that the run waited for, and for how long.
#[derive(Default, Debug)]
pub struct CriticalPath {
    on: FxHashMap<Tid, Ns>,
    /// The time in which a thread did not wait for another one.
    active: FxHashMap<Tid, Ns>,
    /// The path begins with the command's first thread and ends with the command.
    of_run: bool,
    chains: Chains,
    waits: FxHashMap<Tid, ThreadWaits>,
}

impl CriticalPath {
    /// The run is over. Else tracing ended before.
    pub fn is_of_run(&self) -> bool {
        self.of_run
    }

    fn adds(&mut self, tid: Tid, from: Ns, to: Ns) {
        *self.on.entry(tid).or_default() += to - from;
    }

    /// The waits of a thread.
    pub(crate) fn waits(&self, tid: Tid) -> Option<&ThreadWaits> {
        self.waits.get(&tid)
    }

    /// The chains of threads that waited for those on the path.
    pub(crate) fn chains(&self) -> &Chains {
        &self.chains
    }

    /// The time that the run waited for a thread.
    pub fn time(&self, tid: Tid) -> Ns {
        self.on.get(&tid).copied().unwrap_or(0)
    }

    /// The part of a thread's active time that is on the path, from 0 to 1: so much of its time the run waits for.
    pub fn share(&self, tid: Tid) -> f64 {
        let Some(active) = self.active.get(&tid) else { return 1.0 };
        if *active == 0 { 1.0 } else { (self.time(tid) as f64 / *active as f64).min(1.0) }
    }
}
