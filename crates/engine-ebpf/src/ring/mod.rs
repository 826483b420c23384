//! Taking records out of the BPF ring buffer.
//!
//! Its memory is mapped: a page with the reader's position, which Stride writes; a page with the writer's; and the
//! data. The kernel offers the data twice in a row, so that no record is split. Only the first half of that is mapped, and only as far as it
//! has been written to, because mapping takes time for each page, and records are copied out anyway. A header of 8 bytes comes before each
//! record: the length with two flags, and an offset that is not used here (linux/bpf.h, BPF_RINGBUF_*).

pub mod backlog;
pub mod backpressure;
pub mod rings;
pub mod shared;
pub mod size;
pub mod source;

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const BUSY: u32 = 1 << 31;
const DISCARD: u32 = 1 << 30;
const HEADER: u64 = 8;
/// The bytes that x86-64 and most arm64 CPUs move at a time.
const CACHE_LINE: usize = 64;
/// As much of the data is mapped at first.
const FIRST: u64 = 1 << 20;

/// Mapped memory of the kernel.
pub struct Mapping {
    at: NonNull<libc::c_void>,
    len: usize,
}

impl Mapping {
    fn new(fd: BorrowedFd<'_>, len: usize, prot: i32, offset: usize) -> io::Result<Mapping> {
        Self::with(fd, len, prot, libc::MAP_SHARED, offset)
    }

    /// Values of a map, for reading.
    pub fn values(fd: BorrowedFd<'_>, len: usize) -> io::Result<Mapping> {
        Self::new(fd, len.next_multiple_of(page_size()), libc::PROT_READ, 0)
    }

