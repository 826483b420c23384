//! The end of a run, and the wish for it.

use stride_event::{Event, Tid};

/// How the run ended. It decides Stride's own exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The command exited with this status.
    Exited(i32),
    /// A signal ended the command, or Stride itself.
    Signaled(i32),
}

impl Ended {
    /// The end of the command, if the event is that.
    pub(crate) fn of(command: Option<Tid>, event: &Event<'_>) -> Option<Ended> {
        match *event {
            Event::Exited { tid, status, .. } if Some(tid) == command => Some(Ended::Exited(status)),
            Event::Killed { tid, signal, .. } if Some(tid) == command => Some(Ended::Signaled(signal)),
            _ => None,
        }
    }
}

/// The wish of the views for more events, after one event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Continue,
    /// No more events are wanted.
    Stop,
}
