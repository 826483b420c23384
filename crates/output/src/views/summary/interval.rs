//! The intervals of `--every`.

use super::rows::Rows;
use crate::spelling::clock::Clock;
use stride_event::Ns;
use stride_event::quantity::{count, duration};

/// A part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub from: Ns,
    pub to: Ns,
    /// Wall-clock time minus the time of events, in nanoseconds.
    pub wall_offset: i128,
}

impl Interval {
    pub fn length(&self) -> Ns {
        self.to.saturating_sub(self.from)
    }

    /// The end of the interval, by the clock on the wall.
    pub fn wall_time(&self) -> u64 {
        (i128::from(self.to) + self.wall_offset).clamp(0, u64::MAX.into()) as u64
    }

    /// The line above the table, with the word for what is counted: `21:40:06.123456  1,204 calls in 1.00 s`.
    pub fn heading(&self, rows: &Rows, [one, many]: [&str; 2]) -> String {
        let mut time = Vec::new();
        Clock::default().write(&mut time, self.wall_time(), false, 6);
        let calls = rows.calls();
        let calls = if calls == 0 { format!("no {many}") } else { count(calls, one, many) };
        format!("{}  {calls} in {}\n", String::from_utf8_lossy(&time), duration(self.length()))
    }
}
