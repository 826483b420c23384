//! Reading the BPF ring buffer in place.
//!
//! Its memory is mapped: a page with the reader's position, which we write; a page with the writer's, and the data, twice in
//! a row so that no record is ever split. Each record follows a header of 8 bytes: length and two flags, then an offset
//! of no use here (linux/bpf.h, BPF_RINGBUF_*).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const BUSY: u32 = 1 << 31;
const DISCARD: u32 = 1 << 30;
const HEADER: u64 = 8;

/// Memory of the kernel's.
pub struct Mapping {
    at: NonNull<libc::c_void>,
    len: usize,
}

impl Mapping {
    fn new(fd: BorrowedFd<'_>, len: usize, prot: i32, offset: usize) -> io::Result<Mapping> {
        Self::with(fd, len, prot, libc::MAP_SHARED, offset)
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
        // SAFETY: a fresh mapping, wherever the kernel puts it.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, fd.as_raw_fd(), offset as libc::off_t) };
        match NonNull::new(at) {
            Some(at) if at.as_ptr() != libc::MAP_FAILED => Ok(Mapping { at, len }),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Mapping {
    fn position(&self) -> &AtomicU64 {
        // SAFETY: each mapping of a ring starts with a position, which the kernel accesses atomically.
        unsafe { self.at.cast::<AtomicU64>().as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nothing borrowed from it outlives this.
        unsafe { libc::munmap(self.at.as_ptr(), self.len) };
    }
}

pub struct Ring {
    consumer: Mapping,
    producer: Mapping,
    page: usize,
    size: u64,
    /// How far we have read, and how far the kernel has been told.
    pos: u64,
    told: u64,
    /// The writer's position when last looked at.
    end: u64,
    /// The length of the record at `pos`, once it was found complete.
    front: Option<usize>,
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

fn page_size() -> usize {
    // SAFETY: asks for a number.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

impl Ring {
    pub fn new(fd: BorrowedFd<'_>, size: u32) -> io::Result<Ring> {
        let page = page_size();
        let consumer = Mapping::new(fd, page, libc::PROT_READ | libc::PROT_WRITE, 0)?;
        let producer = Mapping::new(fd, page + 2 * size as usize, libc::PROT_READ, page)?;
        Ok(Ring { consumer, producer, page, size: u64::from(size), pos: 0, told: 0, end: 0, front: None })
    }

    fn data(&self, pos: u64) -> *const u8 {
        let offset = self.page + (pos & (self.size - 1)) as usize;
        // SAFETY: behind the writer's page lie 2 * size bytes.
        unsafe { self.producer.at.as_ptr().cast::<u8>().add(offset) }
    }

    /// The next record, which stays in place until [`Ring::advance`].
    #[inline]
    pub fn peek(&mut self) -> Option<&[u8]> {
        let len = match self.front {
            Some(len) => len,
            None => self.find()?,
        };
        // SAFETY: the record is complete, and the kernel leaves it alone until the reader's position moves past it. The data is
        // mapped twice, so that it is contiguous.
        Some(unsafe { std::slice::from_raw_parts(self.data(self.pos).add(HEADER as usize), len) })
    }

    /// Looks for the next record; returns its length.
    fn find(&mut self) -> Option<usize> {
        loop {
            if self.pos >= self.end {
                self.end = self.producer.position().load(Ordering::Acquire);
                if self.pos >= self.end {
                    self.tell();
                    return None;
                }
            }
            let at = self.data(self.pos);
            // SAFETY: records begin at multiples of 8 below the writer's position, with a length that the kernel sets atomically.
            let head = unsafe { &*at.cast::<AtomicU32>() }.load(Ordering::Acquire);
            if head & BUSY != 0 {
                self.tell();
                return None;
            }
            let len = (head & !DISCARD) as usize;
            if head & DISCARD != 0 {
                self.skip(len);
                continue;
            }
            self.front = Some(len);
            return Some(len);
        }
    }

    /// Takes note of what was written since.
    pub fn look(&mut self) {
        self.end = self.producer.position().load(Ordering::Acquire);
    }

    /// Whether there is a record, though `peek` shows none: it is being written.
    pub fn is_unfinished(&self) -> bool {
        self.pos < self.end
    }

    fn skip(&mut self, len: usize) {
        self.front = None;
        self.pos += (len as u64 + HEADER).next_multiple_of(8);
        // The writer reads our position for each record: it is moved rarely, so that its cache line stays where it is.
        if self.pos - self.told >= self.size / 64 {
            self.tell();
        }
    }

    fn tell(&mut self) {
        if self.told != self.pos {
            self.told = self.pos;
            self.consumer.position().store(self.pos, Ordering::Release);
        }
    }

    /// Gives the record that `peek` returned back to the kernel.
    pub fn advance(&mut self) {
        if let Some(len) = self.peek().map(<[u8]>::len) {
            self.skip(len);
        }
    }
}

// SAFETY: a mapping is its owner's own, and good in every thread.
unsafe impl Send for Mapping {}
// SAFETY: what is reached through a shared reference is atomic.
unsafe impl Sync for Mapping {}
