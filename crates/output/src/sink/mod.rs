//! The sinks of text, and their failures.
//!
//! Lines are gathered in a buffer. A terminal or a pipe gets each event at once. A file, or a device such as /dev/null,
//! gets full buffers, and the rest after a tenth of a second of quiet (`Event::Idle`). So there is no system call per
//! event. In a replay on several CPUs a thread writes full buffers ([`Sink::behind`]), so that the next one is filled meanwhile.

mod behind;
pub mod error;
pub mod own_file;

use crate::ViewError;
use crate::sink::behind::WriteBehind;
use crate::sink::error::why;
use std::io::{self, Write};

/// A sink for lines.
pub struct Sink {
    /// The name in messages.
    pub name: String,
    to: Output,
    /// True if each event is written at once. A terminal or pipe is read while the program runs.
    pub eager: bool,
    /// The size of a buffer that is written even while more events come.
    pub batch: usize,
    /// True if a write failed. The first failure is reported. Then output is dropped, and the tracee runs on
    /// undisturbed.
    failed: bool,
}

/// A write of this size costs much more than the call.
const BATCH: usize = 1 << 16;
/// To wake the other thread costs more than a call.
const BATCH_BEHIND: usize = 1 << 18;

enum Output {
    Here(Box<dyn Write + Send>),
    Behind(WriteBehind),
}

impl Sink {
    pub fn new(name: impl Into<String>, to: Box<dyn Write + Send>, eager: bool) -> Sink {
        Sink { name: name.into(), to: Output::Here(to), eager, batch: BATCH, failed: false }
    }

    /// The same, but a thread writes. Without a thread, and if each event is written at once, all stays as it is.
    pub fn behind(self) -> Sink {
        match self.to {
            Output::Here(to) if !self.eager => match WriteBehind::start(to) {
                Ok(thread) => Sink { to: Output::Behind(thread), batch: BATCH_BEHIND, ..self },
                Err(to) => Sink { to: Output::Here(to), ..self },
            },
            to => Sink { to, ..self },
        }
    }

    /// Takes the place of a sink that could not be opened.
    pub fn dropped() -> Sink {
        Sink { failed: true, ..Sink::new("", Box::new(io::sink()), false) }
    }

    /// Writes all bytes of the buffer, which is empty afterwards, or hands them to the thread that writes. Only the first error is returned. It
    /// may be that of an earlier buffer.
    pub fn write(&mut self, buffer: &mut Vec<u8>) -> Result<(), ViewError> {
        let result = match &mut self.to {
            _ if self.failed || buffer.is_empty() => Ok(()),
            Output::Here(to) => to.write_all(buffer).and_then(|()| to.flush()),
            Output::Behind(thread) => thread.write(buffer),
        };
        buffer.clear();
        self.settle(result)
    }

    /// Waits until everything that was handed to the thread is written. Must be called before anybody else writes to the same file.
    pub fn flush(&mut self) -> Result<(), ViewError> {
        let result = match &mut self.to {
            Output::Behind(thread) if !self.failed => thread.flush(),
            _ => Ok(()),
        };
        self.settle(result)
    }

    fn settle(&mut self, result: io::Result<()>) -> Result<(), ViewError> {
        self.failed |= result.is_err();
        result.map_err(|e| ViewError::dropped(&e, format!("{}: {}", self.name, why(&e))))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
