//! Memory of calls that was sent in pieces before their records, which have no room for it (bpf/pieces.h).

use crate::wire::{read, rec_flag, rec_memory};
use std::collections::HashMap;
use stride_event::Tid;

/// The pieces of each thread's next record, one behind the other.
#[derive(Default)]
pub struct MemoryPieces {
    by_thread: HashMap<Tid, Vec<u8>>,
}

impl MemoryPieces {
    pub fn add(&mut self, tid: Tid, rec: &[u8]) {
        let Some(memory) = read::<rec_memory>(rec) else { return };
        let bytes = &rec[size_of::<rec_memory>()..];
        let len = usize::try_from(memory.len).unwrap_or(usize::MAX).min(bytes.len());
        self.by_thread.entry(tid).or_default().extend_from_slice(&bytes[..len]);
    }

    /// The pieces of a record with these flags. Those of a record that was lost are forgotten.
    pub fn take(&mut self, tid: Tid, flags: u32) -> Vec<u8> {
        if self.by_thread.is_empty() {
            return Vec::new();
        }
        let all = self.by_thread.remove(&tid).unwrap_or_default();
        if flags & rec_flag::FLAG_BEFORE.0 == 0 { Vec::new() } else { all }
    }

    /// Calls of the thread were lost, so nobody knows which call the pieces are of.
    pub fn forget(&mut self, tid: Tid) {
        self.by_thread.remove(&tid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::bytes_of;

    fn piece(bytes: &[u8]) -> Vec<u8> {
        [bytes_of(&[rec_memory { len: bytes.len() as u64, ..rec_memory::default() }]), bytes, b"padding"].concat()
    }

    #[test]
    fn pieces_go_to_the_record_that_has_room_for_none() {
        let before = rec_flag::FLAG_BEFORE.0;
        let mut pieces = MemoryPieces::default();
        pieces.add(1, &piece(b"ab"));
        pieces.add(2, &piece(b"other"));
        pieces.add(1, &piece(b"c"));
        assert_eq!(pieces.take(1, before), b"abc");
        assert_eq!(pieces.take(1, before), b"");
        // The record that they belonged to was lost.
        assert_eq!(pieces.take(2, 0), b"");
        assert_eq!(pieces.take(2, before), b"");
        pieces.add(3, &piece(b"lost"));
        pieces.forget(3);
        assert_eq!(pieces.take(3, before), b"");
        pieces.add(3, b"short");
        assert_eq!(pieces.take(3, before), b"");
    }
}
