//! Numbers for stacks. Stacks of the same frames have one number, also if they come from several processes, or from several
//! parts of a recording, each of which has its own copies of frames.
//!
//! Memory is bounded: stacks beyond the limits get no number.

use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::sync::{Arc, Weak};
use stride_event::{InlinedFunction, SourceLine, Stack, StackFrame};

/// The number of a stack. Numbers count from zero in the order of appearance.
pub type StackId = u32;

#[derive(Default)]
pub struct StackIds {
    /// Ids by the address of the stack. No other stack can get the address as long as this one is referred to.
    by_address: FxHashMap<usize, (Weak<Stack>, StackId)>,
    /// Ids by the addresses of the frames in `frames`.
    by_frames: FxHashMap<Box<[usize]>, StackId>,
    stacks: Vec<Arc<Stack>>,
    /// The frames of `stacks`, each once. Recordings make up the keys, so the hash is one that they cannot predict.
    frames: HashSet<Arc<StackFrame>, ahash::RandomState>,
    /// The bytes of the lists of frames in `stacks`.
    bytes: usize,
    /// The bytes of `frames`.
    bytes_of_frames: usize,
}

const MOST_ADDRESSES: usize = 1 << 14;
const MOST_STACKS: usize = 1 << 16;
const MOST_BYTES: usize = 8 << 20;
const MOST_BYTES_OF_FRAMES: usize = 16 << 20;

impl StackIds {
    pub fn id(&mut self, stack: &Arc<Stack>) -> Option<StackId> {
        let address = Arc::as_ptr(stack) as usize;
        if let Some((_, id)) = self.by_address.get(&address) {
            return Some(*id);
        }
        let has_room =
            self.stacks.len() < MOST_STACKS && self.bytes < MOST_BYTES && self.bytes_of_frames < MOST_BYTES_OF_FRAMES;
        let mut frames = Vec::with_capacity(stack.frames.len());
        for frame in &stack.frames {
            frames.push(match self.frames.get(frame) {
                Some(known) => known.clone(),
                // A stack with a new frame is new.
                None if !has_room => return None,
                None => {
                    self.bytes_of_frames += size(frame);
                    self.frames.insert(frame.clone());
                    frame.clone()
                }
            });
        }
        let addresses: Box<[usize]> = frames.iter().map(|frame| Arc::as_ptr(frame) as usize).collect();
        let id = match self.by_frames.get(&addresses) {
            Some(id) => *id,
            None if has_room => {
                self.bytes += size_of_val(&addresses[..]);
                let id = self.stacks.len() as StackId;
                // (A stack whose frames are other copies would keep these as well.)
                self.stacks.push(Arc::new(Stack { frames: frames.into(), bottom: stack.bottom }));
                self.by_frames.insert(addresses, id);
                id
            }
            None => return None,
        };
        if self.by_address.len() >= MOST_ADDRESSES {
            self.by_address.clear();
        }
        self.by_address.insert(address, (Arc::downgrade(stack), id));
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

/// The bytes of a frame, about. Modules are few, and frames share them.
fn size(frame: &StackFrame) -> usize {
    let line = |source: &Option<SourceLine>| source.as_ref().map_or(0, |source| source.file.len());
    let merged = |it: &InlinedFunction| size_of::<InlinedFunction>() + it.name.len() + line(&it.source);
    let symbol = frame.symbol.as_ref().map_or(0, |symbol| symbol.name.len());
    size_of::<StackFrame>() + symbol + line(&frame.source) + frame.inlined.iter().map(merged).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::Bottom;

    /// A batch of a recording has frames of its own.
    #[test]
    fn copies_of_frames_are_one() {
        let frame =
            |offset| Arc::new(StackFrame { module: None, offset, symbol: None, source: None, inlined: [].into() });
        let mut ids = StackIds::default();
        for _ in 0..100_000 {
            let stack = Stack { frames: [frame(1), frame(2)].into(), bottom: Bottom::Reached };
            assert_eq!(ids.id(&Arc::new(stack)), Some(0));
        }
        assert_eq!((ids.len(), ids.frames.len()), (1, 2));
    }

    #[test]
    fn bytes_of_names_are_bounded() {
        let mut ids = StackIds::default();
        for offset in 0..2_000 {
            let name = "x".repeat(1 << 16).into();
            let symbol = Some(stride_event::Symbol { name, offset: 0 });
            let frame = Arc::new(StackFrame { module: None, offset, symbol, source: None, inlined: [].into() });
            ids.id(&Arc::new(Stack { frames: [frame].into(), bottom: Bottom::Reached }));
        }
        let kept: usize = ids.frames.iter().map(|frame| size(frame)).sum();
        assert!(kept <= MOST_BYTES_OF_FRAMES + (1 << 17), "{kept}");
        assert!(ids.by_address.len() <= ids.len());
    }

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
