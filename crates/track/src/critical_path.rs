//! The critical path: what the run waited for, from its end back to its beginning.
//!
//! At each moment one thread is on the path. Where this thread had been waiting until another one did something, that other
//! thread is on the path before. A thread that is shorter, off the path, does not make the run shorter.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};

/// A wait that something ended.
#[derive(Clone, Copy)]
struct EndedWait {
    from: Ns,
    to: Ns,
    /// The thread that ended it, and when that one began the call that did.
    by: Option<(Tid, Ns)>,
}

/// One of the threads that had an id.
#[derive(Clone, Copy)]
struct Birth {
    at: Ns,
    parent: Option<Tid>,
}

#[derive(Default)]
struct Life {
    births: Vec<Birth>,
    /// In the order of their ends.
    waits: Vec<EndedWait>,
    first: Ns,
    last: Ns,
}

/// The waits of each thread, and the threads that ended them.
#[derive(Default)]
pub struct Lives {
    threads: FxHashMap<Tid, Life>,
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
/// An id is given to so many threads that are told apart.
const MAX_BIRTHS: usize = 64;
const MAX_WAITS: usize = if cfg!(test) { 1 << 8 } else { 1 << 19 };
const SHORT: Ns = 10_000;
/// So many later waits of a thread may be known before one.
const MAX_LATER: usize = 64;

impl Lives {
    fn life(&mut self, tid: Tid, at: Ns) -> Option<&mut Life> {
        if self.threads.len() >= MAX_THREADS && !self.threads.contains_key(&tid) {
            return None;
        }
        Some(self.threads.entry(tid).or_insert_with(|| Life { first: at, last: at, ..Life::default() }))
    }

    pub fn begins(&mut self, tid: Tid, parent: Option<Tid>, at: Ns) {
        self.roots += usize::from(parent.is_none());
        if let Some(life) = self.life(tid, at).filter(|life| life.births.len() < MAX_BIRTHS) {
            life.births.push(Birth { at, parent });
        }
    }

    /// The thread was there.
    pub fn seen(&mut self, tid: Tid, at: Ns) {
        if let Some(life) = self.life(tid, at) {
            life.last = life.last.max(at);
        }
    }

    /// A process ended that no traced process made.
    pub fn root_ended(&mut self, tid: Tid, at: Ns) {
        self.roots = self.roots.saturating_sub(1);
        self.last = Some((tid, at));
    }

    /// A thread waited, until another thread made a call that it began at some time, if that is known.
    pub fn waited(&mut self, tid: Tid, from: Ns, to: Ns, by: Option<(Tid, Ns)>) {
        if to.saturating_sub(from) < self.shortest {
            return;
        }
        if self.waits >= MAX_WAITS {
            self.forgets_short_ones();
        }
        let Some(life) = self.life(tid, to) else { return };
        let wait = EndedWait { from, to, by: by.map(|(tid, at)| (tid, at.clamp(from, to))) };
        // The waker of an earlier wait may be known later, but not much later: a search through all would cost a hostile
        // recording's square.
        let recent = life.waits.len().saturating_sub(MAX_LATER);
        let before = life.waits[recent..].iter().rposition(|before| before.to <= to);
        let Some(after) = before.map(|last| recent + last + 1).or((recent == 0).then_some(0)) else { return };
        life.waits.insert(after, wait);
        self.waits += 1;
    }

    fn forgets_short_ones(&mut self) {
        while self.waits >= MAX_WAITS / 2 {
            self.shortest = (self.shortest * 4).max(SHORT);
            self.waits = 0;
            for life in self.threads.values_mut() {
                life.waits.retain(|wait| wait.to - wait.from >= self.shortest);
                self.waits += life.waits.len();
            }
        }
    }

    pub fn critical_path(&self) -> CriticalPath {
        // Servers and the like may outlive the command, but nobody waits for them.
        let latest = || self.threads.iter().max_by_key(|(tid, life)| (life.last, Reverse(**tid)));
        let end = self.last.filter(|_| self.roots == 0).or_else(|| latest().map(|(tid, life)| (*tid, life.last)));
        let Some((mut tid, mut to)) = end else { return CriticalPath::default() };
        let mut path = CriticalPath::default();
        // The thread that waited for this one, and since when.
        let mut waiter: Option<(Tid, Ns)> = None;
        // Each step goes back in time, or to a thread's parent.
        for _ in 0..2 * (MAX_WAITS + MAX_THREADS) {
            let Some(life) = self.threads.get(&tid) else { break };
            let birth = life.births.iter().rev().find(|birth| birth.at <= to);
            let began = birth.map_or(life.first, |birth| birth.at).min(to);
            let waits = &life.waits[..life.waits.partition_point(|wait| wait.to <= to)];
            let waits = waits.iter().rev().take_while(|wait| wait.from >= began);
            // Nobody knows better than the thread that waits for this one what this one waited for.
            let mut ended = waits.filter_map(|wait| wait.by.or_else(|| back_to(waiter?, wait)).map(|by| (wait, by)));
            match ended.find(|(_, (_, at))| *at < to) {
                Some((wait, (by, at))) => {
                    path.adds(tid, at, to);
                    waiter = wait.by.map(|_| (tid, wait.from));
                    (tid, to) = (by, at);
                }
                None => {
                    waiter = None;
                    path.adds(tid, began, to);
                    let Some(parent) = birth.and_then(|birth| birth.parent).filter(|parent| *parent != tid) else {
                        break;
                    };
                    (tid, to) = (parent, began);
                }
            }
        }
        for (tid, life) in &self.threads {
            let waited: Ns = life.waits.iter().filter_map(|wait| Some(wait.by?.1 - wait.from)).sum();
            let lived = life.last - life.births.first().map_or(life.first, |birth| birth.at).min(life.last);
            path.active.insert(*tid, lived.saturating_sub(waited));
        }
        path
    }
}

/// A thread waited for something unknown, and another one for this thread. If this one had been waiting already when the other one began
/// to, the other one woke it: the path goes back to that one, to the time before it waited. A later wait is part of what the other one
/// waits for.
fn back_to((waiter, since): (Tid, Ns), unknown: &EndedWait) -> Option<(Tid, Ns)> {
    (unknown.from <= since).then_some((waiter, since.min(unknown.to)))
}

/// Which thread the run waited for, and for how long.
#[derive(Default, Debug)]
pub struct CriticalPath {
    on: FxHashMap<Tid, Ns>,
    /// The time in which a thread did not wait for another one.
    active: FxHashMap<Tid, Ns>,
}

impl CriticalPath {
    fn adds(&mut self, tid: Tid, from: Ns, to: Ns) {
        *self.on.entry(tid).or_default() += to - from;
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
