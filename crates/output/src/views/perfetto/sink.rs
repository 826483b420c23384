//! The output of the trace. Many packets are deflated into one, which is a tenth of their size.

use super::{schema, wire};
use crate::sink::error::why;
use crate::{ViewError, grouped};
use flate2::{Compression, write::ZlibEncoder};
use std::io::{self, Write};

/// The size from which on packets are written. A deflated packet must be below 512 KiB.
const BATCH: usize = 1 << 18;

pub struct PacketSink {
    name: String,
    /// `None` after an error.
    to: Option<Box<dyn Write + Send>>,
    pub packets: Vec<u8>,
    /// A reused buffer.
    deflated: Vec<u8>,
    bytes: u64,
    /// The number of calls that were written.
    calls: u64,
    error: Option<io::Error>,
}

impl PacketSink {
    pub fn new(name: String, to: Box<dyn Write + Send>) -> PacketSink {
        let packets = Vec::with_capacity(BATCH + BATCH / 8);
        PacketSink { name, to: Some(to), packets, deflated: Vec::new(), bytes: 0, calls: 0, error: None }
    }

    /// Writes the packets once there are enough. `calls` is the number of calls in packets so far.
    pub fn hand_on(&mut self, calls: u64) {
        if self.packets.len() >= BATCH {
            self.flush(calls);
        }
    }

    pub fn flush(&mut self, calls: u64) {
        if self.packets.is_empty() {
            return;
        }
        if let Some(to) = &mut self.to {
            match write(&self.packets, &mut self.deflated, to) {
                Ok(()) => (self.bytes, self.calls) = (self.bytes + self.deflated.len() as u64, calls),
                Err(error) => (self.to, self.error) = (None, Some(error)),
            }
        }
        self.packets.clear();
    }

    /// True if writing has failed. Nothing more is written then.
    pub fn failed(&self) -> bool {
        self.to.is_none()
    }

    pub fn take_error(&mut self) -> Option<ViewError> {
        let error = self.error.take()?;
        let message = format!(
            "Can't write the trace '{}': {}. It ends after {} calls ({} bytes); all else goes on.",
            self.name,
            why(&error),
            grouped(self.calls),
            grouped(self.bytes)
        );
        Some(ViewError::cut(&error, message))
    }
}

/// Writes the whole packet at once, so a writer with too little room can undo it.
fn write(packets: &[u8], deflated: &mut Vec<u8>, to: &mut dyn Write) -> io::Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(packets)?;
    let body = encoder.finish()?;
    deflated.clear();
    wire::message(deflated, schema::trace::PACKET, |out| wire::bytes(out, schema::packet::COMPRESSED, &body));
    to.write_all(deflated)?;
    to.flush()
}
