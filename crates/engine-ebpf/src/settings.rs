//! What is the engine's own to choose.

use crate::ring_size::RingSize;
use stride_event::TraceSpec;

/// What to do when calls come faster than they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Delay the threads that make them, and keep more of them in memory, so that none is lost.
    Wait,
    /// Lose calls, and count them.
    Drop,
}

/// What is the engine's own to choose.
#[derive(Default, Clone, Copy, Debug)]
pub struct Settings {
    /// `None`: wait, unless there are processes to attach to, which are not to be delayed unasked.
    pub on_overflow: Option<Overflow>,
    /// Size of each ring: a power of two, at least a page.
    pub ring_bytes: Option<u32>,
    /// How many there are; 0: as many as this machine is worth.
    pub rings: u32,
}

impl Settings {
    pub(crate) fn ring(&self, spec: &TraceSpec) -> RingSize {
        let wait = match self.on_overflow {
            Some(how) => how == Overflow::Wait,
            None => spec.attach.is_empty(),
        };
        match self.ring_bytes {
            // Where records are large, a few of them must find room while the first are being drained.
            Some(bytes) if wait && spec.limits.text > LARGE_TEXT => RingSize::of(bytes.max(DEFAULT_RING / 4), wait),
            Some(bytes) => RingSize::of(bytes, wait),
            // Calls that are counted leave no records.
            None if spec.counting.is_some_and(|c| c.only) => {
                RingSize::of(1 << 20, self.on_overflow == Some(Overflow::Wait))
            }
            // Every call of a program that does nothing else must find room until the reader is there. A large ring takes its time to
            // allocate (0.2 ms for 1 MiB), which few calls are not worth.
            None if spec.calls.is_all() && spec.about.is_none() => {
                RingSize::of((DEFAULT_RING / self.rings(spec).next_power_of_two()).max(DEFAULT_RING / 4), wait)
            }
            None => RingSize::of(DEFAULT_RING / 4, wait),
        }
    }

    /// A second one is worth it where more than two CPUs may write, one of four being the reader's.
    pub(crate) fn rings(&self, spec: &TraceSpec) -> u32 {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        match self.rings {
            0 if spec.follow => (cpus / 2).clamp(1, RINGS_MAX),
            0 => 1,
            n => n,
        }
    }
}

const RINGS_MAX: u32 = 8;
/// Strings and buffers beyond this make large records.
const LARGE_TEXT: usize = 1024;
/// Where nothing else is asked for.
pub const DEFAULT_RING: u32 = 16 << 20;
