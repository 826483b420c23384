//! Where the trace is written, in pieces that end where a packet ends.

use crate::{grouped, names};
use std::io::{self, Write};

/// Packets are handed on when there is so much of them.
const BATCH: usize = 1 << 18;

pub struct Sink {
    name: String,
    /// As long as all goes well.
    to: Option<Box<dyn Write + Send>>,
    pub packets: Vec<u8>,
    bytes: u64,
    /// Calls that were handed on.
    calls: u64,
    error: Option<io::Error>,
}

impl Sink {
    pub fn new(name: String, to: Box<dyn Write + Send>) -> Sink {
        Sink { name, to: Some(to), packets: Vec::with_capacity(BATCH + BATCH / 8), bytes: 0, calls: 0, error: None }
    }

    /// `calls`: how many have been put into packets so far.
    pub fn hand_on(&mut self, calls: u64) {
        if self.packets.len() >= BATCH {
            self.flush(calls);
        }
    }

    pub fn flush(&mut self, calls: u64) {
        if let Some(to) = &mut self.to {
            match to.write_all(&self.packets).and_then(|()| to.flush()) {
                Ok(()) => (self.bytes, self.calls) = (self.bytes + self.packets.len() as u64, calls),
                Err(error) => (self.to, self.error) = (None, Some(error)),
            }
        }
        self.packets.clear();
    }

    /// Nothing more is written.
    pub fn failed(&self) -> bool {
        self.to.is_none()
    }

    pub fn take_error(&mut self) -> Option<String> {
        let error = self.error.take()?;
        let why = error.raw_os_error().and_then(|e| names::errno(e as u32)).map(|(_, text)| text.to_string());
        Some(format!(
            "Can't write the trace '{}': {}. It ends after {} calls ({} bytes); all else goes on.",
            self.name,
            why.unwrap_or_else(|| error.to_string()),
            grouped(self.calls),
            grouped(self.bytes)
        ))
    }
}
