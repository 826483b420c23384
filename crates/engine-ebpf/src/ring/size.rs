//! The size of a ring, and the marks of its fill.

/// The size of a ring, and its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingSize {
    /// A power of two, at least a page.
    pub bytes: u32,
    /// True if the ring is drained and writers are delayed. Otherwise calls are lost when the ring is full.
    pub wait: bool,
}

/// The largest record has more than 208 KiB. It finds room if the ring is emptied in time.
const WAITING_MIN: u32 = 256 << 10;

impl RingSize {
    /// `bytes` is a power of two. It is increased if the largest record would not fit.
    pub fn of(bytes: u32, wait: bool) -> RingSize {
        RingSize { bytes: if wait { bytes.max(WAITING_MIN) } else { bytes }, wait }
    }

    /// The fill beyond which records of calls are refused: a sixteenth is kept for records of beginning and ending
    /// threads.
    pub fn limit(self) -> u64 {
        u64::from(self.bytes - self.bytes / 16)
    }

    /// The fill beyond which the drain thread moves records to memory.
    pub fn drain_mark(self) -> u64 {
        if self.wait { u64::from(self.bytes / 2) } else { self.limit() }
    }

    /// The high-water mark: the fill beyond which writers are delayed.
    pub fn high_mark(self) -> u64 {
        u64::midpoint(self.drain_mark(), self.limit())
    }

    /// The bytes in memory beyond which writers are delayed, if the machine has memory for them.
    pub fn backlog_mark(self) -> u64 {
        u64::from(self.bytes) * 2
    }

    /// The fill at which a waiting reader is woken.
    pub fn wake_mark(self) -> u64 {
        u64::from(self.bytes / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_ring() {
        const K: u64 = 1 << 10;
        let marks = |size: RingSize| [u64::from(size.bytes), size.drain_mark(), size.high_mark(), size.limit()];
        assert_eq!(marks(RingSize::of(1 << 20, true)), [1024 * K, 512 * K, 736 * K, 960 * K]);
        // Where calls may be lost, the ring is used up to its limit.
        assert_eq!(marks(RingSize::of(64 << 10, false)), [64 * K, 60 * K, 60 * K, 60 * K]);
        // The largest record finds room.
        assert_eq!(RingSize::of(64 << 10, true).bytes, 256 << 10);
    }
}
