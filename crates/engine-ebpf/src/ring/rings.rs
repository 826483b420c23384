//! One ring, or several that are read as one.
//!
//! Writers of one ring wait for each other. Measured with `dd bs=1` on each of 2 CPUs, no reader running: a traced call takes
//! 0.25 µs of CPU time when one dd runs, and 0.45 to 0.65 µs when both do. With a ring for each it stays at 0.25 µs. So with `-f`
//! there is one ring for every two CPUs (on two CPUs, one of which is the reader's, that is still one ring), up to eight.
//!
//! Each thread gets one of the rings when it begins (`bpf/ring.h`). Rings belong to threads and not to CPUs, so a
//! thread's records are in order whatever CPUs it runs on. Several rings are read in the order of the records' times,
//! so every call then takes the time: 20 ns and 32 bytes. The reader notes the time, and then how far each ring is
//! written. A record gets its place in the ring before its time. So all records older than the noted time are there,
//! and the oldest of them comes next.

use crate::reading::records;
use crate::ring::source::RingSource;
use std::io;
use stride_engine_base::signal::now;
use stride_event::Ns;

pub struct Rings {
    all: Vec<RingSource>,
    /// The ring of the next record, once that is known.
    current: Option<usize>,
    /// The time of each ring's next record, if known.
    times: Vec<Option<Ns>>,
    /// All records up to this time were there at the last look. (A record has its place before its time.)
    horizon: Ns,
}

impl Rings {
    pub fn new(all: Vec<RingSource>) -> Rings {
        let current = (all.len() == 1).then_some(0);
        Rings { current, times: vec![None; all.len()], horizon: 0, all }
    }

    /// The next record, which stays in place until [`Rings::advance`].
    #[inline]
    pub fn peek(&mut self) -> Option<&[u8]> {
        if self.current.is_none() {
            self.current = self.oldest();
        }
        self.all[self.current?].peek()
    }

    /// Goes on to the next record.
    #[inline]
    pub fn advance(&mut self) {
        let Some(i) = self.current else { return };
        self.all[i].advance();
        if self.all.len() > 1 {
            self.times[i] = None;
            self.current = None;
        }
    }

    /// Why `peek` finds no record, if there are some that cannot be read.
    pub fn failure(&self) -> Option<io::Error> {
        self.all.iter().find_map(RingSource::failure)
    }

    fn oldest(&mut self) -> Option<usize> {
        for _ in 0..SPINS {
            let mut oldest: Option<(Ns, usize)> = None;
            let mut unfinished = false;
            for (i, ring) in self.all.iter_mut().enumerate() {
                if self.times[i].is_none() {
                    self.times[i] = ring.peek().map(records::made);
                    // A record that is being written may be older than all others.
                    unfinished |= self.times[i].is_none() && ring.is_unfinished();
                }
                if let Some(at) = self.times[i]
                    && oldest.is_none_or(|(least, _)| at < least)
                {
                    oldest = Some((at, i));
                }
            }
            match oldest {
                Some((at, i)) if at <= self.horizon && !unfinished => return Some(i),
                None if !unfinished => return None,
                _ => {
                    self.horizon = now();
                    self.all.iter_mut().for_each(RingSource::look);
                }
            }
        }
        None
    }
}

/// A record is complete before so many looks, unless its CPU is taken away.
const SPINS: u32 = 1000;
