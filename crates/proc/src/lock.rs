//! The thread that holds a lock in a tracee's memory.

use std::fs::File;
use std::os::unix::fs::FileExt;
use stride_engine_base::procfs;
use stride_event::Tid;

const FUTEX_TID_MASK: u32 = 0x3fff_ffff;

/// The thread that holds the lock at an address, if the lock has its id: in the word itself (priority inheritance and
/// robust futexes, musl), or after it, as in glibc's pthread_mutex_t (`__lock`, `__count`, `__owner`).
pub fn holder(tid: Tid, addr: u64) -> Option<Tid> {
    let memory = File::open(procfs::path(tid, "mem")).ok()?;
    let mut bytes = [0; 12];
    memory.read_exact_at(&mut bytes, addr).ok()?;
    let word = |at: usize| bytes[at..].first_chunk().map_or(0, |b| u32::from_ne_bytes(*b));
    // musl's plain mutexes contain EBUSY instead of an id.
    const EBUSY: u32 = 16;
    let is_thread = |id: &u32| *id > 2 && *id != EBUSY && procfs::threads(tid).contains(&(*id as Tid));
    let (lock, owner) = (word(0), word(8));
    // No thread holds the lock.
    if lock == 0 {
        return None;
    }
    [lock & FUTEX_TID_MASK, owner].into_iter().find(is_thread).map(|id| id as Tid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_words_that_hold_an_id() {
        let me = std::process::id();
        let held = |words: [u32; 3]| holder(me as Tid, words.as_ptr() as u64);
        assert_eq!(held([me | 0x8000_0000, 0, 7]), Some(me as Tid));
        assert_eq!(held([2, 0, me]), Some(me as Tid));
        assert_eq!(held([0, 0, me]), None);
        assert_eq!(held([2, 0, 0]), None);
        assert_eq!(holder(me as Tid, 1), None);
    }
}
