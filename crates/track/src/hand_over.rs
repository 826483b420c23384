//! Which threads woke which others that were parked, and how long those had waited.

use rustc_hash::FxHashMap;
use stride_event::{Ns, Tid};

/// The waits of one thread that another one ended.
#[derive(Clone, Copy, Debug)]
pub struct HandOver {
    pub waits: u64,
    pub time: Ns,
    pub longest: Ns,
    /// When the first of these waits ended, and the last.
    pub first: Ns,
    pub last: Ns,
}

/// By the thread that waited and the one that woke it.
#[derive(Default)]
pub struct HandOvers(FxHashMap<(Tid, Tid), HandOver>);

/// Pairs of threads beyond this many are not told apart.
const MAX_PAIRS: usize = 1 << 16;

impl HandOvers {
    pub(crate) fn add(&mut self, waiter: Tid, waker: Tid, from: Ns, to: Ns) {
        if self.0.len() >= MAX_PAIRS && !self.0.contains_key(&(waiter, waker)) {
            return;
        }
        let new = HandOver { waits: 0, time: 0, longest: 0, first: to, last: to };
        let pair = self.0.entry((waiter, waker)).or_insert(new);
        pair.waits += 1;
        pair.time += to - from;
        pair.longest = pair.longest.max(to - from);
        pair.last = pair.last.max(to);
    }

    pub fn iter(&self) -> impl Iterator<Item = (Tid, Tid, HandOver)> {
        self.0.iter().map(|((waiter, waker), pair)| (*waiter, *waker, *pair))
    }
}
