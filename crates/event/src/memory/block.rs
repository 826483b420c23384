//! One piece of captured memory.

use stride_syscalls::Dir;

/// So close behind a block that could not be read to its end, memory counts as unreadable.
pub(super) const FAULT_REACH: u64 = 4096;

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
pub(super) struct Block {
    pub addr: u64,
    pub start: u32,
    pub len: u32,
    /// Which op of the plan copied it.
    pub op: u8,
    pub phase: Phase,
    /// The bytes after this block could not be read (as opposed to: were not asked for).
    pub faulted: bool,
}

impl Block {
    /// The address of its last byte. (Bytes that are said to lie beyond the end of the address space are nowhere.)
    pub fn last(&self) -> Option<u64> {
        Some(self.addr.saturating_add(u64::from(self.len).checked_sub(1)?))
    }

    pub fn end(&self) -> u64 {
        self.addr.saturating_add(self.len.into())
    }

    pub fn holds(&self, addr: u64) -> bool {
        self.addr <= addr && self.last().is_some_and(|last| addr <= last)
    }
}
