//! Stacks that are kept for the next time: a program makes the same calls over and over, and so do the processes that
//! run one program.
//!
//! Memory is bounded: when the stacks take too many bytes, all go, and those that are met again are made again.

use crate::space::{CachedStack, Space};
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use stride_event::Stack;

/// The bytes of all stacks.
const MOST_BYTES: usize = 12 << 20;
/// The bytes of what the address spaces keep: which addresses make which stack.
const MOST_BYTES_OF_SPACES: usize = 12 << 20;
/// The bytes of an entry besides its addresses, about.
const ENTRY: usize = 64;

#[derive(Default)]
pub struct KeptStacks {
    /// Stacks of the same frames are one, whichever process has them.
    stacks: FxHashSet<SameFrames>,
    bytes: usize,
    /// The bytes of what was kept in address spaces since all of that was dropped the last time.
    bytes_of_spaces: usize,
}

impl KeptStacks {
    /// The stack with these frames.
    pub fn one(&mut self, stack: Stack) -> Arc<Stack> {
        let stack = SameFrames(Arc::new(stack));
        if let Some(known) = self.stacks.get(&stack) {
            return known.0.clone();
        }
        if self.bytes >= MOST_BYTES {
            self.stacks.clear();
            self.bytes = 0;
        }
        self.bytes += ENTRY + size_of_val(&stack.0.frames[..]);
        let one = stack.0.clone();
        self.stacks.insert(stack);
        one
    }

    /// Keeps a stack in an address space, by its addresses. Returns false if all spaces must drop theirs first.
    pub fn keep(&mut self, space: &mut Space, addresses: &[u64], stack: CachedStack) -> bool {
        if self.bytes_of_spaces >= MOST_BYTES_OF_SPACES {
            self.bytes_of_spaces = 0;
            return false;
        }
        self.bytes_of_spaces += ENTRY + size_of_val(addresses);
        space.stacks.insert(addresses.into(), stack);
        true
    }
}

/// A stack, equal to those with the same frames. Frames are shared, so their addresses are compared.
struct SameFrames(Arc<Stack>);

impl Hash for SameFrames {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.frames.iter().for_each(|frame| Arc::as_ptr(frame).hash(state));
    }
}

impl PartialEq for SameFrames {
    fn eq(&self, other: &SameFrames) -> bool {
        let (a, b) = (&self.0, &other.0);
        let same = || a.frames.iter().zip(&b.frames).all(|(a, b)| Arc::ptr_eq(a, b));
        a.bottom == b.bottom && a.frames.len() == b.frames.len() && same()
    }
}

impl Eq for SameFrames {}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Bottom, StackFrame};

    fn frame(offset: u64) -> Arc<StackFrame> {
        Arc::new(StackFrame { module: None, offset, symbol: None, source: None, inlined: Box::default() })
    }

    fn stack(frames: &[&Arc<StackFrame>], bottom: Bottom) -> Stack {
        Stack { frames: frames.iter().map(|&frame| frame.clone()).collect(), bottom }
    }

    #[test]
    fn stacks_of_the_same_frames_are_one() {
        let (a, b) = (frame(1), frame(2));
        let mut kept = KeptStacks::default();
        let one = kept.one(stack(&[&a, &b], Bottom::Reached));
        assert!(Arc::ptr_eq(&one, &kept.one(stack(&[&a, &b], Bottom::Reached))));
        for other in
            [stack(&[&a, &b], Bottom::Unknown), stack(&[&b, &a], Bottom::Reached), stack(&[&a], Bottom::Reached)]
        {
            assert!(!Arc::ptr_eq(&one, &kept.one(other)));
        }
    }

    /// Deep stacks, of which none is met again.
    #[test]
    fn memory_is_bounded() {
        let frames: Vec<_> = (0..256).map(frame).collect();
        let mut kept = KeptStacks::default();
        let mut space = Space::unread();
        let (mut most, mut dropped) = (0, 0);
        for i in 0..20_000_u64 {
            let deep: Vec<_> = (0..256).map(|bit| &frames[if i >> (bit % 16) & 1 == 0 { 0 } else { bit }]).collect();
            let one = kept.one(stack(&deep, Bottom::Reached));
            let addresses: Vec<u64> = deep.iter().map(|frame| frame.offset).collect();
            let one = CachedStack { bottom: Bottom::Reached, stack: one, evaluation: None, jit: None };
            if !kept.keep(&mut space, &addresses, one) {
                space.stacks.clear();
                dropped += 1;
            }
            let held: usize = kept.stacks.iter().map(|it| size_of_val(&it.0.frames[..])).sum();
            most = most.max(if i % 512 == 0 { held } else { 0 });
            assert!(space.stacks.len() * 256 * size_of::<u64>() <= MOST_BYTES_OF_SPACES);
        }
        assert!(most > MOST_BYTES / 2 && most <= MOST_BYTES, "{most}");
        assert!(dropped > 0);
    }
}
