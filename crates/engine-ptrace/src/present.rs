//! The pages of a tracee that are in memory: `/proc/TID/pagemap`, one pread(2) of 0.3 µs a read, with the descriptor kept.
//!
//! A page that is absent may be one that another thread is to supply. Reading it would make the reader wait.

use crate::sys;
use std::fs::File;
use std::os::unix::fs::FileExt;
use stride_engine_base::procfs;
use stride_event::Tid;

/// Descriptors kept.
const SLOTS: usize = 32;
/// Pages asked for at once.
const BATCH: usize = 64;
/// The page is present. Swapped-out pages count as absent: what looks like one may be a marker of userfaultfd's.
const PRESENT: u64 = 1 << 63;

/// Writers to the page wait for a userfaultfd. Linux 5.14 on says so.
const WRITE_WATCHED: u64 = 1 << 57;

#[derive(Debug)]
pub struct Present {
    maps: [Option<(Tid, File)>; SLOTS],
    page: u64,
}

impl Default for Present {
    fn default() -> Present {
        Present { maps: [const { None }; SLOTS], page: sys::page_size() }
    }
}

impl Present {
    /// The thread's descriptor refers to the memory that the thread had when the descriptor was opened.
    pub fn forget(&mut self, tid: Tid) {
        let slot = &mut self.maps[tid as usize % SLOTS];
        if slot.as_ref().is_some_and(|(owner, _)| *owner == tid) {
            *slot = None;
        }
    }

    /// True if the page at `addr` is in memory, and the number of the `len` bytes that lie in that page and the equal ones
    /// behind it. If that cannot be found out, the page counts as absent.
    pub fn run(&mut self, tid: Tid, addr: u64, len: usize) -> (bool, usize) {
        let first = addr / self.page;
        let last = addr.saturating_add(len as u64 - 1) / self.page;
        let pages = (last - first).min(BATCH as u64 - 1) as usize + 1;
        let mut entries = [0; BATCH * 8];
        let entries = &mut entries[..pages * 8];
        let mut read = self.map(tid).and_then(|map| map.read_at(entries, first * 8).ok());
        if read == Some(0) {
            // The descriptor's memory is gone: the thread has executed another program.
            self.forget(tid);
            read = self.map(tid).and_then(|map| map.read_at(entries, first * 8).ok());
        }
        let is_present = |entry: &[u8]| u64::from_ne_bytes(entry.try_into().unwrap_or_default()) & PRESENT != 0;
        let mut entries = entries[..read.unwrap_or(0)].chunks_exact(8).map(is_present);
        let Some(present) = entries.next() else { return (false, len) };
        let same = 1 + entries.take_while(|&p| p == present).count() as u64;
        let end = (first + same).saturating_mul(self.page);
        (present, len.min((end - addr) as usize))
    }

    /// True if the page at `addr` is in memory, and a writer to it does not have to wait for a userfaultfd(2).
    pub fn can_be_written(&mut self, tid: Tid, addr: u64) -> bool {
        let mut entry = [0; 8];
        let at = addr / self.page * 8;
        let read = self.map(tid).and_then(|map| map.read_at(&mut entry, at).ok());
        read == Some(8) && u64::from_ne_bytes(entry) & (PRESENT | WRITE_WATCHED) == PRESENT
    }

    fn map(&mut self, tid: Tid) -> Option<&File> {
        let slot = &mut self.maps[tid as usize % SLOTS];
        if slot.as_ref().is_none_or(|(owner, _)| *owner != tid) {
            *slot = File::open(procfs::path(tid, "pagemap")).ok().map(|map| (tid, map));
        }
        slot.as_ref().map(|(_, map)| map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touched_pages_are_there_and_others_are_not() {
        let me = std::process::id() as Tid;
        let mut present = Present::default();
        let page = present.page as usize;
        // Fresh memory, too large for the allocator to have it ready.
        let mut memory = vec![0u8; 1000 * page];
        let start = memory.as_ptr() as usize;
        let base = start.next_multiple_of(page) - start;
        for n in [100, 101, 103] {
            memory[base + n * page] = 1;
        }
        let at = |n: usize| (start + base + n * page) as u64;
        assert_eq!(present.run(me, at(100) + 8, 2 * page), (true, 2 * page - 8));
        assert_eq!(present.run(me, at(100), 5), (true, 5));
        assert_eq!(present.run(me, at(102) + 1, 4 * page), (false, page - 1));
        assert_eq!(present.run(me, at(103), 4 * page), (true, page));
        assert_eq!(present.run(me, u64::MAX - 5, 6), (false, 6), "no memory is ever there");
        assert!(!present.run(Tid::MAX, at(100), 5).0, "no such thread");
    }
}
