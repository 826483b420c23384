//! Events that wait to be reported.

use stride_event::{EventOf, Ns, Tid};

/// An event with its call's place instead of the call. A `siginfo_t` is in the engine's buffer, and so is
/// a call of a library's function.
pub type QueuedEvent = EventOf<CallPlace>;

/// Where a call stands.
#[derive(Clone, Copy, Debug)]
pub enum CallPlace {
    /// The call that returned last.
    Returned,
    /// A call that lasts, and was shown.
    Shown(Tid),
    /// A call that lasts, and whose memory was copied at its entry.
    Entered(Tid),
    /// A call that lasts, shown or not.
    InFlight(Tid),
}

/// A thread's end, from its status in the form of wait(2).
pub fn ended(tid: Tid, status: i32, at: Ns) -> QueuedEvent {
    match status & 0x7f {
        0 => QueuedEvent::Exited { tid, status: status >> 8 & 0xff, at },
        signal => QueuedEvent::Killed { tid, signal, core: status & 0x80 != 0, at },
    }
}
