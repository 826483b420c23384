//! The memory of a made-up process, for tests of memory that makes no sense.

use std::collections::HashMap;
use stride_event::{ScriptFrames, ScriptLayout, ThreadMemory};

/// Words by their addresses, and what all other words are.
pub struct TestMemory {
    pub words: HashMap<u64, u64>,
    pub other: fn(u64) -> Option<u64>,
    /// So many bytes were read.
    pub bytes: usize,
}

impl TestMemory {
    pub fn all(other: fn(u64) -> Option<u64>) -> TestMemory {
        TestMemory { words: HashMap::new(), other, bytes: 0 }
    }
}

impl ThreadMemory for TestMemory {
    fn word(&mut self, address: u64) -> Option<u64> {
        self.words.get(&address).copied().or_else(|| (self.other)(address))
    }

    fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.bytes += to.len();
        for (distance, byte) in to.iter_mut().enumerate() {
            let at = address.wrapping_add(distance as u64);
            let Some(word) = self.word(at & !7) else { return distance };
            *byte = word.to_le_bytes()[(at & 7) as usize];
        }
        to.len()
    }

    fn script(&self, _: &ScriptLayout) -> Option<ScriptFrames> {
        None
    }
}
