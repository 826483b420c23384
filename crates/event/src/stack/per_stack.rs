//! Values that are derived from a stack, kept for the next call with the same stack.

use crate::{SourceLine, Stack, StackFrame};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Values by stack. A program makes the same calls over and over, and the makers of stacks share those that are the same, so a
/// stack is known by its address.
#[derive(Debug)]
pub struct PerStack<T> {
    /// The map keeps the stack, so no other stack can get this address.
    known: FxHashMap<usize, (Arc<Stack>, T)>,
    /// The bytes of these stacks.
    bytes: usize,
}

/// The number of stacks that are kept, and of their bytes. When either is reached, all are dropped.
const MOST: usize = 1 << 14;
const MOST_BYTES: usize = 32 << 20;

impl<T> Default for PerStack<T> {
    fn default() -> Self {
        PerStack { known: FxHashMap::default(), bytes: 0 }
    }
}

impl<T> PerStack<T> {
    /// The value for a stack. `make` derives it if it is not kept.
    pub fn get(&mut self, stack: &Arc<Stack>, make: impl FnOnce(&Stack) -> T) -> &mut T {
        let place = Arc::as_ptr(stack) as usize;
        if (self.known.len() >= MOST || self.bytes >= MOST_BYTES) && !self.known.contains_key(&place) {
            self.clear();
        }
        let make = || {
            self.bytes += size(stack);
            (stack.clone(), make(stack))
        };
        &mut self.known.entry(place).or_insert_with(make).1
    }

    /// Drops all values.
    pub fn clear(&mut self) {
        self.known.clear();
        self.bytes = 0;
    }
}

/// The bytes of a stack that nothing else holds. Frames are usually shared, so this is an upper bound.
fn size(stack: &Stack) -> usize {
    let frame = |frame: &StackFrame| {
        let file = |source: &Option<SourceLine>| source.as_ref().map_or(0, |source| source.file.len());
        let module = frame.module.as_ref().map_or(0, |module| module.path.len());
        let symbol = frame.symbol.as_ref().map_or(0, |symbol| symbol.name.len());
        let inlined: usize = frame.inlined.iter().map(|it| size_of_val(it) + it.name.len() + file(&it.source)).sum();
        size_of::<StackFrame>() + module + symbol + file(&frame.source) + inlined
    };
    stack.frames.iter().map(|it| frame(it)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bottom;

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
        // Stacks that nobody else holds are kept, so that their addresses are not taken by others.
        for _ in 0..2 * MOST {
            known.get(&Arc::new(Stack { frames: [].into(), bottom: Bottom::Limit }), |_| 0);
            assert!(known.known.len() <= MOST);
        }
        // A recording may have stacks of any size.
        let frame = StackFrame { module: None, offset: 0, symbol: None, source: None, inlined: [].into() };
        let frames: Box<[_]> = std::iter::repeat_n(Arc::new(frame), 1 << 17).collect();
        for _ in 0..40 {
            known.get(&Arc::new(Stack { frames: frames.clone(), bottom: Bottom::Limit }), |_| 0);
            let kept: usize = known.known.values().map(|(stack, _)| stack.frames.len()).sum();
            assert!(kept * size_of::<StackFrame>() <= 2 * MOST_BYTES);
        }
    }
}
