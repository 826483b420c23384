//! The trait of all rules.

use crate::counts::index::{Index, Observed, OpenFile};
use crate::report::finding::{Candidate, FactTable};
use crate::thresholds::threshold::Threshold;
use stride_event::Event;
use stride_syscalls::Syscall;
use stride_track::Tracker;

/// A rule's entry in the list of rules.
pub struct RuleInfo {
    /// Stable, in lower case with dashes.
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// The text of `--explain`: the reasoning and a worked example. Empty lines separate paragraphs.
    pub explanation: &'static str,
    /// The numbers that decide, which `--advise-config` can set.
    pub thresholds: &'static [Threshold],
    pub make: fn() -> Box<dyn Rule>,
}

/// Looks at calls as they come, with bounded memory, and returns candidates at the end.
pub trait Rule {
    /// True if the rule wants calls of this row. Asked once for each row.
    fn wants(&self, _row: &'static Syscall) -> bool {
        false
    }

    /// Shows a call that the rule wants. The index has counted it already.
    fn call(&mut self, _observed: &Observed<'_>, _index: &Index) {}

    /// The last descriptor of `file` was closed or is gone. Files that stay open are in the index at the end.
    fn closed(&mut self, _file: &OpenFile, _index: &Index, _tracker: &Tracker) {}

    /// Shows events other than calls that returned: threads that start and end, signals, calls that will not return.
    fn event(&mut self, _event: &Event<'_>, _index: &Index, _tracker: &Tracker) {}

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate>;

    /// A table that its finding shows as well, if there is one.
    fn table(&self) -> Option<FactTable> {
        None
    }
}
