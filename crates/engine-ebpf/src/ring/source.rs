//! One ring as the reader sees it: first the records that the drain thread moved, then those still in the ring.
//!
//! The reader copies records in chunks to memory of its own and reads them there. So it holds neither the ring nor a
//! lock while it is busy or stalled, and the drain thread may move records at any time.

use crate::ring::backlog::SharedWords;
use crate::ring::{Chunk, Ring};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

/// Bytes that the reader takes at a time: as much as stays in a CPU's own cache.
const TAKE: usize = 32 << 10;

/// A ring, and the records that were moved out of it.
pub struct Drained {
    words: Arc<SharedWords>,
    inner: Mutex<Inner>,
}

struct Inner {
    ring: Ring,
    moved: VecDeque<Vec<u8>>,
}

impl Drained {
    pub fn new(ring: Ring, words: Arc<SharedWords>) -> Arc<Drained> {
        Arc::new(Drained { words, inner: Mutex::new(Inner { ring, moved: VecDeque::new() }) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Moves about so many bytes of records to memory, where the reader takes them first. Returns how many. 0 if
    /// there is no complete record or no memory.
    pub fn drain(&self, most: usize) -> usize {
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(most + (256 << 10)).is_err() {
            return 0;
        }
        let mut inner = self.lock();
        inner.ring.take(most, &mut bytes);
        let len = bytes.len();
        if len > 0 {
            bytes.shrink_to_fit();
            self.words.backlog().fetch_add(len as u64, Ordering::Relaxed);
            inner.moved.push_back(bytes);
        }
        len
    }
}

pub struct RingSource {
    drained: Arc<Drained>,
    chunk: Chunk,
}

impl RingSource {
    pub fn new(drained: Arc<Drained>) -> RingSource {
        RingSource { drained, chunk: Chunk::default() }
    }

    /// The next record, which stays in place until [`RingSource::advance`].
    #[inline]
    pub fn peek(&mut self) -> Option<&[u8]> {
        if !self.chunk.find() && !self.refill() {
            return None;
        }
        self.chunk.front()
    }

    fn refill(&mut self) -> bool {
        let mut inner = self.drained.lock();
        loop {
            if let Some(bytes) = inner.moved.pop_front() {
                self.drained.words.backlog().fetch_sub(bytes.len() as u64, Ordering::Relaxed);
                self.chunk = Chunk::new(bytes);
            } else {
                let mut bytes = std::mem::take(&mut self.chunk).into_empty();
                let any = inner.ring.take(TAKE, &mut bytes);
                self.chunk = Chunk::new(bytes);
                if !any {
                    self.drained.words.precedence.lower();
                    return false;
                }
            }
            if self.chunk.find() {
                return true;
            }
        }
    }

    #[inline]
    pub fn advance(&mut self) {
        self.chunk.advance();
    }

    /// Looks how far the ring is written now.
    pub fn look(&mut self) {
        self.drained.lock().ring.look();
    }

    /// Why there are no further records, if they cannot be read.
    pub fn failure(&self) -> Option<io::Error> {
        self.drained.lock().ring.failure()
    }

    /// True if there is a record that is still being written, so that `peek` shows none.
    pub fn is_unfinished(&self) -> bool {
        self.drained.lock().ring.is_unfinished()
    }
}
