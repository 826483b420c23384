//! The trait of all rules.

use crate::finding::{Draft, FactTable};
use crate::index::{Index, Observed, OpenFile};
use stride_event::Event;
use stride_syscalls::Syscall;
use stride_track::Tracker;

/// A rule as the list of rules knows it.
pub struct RuleInfo {
    /// Stable, in lower case with dashes.
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// For `--explain`: the reasoning, and a worked example. Paragraphs are separated by empty lines.
    pub explanation: &'static str,
    pub make: fn() -> Box<dyn Rule>,
}

/// Looks at calls as they come, with bounded memory, and says at the end what it found.
pub trait Rule {
    /// Whether calls of this row are to be shown to the rule. Asked once for each row.
    fn wants(&self, _row: &'static Syscall) -> bool {
        false
    }

    /// A call that it wants. The index has counted it.
    fn call(&mut self, _observed: &Observed<'_>, _index: &Index) {}

    /// The last descriptor of a file was closed, or is gone, after this was done with it. Those that stay open are in the index at the
    /// end.
    fn closed(&mut self, _file: &OpenFile, _index: &Index, _tracker: &Tracker) {}

    /// Events that are no calls: threads that start and end, signals.
    fn event(&mut self, _event: &Event<'_>, _index: &Index, _tracker: &Tracker) {}

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft>;

    /// What its finding shows besides, if anything.
    fn table(&self) -> Option<FactTable> {
        None
    }
}
