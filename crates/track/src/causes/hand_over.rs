//! Pairs of threads of which one ended waits of the other, and the time of these waits.

use rustc_hash::FxHashMap;
use stride_event::{Ns, Tid};

/// The thing that a thread waited for until another thread ended the wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// It was parked at a futex, as threads of language runtimes are, and those that wait for a semaphore.
    Parked,
    /// A lock of a file, or a System V semaphore.
    Lock,
    /// Bytes in a pipe, or room in one.
    Pipe,
    /// The counter of an eventfd(2).
    Counter,
    /// Any of several descriptors: poll(2), epoll_wait(2).
    Readiness,
}

/// The waits of one thread that another one ended.
#[derive(Clone, Copy, Debug)]
pub struct HandOver {
    pub waits: u64,
    pub time: Ns,
    pub longest: Ns,
    /// The ends of the first and of the last of these waits.
    pub first: Ns,
    pub last: Ns,
}

/// Two threads, each with its process, and the way in which one ended waits of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HandedOver {
    pub waiter: (Tid, Tid),
    pub waker: (Tid, Tid),
    pub way: Way,
}

impl HandedOver {
    pub fn within_process(&self) -> bool {
        self.waiter.1 == self.waker.1
    }
}

#[derive(Default)]
pub struct HandOvers(FxHashMap<HandedOver, HandOver>);

/// Pairs of threads beyond this many are not told apart.
const MAX_PAIRS: usize = 1 << 16;

impl HandOvers {
    pub(crate) fn add(&mut self, between: HandedOver, from: Ns, to: Ns) {
        if self.0.len() >= MAX_PAIRS && !self.0.contains_key(&between) {
            return;
        }
        let new = HandOver { waits: 0, time: 0, longest: 0, first: to, last: to };
        let pair = self.0.entry(between).or_insert(new);
        pair.waits += 1;
        pair.time += to - from;
        pair.longest = pair.longest.max(to - from);
        pair.last = pair.last.max(to);
    }

    pub fn iter(&self) -> impl Iterator<Item = (HandedOver, HandOver)> {
        self.0.iter().map(|(between, pair)| (*between, *pair))
    }
}
