//! Waits that are over.

use crate::causes::spent::ActivityId;
use stride_event::{Ns, Tid};

/// A wait that something ended.
#[derive(Clone, Copy)]
pub struct EndedWait {
    pub from: Ns,
    pub to: Ns,
    /// The activity that the time of the wait counts as.
    pub activity: ActivityId,
    pub by: EndedBy,
}

/// The thing that ended a wait.
#[derive(Clone, Copy)]
pub enum EndedBy {
    /// This thread, in a call that began at this time.
    Thread(Tid, Ns),
    /// No thread: its time was over.
    Timer,
    Unknown,
}

impl EndedWait {
    /// The thread that ended it, and when that thread began the call that ended it.
    pub fn by_thread(&self) -> Option<(Tid, Ns)> {
        match self.by {
            EndedBy::Thread(tid, at) => Some((tid, at)),
            EndedBy::Timer | EndedBy::Unknown => None,
        }
    }
}
