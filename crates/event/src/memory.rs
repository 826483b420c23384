//! Captured tracee memory. Decoders see nothing else of the tracee.

use stride_syscalls::Dir;

/// When a block was copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Entry,
    Exit,
}

impl Phase {
    /// The phase that holds what a decoder of this direction shows.
    pub fn of(dir: Dir) -> Phase {
        match dir {
            Dir::In | Dir::InLost => Phase::Entry,
            Dir::Out | Dir::InOut | Dir::OutAlways | Dir::InOutAlways => Phase::Exit,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Block {
    addr: u64,
    start: u32,
    len: u32,
    /// Which op of the plan copied it.
    op: u8,
    phase: Phase,
    /// The bytes after this block could not be read (as opposed to: were not asked for).
    faulted: bool,
}

/// The memory captured for one call: blocks in the order the plan copied them. Reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    blocks: Vec<Block>,
    bytes: Vec<u8>,
}

/// A block as it was copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockRef<'a> {
    pub op: u8,
    pub phase: Phase,
    pub addr: u64,
    pub faulted: bool,
    pub bytes: &'a [u8],
}

/// What a read of captured memory gives.
pub trait Memory {
    /// Exactly `len` bytes, or nothing.
    fn read(&self, phase: Phase, addr: u64, len: usize) -> Option<&[u8]> {
        let bytes = self.prefix(phase, addr, len);
        (bytes.len() == len).then_some(bytes)
    }

    /// As many of `len` bytes from `addr` on as were captured.
    fn prefix(&self, phase: Phase, addr: u64, len: usize) -> &[u8];

    /// Whether reading at this address was tried and failed.
    fn faulted(&self, phase: Phase, addr: u64) -> bool;
}

impl Blocks {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.bytes.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Appends a block which `fill` writes; it gets the buffer of `len` zero bytes and returns how many it filled.
    pub fn push(
        &mut self,
        op: u8,
        phase: Phase,
        addr: u64,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> usize,
    ) -> usize {
        let start = self.bytes.len();
        self.bytes.resize(start + len, 0);
        let got = fill(&mut self.bytes[start..]).min(len);
        self.bytes.truncate(start + got);
        self.blocks.push(Block { addr, start: start as u32, len: got as u32, op, phase, faulted: got < len });
        got
    }

    /// Grows the newest block by what `fill` writes, for reads of unknown length. Returns how many bytes came.
    pub fn extend_last(&mut self, len: usize, fill: impl FnOnce(&mut [u8]) -> usize) -> usize {
        let end = self.bytes.len();
        self.bytes.resize(end + len, 0);
        let got = fill(&mut self.bytes[end..]).min(len);
        self.bytes.truncate(end + got);
        if let Some(last) = self.blocks.last_mut() {
            last.len += got as u32;
            last.faulted = got < len;
        }
        got
    }

    /// Cuts the newest block to `len` bytes.
    pub fn truncate_last(&mut self, len: usize) {
        if let Some(last) = self.blocks.last_mut()
            && (len as u32) < last.len
        {
            last.len = len as u32;
            last.faulted = false;
            self.bytes.truncate(last.start as usize + len);
        }
    }

    /// Bytes in all blocks.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Position of the next block.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The block at a position: op, address, phase and bytes.
    pub fn get(&self, i: usize) -> Option<(u8, u64, Phase, &[u8])> {
        let b = self.blocks.get(i)?;
        Some((b.op, b.addr, b.phase, &self.bytes[b.start as usize..(b.start + b.len) as usize]))
    }

    /// Everything there is to know of the block at a position.
    pub fn block(&self, i: usize) -> Option<BlockRef<'_>> {
        let b = self.blocks.get(i)?;
        let bytes = &self.bytes[b.start as usize..(b.start + b.len) as usize];
        Some(BlockRef { op: b.op, phase: b.phase, addr: b.addr, faulted: b.faulted, bytes })
    }

    /// Appends a block that was copied before.
    pub fn push_block(&mut self, block: BlockRef<'_>) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(block.bytes);
        let BlockRef { op, phase, addr, faulted, bytes } = block;
        self.blocks.push(Block { addr, start, len: bytes.len() as u32, op, phase, faulted });
    }

    pub fn last_bytes(&self) -> &[u8] {
        self.blocks.last().map_or(&[], |b| &self.bytes[b.start as usize..(b.start + b.len) as usize])
    }
}

impl Memory for Blocks {
    fn prefix(&self, phase: Phase, addr: u64, len: usize) -> &[u8] {
        let mut best: &[u8] = &[];
        for b in &self.blocks {
            let offset = addr.wrapping_sub(b.addr);
            if b.phase == phase && offset < u64::from(b.len) {
                let from = b.start as usize + offset as usize;
                let to = (b.start + b.len) as usize;
                let bytes = &self.bytes[from..to.min(from.saturating_add(len))];
                if bytes.len() == len {
                    return bytes;
                }
                if bytes.len() > best.len() {
                    best = bytes;
                }
            }
        }
        best
    }

    fn faulted(&self, phase: Phase, addr: u64) -> bool {
        self.blocks.iter().any(|b| {
            b.phase == phase
                && b.faulted
                && addr.wrapping_sub(b.addr) >= u64::from(b.len)
                && addr.wrapping_sub(b.addr) <= u64::from(b.len) + 4096
        })
    }
}
