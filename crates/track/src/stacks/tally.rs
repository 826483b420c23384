//! Stacks, counted by any key, such as the path that their calls use.
//!
//! Memory is bounded. Stacks beyond the limits are not counted, and [`StackCount::taken`] says how many were.

use crate::stacks::ids::{StackId, StackIds};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use stride_event::{Call, Stack};

/// The number of times that a stack was seen.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct StackCount {
    /// The calls that came with the stack.
    pub taken: u64,
    /// The calls for which these stand: more if only samples of stacks are taken.
    pub calls: u64,
}

pub struct StackTally<K> {
    ids: StackIds,
    by_key: FxHashMap<K, Vec<(StackId, StackCount)>>,
    pairs: usize,
}

const MOST_PAIRS: usize = 1 << 19;
/// The most stacks of one key. They are searched one by one, the newest first.
const MOST_OF_ONE: usize = 1 << 8;

impl<K> Default for StackTally<K> {
    fn default() -> StackTally<K> {
        StackTally { ids: StackIds::default(), by_key: FxHashMap::default(), pairs: 0 }
    }
}

impl<K: Hash + Eq> StackTally<K> {
    /// Counts a call, if it has a stack.
    pub fn count(&mut self, call: &Call, key: K) {
        let Some(stack) = &call.stack else { return };
        let Some(id) = self.ids.id(stack) else { return };
        if self.pairs >= MOST_PAIRS && !self.by_key.contains_key(&key) {
            return;
        }
        let counts = self.by_key.entry(key).or_default();
        let at = match counts.iter().rposition(|(known, _)| *known == id) {
            Some(at) => at,
            None if counts.len() < MOST_OF_ONE && self.pairs < MOST_PAIRS => {
                self.pairs += 1;
                // Most keys have one stack, and a list would begin with room for four.
                if counts.is_empty() {
                    counts.reserve_exact(1);
                }
                counts.push((id, StackCount::default()));
                counts.len() - 1
            }
            None => return,
        };
        let count = &mut counts[at].1;
        count.taken += 1;
        count.calls += u64::from(call.stack_calls);
    }

    pub fn stack(&self, id: StackId) -> &Stack {
        self.ids.stack(id)
    }

    /// The stacks of a key's calls.
    pub fn of(&self, key: &K) -> &[(StackId, StackCount)] {
        self.by_key.get(key).map_or(&[], |counts| counts)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &[(StackId, StackCount)])> {
        self.by_key.iter().map(|(key, counts)| (key, counts.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use stride_event::{Bottom, StackFrame};

    fn frame(offset: u64) -> Arc<StackFrame> {
        Arc::new(StackFrame { module: None, offset, symbol: None, source: None, inlined: Box::default() })
    }

    fn call(frames: &[&Arc<StackFrame>], calls: u32) -> Call {
        let frames = frames.iter().map(|&frame| frame.clone()).collect();
        Call { stack: Some(Arc::new(Stack { frames, bottom: Bottom::Reached })), stack_calls: calls, ..Call::default() }
    }

    #[test]
    fn stacks_of_the_same_frames_are_one() {
        let (a, b) = (frame(1), frame(2));
        let mut tally = StackTally::default();
        tally.count(&call(&[&a, &b], 1), "x");
        tally.count(&call(&[&a, &b], 30), "x");
        tally.count(&call(&[&b], 1), "x");
        tally.count(&call(&[&b], 1), "y");
        tally.count(&Call::default(), "y");
        let counts = tally.of(&"x");
        assert_eq!(counts.len(), 2);
        assert_eq!(counts[0].1, StackCount { taken: 2, calls: 31 });
        assert_eq!(tally.stack(counts[1].0).frames.len(), 1);
        assert_eq!(tally.of(&"y"), &[(counts[1].0, StackCount { taken: 1, calls: 1 })]);
        assert!(tally.of(&"z").is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        let mut tally = StackTally::default();
        for i in 0..MOST_OF_ONE as u64 + 10 {
            tally.count(&call(&[&frame(i)], 1), 0);
        }
        assert_eq!(tally.of(&0).len(), MOST_OF_ONE);
    }
}
