//! The part of a long job that is done. It is shown on a terminal to which nothing else is written.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stride_event::quantity::percent;

/// The width of the line on the terminal. Code that writes to the terminal erases the line first.
static SHOWN: AtomicUsize = AtomicUsize::new(0);

/// Shorter jobs show no progress.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);

pub struct Progress {
    what: String,
    size: u64,
    events: u32,
    /// The time of the next update.
    next: Instant,
}

impl Progress {
    /// Progress through so many bytes. None if no terminal shows it.
    pub fn new(what: &str, size: u64) -> Option<Progress> {
        let what = what.escape_debug().to_string();
        stderr().is_terminal().then(|| Progress { what, size, events: 0, next: Instant::now() + PATIENCE })
    }

    /// Called for each event. Only few calls look at the clock.
    pub fn at(&mut self, offset: u64) {
        self.events = self.events.wrapping_add(1);
        if self.events.is_multiple_of(1024) {
            self.show(offset);
        }
    }

    /// Shows how much is done, unless that was shown just now.
    pub fn show(&mut self, done: u64) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PAUSE;
        show_line(&format!("{}: {}", self.what, percent(done.min(self.size), self.size)));
    }
}

/// Shows a line in place of the one before.
pub fn show_line(line: &str) {
    let before = SHOWN.swap(line.chars().count(), Ordering::Relaxed);
    let _ = write!(stderr(), "\r{line:before$}");
}

impl Drop for Progress {
    fn drop(&mut self) {
        erase();
    }
}

/// Erases the line.
pub fn erase() {
    let shown = SHOWN.swap(0, Ordering::Relaxed);
    if shown > 0 {
        let _ = write!(stderr(), "\r{:shown$}\r", "");
    }
}
