//! The calls that took longest.

use super::data::CallIndex;
use super::stacks::ShownStack;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::rc::Rc;
use stride_event::{Ns, Tid};

const ROOM: usize = 100;

pub struct Slow {
    pub at: Ns,
    pub took: Ns,
    pub call: CallIndex,
    pub tid: Tid,
    pub who: String,
    pub waits: bool,
    pub text: Rc<str>,
    pub stack: Option<ShownStack>,
}

impl Slow {
    /// The rank is highest for the longest call, and of equal calls for the earliest.
    fn rank(&self) -> (Ns, Reverse<Ns>, Tid) {
        (self.took, Reverse(self.at), self.tid)
    }
}

impl PartialEq for Slow {
    fn eq(&self, other: &Slow) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Slow {}

impl PartialOrd for Slow {
    fn partial_cmp(&self, other: &Slow) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Slow {
    fn cmp(&self, other: &Slow) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// Calls that wait are the slowest of nearly every program. So the others have a list of their own.
#[derive(Default)]
pub struct Slowest {
    waiting: BinaryHeap<Reverse<Slow>>,
    working: BinaryHeap<Reverse<Slow>>,
}

impl Slowest {
    pub fn offer(&mut self, took: Ns, waits: bool, make: impl FnOnce() -> Slow) {
        let heap = if waits { &mut self.waiting } else { &mut self.working };
        if heap.len() < ROOM {
            heap.push(Reverse(make()));
        } else if let Some(mut least) = heap.peek_mut()
            && least.0.took < took
        {
            *least = Reverse(make());
        }
    }

    /// The calls, longest first.
    pub fn into_sorted(self) -> Vec<Slow> {
        let mut all: Vec<Slow> = self.waiting.into_iter().chain(self.working).map(|Reverse(slow)| slow).collect();
        all.sort_by(|a, b| b.cmp(a));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_either_kind() {
        let mut slowest = Slowest::default();
        let mut made = 0;
        for i in 0..100_000u64 {
            let took = i * 7919 % 100_003;
            slowest.offer(took, i % 2 == 0, || {
                made += 1;
                Slow {
                    at: i,
                    took,
                    call: 0,
                    tid: 1,
                    who: String::new(),
                    waits: i % 2 == 0,
                    text: "".into(),
                    stack: None,
                }
            });
        }
        assert!(made < 3_000, "{made}");
        let all = slowest.into_sorted();
        assert_eq!(all.len(), 2 * ROOM);
        assert!(all.is_sorted_by(|a, b| a.took >= b.took));
        let mut expected: Vec<u64> = (0..100_000).filter(|i| i % 2 == 1).map(|i| i * 7919 % 100_003).collect();
        expected.sort_unstable();
        let working: Vec<u64> = all.iter().filter(|s| !s.waits).map(|s| s.took).rev().collect();
        assert_eq!(working, expected[expected.len() - ROOM..]);
    }
}
