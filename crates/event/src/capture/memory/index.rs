//! Finds captured memory by its address if there are many blocks. A tracee or a recording chooses how many blocks
//! there are and how often they are asked for, so a look-up must not walk through all of them.

use super::block::{Block, FAULT_REACH, Phase};

/// The blocks of one call, sorted by address. Its memory is reused from call to call.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockIndex {
    made: bool,
    entry: Sorted,
    exit: Sorted,
}

#[derive(Clone, Debug, Default)]
struct Sorted {
    /// By address. Of blocks that begin at the same place, the first one pushed comes first.
    starts: Vec<Start>,
    /// The ends of blocks that could not be read any further.
    faults: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Start {
    addr: u64,
    /// The place of the block.
    block: u32,
    /// The last byte, and the place, of the block that reaches farthest among those that begin here or before.
    last: u64,
    farthest: u32,
}

impl BlockIndex {
    /// The blocks have changed.
    pub fn forget(&mut self) {
        self.made = false;
    }

    pub fn of(&mut self, blocks: &[Block]) -> &BlockIndex {
        if !self.made {
            self.entry.make(blocks, Phase::Entry);
            self.exit.make(blocks, Phase::Exit);
            self.made = true;
        }
        self
    }

    fn phase(&self, phase: Phase) -> &Sorted {
        match phase {
            Phase::Entry => &self.entry,
            Phase::Exit => &self.exit,
        }
    }

    /// The block with the most bytes from this address on.
    pub fn longest(&self, phase: Phase, addr: u64) -> Option<usize> {
        let starts = &self.phase(phase).starts;
        let before = starts[..starts.partition_point(|start| start.addr <= addr)].last()?;
        (addr <= before.last).then_some(before.farthest as usize)
    }

    pub fn faulted(&self, phase: Phase, addr: u64) -> bool {
        let faults = &self.phase(phase).faults;
        let before = &faults[..faults.partition_point(|end| *end <= addr)];
        before.last().is_some_and(|end| addr - end <= FAULT_REACH)
    }
}

impl Sorted {
    fn make(&mut self, blocks: &[Block], phase: Phase) {
        self.starts.clear();
        self.faults.clear();
        for (i, b) in blocks.iter().enumerate().filter(|(_, b)| b.phase == phase) {
            if let Some(last) = b.last() {
                self.starts.push(Start { addr: b.addr, block: i as u32, last, farthest: i as u32 });
            }
            if b.faulted {
                self.faults.push(b.end());
            }
        }
        self.starts.sort_unstable_by_key(|start| (start.addr, start.block));
        self.faults.sort_unstable();
        let mut farthest = None;
        for start in &mut self.starts {
            let (last, block) = farthest.filter(|(last, _)| *last >= start.last).unwrap_or((start.last, start.block));
            (start.last, start.farthest) = (last, block);
            farthest = Some((last, block));
        }
    }
}
