//! What views have in common.

use crate::ViewError;
use std::ffi::OsString;
use stride_advise::Scope;
use stride_event::{Call, Counted, Event, Ns};
use stride_track::Tracker;

/// What is made of the events.
pub trait View {
    /// An event that the filters let through. If a view needs the tracker, that has taken in this event, and also all events that the
    /// filters left out. Otherwise the tracker is empty.
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker);

    /// A call that the filters left out, at its entry or return.
    fn left_out(&mut self, _call: &Call) {}

    /// A call that the filters left out, but that says what its thread runs or is called. It returned just now.
    fn aside(&mut self, _call: &Call) {}

    /// What the engine counted by itself. It comes once, before the end.
    fn merge(&mut self, _counted: &[Counted]) {}

    /// Something to know of the whole run, in a sentence: the recording that is replayed breaks off.
    fn note(&mut self, _what: &str) {}

    /// Something else is about to be written where the trace goes: what was shown so far comes before that.
    fn flush(&mut self) {}

    /// All is over. What is returned is shown where the trace goes.
    fn finish(&mut self, end: &End<'_>) -> String;

    /// The first failure since last asked.
    fn take_error(&mut self) -> Option<ViewError> {
        None
    }

    /// Stride's exit status, where the view has a say in it.
    fn verdict(&self) -> Option<i32> {
        None
    }
}

/// The circumstances of a run, for views that tell of them.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// How Stride was called when this was traced.
    pub args: Vec<OsString>,
    pub version: String,
    pub host: String,
    /// The kernel's.
    pub release: String,
    pub machine: String,
    pub engine: String,
    /// When tracing began.
    pub started: Ns,
    /// Filters left calls out before they were seen.
    pub partial: bool,
    /// What tracees make is traced, too (`-f`).
    pub follows: bool,
    /// Wall-clock time less that of the events, in nanoseconds.
    pub wall_offset: i128,
}

impl RunInfo {
    /// For advice.
    pub fn scope(&self) -> Scope {
        Scope { follows: self.follows, partial: self.partial }
    }
}

/// How it ended.
pub struct End<'a> {
    pub tracker: &'a Tracker,
    /// Calls that were made and not seen.
    pub lost_calls: u64,
    /// Starts and ends of threads that were not seen.
    pub lost_threads: u64,
    pub lost_signals: u64,
}
