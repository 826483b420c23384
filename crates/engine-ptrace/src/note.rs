//! Events that wait to be taken.

use crate::threads::Slot;
use stride_event::EventOf;

/// An event without its call, which is the one in the thread's record. A `siginfo_t` is in the engine's buffer: at
/// most one event has one.
pub type QueuedEvent = EventOf<Slot>;
