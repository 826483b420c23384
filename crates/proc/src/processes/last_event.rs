//! The last event of a thread.

use stride_event::{Event, Tid};

/// The thread whose last event this is.
pub fn ended(event: &Event<'_>) -> Option<Tid> {
    match *event {
        Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. } => Some(tid),
        Event::Superseded { old, .. } => Some(old),
        _ => None,
    }
}
