//! The size of the words of a program: of its pointers, and of most of its numbers.

use stride_event::{ScriptLayout, ThreadMemory};

/// How many bytes a word has. Words of four bytes are read as numbers of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordSize(usize);

impl WordSize {
    pub const FOUR: WordSize = WordSize(4);
    pub const EIGHT: WordSize = WordSize(8);

    /// That of the programs in which frames are found by this layout.
    pub fn of(layout: &ScriptLayout) -> WordSize {
        WordSize(8 >> (layout.narrow & 1))
    }

    pub fn bytes(self) -> usize {
        self.0
    }

    /// So much of this number of bytes, which is for words of eight bytes.
    pub fn part_of(self, bytes: usize) -> usize {
        bytes / 8 * self.0
    }

    /// The largest word.
    pub fn largest(self) -> u64 {
        u64::MAX >> (64 - 8 * self.0)
    }

    /// A word of memory.
    pub fn word(self, address: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
        let mut bytes = [0; 8];
        (memory.read(address, &mut bytes[..self.0]) == self.0).then_some(u64::from_le_bytes(bytes))
    }

    /// The word that begins at an offset. The bytes behind the end are 0.
    pub fn word_of(self, bytes: &[u8], at: u32) -> u64 {
        word_of(bytes, at) & self.largest()
    }

    /// A pointer to code, without what is no part of its address.
    pub fn code(self, pointer: u64) -> u64 {
        pointer & !(ScriptLayout::TAG * self.0 as u64 / 8)
    }
}

/// Eight bytes of memory.
pub fn word(address: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut bytes = [0; 8];
    (memory.read(address, &mut bytes) == bytes.len()).then_some(u64::from_le_bytes(bytes))
}

/// The eight bytes that begin at an offset; those behind the end are 0.
pub fn word_of(bytes: &[u8], at: u32) -> u64 {
    let mut word = [0; 8];
    let rest = bytes.get(at as usize..).unwrap_or_default();
    let len = rest.len().min(8);
    word[..len].copy_from_slice(&rest[..len]);
    u64::from_le_bytes(word)
}
