//! The wanted endings of calls: results, errors and durations.

use crate::{Call, ErrnoSet, Ns, Outcome};

/// A range of numbers, with both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds<T> {
    /// The least number of the range.
    pub least: T,
    /// The greatest number of the range.
    pub most: T,
}

impl<T: Ord + Copy> Bounds<T> {
    /// True if the number lies in the range.
    pub fn contains(&self, value: T) -> bool {
        self.least <= value && value <= self.most
    }

    /// The numbers that are in both.
    pub fn intersection(self, other: Bounds<T>) -> Bounds<T> {
        Bounds { least: self.least.max(other.least), most: self.most.min(other.most) }
    }
}

impl Bounds<Ns> {
    /// Every time.
    pub const ALL: Bounds<Ns> = Bounds { least: 0, most: Ns::MAX };
}

impl Bounds<i64> {
    /// Every number.
    pub const ALL: Bounds<i64> = Bounds { least: i64::MIN, most: i64::MAX };
}

/// The way in which wanted calls return. An engine may skip calls that return otherwise; calls that never return are not
/// decided by this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endings {
    /// The times from entry to return, in nanoseconds. A call whose entry was not seen is wanted.
    pub durations: Bounds<Ns>,
    /// The results, where each call that failed has -1.
    pub results: Bounds<i64>,
    /// If any call is left out by its bytes: the bytes that wanted calls moved. Calls that move none are not wanted then.
    pub bytes: Option<Bounds<u64>>,
    /// The errors of the wanted calls that failed.
    pub errors: ErrnoSet,
    /// Calls that succeeded are wanted.
    pub successes: bool,
}

impl Default for Endings {
    fn default() -> Endings {
        Endings {
            durations: Bounds::<Ns>::ALL,
            results: Bounds::<i64>::ALL,
            bytes: None,
            errors: ErrnoSet::all(),
            successes: true,
        }
    }
}

impl Endings {
    /// All calls are wanted, however they return.
    pub fn is_all(&self) -> bool {
        *self == Endings::default()
    }

    /// True if the times of entry and return decide.
    pub fn needs_times(&self) -> bool {
        self.durations != Bounds::<Ns>::ALL
    }

    /// The endings that both want.
    pub fn and(self, other: Endings) -> Endings {
        Endings {
            durations: self.durations.intersection(other.durations),
            results: self.results.intersection(other.results),
            bytes: match (self.bytes, other.bytes) {
                (Some(own), Some(other)) => Some(own.intersection(other)),
                (own, other) => own.or(other),
            },
            errors: self.errors.intersection(&other.errors),
            successes: self.successes && other.successes,
        }
    }

    /// True if a call that returned is wanted.
    pub fn contain(&self, call: &Call) -> bool {
        let (wanted, result) = match call.outcome {
            Outcome::Value(value) => (self.successes, value),
            Outcome::Error(errno) => (self.errors.contains(errno), -1),
            Outcome::Gone | Outcome::Pending => return true,
        };
        wanted
            && self.results.contains(result)
            && (!self.needs_times() || call.took().is_some_and(|took| self.durations.contains(took)))
            && self.bytes.is_none_or(|bytes| call.moved().is_some_and(|moved| bytes.contains(moved)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::Abi;

    #[test]
    fn how_calls_return() {
        let call = |outcome, time: Ns| Call { outcome, entered: Some(100), returned: 100 + time, ..Call::default() };
        let slow = Endings { durations: Bounds { least: 10, most: 20 }, ..Endings::default() };
        for (time, wanted) in [(9, false), (10, true), (20, true), (21, false)] {
            assert_eq!(slow.contain(&call(Outcome::Value(0), time)), wanted, "{time}");
        }
        assert!(slow.contain(&call(Outcome::Gone, 0)));
        let failed = Endings { results: Bounds { least: i64::MIN, most: -1 }, ..Endings::default() };
        assert!(failed.contain(&call(Outcome::Error(2), 0)) && !failed.contain(&call(Outcome::Value(0), 0)));
        let both = slow.and(failed);
        assert!(both.contain(&call(Outcome::Error(2), 15)) && !both.contain(&call(Outcome::Error(2), 5)));
        // Only read(2) and its like move bytes.
        let bytes = Endings { bytes: Some(Bounds { least: 1, most: 9 }), ..Endings::default() };
        assert!(bytes.contain(&Call { abi: Abi::X86_64, nr: 0, ..call(Outcome::Value(5), 0) }));
        assert!(!bytes.contain(&Call { abi: Abi::X86_64, nr: 0, ..call(Outcome::Error(5), 0) }));
        assert!(!bytes.contain(&Call { abi: Abi::X86_64, nr: 3, ..call(Outcome::Value(5), 0) }));
    }
}
