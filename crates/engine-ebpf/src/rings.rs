//! The ring, or several that are read as one.
//!
//! Writers of one ring wait for each other. Two that call without a pause, on two CPUs, take more than twice as long for it; so
//! where there are CPUs to matter, each thread is given one of several rings when it begins (`bpf/ring.h`). A thread's records are
//! all in one ring, in order; rings are read in the order of the records' times.

use crate::records;
use crate::ring::Ring;
use stride_engine_base::signal::now;
use stride_event::Ns;

pub struct Rings {
    all: Vec<Ring>,
    /// Which one the next record is in, once that is known.
    current: Option<usize>,
    /// The time of each one's next record, where known.
    times: Vec<Option<Ns>>,
    /// All records up to this time were there when the rings were last looked at. (A record has its place before its time.)
    horizon: Ns,
}

impl Rings {
    pub fn new(all: Vec<Ring>) -> Rings {
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

    /// Gives the record that `peek` returned back to the kernel.
    #[inline]
    pub fn advance(&mut self) {
        let Some(i) = self.current else { return };
        self.all[i].advance();
        if self.all.len() > 1 {
            self.times[i] = None;
            self.current = None;
        }
    }

    fn oldest(&mut self) -> Option<usize> {
        for _ in 0..SPINS {
            let mut oldest: Option<(Ns, usize)> = None;
            let mut unfinished = false;
            for (i, ring) in self.all.iter_mut().enumerate() {
                if self.times[i].is_none() {
                    self.times[i] = ring.peek().map(records::made);
                    // One that is being written may be older than all others.
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
                    self.all.iter_mut().for_each(Ring::look);
                }
            }
        }
        None
    }
}

/// A record is not being written for longer than it takes to look this often, unless its CPU is taken away.
const SPINS: u32 = 1000;
