//! Where text goes, and what happens when it cannot go there.

use std::io::{self, Write};

/// A destination of lines.
pub struct Sink {
    to: Box<dyn Write + Send>,
    /// A terminal or pipe is read while the program runs: every event is handed on at once.
    pub eager: bool,
    /// The first failure: told once, after that output is dropped and the tracee goes on undisturbed.
    failed: Option<io::Error>,
}

impl Sink {
    pub fn new(to: Box<dyn Write + Send>, eager: bool) -> Sink {
        Sink { to, eager, failed: None }
    }

    /// Writes all of it. The error is returned the first time only.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.failed.is_some() || bytes.is_empty() {
            return Ok(());
        }
        if let Err(e) = self.to.write_all(bytes).and_then(|()| self.to.flush()) {
            let told = io::Error::new(e.kind(), e.to_string());
            self.failed = Some(e);
            return Err(told);
        }
        Ok(())
    }

    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }
}
