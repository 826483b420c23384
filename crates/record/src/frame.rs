//! The file: a magic number, a version, and frames.

use crate::MAX_BATCH;

/// The first byte is not ASCII, so that programs do not take the file for text. The line end reveals programs that change
/// line ends.
pub const MAGIC: [u8; 8] = *b"\x89STRIDE\n";
/// The latest version. It is raised when older readers could not read a new recording.
pub const VERSION: u32 = 6;
/// The version of recordings of threads that nothing held.
pub const WITHOUT_HOLDS: u32 = 5;
/// The version of recordings without the waits of threads, either.
pub const WITHOUT_WAITS: u32 = 4;
/// The version of recordings without operations of io_uring, either.
pub const WITHOUT_OPERATIONS: u32 = 3;
/// The version of recordings without functions of libraries, either, and in which no call was changed.
pub const WITH_STACKS_ONLY: u32 = 2;
/// The version of recordings without stacks, either. The oldest readers understand these.
pub const WITHOUT_STACKS: u32 = 1;
/// Bytes of magic number and version.
pub const START: usize = MAGIC.len() + 4;

/// The kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    Metadata = 1,
    Batch = 2,
    End = 3,
}

impl FrameKind {
    fn of(byte: u8) -> Option<FrameKind> {
        [FrameKind::Metadata, FrameKind::Batch, FrameKind::End].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// The header of a frame.
pub struct FrameHead {
    pub kind: FrameKind,
    /// Bytes that follow.
    pub len: u32,
    /// Their size when decompressed.
    pub raw: u32,
    checksum: u32,
}

impl FrameHead {
    pub const SIZE: usize = 13;
    /// The most bytes of contents. Incompressible contents become a little longer when compressed.
    pub const MAX_LEN: u32 = MAX_BATCH as u32 + (MAX_BATCH >> 8) as u32 + 64;

    pub fn new(kind: FrameKind, raw: usize, contents: &[u8]) -> FrameHead {
        let (len, raw) = (contents.len() as u32, raw as u32);
        let mut head = FrameHead { kind, len, raw, checksum: 0 };
        head.checksum = head.sum(contents);
        head
    }

    fn sum(&self, contents: &[u8]) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        sum.update(&self.bytes()[..9]);
        sum.update(contents);
        sum.finalize()
    }

    pub fn bytes(&self) -> [u8; FrameHead::SIZE] {
        let mut bytes = [0; FrameHead::SIZE];
        bytes[0] = self.kind as u8;
        bytes[1..5].copy_from_slice(&self.len.to_le_bytes());
        bytes[5..9].copy_from_slice(&self.raw.to_le_bytes());
        bytes[9..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Checks that the kind is known and that the lengths are possible. The checksum is checked later ([`FrameHead::fits`]).
    pub fn parse(bytes: &[u8; FrameHead::SIZE]) -> Option<FrameHead> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let head = FrameHead { kind: FrameKind::of(bytes[0])?, len: word(1), raw: word(5), checksum: word(9) };
        (head.len <= FrameHead::MAX_LEN && head.raw as usize <= MAX_BATCH).then_some(head)
    }

    pub fn fits(&self, contents: &[u8]) -> bool {
        self.sum(contents) == self.checksum
    }
}
