//! Waits that are over.

use crate::causes::path_parts::ActivityId;
use stride_event::{Ns, Tid};

/// A wait that ended.
#[derive(Clone, Copy)]
pub struct EndedWait {
    pub from: Ns,
    pub to: Ns,
    /// The activity that the time of the wait counts as.
    pub activity: ActivityId,
    /// The thread that ended it, and when that thread began the call that did. None if a timer ended it, or nobody knows.
    pub by: Option<(Tid, Ns)>,
}
