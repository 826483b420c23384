//! The ids of the threads whose calls are wanted.

use crate::Bounds;

/// Ranges of ids. An engine may skip the calls of other threads; their beginnings and ends are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdBounds {
    pub processes: Bounds<i64>,
    pub threads: Bounds<i64>,
}

impl Default for IdBounds {
    fn default() -> IdBounds {
        IdBounds { processes: Bounds::<i64>::ALL, threads: Bounds::<i64>::ALL }
    }
}

impl IdBounds {
    /// The ids decide nothing.
    pub fn is_all(&self) -> bool {
        *self == IdBounds::default()
    }

    /// The ids that both want.
    pub fn and(self, other: IdBounds) -> IdBounds {
        IdBounds {
            processes: self.processes.intersection(other.processes),
            threads: self.threads.intersection(other.threads),
        }
    }
}
