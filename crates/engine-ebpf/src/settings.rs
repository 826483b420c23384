//! The engine's own settings.

use crate::ring::size::RingSize;
use stride_event::TraceSpec;

/// What to do when calls come faster than they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Delay the threads that make them, and keep more of them in memory, so that none is lost.
    Wait,
    /// Lose calls, and count them.
    Drop,
}

/// The engine's own settings.
#[derive(Default, Clone, Copy, Debug)]
pub struct Settings {
    /// `None`: wait, unless the engine attaches to processes or traces the whole machine, which are not to be delayed unasked.
    pub on_overflow: Option<Overflow>,
    /// Size of each ring: a power of two, at least a page.
    pub ring_bytes: Option<u32>,
    /// The number of rings. 0: as many as suit this machine.
    pub rings: u32,
    /// With `TraceSpec::machine`: what this process starts is traced, too. For tests, which start what they trace.
    pub own_children: bool,
}

impl Settings {
    pub(crate) fn ring(&self, spec: &TraceSpec) -> RingSize {
        let wait = match self.on_overflow {
            Some(how) => how == Overflow::Wait,
            // The machine is not to be slowed down because one trace of it is not read.
            None => spec.attach.is_empty() && spec.machine.is_none(),
        };
        match self.ring_bytes {
            // If records are large, a few must find room while the first ones are drained.
            Some(bytes) if wait && spec.limits.text > LARGE_TEXT => RingSize::of(bytes.max(DEFAULT_RING / 4), wait),
            Some(bytes) => RingSize::of(bytes, wait),
            // All threads of the machine are reported before the first record is read.
            None if spec.machine.is_some() => RingSize::of(DEFAULT_RING, wait),
            // Counted calls leave no records. (Functions of libraries and operations do.)
            None if spec.counting.is_some_and(|c| c.only) && spec.library.is_empty() && !spec.operations => {
                RingSize::of(1 << 20, self.on_overflow == Some(Overflow::Wait))
            }
            // Every call of a program that only makes calls must find room until the reader comes. A large ring takes
            // time to allocate (0.2 ms for 1 MiB), which few calls are not worth.
            None if spec.calls.is_all() && spec.file_filter.is_none() => {
                RingSize::of((DEFAULT_RING / self.rings(spec).next_power_of_two()).max(DEFAULT_RING / 4), wait)
            }
            None => RingSize::of(DEFAULT_RING / 4, wait),
        }
    }

    /// A second ring pays off if more than two CPUs may write. One CPU of four is the reader's.
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
/// Longer strings and buffers make large records.
const LARGE_TEXT: usize = 1024;
/// The size if nothing else is asked for.
pub const DEFAULT_RING: u32 = 16 << 20;
