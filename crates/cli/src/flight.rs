//! What a flight recorder is asked for (`--flight`): how much it keeps, and when it writes that down.

use crate::flags::values::{self, Extent};
use std::time::Duration;
use stride_filter::Expression;
use stride_record::Keep;

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

/// The memory that a limit in time alone may take.
pub const MOST_BYTES: usize = 256 << 20;
const LEAST_BYTES: u64 = 1 << 20;
const LARGEST: u64 = 64 << 30;
/// So much happens after a trigger, unless the option says otherwise.
const AFTER: Duration = Duration::from_secs(1);

/// `SIZE`, `TIME` or `SIZE,TIME`.
pub fn parse_keep(text: &str) -> Option<Keep> {
    let (mut bytes, mut time) = (None, None);
    for part in text.split(',') {
        match values::extent(part)? {
            Extent::Bytes(size) if bytes.is_none() && (LEAST_BYTES..=LARGEST).contains(&size) => bytes = Some(size),
            Extent::Time(span) if time.is_none() && !span.is_zero() => time = Some(span),
            _ => return None,
        }
    }
    let bytes = bytes.map_or(MOST_BYTES, |bytes| bytes as usize);
    Some(Keep { bytes, time: time.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)) })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_is_kept() {
        let keep = |bytes, time| Some(Keep { bytes, time });
        assert_eq!(parse_keep("64MiB"), keep(64 << 20, None));
        assert_eq!(parse_keep("30s"), keep(MOST_BYTES, Some(30_000_000_000)));
        assert_eq!(parse_keep("10m,1G"), keep(1 << 30, Some(600_000_000_000)));
        for text in ["", "64", "64K", "1M,2M", "1s,2s", "0s", "1M,", "100G", "65G"] {
            assert_eq!(parse_keep(text), None, "{text}");
        }
        let settled = |text| FlightDraft { keep: parse_keep(text), ..FlightDraft::default() }.settled().unwrap();
        assert_eq!((settled("1M").after, settled("1M").most), (AFTER, 1));
        assert_eq!(settled("1s").after, Duration::from_millis(250));
    }
}
