//! The summary: `-c`, `-C`, `--by`.

use std::time::Duration;
use stride_output::{Key, SummaryLayout};

/// The summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// `-c`: the summary replaces the trace. `-C`: the summary follows the trace.
    pub only: bool,
    /// `--exact-times`: all calls are timed, however many there are.
    pub exact_times: bool,
    /// `--every`: there is a summary for each interval.
    pub every: Option<Duration>,
    /// The keys, the columns and their order. The width is chosen when the output is opened.
    pub layout: SummaryLayout,
}

impl Summary {
    /// True if `test` holds for any key.
    pub fn is_by(&self, test: impl Fn(Key) -> bool) -> bool {
        self.layout.by.iter().any(|key| test(*key))
    }
}
