//! The weights that the widths of boxes show.

use super::tree::Weights;

/// The things that a flame graph counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlameWeight {
    /// Calls: their number, their time, and those that failed.
    #[default]
    Calls,
    /// The time that threads were asleep or without a CPU in calls.
    Waits,
}

/// A measure of a box: its name in the page's data, and its value.
pub type BoxMeasure = (&'static str, fn(&Weights) -> u64);

impl FlameWeight {
    /// The measures of each box, the most important one first.
    pub fn measures(self) -> &'static [BoxMeasure] {
        match self {
            FlameWeight::Calls => &[("calls", |of| of.calls), ("time", |of| of.time), ("errors", |of| of.errors)],
            FlameWeight::Waits => &[("waits", |of| of.time)],
        }
    }

    /// The number behind a line of folded text. Times are in microseconds there, as other tools that measure waits write them.
    pub fn folded(self, of: &Weights) -> u64 {
        match self {
            FlameWeight::Calls => of.calls,
            FlameWeight::Waits => of.time / 1_000,
        }
    }
}
