//! Destinations of text, and what happens when one fails.
//!
//! Lines are gathered in a buffer. A terminal or a pipe gets each event at once. A file, or a device such as /dev/null, gets full
//! buffers, and the rest after a tenth of a second of quiet (`Event::Idle`), so it costs no system call per event.

use crate::ViewError;
use crate::error::why;
use std::io::{self, Write};

/// A destination of lines.
pub struct Sink {
    /// What messages call it.
    pub name: String,
    to: Box<dyn Write + Send>,
    /// A terminal or pipe is read while the program runs: every event is handed on at once.
    pub eager: bool,
    /// The first failure: it is told once, then output is dropped and the tracee goes on undisturbed.
    failed: bool,
}

impl Sink {
    pub fn new(name: impl Into<String>, to: Box<dyn Write + Send>, eager: bool) -> Sink {
        Sink { name: name.into(), to, eager, failed: false }
    }

    /// In place of one that could not be opened.
    pub fn dropped() -> Sink {
        Sink { failed: true, ..Sink::new("", Box::new(io::sink()), false) }
    }

    /// Writes all of it. The error is returned the first time only.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ViewError> {
        if self.failed || bytes.is_empty() {
            return Ok(());
        }
        let result = self.to.write_all(bytes).and_then(|()| self.to.flush());
        self.failed = result.is_err();
        result.map_err(|e| ViewError::dropped(&e, format!("{}: {}", self.name, why(&e))))
    }
}
