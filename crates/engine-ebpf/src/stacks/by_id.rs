//! Stacks by the ids that stand for them in records.
//!
//! Memory is bounded: there are a newer and an older half, and the older is given up when the newer is full. Before that, the kernel side has
//! forgotten all memos. So a record that has an id of the older half then was sent before the newer half began, and hardly any is left. An id
//! is never given twice: the stack of a record that comes too late is said to be unknown.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use stride_event::Stack;

/// The number of stacks in a half, and their bytes.
const MOST: usize = 1 << 17;
const MOST_BYTES: usize = 12 << 20;

#[derive(Default)]
pub struct StacksById {
    /// The ids count up from `first`.
    older: Vec<Arc<Stack>>,
    newer: Vec<Arc<Stack>>,
    first: u64,
    /// The ids of the newer stacks, by the address of the stack.
    ids: FxHashMap<usize, u32>,
    /// The bytes of the newer stacks.
    bytes: usize,
}

impl StacksById {
    /// The stack of an id, unless it was given up.
    pub fn get(&self, id: u64) -> Option<Arc<Stack>> {
        let index = usize::try_from(id.checked_sub(self.first + 1)?).ok()?;
        self.older.get(index).or_else(|| self.newer.get(index.checked_sub(self.older.len())?)).cloned()
    }

    /// The id of a stack; a new one if it has none. `None` if the older half must be given up first.
    pub fn id(&mut self, stack: &Arc<Stack>) -> Option<u32> {
        if let Some(&id) = self.ids.get(&(Arc::as_ptr(stack) as usize)) {
            return Some(id);
        }
        (self.newer.len() < MOST && self.bytes < MOST_BYTES).then(|| self.add(stack))
    }

    /// Gives a stack an id.
    pub fn add(&mut self, stack: &Arc<Stack>) -> u32 {
        self.newer.push(stack.clone());
        self.bytes += size_of::<Stack>() + size_of_val(&stack.frames[..]);
        let id = self.given() as u32;
        self.ids.insert(Arc::as_ptr(stack) as usize, id);
        id
    }

    /// The kernel side must have no memo with an id any more.
    pub fn give_up_older(&mut self) {
        self.first += self.older.len() as u64;
        self.older = std::mem::take(&mut self.newer);
        self.ids.clear();
        self.bytes = 0;
    }

    /// The number of ids that were given.
    pub fn given(&self) -> u64 {
        self.first + (self.older.len() + self.newer.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Bottom, StackFrame};

    /// A program with ever other deep stacks.
    #[test]
    fn memory_is_bounded_and_no_id_is_of_another_stack() {
        let frame =
            |offset| Arc::new(StackFrame { module: None, offset, symbol: None, source: None, inlined: [].into() });
        let frame = frame(1);
        let deep = || Arc::new(Stack { frames: vec![frame.clone(); 1024].into(), bottom: Bottom::Limit });
        let mut stacks = StacksById::default();
        let (mut given, mut rounds) = (Vec::new(), 0);
        while rounds < 4 {
            let stack = deep();
            let id = stacks.id(&stack).unwrap_or_else(|| {
                rounds += 1;
                stacks.give_up_older();
                stacks.add(&stack)
            });
            assert_eq!(stacks.id(&stack), Some(id));
            assert_eq!(u64::from(id), stacks.given());
            given.push((id, Arc::downgrade(&stack)));
        }
        // Those of the last full half and of this one are known.
        let known = given.iter().filter(|(id, stack)| match stacks.get(u64::from(*id)) {
            Some(found) => std::sync::Weak::ptr_eq(&Arc::downgrade(&found), stack),
            None => {
                assert!(stack.upgrade().is_none(), "{id} is held");
                false
            }
        });
        let known = known.count();
        assert!(known < given.len() / 2, "{known} of {}", given.len());
        let bytes = known * 1024 * size_of::<usize>();
        assert!(bytes > MOST_BYTES / 2 && bytes <= 2 * MOST_BYTES, "{bytes}");
        assert!(stacks.get(0).is_none() && stacks.get(stacks.given() + 1).is_none());
    }
}
