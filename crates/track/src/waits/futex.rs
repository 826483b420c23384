//! The operation of a futex(2) call, taken from its arguments.

use stride_event::Tid;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, For, Syscall};

/// This bit means that somebody waits, in locks that hold their owner's thread id. Others count down from here.
const FUTEX_WAITERS: u32 = c::FUTEX_WAITERS as u32;
/// The kernel gives out no larger ids.
const MAX_TID: u32 = 1 << 22;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Futex {
    /// Waits while the word has this value.
    Wait {
        value: u32,
    },
    /// For a lock: the operation is one of priority inheritance.
    Lock,
    /// At a condition variable. Only older glibc versions, and condition variables with priority inheritance, say so.
    Condition,
    Wake,
}

impl Futex {
    /// True if a row is that of futex(2), which has one operation to wait and one to wake, in any of its sizes of time.
    pub fn is(row: &Syscall) -> bool {
        row.waits() == Some(For::Lock) && row.has_effect(Effect::Wakes)
    }

    pub fn of(args: &[u64; 6]) -> Option<Futex> {
        Some(match args[1] & 0xffff_ffff & !(c::FUTEX_PRIVATE_FLAG | c::FUTEX_CLOCK_REALTIME) {
            c::FUTEX_WAIT | c::FUTEX_WAIT_BITSET => Futex::Wait { value: args[2] as u32 },
            c::FUTEX_LOCK_PI | c::FUTEX_LOCK_PI2 => Futex::Lock,
            c::FUTEX_WAIT_REQUEUE_PI => Futex::Condition,
            c::FUTEX_WAKE | c::FUTEX_UNLOCK_PI | c::FUTEX_WAKE_BITSET => Futex::Wake,
            _ => return None,
        })
    }

    /// Only threads of one process use it.
    pub fn is_private(args: &[u64; 6]) -> bool {
        args[1] & c::FUTEX_PRIVATE_FLAG != 0
    }

    /// The wait may be for a lock: the value says that somebody waits, which is 2 in the C library's mutexes
    /// and most others, and the highest bit in musl's and in those with priority inheritance. (Others have such
    /// values at times: a barrier counts its rounds there.)
    pub fn may_be_lock(self) -> bool {
        match self {
            Futex::Wait { value } => value == 2 || value & FUTEX_WAITERS != 0,
            Futex::Lock => true,
            Futex::Condition | Futex::Wake => false,
        }
    }

    /// A thread waits until another one wakes this thread: language runtimes park threads so, each at a word of its own, for
    /// their locks, conditions and queues. Not so Go, which parks threads that have no goroutine to run: these waits have the
    /// value 0 and no bit set.
    pub fn parks(self, args: &[u64; 6]) -> bool {
        let bitset = args[1] & 0xff & !c::FUTEX_PRIVATE_FLAG == c::FUTEX_WAIT_BITSET;
        matches!(self, Futex::Wait { value } if bitset || value != 0) && !self.may_be_lock()
    }

    /// The thread whose end it may wait for. The word holds a thread's id until the kernel clears it, and wakes the
    /// waiting threads as if they were of other processes. In a lock with its owner's id, another bit says that
    /// somebody waits.
    pub fn may_join(args: &[u64; 6]) -> Option<Tid> {
        match Futex::of(args)? {
            Futex::Wait { value } if (1..MAX_TID).contains(&value) && !Futex::is_private(args) => Some(value as Tid),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Futex;

    #[test]
    fn what_arguments_tell() {
        let args = |op, value| [0x1000, op, value, 0, 0, 0];
        // pthread_join(3) of glibc 2.36 and before 2.34.
        assert_eq!(Futex::may_join(&args(0x109, 4711)), Some(4711));
        assert_eq!(Futex::may_join(&args(0, 4711)), Some(4711));
        for (op, value) in [(0x80, 2), (0x189, 0), (0x80, 4711), (0, 0x8000_1267), (0, 0), (1, 4711)] {
            assert_eq!(Futex::may_join(&args(op, value)), None, "{op:#x}, {value}");
        }
        let lock = |op, value| Futex::of(&args(op, value)).is_some_and(Futex::may_be_lock);
        assert!(lock(0x80, 2) && lock(0x86, 0) && lock(0, 0x8000_1267));
        assert!(!lock(0x189, 0) && !lock(0x8b, 2) && !lock(0x109, 4711) && !lock(0x81, 1));
    }
}
