//! Where text goes, and what happens when it cannot go there.

use std::io::{self, Write};

/// A destination of lines.
pub struct Sink {
    to: Box<dyn Write + Send>,
    /// A terminal or pipe is read while the program runs: every event is handed on at once.
    pub eager: bool,
    /// The first failure: it is told once, then output is dropped and the tracee goes on undisturbed.
    failed: bool,
}

impl Sink {
    pub fn new(to: Box<dyn Write + Send>, eager: bool) -> Sink {
        Sink { to, eager, failed: false }
    }

    /// Writes all of it. The error is returned the first time only.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.failed || bytes.is_empty() {
            return Ok(());
        }
        let result = self.to.write_all(bytes).and_then(|()| self.to.flush());
        self.failed = result.is_err();
        result
    }
}