    /// A file that does not change.
    pub fn private(fd: BorrowedFd<'_>, len: usize) -> io::Result<Mapping> {
        Self::with(fd, len, libc::PROT_READ, libc::MAP_PRIVATE, 0)
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the whole mapping can be read; only `private` mappings are asked for their bytes, and these do not change.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr().cast(), self.len) }
    }

    fn with(fd: BorrowedFd<'_>, len: usize, prot: i32, flags: i32, offset: usize) -> io::Result<Mapping> {
        Self::of(len, prot, flags, fd.as_raw_fd(), offset)
    }

    /// Addresses for a mapping that `fill` makes bit by bit.
    fn reserve(len: usize) -> io::Result<Mapping> {
        Self::of(len, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0)
    }

    fn of(len: usize, prot: i32, flags: i32, fd: i32, offset: usize) -> io::Result<Mapping> {
        // SAFETY: a fresh mapping, wherever the kernel puts it.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, fd, offset as libc::off_t) };
        match NonNull::new(at) {
            Some(at) if at.as_ptr() != libc::MAP_FAILED => Ok(Mapping { at, len }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Maps a part of a reserved mapping, for reading: `offset` is that of the file for the mapping's beginning.
    fn fill(&mut self, fd: BorrowedFd<'_>, part: Range<usize>, offset: usize) -> io::Result<()> {
        assert!(part.start < part.end && part.end <= self.len);
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        let from = (offset + part.start) as libc::off_t;
        // SAFETY: the part lies in this mapping, and nothing was borrowed from it, because nothing was there.
        let at = unsafe {
            libc::mmap(self.at.as_ptr().byte_add(part.start), part.len(), libc::PROT_READ, flags, fd.as_raw_fd(), from)
        };
        if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl Mapping {
    fn position(&self) -> &AtomicU64 {
        // SAFETY: each mapping of a ring starts with a position, which the kernel accesses atomically.
        unsafe { self.at.cast::<AtomicU64>().as_ref() }
    }

    /// Variables of a program, writable.
    pub fn variables(fd: BorrowedFd<'_>, len: usize) -> io::Result<Mapping> {
        Self::new(fd, len.next_multiple_of(page_size()), libc::PROT_READ | libc::PROT_WRITE, 0)
    }

    /// Sets the first variables, of which no program knows yet.
    pub fn store(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.len);
        // SAFETY: within the mapping, which `variables` made writable. The bytes are borrowed, and so lie elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at.as_ptr().cast(), bytes.len()) };
    }

    /// An aligned u64 of `variables` or `values`.
    pub fn long(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.len);
        // SAFETY: within the mapping, which is aligned to pages; the kernel side accesses single words.
        unsafe { self.at.cast::<u8>().add(offset).cast::<AtomicU64>().as_ref() }
    }

    /// An aligned u32 of `variables` or `values`.
    pub fn word(&self, offset: usize) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.len);
        // SAFETY: as for `long`.
        unsafe { self.at.cast::<u8>().add(offset).cast::<AtomicU32>().as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nothing borrowed from it outlives this.
        unsafe { libc::munmap(self.at.as_ptr(), self.len) };
    }
}

pub struct Ring {
    fd: OwnedFd,
    consumer: Mapping,
    producer: Mapping,
    page: usize,
    size: u64,
    /// So much of the data is mapped.
    mapped: u64,
    /// The reader's position.
    pos: u64,
    /// The writer's position at the last look.
    end: u64,
    /// Why what is written there could not be mapped.
    failure: Option<io::Error>,
}

/// How full a ring is, as the kernel side sees it.
pub struct Gauge {
    consumer: Mapping,
    producer: Mapping,
}

impl Gauge {
    pub fn new(fd: BorrowedFd<'_>) -> io::Result<Gauge> {
        let page = page_size();
        let consumer = Mapping::new(fd, page, libc::PROT_READ, 0)?;
        let producer = Mapping::new(fd, page, libc::PROT_READ, page)?;
        Ok(Gauge { consumer, producer })
    }

    pub fn fill(&self) -> u64 {
        let read = self.consumer.position().load(Ordering::Acquire);
        self.producer.position().load(Ordering::Acquire).saturating_sub(read)
    }
}

/// Sets the reader's position of a ring, as any reader can.
pub fn set_position(ring: BorrowedFd<'_>, position: u64) -> io::Result<()> {
    let consumer = Mapping::new(ring, page_size(), libc::PROT_READ | libc::PROT_WRITE, 0)?;
    consumer.position().store(position, Ordering::Release);
    Ok(())
}

pub fn page_size() -> usize {
    // SAFETY: asks for a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

impl Ring {
    pub fn new(fd: BorrowedFd<'_>, size: u32) -> io::Result<Ring> {
        let page = page_size();
        let consumer = Mapping::new(fd, page, libc::PROT_READ | libc::PROT_WRITE, 0)?;
        let mut producer = Mapping::reserve(page + size as usize)?;
        let size = u64::from(size);
        let mapped = to_map(0, size);
        producer.fill(fd, 0..page + mapped as usize, page)?;
        Ok(Ring { fd: fd.try_clone_to_owned()?, consumer, producer, page, size, mapped, pos: 0, end: 0, failure: None })
    }

    /// Maps the data up to a position of the writer's. If the kernel has no memory for that, only what is mapped is read.
    fn map(&mut self, end: u64) {
        let to = to_map(end, self.size);
        if to <= self.mapped || self.failure.is_some() {
            return;
        }
        let part = self.page + self.mapped as usize..self.page + to as usize;
        match self.producer.fill(self.fd.as_fd(), part, self.page) {
            Ok(()) => self.mapped = to,
            Err(e) => self.failure = Some(e),
        }
    }

    /// Why nothing more can be read, if so. (To be asked when there is nothing to read.)
    pub fn failure(&self) -> Option<io::Error> {
        self.failure.as_ref().map(|e| e.raw_os_error().map_or_else(|| e.kind().into(), io::Error::from_raw_os_error))
    }

    fn data(&self, pos: u64) -> *const u8 {
        let offset = self.page + (pos & (self.size - 1)) as usize;
        // SAFETY: behind the writer's page lie `size` bytes, which `look` has mapped up to `self.end`.
        unsafe { self.producer.at.as_ptr().cast::<u8>().add(offset) }
    }

    /// The bytes from a position on: so many, or up to the end of the ring's memory.
    ///
    /// # Safety
    ///
    /// They belong to complete records that the reader's position has not passed: the kernel leaves these alone.
    unsafe fn bytes(&self, pos: u64, len: u64) -> &[u8] {
        let len = len.min(self.size - (pos & (self.size - 1)));
        // SAFETY: they lie within the mapping, and do not change.
        unsafe { std::slice::from_raw_parts(self.data(pos), len as usize) }
    }

    /// Moves complete records with their headers to the end of `into`: about `most` bytes, or one record if that is
    /// longer. Tells whether there were any.
    pub fn take(&mut self, most: usize, into: &mut Vec<u8>) -> bool {
        if self.pos >= self.end {
            self.look();
        }
        let (begin, stop) = (self.pos, self.end.min(self.pos + most as u64));
        self.fetch(begin, stop);
        while self.pos < stop {
            // SAFETY: records begin at multiples of 8 below the writer's position, with a length that the kernel sets atomically.
            let head = unsafe { &*self.data(self.pos).cast::<AtomicU32>() }.load(Ordering::Acquire);
            let next = self.pos + step(head);
            if head & BUSY != 0 || self.failure.is_some() && next > self.mapped {
                break;
            }
            self.pos = next;
        }
        let len = self.pos - begin;
        if len == 0 {
            return false;
        }
        // SAFETY: these records are complete, and the reader's position moves past them below.
        let first = unsafe { self.bytes(begin, len) };
        into.extend_from_slice(first);
        // SAFETY: the same.
        into.extend_from_slice(unsafe { self.bytes(begin + first.len() as u64, len - first.len() as u64) });
        self.consumer.position().store(self.pos, Ordering::Release);
        true
    }

    /// Brings this part of the data into the CPU's cache. The length of each record says where the next one begins, so to go through records
    /// that another CPU wrote would be to wait for its cache once for each. These loads are waited for together.
    fn fetch(&self, begin: u64, end: u64) {
        let mut sum = 0u32;
        for at in (begin..end).step_by(CACHE_LINE) {
            // SAFETY: below the writer's position. The kernel may be writing there, and what is loaded is not used.
            sum |= unsafe { &*self.data(at).cast::<AtomicU32>() }.load(Ordering::Relaxed);
        }
        std::hint::black_box(sum);
    }

    /// Looks how far the ring is written now.
    pub fn look(&mut self) {
        let end = self.producer.position().load(Ordering::Acquire);
        self.map(end);
        // (If mapping fails, the writer has not come to the ring's end yet: positions are offsets.)
        self.end = if self.failure.is_none() { end } else { end.min(self.mapped) };
    }

    /// True if there is a record that is still being written.
    pub fn is_unfinished(&self) -> bool {
        self.pos < self.end && self.failure.is_none()
    }
}

/// How much of the data is to be mapped when the writer's position is `end`: a power of two, as the ring's size is.
fn to_map(end: u64, size: u64) -> u64 {
    end.min(size).next_power_of_two().max(FIRST).min(size)
}

/// From a record's header to the next one.
fn step(head: u32) -> u64 {
    (u64::from(head & !(BUSY | DISCARD)) + HEADER).next_multiple_of(8)
}

/// Records that were taken out of a ring, in their order.
#[derive(Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    at: usize,
}

impl Chunk {
    pub fn new(bytes: Vec<u8>) -> Chunk {
        Chunk { bytes, at: 0 }
    }

    /// Its memory, to put records in.
    pub fn into_empty(mut self) -> Vec<u8> {
        self.bytes.clear();
        self.bytes
    }

    fn head(&self) -> Option<u32> {
        self.bytes.get(self.at..self.at + 4)?.try_into().ok().map(u32::from_ne_bytes)
    }

    /// Goes on to the next readable record. Tells whether there is one.
    #[inline]
    pub fn find(&mut self) -> bool {
        while let Some(head) = self.head() {
            if head & DISCARD == 0 {
                return true;
            }
            self.at += step(head) as usize;
        }
        false
    }

    /// The record that `find` found.
    #[inline]
    pub fn front(&self) -> Option<&[u8]> {
        let at = self.at + HEADER as usize;
        self.bytes.get(at..at + self.head()? as usize)
    }

    #[inline]
    pub fn advance(&mut self) {
        if let Some(head) = self.head() {
            self.at += step(head) as usize;
        }
    }
}

// SAFETY: a mapping is its owner's own, and good in every thread.
unsafe impl Send for Mapping {}
// SAFETY: what is reached through a shared reference is atomic.
unsafe impl Sync for Mapping {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::FromRawFd;
    use std::os::unix::fs::FileExt;

    /// A file with the layout of a ring of so many bytes, in which records of 24 bytes were written, and the ring.
    fn written(size: u64) -> (File, Ring) {
        // SAFETY: takes a string that lives, and a number.
        let fd = unsafe { libc::memfd_create(c"ring".as_ptr(), libc::MFD_CLOEXEC) };
        assert!(fd >= 0);
        // SAFETY: just opened, and nobody else's.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
        let page = page_size() as u64;
        file.set_len(2 * page + size).unwrap();
        let record = [16u64, 1, 2].map(u64::to_ne_bytes).concat();
        file.write_all_at(&record.repeat((size / 24) as usize), 2 * page).unwrap();
        let ring = Ring::new(file.as_fd(), size as u32).unwrap();
        (file, ring)
    }

    #[test]
    fn what_is_mapped_is_read_before_the_ring_says_why_there_is_no_more() {
        let (file, mut ring) = written(8 * FIRST);
        let write = |records: u64| file.write_all_at(&(24 * records).to_ne_bytes(), page_size() as u64).unwrap();
        let mut bytes = Vec::new();
        write(1);
        assert!(ring.take(usize::MAX >> 1, &mut bytes) && bytes.len() == 24);
        assert!(ring.failure().is_none());
        // A file that cannot be mapped.
        ring.fd = File::open("/dev/null").unwrap().into();
        write(FIRST / 24 + 9);
        assert!(ring.take(usize::MAX >> 1, &mut bytes));
        for _ in 0..2 {
            assert!(!ring.take(usize::MAX >> 1, &mut bytes) && !ring.is_unfinished());
            assert_eq!(ring.failure().unwrap().raw_os_error(), Some(libc::ENODEV));
        }
        assert_eq!(bytes.len() as u64, FIRST / 24 * 24, "whole records");
    }

    #[test]
    fn the_mapping_grows_by_powers_of_two() {
        const M: u64 = 1 << 20;
        for (end, size, mapped) in [
            (0, 8 * M, M),
            (M, 8 * M, M),
            (M + 8, 8 * M, 2 * M),
            (3 * M + 24, 8 * M, 4 * M),
            (8 * M, 8 * M, 8 * M),
            // The writer has begun anew, many times.
            (u64::MAX, 8 * M, 8 * M),
            (0, 64 << 10, 64 << 10),
            (100, 4096, 4096),
        ] {
            assert_eq!(to_map(end, size), mapped, "{end} of {size}");
        }
    }
}
