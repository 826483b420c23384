//! The stacks that were remembered last, with what they depend on.
//!
//! Until the kernel side knows a memo, each call from its place brings a copy. Many are on their way when a program begins and Stride has much to read. They
//! are compared with the memo as the kernel side would do it, which takes less than unwinding.

use crate::stacks::copy::StackCopy;
use crate::stacks::memo::{Proof, StackPlace};
use std::collections::VecDeque;
use std::sync::Arc;
use stride_event::Stack;

/// More are not needed: calls that are on their way come from few places.
const MOST: usize = 64;

#[derive(Default)]
pub struct LatestStacks {
    stacks: VecDeque<(StackPlace, Proof, Arc<Stack>)>,
}

impl LatestStacks {
    pub fn add(&mut self, place: StackPlace, proof: Proof, stack: &Arc<Stack>) {
        if self.stacks.len() >= MOST {
            self.stacks.pop_back();
        }
        self.stacks.push_front((place, proof, stack.clone()));
    }

    /// The stack that a copy from this place is of, if all words that it depends on were copied and are the same.
    pub fn find(&self, place: StackPlace, copy: &StackCopy) -> Option<&Arc<Stack>> {
        let is_same = |proof: &Proof| {
            proof.word == copy.kind().word()
                && proof.returns == copy.place.returns
                && proof.bp.is_none_or(|bp| bp == copy.place.bp)
                && proof.words.iter().all(|&(address, word)| copy.word_now(address) == Some(word))
        };
        self.stacks.iter().find(|(of, proof, _)| *of == place && is_same(proof)).map(|(.., stack)| stack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{rec_stack, stack_part};
    use stride_event::Bottom;

    const PLACE: StackPlace = (1, 2, 3, 0x1ff0, 4);

    #[test]
    fn copies_that_are_on_their_way() {
        let stack = Arc::new(Stack { frames: [].into(), bottom: Bottom::Reached });
        let proof = |words: &[(u64, u64)]| Proof { words: words.to_vec(), word: 8, bp: Some(7), returns: 9 };
        let mut place = rec_stack { bp: 7, returns: 9, ..rec_stack::default() };
        place.part[0] = stack_part { from: 0x1ff0, pages: 1 };
        let memory: Vec<u8> = [11_u64, 12].into_iter().flat_map(u64::to_le_bytes).collect();
        let copy = |place| StackCopy { place, returns: &[], script: &[], pieces: &[], memory: &memory };
        let found = |words: &[(u64, u64)], of: StackPlace, place| {
            let mut latest = LatestStacks::default();
            latest.add(PLACE, proof(words), &stack);
            latest.find(of, &copy(place)).is_some()
        };
        assert!(found(&[(0x1ff0, 11), (0x1ff8, 12)], PLACE, place));
        assert!(!found(&[(0x1ff0, 11), (0x1ff8, 13)], PLACE, place), "another word");
        assert!(!found(&[(0x1ff0, 11), (0x2000, 0)], PLACE, place), "a word that was not copied");
        assert!(!found(&[], (1, 3, 3, 0x1ff0, 4), place), "other code");
        assert!(!found(&[], PLACE, rec_stack { bp: 8, ..place }), "another frame pointer");
        assert!(!found(&[], PLACE, rec_stack { returns: 8, ..place }), "other returns");
        assert!(!found(&[], PLACE, rec_stack { is_32bit: 1, ..place }), "narrower words");
    }

    #[test]
    fn few_are_kept() {
        let stack = Arc::new(Stack { frames: [].into(), bottom: Bottom::Reached });
        let mut latest = LatestStacks::default();
        for number in 0..1000 {
            let proof = Proof { words: Vec::new(), word: 8, bp: None, returns: 0 };
            latest.add((number, 0, 0, 0, 0), proof, &stack);
        }
        assert_eq!(latest.stacks.len(), MOST);
        assert_eq!(latest.stacks[0].0.0, 999);
    }
}
