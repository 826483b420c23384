//! The interface of all views.

use crate::{Interval, ViewError};
use std::ffi::OsString;
use stride_advise::Scope;
use stride_event::{Call, Counted, Event, Lost, Ns, WithSource};
use stride_track::Tracker;

/// Output that is made of the events.
pub trait View {
    /// An event that the filters let through. If a view needs the tracker, the tracker has already taken in this event,
    /// and all events that the filters left out. Otherwise the tracker is empty.
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker);

    /// A call that the filters left out, at its entry or return.
    fn left_out(&mut self, _call: &Call) {}

    /// A call that the filters left out but that names what its thread runs. It has just returned.
    fn naming_call(&mut self, _call: &Call, _tracker: &Tracker) {}

    /// The calls that the engine counted itself. They come before the end, or before the end of
    /// each interval.
    fn merge(&mut self, _counted: &[Counted]) {}

    /// An interval of the run has ended (`--every`). The returned text is shown where the trace goes.
    fn interval(&mut self, _ended: Interval, _tracker: &Tracker) -> String {
        String::new()
    }

    /// A sentence about the whole run, such as that the replayed recording breaks off.
    fn note(&mut self, _what: &str) {}

    /// Writes what was shown so far, because other output is about to follow where the trace goes.
    fn flush(&mut self) {}

    /// The run is over. The returned text is shown where the trace goes.
    fn finish(&mut self, end: &End<'_>) -> String;

    /// The first failure since the last question.
    fn take_error(&mut self) -> Option<ViewError> {
        None
    }

    /// A message for the user that is no failure.
    fn take_remark(&mut self) -> Option<String> {
        None
    }

    /// Stride's exit status, if the view decides it.
    fn verdict(&self) -> Option<i32> {
        None
    }
}

/// Facts about a run, for views that show them.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// Stride's command line when this run was traced.
    pub args: Vec<OsString>,
    pub version: String,
    pub host: String,
    /// The release of the kernel.
    pub release: String,
    pub machine: String,
    pub engine: String,
    /// The time of the beginning.
    pub started: Ns,
    /// True if filters left calls out before they were seen.
    pub partial: bool,
    /// True if the threads and processes that tracees start are traced, too (`-f`).
    pub follows: bool,
    /// Operations of io_uring are reported (`--io-uring`).
    pub operations: bool,
    /// Calls have the waits of their threads (`--waits`).
    pub waits: bool,
    /// The bytes of each argument and variable that were captured when programs were executed.
    pub command_text: usize,
    /// Wall-clock time minus the time of events, in nanoseconds.
    pub wall_offset: i128,
}

impl RunInfo {
    /// The part of these facts that advice needs.
    pub fn scope(&self) -> Scope {
        Scope { follows: self.follows, partial: self.partial, operations: self.operations }
    }
}

/// Said by reports that count calls, if the program uses io_uring and its operations are not reported.
pub const UNSEEN_OPERATIONS: &str = "the program uses io_uring, whose operations are no system calls: this report knows nothing of them; \
     trace the program with --io-uring to see them";

/// How the run ended.
pub struct End<'a> {
    pub tracker: &'a Tracker,
    pub lost: Lost,
    /// Finds the line of a frame. A recording has the lines that were known when it was made.
    pub with_source: &'a WithSource<'a>,
}
