//! The sinks of text, and their failures.
//!
//! Lines are gathered in a buffer. A terminal or a pipe gets each event at once. A file, or a device such as /dev/null,
//! gets full buffers, and the rest after a tenth of a second of quiet (`Event::Idle`). So there is no system call per
//! event.

pub mod error;
pub mod own_file;

use crate::ViewError;
use crate::sink::error::why;
use std::io::{self, Write};

/// A sink for lines.
pub struct Sink {
    /// The name in messages.
    pub name: String,
    to: Box<dyn Write + Send>,
    /// True if each event is written at once. A terminal or pipe is read while the program runs.
    pub eager: bool,
    /// True if a write failed. The first failure is reported. Then output is dropped, and the tracee runs on
    /// undisturbed.
    failed: bool,
}

impl Sink {
    pub fn new(name: impl Into<String>, to: Box<dyn Write + Send>, eager: bool) -> Sink {
        Sink { name: name.into(), to, eager, failed: false }
    }

    /// Takes the place of a sink that could not be opened.
    pub fn dropped() -> Sink {
        Sink { failed: true, ..Sink::new("", Box::new(io::sink()), false) }
    }

    /// Writes all bytes. Only the first error is returned.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ViewError> {
        if self.failed || bytes.is_empty() {
            return Ok(());
        }
        let result = self.to.write_all(bytes).and_then(|()| self.to.flush());
        self.failed = result.is_err();
        result.map_err(|e| ViewError::dropped(&e, format!("{}: {}", self.name, why(&e))))
    }
}
