//! The times of a trace.

use stride_event::Ns;

/// Makes wall-clock times of those of events.
pub struct TraceClock {
    pub trace_id: String,
    pub wall_offset: i128,
}

impl TraceClock {
    pub fn wall_ns(&self, at: Ns) -> i128 {
        i128::from(at) + self.wall_offset
    }

    /// Microseconds since 1970. None if the time is not known.
    pub fn micros(&self, at: Ns) -> Option<i64> {
        (at > 0).then(|| i64::try_from(self.wall_ns(at).div_euclid(1000)).unwrap_or_default())
    }
}
