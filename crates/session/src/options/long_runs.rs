//! The options of long runs: a flight recorder (`--flight`), and files of bounded size (`--rotate`).

use std::time::Duration;
use stride_filter::Expression;
use stride_record::Keep;

/// A size or a time. Each has a unit: `10M` are bytes, and `10m` are minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many bytes.
    Bytes(u64),
    /// So much time.
    Time(Duration),
}

/// `--rotate`: when a new file begins, and how many there are in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// A new file begins when the latest one is so large or so old.
    pub every: Extent,
    /// The most files that are kept, with the one that is written.
    pub count: u32,
}

/// `--flight`, settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// The calls that are kept in memory.
    pub keep: Keep,
    /// Any of these writes the recording.
    pub triggers: Vec<Trigger>,
    /// The recordings that triggers may write.
    pub most: u32,
    /// The time from a trigger to its recording.
    pub after: Duration,
}

/// An event that writes a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// A call for which an expression holds.
    Call(Box<Expression>),
    /// A process is killed by a signal.
    Killed,
    /// A process exits with another status than 0.
    Failed,
}

impl Flight {
    /// The expressions of all triggers.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> + Clone {
        self.triggers.iter().filter_map(Trigger::expression)
    }
}

impl Trigger {
    /// The expression, if the trigger is a call.
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Trigger::Call(expression) => Some(expression),
            Trigger::Killed | Trigger::Failed => None,
        }
    }

    /// The trigger as it was given.
    pub fn text(&self) -> &str {
        match self {
            Trigger::Call(expression) => expression.source(),
            Trigger::Killed => "killed",
            Trigger::Failed => "failed",
        }
    }
}
