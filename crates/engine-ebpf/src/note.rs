//! Events that are to be told, until they are taken.

use stride_event::{EventOf, Ns, Tid};

/// An event without the call it is about, of which it says where that stands. A `siginfo_t` is in the engine's buffer.
pub type QueuedEvent = EventOf<CallPlace>;

/// Where a call stands.
#[derive(Clone, Copy, Debug)]
pub enum CallPlace {
    /// It returned, and is the latest that did.
    Returned,
    /// It lasts, and was shown.
    Shown(Tid),
    /// It lasts, and its memory was copied when it was entered.
    Entered(Tid),
    /// It lasts: shown or not.
    InFlight(Tid),
}

/// A thread's end by its status as wait(2) gives it.
pub fn ended(tid: Tid, status: i32, at: Ns) -> QueuedEvent {
    match status & 0x7f {
        0 => QueuedEvent::Exited { tid, status: status >> 8 & 0xff, at },
        signal => QueuedEvent::Killed { tid, signal, core: status & 0x80 != 0, at },
    }
}
