//! When the life of a thread ends, as far as a trace tells.

use stride_event::{Event, Tid};

/// The thread whose last event this is.
pub fn ended(event: &Event<'_>) -> Option<Tid> {
    match *event {
        Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. } => Some(tid),
        Event::Superseded { old, .. } => Some(old),
        _ => None,
    }
}
