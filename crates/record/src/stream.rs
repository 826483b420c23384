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

    #[inline]
    fn uint(&mut self, from: &[u8]) -> Result<u64> {
        let ahead = from[..self.end].get(self.at..).and_then(|rest| rest.first_chunk());
        match ahead.and_then(|bytes| short(*bytes)) {
            Some((v, len)) => {
                self.at += len;
                Ok(v)
            }
            None => self.long(from),
        }
    }

    /// A number near the end, or of more than eight bytes.
    #[cold]
    fn long(&mut self, from: &[u8]) -> Result<u64> {
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

/// The number that these bytes begin with, and its length, unless it has more bytes. The groups of seven bits move together in three steps, which
/// are the same for each length: so no branch depends on the lengths, which are as good as random.
#[inline]
fn short(bytes: [u8; 8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(bytes);
    let last = !word & 0x8080_8080_8080_8080;
    if last == 0 {
        return None;
    }
    // All bits up to the one that marks the last byte.
    let v = word & (last ^ (last - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
    let v = v & 0x007f_007f_007f_007f | (v & 0x7f00_7f00_7f00_7f00) >> 1;
    let v = v & 0x0000_3fff_0000_3fff | (v & 0x3fff_0000_3fff_0000) >> 2;
    let v = v & 0x0000_0000_0fff_ffff | (v & 0x0fff_ffff_0000_0000) >> 4;
    Some((v, last.trailing_zeros() as usize / 8 + 1))
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
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.shape.at == self.shape.end
    }

    #[inline]
    pub fn peek(&self) -> Option<u8> {
        if self.is_empty() { None } else { self.batch.get(self.shape.at).copied() }
    }

    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        self.shape.byte(&self.batch)
    }

    #[inline]
    pub fn uint(&mut self) -> Result<u64> {
        self.shape.uint(&self.batch)
    }

    /// A number of 32 bits.
    pub fn small(&mut self) -> Result<u32> {
        u32::try_from(self.uint()?).map_err(|_| Malformed("a number is too large"))
    }

    #[inline]
    pub fn int(&mut self) -> Result<i64> {
        Ok(unzigzag(self.uint()?))
    }

    #[inline]
    pub fn near(&mut self, other: u64) -> Result<u64> {
        Ok(other.wrapping_add(self.int()? as u64))
    }

    #[inline]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Result<u64>, usize) {
        let mut cursor = Cursor { at: 0, end: bytes.len() };
        (cursor.uint(bytes), cursor.at)
    }

    #[test]
    fn numbers_of_each_length() {
        for bits in 0..64 {
            for v in [1u64 << bits, (1 << bits) - 1, u64::MAX >> bits, 0x5555_5555_5555_5555 >> bits] {
                let mut bytes = Vec::new();
                put_uint(&mut bytes, v);
                let len = bytes.len();
                assert_eq!(read(&bytes), (Ok(v), len), "{v:#x}, at the end");
                bytes.extend([0xff; 10]);
                assert_eq!(read(&bytes), (Ok(v), len), "{v:#x}, with more behind it");
                assert!(read(&bytes[..len - 1]).0.is_err(), "{v:#x}, cut off");
            }
        }
    }

    #[test]
    fn numbers_that_no_writer_makes() {
        assert_eq!(read(&[0x81, 0x80, 0x00, 9, 9, 9, 9, 9, 9]), (Ok(1), 3));
        assert!(read(&[0x80; 20]).0.is_err());
        assert!(read(&[]).0.is_err());
    }
}
