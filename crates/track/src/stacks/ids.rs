//! Numbers for stacks. Stacks of the same frames have one number, also if they come from several processes.
//!
//! Memory is bounded: stacks beyond the limit get no number.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use stride_event::Stack;

/// The number of a stack. Numbers count from zero in the order of appearance.
pub type StackId = u32;

#[derive(Default)]
pub struct StackIds {
    /// Ids by the address of the stack. The stack is kept, so no other one can get its address.
    by_address: FxHashMap<usize, (Arc<Stack>, StackId)>,
    /// Ids by the addresses of the frames, which stacks of several processes share.
    by_frames: FxHashMap<Box<[usize]>, StackId>,
    stacks: Vec<Arc<Stack>>,
    /// The bytes of the frames in `stacks`.
    bytes: usize,
}

const MOST_ADDRESSES: usize = 1 << 14;
const MOST_STACKS: usize = 1 << 16;
const MOST_BYTES: usize = 8 << 20;

impl StackIds {
    pub fn id(&mut self, stack: &Arc<Stack>) -> Option<StackId> {
        let address = Arc::as_ptr(stack) as usize;
        if let Some((_, id)) = self.by_address.get(&address) {
            return Some(*id);
        }
        let frames: Box<[usize]> = stack.frames.iter().map(|frame| Arc::as_ptr(frame) as usize).collect();
        let id = match self.by_frames.get(&frames) {
            Some(id) => *id,
            None if self.stacks.len() < MOST_STACKS && self.bytes < MOST_BYTES => {
                self.bytes += size_of_val(&frames[..]);
                let id = self.stacks.len() as StackId;
                self.stacks.push(stack.clone());
                self.by_frames.insert(frames, id);
                id
            }
            None => return None,
        };
        if self.by_address.len() >= MOST_ADDRESSES {
            self.by_address.clear();
        }
        self.by_address.insert(address, (stack.clone(), id));
        Some(id)
    }

    pub fn stack(&self, id: StackId) -> &Stack {
        &self.stacks[id as usize]
    }

    /// The number of stacks that have a number.
    pub fn len(&self) -> usize {
        self.stacks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stacks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Bottom, StackFrame};

    #[test]
    fn memory_is_bounded() {
        let frame =
            |offset| Arc::new(StackFrame { module: None, offset, symbol: None, source: None, inlined: [].into() });
        let stack = |frame| Arc::new(Stack { frames: [frame].into(), bottom: Bottom::Reached });
        let mut ids = StackIds::default();
        for i in 0..MOST_STACKS as u64 + 10 {
            let id = ids.id(&stack(frame(i)));
            assert_eq!(id, (i < MOST_STACKS as u64).then_some(i as StackId));
        }
        assert_eq!(ids.len(), MOST_STACKS);
        assert!(ids.by_address.len() <= MOST_ADDRESSES);
    }
}
