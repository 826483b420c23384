//! `--flight` and the options that go with it, as the command line has them.

use std::time::Duration;
use stride_session::facts::Keep;
use stride_session::options::{Flight, Trigger};

/// The options as given.
#[derive(Debug, Default)]
pub struct RawFlight {
    pub keep: Option<Keep>,
    pub triggers: Vec<Trigger>,
    pub most: Option<u32>,
    pub after: Option<Duration>,
}

/// So much happens after a trigger, unless the option says otherwise.
const AFTER: Duration = Duration::from_secs(1);

impl RawFlight {
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
