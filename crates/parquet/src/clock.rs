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
        (at > 0).then(|| units(self.wall_ns(at), 1000))
    }
}

/// A time in whole units of so many nanoseconds; 0 if there are too many units. Times of our centuries have 64 bits, which are divided much faster.
#[inline]
pub fn units(ns: i128, unit: i64) -> i64 {
    match i64::try_from(ns) {
        Ok(ns) => ns.div_euclid(unit),
        Err(_) => i64::try_from(ns.div_euclid(unit.into())).unwrap_or_default(),
    }
}
