//! The thread that holds a lock in a tracee's memory.

use std::fs::File;
use std::os::unix::fs::FileExt;
use stride_engine_base::procfs;
use stride_event::Tid;

const FUTEX_TID_MASK: u32 = 0x3fff_ffff;

/// The thread that holds the lock at an address, if the lock has its id: in the word itself (priority inheritance and
/// robust futexes, musl), or after it, as in glibc's pthread_mutex_t (`__lock`, `__count`, `__owner`). The thread is one of the same process, of
/// one that shares the memory, or of the parent: fork(2) copies locks as they are.
pub fn holder(tid: Tid, addr: u64) -> Option<Tid> {
    let memory = File::open(procfs::path(tid, "mem")).ok()?;
    let mut bytes = [0; 12];
    memory.read_exact_at(&mut bytes, addr).ok()?;
    let word = |at: usize| bytes[at..].first_chunk().map_or(0, |b| u32::from_ne_bytes(*b));
    // musl's plain mutexes contain EBUSY instead of an id.
    const EBUSY: u32 = 16;
    let is_thread = |id: &u32| {
        *id > 2
            && *id != EBUSY
            && (procfs::threads(tid).contains(&(*id as Tid))
                || shares(*id as Tid, tid, addr)
                || is_of_parent(*id as Tid, tid))
    };
    let (lock, owner) = (word(0), word(8));
    // No thread holds the lock.
    if lock == 0 {
        return None;
    }
    [lock & FUTEX_TID_MASK, owner].into_iter().find(is_thread).map(|id| id as Tid)
}

/// True if a thread is one of the process that made another one's.
fn is_of_parent(tid: Tid, other: Tid) -> bool {
    procfs::parent(other).is_some_and(|parent| parent > 1 && procfs::threads(parent).contains(&tid))
}

/// True if a thread has the memory at an address of another one.
fn shares(tid: Tid, other: Tid, addr: u64) -> bool {
    let maps = |tid| procfs::text(procfs::path(tid, "maps")).unwrap_or_default();
    let wanted = maps(other);
    let Some(file) = wanted.lines().find_map(|line| shared_file(line, Some(addr))) else { return false };
    maps(tid).lines().any(|line| shared_file(line, None) == Some(file))
}

/// The device and the inode of a shared mapping, if it has the address: `7f00-7f01 rw-s 00000000 00:01 8 /dev/zero (deleted)`.
fn shared_file(line: &str, addr: Option<u64>) -> Option<(&str, &str)> {
    let mut words = line.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let hex = |word| u64::from_str_radix(word, 16).ok();
    let range = hex(from)?..hex(to)?;
    let is_shared = words.next()?.ends_with('s');
    let file = (words.nth(1)?, words.next()?);
    (is_shared && addr.is_none_or(|addr| range.contains(&addr))).then_some(file)
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

    #[test]
    fn mappings_that_are_shared() {
        let line = "7f00-7f10 rw-s 00000000 00:01 8                      /dev/zero (deleted)";
        assert_eq!(shared_file(line, Some(0x7f0f)), Some(("00:01", "8")));
        assert_eq!(shared_file(line, None), Some(("00:01", "8")));
        assert_eq!(shared_file(line, Some(0x7f10)), None);
        assert_eq!(shared_file("7f00-7f10 rw-p 00000000 00:00 0 [stack]", None), None);
        assert_eq!(shared_file("7f00", None), None);
    }
}
