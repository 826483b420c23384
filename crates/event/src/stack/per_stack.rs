//! Values that are derived from a stack, kept for the next call with the same stack.

use crate::Stack;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Weak};

/// Values by stack. A program makes the same calls over and over, and the makers of stacks share those that are the same, so a
/// stack is known by its address.
#[derive(Debug)]
pub struct PerStack<T> {
    /// The map refers to the stack, so no other stack can get this address. The frames are not kept.
    known: FxHashMap<usize, (Weak<Stack>, T)>,
    /// The number of frames of these stacks: values may be as large.
    frames: usize,
}

/// The number of stacks that are known, and of their frames. When either is reached, all are dropped.
const MOST: usize = 1 << 14;
const MOST_FRAMES: usize = 1 << 18;

impl<T> Default for PerStack<T> {
    fn default() -> Self {
        PerStack { known: FxHashMap::default(), frames: 0 }
    }
}

impl<T> PerStack<T> {
    /// The value for a stack. `make` derives it if it is not kept.
    pub fn get(&mut self, stack: &Arc<Stack>, make: impl FnOnce(&Stack) -> T) -> &mut T {
        let place = Arc::as_ptr(stack) as usize;
        if (self.known.len() >= MOST || self.frames >= MOST_FRAMES) && !self.known.contains_key(&place) {
            self.clear();
        }
        let make = || {
            self.frames += stack.frames.len();
            (Arc::downgrade(stack), make(stack))
        };
        &mut self.known.entry(place).or_insert_with(make).1
    }

    /// Drops all values.
    pub fn clear(&mut self) {
        self.known.clear();
        self.frames = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bottom, StackFrame};

    #[test]
    fn each_stack_is_looked_at_once() {
        let stacks: Vec<Arc<Stack>> =
            (0..3).map(|_| Arc::new(Stack { frames: [].into(), bottom: Bottom::Reached })).collect();
        let (mut known, mut made) = (PerStack::default(), 0);
        for stack in stacks.iter().chain(&stacks) {
            let number = *known.get(stack, |_| {
                made += 1;
                made
            });
            assert!(Arc::ptr_eq(stack, &stacks[number - 1]));
        }
        assert_eq!(made, 3);
        // The address of a stack that nobody else holds is not taken by others, and its frames are not kept.
        let frame = Arc::new(StackFrame { module: None, offset: 0, symbol: None, source: None, inlined: [].into() });
        for number in 3..3 + 2 * MOST {
            let stack = Arc::new(Stack { frames: [frame.clone()].into(), bottom: Bottom::Limit });
            assert_eq!(*known.get(&stack, |_| number), number);
            assert!(known.known.len() <= MOST);
        }
        assert_eq!(Arc::strong_count(&frame), 1);
        // A recording may have stacks of any size.
        known.clear();
        let frames: Box<[_]> = std::iter::repeat_n(frame, 1 << 17).collect();
        for _ in 0..40 {
            known.get(&Arc::new(Stack { frames: frames.clone(), bottom: Bottom::Limit }), |_| 0);
            assert!(known.known.len() <= 2);
        }
    }
}
