//! The options of long runs: a flight recorder (`--flight`), and files of bounded size (`--rotate`).

use std::time::Duration;
use stride_filter::Expression;
use stride_record::Keep;

/// A size or a time. Each has a unit: `10M` are bytes, and `10m` are minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Bytes(u64),
    Time(Duration),
}

/// `--rotate`: when a new file begins, and how many there are in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    pub every: Extent,
    pub count: u32,
}

/// `--flight`, settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    pub keep: Keep,
    /// Any of these writes the recording.
    pub triggers: Vec<Trigger>,
    /// The recordings that triggers may write.
    pub most: u32,
    /// The time from a trigger to its recording.
    pub after: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// A call for which an expression holds.
    Call(Box<Expression>),
    /// A process is killed by a signal.
    Killed,
    /// A process exits with another status than 0.
    Failed,
}

/// The options as given.
#[derive(Debug, Default)]
pub struct FlightDraft {
    pub keep: Option<Keep>,
    pub triggers: Vec<Trigger>,
    pub most: Option<u32>,
    pub after: Option<Duration>,
}

/// So much happens after a trigger, unless the option says otherwise.
const AFTER: Duration = Duration::from_secs(1);

impl FlightDraft {
    /// The first option that makes no sense without `--flight`.
    pub fn stray(&self) -> Option<&'static str> {
        let given = [
            (!self.triggers.is_empty(), "--trigger"),
            (self.after.is_some(), "--trigger-after"),
            (self.most.is_some(), "--trigger-count"),
        ];
        given.into_iter().find(|(given, _)| *given && self.keep.is_none()).map(|(_, name)| name)
    }

    pub fn settled(self) -> Option<Flight> {
        let keep = self.keep?;
        // A quarter of what is kept may be from after the trigger: the rest says what led to it.
        let quarter = keep.time.map_or(AFTER, |time| Duration::from_nanos(time / 4));
        let after = self.after.unwrap_or(AFTER.min(quarter));
        Some(Flight { keep, triggers: self.triggers, most: self.most.unwrap_or(1), after })
    }
}

impl Flight {
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> + Clone {
        self.triggers.iter().filter_map(Trigger::expression)
    }
}

impl Trigger {
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
