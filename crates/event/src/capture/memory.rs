//! Captured tracee memory. Decoders see nothing else of the tracee.

mod block;
mod index;

pub use block::Phase;
pub(crate) use block::StoredBlock;

use block::{Block, FAULT_REACH};
use index::BlockIndex;
use std::cell::RefCell;

/// The memory captured for one call: blocks in the order the plan copied them. Reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    blocks: Vec<Block>,
    bytes: Vec<u8>,
    /// Finds blocks by address if there are many. Made at the first question, when all blocks are there.
    index: RefCell<BlockIndex>,
}

/// Up to so many blocks are searched one by one, without an index. Real calls rarely have more.
const FEW: usize = 64;

/// A block as it was copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockRef<'a> {
    /// The number of the op of the capture plan that copied it.
    pub op: u8,
    /// The phase in which it was copied.
    pub phase: Phase,
    /// Its address in the tracee.
    pub addr: u64,
    /// It ends before memory that could not be read.
    pub faulted: bool,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// The result of reading captured memory.
pub trait Memory {
    /// Exactly `len` bytes, or nothing.
    fn read(&self, phase: Phase, addr: u64, len: usize) -> Option<&[u8]> {
        let bytes = self.prefix(phase, addr, len);
        (bytes.len() == len).then_some(bytes)
    }

    /// As many of the `len` bytes from `addr` on as were captured.
    fn prefix(&self, phase: Phase, addr: u64, len: usize) -> &[u8];

    /// True if reading at this address was tried and failed.
    fn faulted(&self, phase: Phase, addr: u64) -> bool;
}

impl Blocks {
    /// Removes all blocks, and keeps their memory for others.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.bytes.clear();
        self.index.get_mut().forget();
    }

    /// True if nothing was captured.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Appends a block that `fill` writes. It gets a buffer of `len` zero bytes and returns how many it filled.
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
        self.index.get_mut().forget();
        got
    }

    /// Extends the newest block by what `fill` writes, for reads of unknown length. Returns how many bytes came.
    pub fn extend_last(&mut self, len: usize, fill: impl FnOnce(&mut [u8]) -> usize) -> usize {
        let end = self.bytes.len();
        self.bytes.resize(end + len, 0);
        let got = fill(&mut self.bytes[end..]).min(len);
        self.bytes.truncate(end + got);
        if let Some(last) = self.blocks.last_mut() {
            last.len += got as u32;
            last.faulted = got < len;
        }
        self.index.get_mut().forget();
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
            self.index.get_mut().forget();
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

    /// The bytes of the block at a position, which there must be, to be overwritten.
    pub fn bytes_mut(&mut self, i: usize) -> &mut [u8] {
        let b = &self.blocks[i];
        &mut self.bytes[b.start as usize..(b.start + b.len) as usize]
    }

    /// All members of the block at a position.
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
        self.index.get_mut().forget();
    }

    /// Appends all blocks and their bytes to others. Returns the numbers of both.
    pub(crate) fn store(&self, blocks: &mut Vec<StoredBlock>, bytes: &mut Vec<u8>) -> (usize, usize) {
        blocks.extend(self.blocks.iter().map(|block| StoredBlock(*block)));
        bytes.extend_from_slice(&self.bytes);
        (self.blocks.len(), self.bytes.len())
    }

    /// Takes in blocks that were stored, in place of those that are there.
    pub(crate) fn restore(&mut self, blocks: &[StoredBlock], bytes: &[u8]) {
        self.clear();
        self.blocks.extend(blocks.iter().map(|block| block.0));
        self.bytes.extend_from_slice(bytes);
    }

    /// The bytes of the block that was added last; none if there is none.
    pub fn last_bytes(&self) -> &[u8] {
        self.blocks.last().map_or(&[], |b| &self.bytes[b.start as usize..(b.start + b.len) as usize])
    }
}

impl Memory for Blocks {
    fn prefix(&self, phase: Phase, addr: u64, len: usize) -> &[u8] {
        let part = |b: &Block| {
            let from = b.start as usize + (addr - b.addr) as usize;
            let to = from + b.last().map_or(0, |last| last.saturating_sub(addr) as usize + 1);
            &self.bytes[from..to.min(from.saturating_add(len))]
        };
        if self.blocks.len() > FEW {
            let found = self.index.borrow_mut().of(&self.blocks).longest(phase, addr);
            return found.map_or(&[], |i| part(&self.blocks[i]));
        }
        let mut best: &[u8] = &[];
        for b in self.blocks.iter().filter(|b| b.phase == phase && b.holds(addr)) {
            let bytes = part(b);
            if bytes.len() == len {
                return bytes;
            }
            if bytes.len() > best.len() {
                best = bytes;
            }
        }
        best
    }

