//! Events that wait to be taken.

use crate::threads::Slot;
use stride_event::EventOf;

/// An event whose call is the one of a thread's record. A `siginfo_t` is in the engine's buffer: at most one is on its way.
pub type QueuedEvent = EventOf<Slot>;
