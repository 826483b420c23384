//! The memory that the kernel side and the reader share: the rings, and a few words that both write.
//!
//! This is all that the reader has of the kernel side while calls are traced. So it is also all that a broker hands to a reader without
//! privileges, as descriptors of memory to be mapped ([`crate::broker`]).

use crate::loading::programs::Programs;
use crate::ring::Mapping;
use crate::wire::{bound, data_reader};
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{Ordering, fence};
use std::time::Duration;
use stride_engine_base::Delayed;
use stride_event::Lost;

/// The descriptors of the shared memory.
pub struct SharedFds {
    pub rings: Vec<OwnedFd>,
    /// The ring that wakes the drain thread.
    pub drain_wakeups: OwnedFd,
    pub words: OwnedFd,
}

/// The shared memory: its descriptors, and the words.
pub struct Shared {
    pub fds: SharedFds,
    words: Mapping,
}

impl SharedFds {
    pub fn of(programs: &Programs) -> io::Result<SharedFds> {
        let rings = programs.rings().iter().map(BorrowedFd::try_clone_to_owned).collect::<io::Result<_>>()?;
        let drain_wakeups = programs.drain_wakeups().try_clone_to_owned()?;
        Ok(SharedFds { rings, drain_wakeups, words: programs.words().try_clone_to_owned()? })
    }
}

macro_rules! long {
    ($shared:expr, $name:ident) => {
        $shared.words.long(offset_of!(data_reader, $name)).load(Ordering::Relaxed)
    };
}

impl Shared {
    pub fn new(fds: SharedFds) -> io::Result<Shared> {
        let words = Mapping::variables(fds.words.as_fd(), size_of::<data_reader>())?;
        Ok(Shared { fds, words })
    }

    /// The price of losing no calls.
    pub fn delayed(&self) -> Delayed {
        Delayed { calls: long!(self, calls_delayed), time: Duration::from_nanos(long!(self, delayed_ns)) }
    }

    /// Tells the programs whether the reader is waiting to be woken.
    pub fn set_waiting(&self, waiting: bool) {
        self.words.word(offset_of!(data_reader, reader_waits)).store(u32::from(waiting), Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Calls, threads and signals that were not recorded because the ring had no room.
    pub fn lost(&self) -> Lost {
        Lost { calls: long!(self, calls_lost), threads: self.control_lost(), signals: long!(self, signals_lost) }
    }

    /// Records of beginning and ending threads that found no room.
    pub fn control_lost(&self) -> u64 {
        long!(self, control_lost)
    }

    /// Threads that are traced and have not ended, whatever the records say.
    pub fn alive(&self) -> u64 {
        long!(self, threads_alive)
    }

    /// Begins the next interval of counts. Returns the one that has ended.
    pub fn next_interval(&self) -> u32 {
        let ended = self.words.word(offset_of!(data_reader, interval)).fetch_add(1, Ordering::SeqCst);
        quiesce();
        ended
    }

    /// Lets a thread go on that waits for memory of its call to be read.
    pub fn absence_read(&self) {
        self.words.long(offset_of!(data_reader, absences_read)).fetch_add(1, Ordering::Relaxed);
    }

    /// How often code was mapped into this address space, or into others that count with it.
    pub fn generation(&self, space: u64) -> u32 {
        self.words.word(offset_of!(data_reader, generations) + 4 * slot(space)).load(Ordering::Relaxed)
    }

    /// The frames of scripts are looked for in this address space from now on.
    pub fn has_script(&self, space: u64) {
        self.words.word(offset_of!(data_reader, script_slots) + 4 * slot(space)).store(1, Ordering::Relaxed);
    }

    /// Lets threads go on that wait until the code of a generation was searched for what runs scripts.
    pub fn script_is_searched(&self, space: u64, generation: u32) {
        self.read_to(offset_of!(data_reader, scripts_read), space, generation);
    }

    /// Lets threads go on that wait for the mappings of this address space to be read up to a generation.
    pub fn mappings_read(&self, space: u64, generation: u32) {
        self.read_to(offset_of!(data_reader, generations_read), space, generation);
    }

    fn read_to(&self, words: usize, space: u64, generation: u32) {
        let read = self.words.word(words + 4 * slot(space));
        let wanted = generation.wrapping_add(1);
        // A stack of a process that is over may be looked at late. Another process may have its place, and count on.
        let is_later = |now: u32| (wanted.wrapping_sub(now) as i32 > 0).then_some(wanted);
        let _ = read.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_later);
    }
}

/// The place of an address space among those whose generations are told apart: slot_of in stack.h.
pub fn slot(space: u64) -> usize {
    (space.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % bound::SPACES.0 as usize
}

/// Waits until every program has ended that ran when this was called. The programs run in read-side critical sections of RCU.
fn quiesce() {
    // SAFETY: takes numbers.
    let done = unsafe { libc::syscall(libc::SYS_membarrier, libc::MEMBARRIER_CMD_GLOBAL, 0, 0) };
    if done != 0 {
        // A kernel with CPUs free of ticks refuses. No program runs that long, unless the whole CPU stands still.
        std::thread::sleep(Duration::from_millis(20));
    }
}