    fn faulted(&self, phase: Phase, addr: u64) -> bool {
        if self.blocks.len() > FEW {
            return self.index.borrow_mut().of(&self.blocks).faulted(phase, addr);
        }
        let behind = |b: &Block| addr.checked_sub(b.end()).is_some_and(|behind| behind <= FAULT_REACH);
        self.blocks.iter().any(|b| b.phase == phase && b.faulted && behind(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(phase: Phase, addr: u64, bytes: &[u8], faulted: bool) -> BlockRef<'_> {
        BlockRef { op: 0, phase, addr, faulted, bytes }
    }

    /// Numbers that look random, and are the same in each run.
    fn numbers() -> impl FnMut(u64) -> u64 {
        let mut state = 1u64;
        move |below| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        }
    }

    /// The index answers as the scan does: overlaps, gaps, empty blocks, both ends of the address space.
    #[test]
    fn few_and_many_blocks_answer_alike() {
        let mut number = numbers();
        let memory: Vec<u8> = (0..=255).cycle().take(512).collect();
        for base in [0, 0x7fff_0000, u64::MAX - 300] {
            let mut many = Blocks::default();
            let mut all = Vec::new();
            for _ in 0..200 {
                let (from, len) = (number(300) as usize, number(40) as usize);
                let Some(addr) = base.checked_add(from as u64) else { continue };
                let phase = if number(2) == 0 { Phase::Entry } else { Phase::Exit };
                let block = block(phase, addr, &memory[from..from + len], number(5) == 0);
                many.push_block(block);
                all.push(block);
            }
            assert!(many.len() > FEW);
            for _ in 0..2_000 {
                let Some(addr) = base.checked_add(number(4700)) else { continue };
                for phase in [Phase::Entry, Phase::Exit] {
                    let len = number(50) as usize;
                    let mut found: &[u8] = &[];
                    let mut faulted = false;
                    let parts: Vec<Blocks> = all
                        .chunks(FEW)
                        .map(|part| {
                            let mut few = Blocks::default();
                            part.iter().for_each(|b| few.push_block(*b));
                            few
                        })
                        .collect();
                    for few in &parts {
                        let bytes = few.prefix(phase, addr, len);
                        found = if bytes.len() > found.len() { bytes } else { found };
                        faulted |= few.faulted(phase, addr);
                    }
                    assert_eq!(many.prefix(phase, addr, len), found, "{addr:#x} {len}");
                    assert_eq!(many.faulted(phase, addr), faulted, "{addr:#x}");
                }
            }
        }
    }

    /// A block that is pushed, cut or extended after a question counts in the next answer.
    #[test]
    fn the_index_is_of_the_blocks_there_are() {
        let mut blocks = Blocks::default();
        (0..1000).for_each(|i| blocks.push_block(block(Phase::Entry, i * 16, &[1; 8], false)));
        assert_eq!(blocks.prefix(Phase::Entry, 999 * 16, 100).len(), 8);
        blocks.extend_last(4, |buf| buf.len());
        assert_eq!(blocks.prefix(Phase::Entry, 999 * 16, 100).len(), 12);
        blocks.truncate_last(3);
        assert_eq!(blocks.prefix(Phase::Entry, 999 * 16, 100).len(), 3);
        assert_eq!(blocks.prefix(Phase::Exit, 0, 1).len(), 0);
        blocks.push(0, Phase::Exit, 0, 4, |_| 2);
        assert_eq!(blocks.prefix(Phase::Exit, 0, 4).len(), 2);
        assert!(blocks.faulted(Phase::Exit, 2));
        blocks.clear();
        assert_eq!(blocks.prefix(Phase::Entry, 0, 1).len(), 0);
    }

    /// A scan of all blocks for each question would take minutes here.
    #[test]
    fn very_many_blocks() {
        const MANY: u64 = 1 << 20;
        let mut blocks = Blocks::default();
        // Nested, and in the worst order for a list that is kept sorted.
        blocks.push_block(block(Phase::Entry, 0, &[7; 64], true));
        for i in (0..MANY).rev() {
            blocks.push_block(block(Phase::Entry, 0x1000 + i * 8, &[3; 4], i % 2 == 0));
        }
        let mut found = 0;
        for i in 0..MANY {
            found += blocks.prefix(Phase::Entry, 0x1000 + i * 8, 8).len() as u64;
            found += blocks.read(Phase::Exit, 0x1000 + i * 8, 1).map_or(0, |_| 1);
            assert!(blocks.faulted(Phase::Entry, 0x1000 + i * 8 + 4));
        }
        assert_eq!(found, 4 * MANY);
    }
}
