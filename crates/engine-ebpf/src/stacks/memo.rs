//! What a stack depends on, and how the kernel side is to reread the words of that.

use crate::wire::{bound, stack_memo, stack_range, stack_word};

/// A gap that is read as well: another piece would cost more.
const GAP: u64 = 1024;
/// The most that a piece may have.
const PIECE: u64 = 4096;

/// Where a thread stood: address space, generation, instruction and stack pointer, and what stands for the frames of scripts.
pub type StackPlace = (u64, u32, u64, u64, u64);

/// The words, the frame pointer and the watched returns that a stack depends on.
#[derive(Hash)]
pub struct Proof {
    pub words: Vec<(u64, u64)>,
    /// The size of a word.
    pub word: u8,
    pub bp: Option<u64>,
    /// A number that stands for the list of watched returns.
    pub returns: u64,
}

/// Words by address, each once.
pub fn words(reads: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut words: Vec<_> = reads.collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The pieces to read and where the words are in them; `None` if that is more than the kernel side can do.
///
/// A word has so many bytes.
pub fn lay_out(words: &[(u64, u64)], size: u8) -> Option<stack_memo> {
    let mut memo = stack_memo { narrow: u32::from(size < 8), ..stack_memo::default() };
    if words.len() > memo.word.len() {
        return None;
    }
    let (mut ranges, mut used) = (0, 0);
    let mut range = stack_range::default();
    for (i, &(address, value)) in words.iter().enumerate() {
        let end = address.checked_add(size.into())?;
        let read_to = range.from + u64::from(range.len);
        if ranges == 0 || address > read_to + GAP || end - range.from > PIECE {
            used += range.len;
            range = stack_range { from: address, len: 0, to: used };
            ranges += 1;
        }
        range.len = (end - range.from) as u32;
        *memo.range.get_mut(ranges - 1)? = range;
        memo.word[i] = stack_word { value, at: u64::from(range.to) + address - range.from };
    }
    memo.ranges = ranges as u32;
    memo.words = words.len() as u32;
    (used + range.len <= bound::STACK_REREAD.0).then_some(memo)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(words: &[(u64, u64)]) -> Option<Vec<(u64, u32, u32)>> {
        pieces_of(words, 8)
    }

    fn pieces_of(words: &[(u64, u64)], size: u8) -> Option<Vec<(u64, u32, u32)>> {
        let memo = lay_out(words, size)?;
        assert_eq!(memo.words as usize, words.len());
        // Each word is found in the bytes of its piece.
        for (word, &(address, value)) in memo.word.iter().zip(words) {
            assert_eq!(word.value, value);
            let of = memo.range[..memo.ranges as usize].iter();
            let holds =
                |r: &&stack_range| word.at >= u64::from(r.to) && word.at + u64::from(size) <= u64::from(r.to + r.len);
            let ranges: Vec<_> = of.filter(holds).collect();
            assert_eq!(ranges.len(), 1, "{address:x}");
            assert_eq!(ranges[0].from + word.at - u64::from(ranges[0].to), address);
        }
        Some(memo.range[..memo.ranges as usize].iter().map(|r| (r.from, r.len, r.to)).collect())
    }

    #[test]
    fn words_that_are_near_are_read_together() {
        assert_eq!(pieces(&[]), Some(vec![]));
        assert_eq!(pieces(&[(0x1000, 1), (0x1010, 2), (0x1400, 3)]), Some(vec![(0x1000, 0x408, 0)]));
        let far = [(0x1000, 1), (0x1010, 2), (0x1800, 3), (0x9000, 4)];
        assert_eq!(pieces(&far), Some(vec![(0x1000, 0x18, 0), (0x1800, 8, 0x18), (0x9000, 8, 0x20)]));
        // A word that is not aligned, and one that overlaps it.
        assert_eq!(pieces(&[(0x1003, 1), (0x1004, 2)]), Some(vec![(0x1003, 9, 0)]));
        // Words of 32-bit code, of which the last is at the end of a page.
        assert_eq!(pieces_of(&[(0x1ff4, 1), (0x1ffc, 2)], 4), Some(vec![(0x1ff4, 12, 0)]));
    }

    #[test]
    fn a_piece_is_no_longer_than_the_kernel_side_reads() {
        let words: Vec<_> = (0..20).map(|i| (0x1000 + i * 1000, i)).collect();
        let pieces = pieces(&words).unwrap();
        assert!(pieces.len() > 3 && pieces.iter().all(|&(_, len, _)| u64::from(len) <= PIECE), "{pieces:?}");
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let many: Vec<_> = (0..=bound::STACK_WORDS.0.into()).map(|i| (0x1000 + i * 8, i)).collect();
        assert!(lay_out(&many, 8).is_none());
        assert!(lay_out(&many[1..], 8).is_some());
        let scattered: Vec<_> = (0..=bound::STACK_RANGES.0.into()).map(|i| (0x1000 + i * 0x10000, i)).collect();
        assert!(lay_out(&scattered, 8).is_none());
        assert!(lay_out(&scattered[1..], 8).is_some());
        let long: Vec<_> = (0..40).map(|i| (0x1000 + i * 1000, i)).collect();
        assert!(lay_out(&long, 8).is_none());
        assert!(lay_out(&[(u64::MAX - 3, 1)], 8).is_none());
    }

    #[test]
    fn each_word_counts_once() {
        assert_eq!(words([(16, 2), (8, 1), (16, 2)].into_iter()), [(8, 1), (16, 2)]);
    }
}
