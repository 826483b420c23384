//! One piece of captured memory.

use stride_syscalls::Dir;

/// Memory so close behind a block that could not be read to its end counts as unreadable.
pub(super) const FAULT_REACH: u64 = 4096;

/// The phase in which a block was copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// At the entry of the call.
    Entry,
    /// At the return of the call.
    Exit,
}

impl Phase {
    /// The phase whose memory a decoder of this direction shows.
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
    /// The op of the plan that copied it.
    pub op: u8,
    pub phase: Phase,
    /// The bytes behind this block could not be read (unlike: were not asked for).
    pub faulted: bool,
}

/// A block of a call whose blocks and bytes are stored behind those of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredBlock(pub(super) Block);

impl Block {
    /// The address of its last byte. (Bytes beyond the end of the address space are ignored.)
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
