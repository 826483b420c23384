//! A moment at which the caller of an engine wants `Event::Idle` if no events are waiting, so that the caller can do what is
//! due by the clock.

use crate::signal::now;
use std::sync::atomic::{AtomicU64, Ordering};
use stride_event::Ns;

/// 0: there is none.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// An engine that has no events at this time hands out `Event::Idle`, and goes on doing so until the next moment is set.
pub fn set(at: Ns) {
    NEXT.store(at, Ordering::Relaxed);
}

/// True if there is such a moment.
pub fn are_set() -> bool {
    NEXT.load(Ordering::Relaxed) != 0
}

/// True if the moment has come.
pub fn due() -> bool {
    let next = NEXT.load(Ordering::Relaxed);
    next != 0 && now() >= next
}
