//! Where the trace is written: many packets are deflated into one, which makes a tenth of them.

use super::{schema, wire};
use crate::error::why;
use crate::{ViewError, grouped};
use flate2::{Compression, write::ZlibEncoder};
use std::io::{self, Write};

/// Packets are handed on when there is so much of them: a deflated packet is to have less than 512 KiB.
const BATCH: usize = 1 << 18;

pub struct PacketSink {
    name: String,
    /// As long as all goes well.
    to: Option<Box<dyn Write + Send>>,
    pub packets: Vec<u8>,
    /// Reused.
    deflated: Vec<u8>,
    bytes: u64,
    /// Calls that were handed on.
    calls: u64,
    error: Option<io::Error>,
}

impl PacketSink {
    pub fn new(name: String, to: Box<dyn Write + Send>) -> PacketSink {
        let packets = Vec::with_capacity(BATCH + BATCH / 8);
        PacketSink { name, to: Some(to), packets, deflated: Vec::new(), bytes: 0, calls: 0, error: None }
    }

    /// `calls`: how many have been put into packets so far.
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

    /// Nothing more is written.
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

/// One write for one packet: where there is room for a part of it only, the writer may take that back.
fn write(packets: &[u8], deflated: &mut Vec<u8>, to: &mut dyn Write) -> io::Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(packets)?;
    let body = encoder.finish()?;
    deflated.clear();
    wire::message(deflated, schema::trace::PACKET, |out| wire::bytes(out, schema::packet::COMPRESSED, &body));
    to.write_all(deflated)?;
    to.flush()
}
