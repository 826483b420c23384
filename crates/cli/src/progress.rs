//! How far a recording has been read, on a terminal where nothing else comes meanwhile.

use std::io::{IsTerminal, Write, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stride_event::quantity::percent;

/// Columns of the line that is there now. Whoever writes to the terminal erases them first.
static SHOWN: AtomicUsize = AtomicUsize::new(0);

/// Nothing is said of what is over sooner.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);

pub struct Progress {
    what: String,
    size: u64,
    events: u32,
    /// When there is something to say again.
    next: Instant,
}

impl Progress {
    /// Of a file of this size; none where nobody would see it.
    pub fn new(path: &Path, size: u64) -> Option<Progress> {
        let what = format!("reading {}", path.display()).escape_debug().to_string();
        stderr().is_terminal().then(|| Progress { what, size, events: 0, next: Instant::now() + PATIENCE })
    }

    /// Called for each event: few of them look at the clock.
    pub fn at(&mut self, offset: u64) {
        self.events = self.events.wrapping_add(1);
        if !self.events.is_multiple_of(1024) || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PAUSE;
        let line = format!("{}: {}", self.what, percent(offset.min(self.size), self.size));
        let before = SHOWN.swap(line.chars().count(), Ordering::Relaxed);
        let _ = write!(stderr(), "\r{line:before$}");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        erase();
    }
}

/// Takes the line away.
pub fn erase() {
    let shown = SHOWN.swap(0, Ordering::Relaxed);
    if shown > 0 {
        let _ = write!(stderr(), "\r{:shown$}\r", "");
    }
}
