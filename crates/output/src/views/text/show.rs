//! The choice of events that the text view shows.

use crate::ShowStack;

/// The events that are shown.
pub struct Show {
    /// Signals by number; index 0 is unused.
    pub signal: [bool; 65],
    /// Exits with a status.
    pub exit: bool,
    /// Deaths by a signal.
    pub killed: bool,
    pub attach: bool,
    pub superseded: bool,
    /// True if a change of a tracee's ABI is shown.
    pub personality: bool,
    /// True if lines have the names of threads, as the tracker follows them.
    pub thread_names: bool,
    /// `-k`.
    pub stack: Option<ShowStack>,
}

impl Default for Show {
    fn default() -> Show {
        Show {
            signal: [true; 65],
            exit: true,
            killed: true,
            attach: true,
            superseded: true,
            personality: true,
            thread_names: false,
            stack: None,
        }
    }
}

impl Show {
    /// True if signals of this number are shown, and the stops that they cause.
    pub fn shows_signal(&self, number: i32) -> bool {
        self.signal.get(number as usize).copied().unwrap_or(true)
    }
}
