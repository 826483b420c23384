//! What views have in common.

use std::ffi::OsString;
use stride_advise::Scope;
use stride_event::{Event, Ns};
use stride_track::Tracker;

/// What is made of the events. The text is one, too, but older than this: it knows of no tracker.
pub trait View {
    /// An event that the filters let through. The tracker has taken it in, and all that they did not let through.
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker);

    /// Something to know of the whole run, in a sentence: the recording that is replayed breaks off.
    fn note(&mut self, _what: &str) {}

    /// All is over. What is returned is shown where the trace goes.
    fn finish(&mut self, end: &End<'_>) -> String;

    /// The first failure since last asked, in a sentence.
    fn take_error(&mut self) -> Option<String> {
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
