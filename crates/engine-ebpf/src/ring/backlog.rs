//! The backlog as the kernel side sees it, and the precedence that the reader takes because of it.

use crate::ring::Mapping;
use crate::wire::{data_reader, pressure};
use std::io;
use std::mem::offset_of;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The most bytes that are moved to memory, and which part of the machine's memory that may be.
const BACKLOG: u64 = 256 << 20;
const OF_MEMORY: u64 = 8;

/// The most bytes of records that are kept outside the rings.
pub fn backlog_max() -> u64 {
    // SAFETY: fills in a struct of plain numbers, which outlives the call.
    let memory = unsafe {
        let mut info: libc::sysinfo = std::mem::zeroed();
        if libc::sysinfo(&mut info) == 0 { info.totalram.saturating_mul(u64::from(info.mem_unit)) } else { 0 }
    };
    BACKLOG.min(memory / OF_MEMORY).max(1 << 20)
}

/// Tells the kernel side how far the reader is behind, and sets the reader's precedence by that.
pub struct SharedWords {
    variables: Mapping,
    pub precedence: Precedence,
}

impl SharedWords {
    /// `variables`: the map that holds the words that both sides share.
    pub fn new(variables: BorrowedFd<'_>) -> io::Result<Arc<SharedWords>> {
        Mapping::variables(variables, size_of::<data_reader>())
            .map(|variables| Arc::new(SharedWords { variables, precedence: Precedence::of_this_thread() }))
    }

    /// Bytes that were moved out of the rings and not read yet.
    pub fn backlog(&self) -> &AtomicU64 {
        self.variables.long(offset_of!(data_reader, pressure) + offset_of!(pressure, backlog))
    }

    pub fn drain_waits(&self) -> &AtomicU32 {
        self.variables.word(offset_of!(data_reader, pressure) + offset_of!(pressure, drain_waits))
    }
}

/// From the first delay until the reader has read everything, it runs before other threads, where that is allowed.
/// Otherwise many writers leave the reader little time, and spend their own on waiting for it.
pub struct Precedence {
    tid: libc::id_t,
    nice: libc::c_int,
    raised: AtomicBool,
}

impl Precedence {
    fn of_this_thread() -> Precedence {
        // SAFETY: takes numbers. (A priority of -1 looks like an error, and is right all the same.)
        let (tid, nice) = unsafe { (libc::gettid() as libc::id_t, libc::getpriority(libc::PRIO_PROCESS, 0)) };
        Precedence { tid, nice, raised: AtomicBool::new(false) }
    }

    pub fn raise(&self) {
        if !self.raised.swap(true, Ordering::Relaxed) {
            // SAFETY: takes numbers.
            unsafe { libc::setpriority(libc::PRIO_PROCESS, self.tid, -20) };
        }
    }

    /// The reader has read everything.
    #[inline]
    pub fn lower(&self) {
        if self.raised.load(Ordering::Relaxed) && self.raised.swap(false, Ordering::Relaxed) {
            // SAFETY: takes numbers.
            unsafe { libc::setpriority(libc::PRIO_PROCESS, self.tid, self.nice) };
        }
    }
}
