//! The three streams of bytes in a batch, and numbers in them.
//!
//! Repeating parts are kept apart from others: shapes of calls compress to almost nothing if no times lie between
//! them.

use crate::MAX_BATCH;

/// A batch that makes no sense, although its checksum is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

type Result<T> = std::result::Result<T, Malformed>;

/// In the reader's memory, shapes take more room than they have bytes.
const MAX_SHAPE: usize = 4 << 20;

/// A batch that is being written.
#[derive(Default)]
pub struct Streams {
    pub shape: Vec<u8>,
    pub times: Vec<u8>,
    pub memory: Vec<u8>,
    clock: u64,
}

/// Small numbers in few bytes, whichever sign they have.
fn zigzag(v: i64) -> u64 {
    ((v << 1) ^ (v >> 63)) as u64
}

fn unzigzag(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}

pub fn put_uint(to: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        to.push(v as u8 | 0x80);
        v >>= 7;
    }
    to.push(v as u8);
}

impl Streams {
    pub fn size(&self) -> usize {
        self.shape.len() + self.times.len() + self.memory.len()
    }

    pub fn capacity(&self) -> usize {
        self.shape.capacity() + self.times.capacity() + self.memory.capacity()
    }

    pub fn clear(&mut self) {
        self.shape.clear();
        self.times.clear();
        self.memory.clear();
        self.clock = 0;
    }

    pub fn byte(&mut self, v: u8) {
        self.shape.push(v);
    }

    pub fn uint(&mut self, v: u64) {
        put_uint(&mut self.shape, v);
    }

    pub fn int(&mut self, v: i64) {
        self.uint(zigzag(v));
    }

    /// A number that is expected to be near another.
    pub fn near(&mut self, v: u64, other: u64) {
        self.int(v.wrapping_sub(other) as i64);
    }

    /// A time. Most times are shortly after the previous one.
    pub fn time(&mut self, at: u64) {
        put_uint(&mut self.times, zigzag(at.wrapping_sub(self.clock) as i64));
        self.clock = at;
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.uint(bytes.len() as u64);
        self.memory.extend_from_slice(bytes);
    }

    /// The three streams as one piece.
    pub fn join(&self, into: &mut Vec<u8>) {
        into.clear();
        put_uint(into, self.shape.len() as u64);
        put_uint(into, self.times.len() as u64);
        into.extend_from_slice(&self.shape);
        into.extend_from_slice(&self.times);
        into.extend_from_slice(&self.memory);
    }
}

/// A position in a piece of bytes.
#[derive(Clone, Copy)]
struct Cursor {
    at: usize,
    end: usize,
}

impl Cursor {
    fn byte(&mut self, from: &[u8]) -> Result<u8> {
        if self.at >= self.end {
            return Err(Malformed("a batch ends within an event"));
        }
        self.at += 1;
        Ok(from[self.at - 1])
    }

    fn uint(&mut self, from: &[u8]) -> Result<u64> {
        let mut v = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte(from)?;
            v |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(v);
            }
        }
        Err(Malformed("a number has too many digits"))
    }
}

/// A batch that is being read.
pub struct BatchSource {
    batch: Vec<u8>,
    shape: Cursor,
    times: Cursor,
    memory: Cursor,
    clock: u64,
}

impl BatchSource {
    pub fn empty() -> BatchSource {
        let none = Cursor { at: 0, end: 0 };
        BatchSource { batch: Vec::new(), shape: none, times: none, memory: none, clock: 0 }
    }

    /// The buffer to put the next batch in, which [`BatchSource::split`] then begins with.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        *self = BatchSource { batch: std::mem::take(&mut self.batch), ..BatchSource::empty() };
        &mut self.batch
    }

    pub fn split(&mut self) -> Result<()> {
        let mut head = Cursor { at: 0, end: self.batch.len().min(MAX_BATCH) };
        let mut part = || head.uint(&self.batch).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let (shape, times) = (part()?, part()?);
        let split = |at: usize, len: usize| at.checked_add(len).filter(|end| *end <= self.batch.len());
        let first = split(head.at, shape).filter(|_| shape <= MAX_SHAPE);
        let second = first.and_then(|at| split(at, times));
        let (Some(first), Some(second)) = (first, second) else {
            return Err(Malformed("a batch is longer than it is"));
        };
        self.shape = Cursor { at: head.at, end: first };
        self.times = Cursor { at: first, end: second };
        self.memory = Cursor { at: second, end: self.batch.len() };
        Ok(())
    }

    /// True if all events have been read.
    pub fn is_empty(&self) -> bool {
        self.shape.at == self.shape.end
    }

    pub fn peek(&self) -> Option<u8> {
        if self.is_empty() { None } else { self.batch.get(self.shape.at).copied() }
    }

    pub fn byte(&mut self) -> Result<u8> {
        self.shape.byte(&self.batch)
    }

    pub fn uint(&mut self) -> Result<u64> {
        self.shape.uint(&self.batch)
    }

    /// A number of 32 bits.
    pub fn small(&mut self) -> Result<u32> {
        u32::try_from(self.uint()?).map_err(|_| Malformed("a number is too large"))
    }

    pub fn int(&mut self) -> Result<i64> {
        Ok(unzigzag(self.uint()?))
    }

    pub fn near(&mut self, other: u64) -> Result<u64> {
        Ok(other.wrapping_add(self.int()? as u64))
    }

    pub fn time(&mut self) -> Result<u64> {
        let delta = unzigzag(self.times.uint(&self.batch)?);
        self.clock = self.clock.wrapping_add(delta as u64);
        Ok(self.clock)
    }

    /// So many bytes of memory.
    pub fn memory(&mut self, len: u64) -> Result<&[u8]> {
        let rest = self.memory.end - self.memory.at;
        let len = usize::try_from(len).ok().filter(|len| *len <= rest).ok_or(Malformed("memory is missing"))?;
        self.memory.at += len;
        Ok(&self.batch[self.memory.at - len..self.memory.at])
    }

    pub fn bytes(&mut self) -> Result<&[u8]> {
        let len = self.uint()?;
        self.memory(len)
    }
}
