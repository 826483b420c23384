//! Writing a recording.

use crate::frame::{FrameHead, FrameKind, MAGIC, VERSION, WITHOUT_CHANGES, WITHOUT_STACKS};
use crate::{Fact, Metadata, Totals, batch};
use std::io::{self, Write};
use stride_event::{Event, Lost, Ns};
use zstd::bulk::Compressor;

/// Fast, and nearly as dense as levels that take several times as long.
const LEVEL: i32 = 1;
/// A batch older than this is written with the next event, so that a crash loses little of a slow program's trace.
const PATIENCE: Ns = 200_000_000;

/// Writes events to a file, a batch at a time. After an error nothing more should be written.
pub struct Recorder<W: Write> {
    to: W,
    batch: batch::BatchWriter,
    compressor: Compressor<'static>,
    joined: Vec<u8>,
    packed: Vec<u8>,
    /// When the batch's first event happened.
    began: Option<Ns>,
    /// Counts in the batch.
    calls: u64,
    events: u64,
    written: Written,
}

/// How much has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub calls: u64,
    pub events: u64,
    pub bytes: u64,
}

impl<W: Write> Recorder<W> {
    pub fn new(mut to: W, metadata: &Metadata) -> io::Result<Recorder<W>> {
        to.write_all(&MAGIC)?;
        let version = match metadata {
            Metadata { changes: true, .. } => VERSION,
            Metadata { stacks: true, .. } => WITHOUT_CHANGES,
            _ => WITHOUT_STACKS,
        };
        to.write_all(&version.to_le_bytes())?;
        let mut recorder = Recorder {
            to,
            batch: batch::BatchWriter::new(metadata.stacks),
            compressor: Compressor::new(LEVEL)?,
            joined: Vec::new(),
            packed: Vec::new(),
            began: None,
            calls: 0,
            events: 0,
            written: Written { bytes: crate::frame::START as u64, ..Written::default() },
        };
        recorder.joined = metadata.encode();
        recorder.frame(FrameKind::Metadata)?;
        Ok(recorder)
    }

    /// Calls, events and bytes in whole frames.
    pub fn written(&self) -> Written {
        self.written
    }

    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if matches!(event, Event::Idle) {
            return self.flush();
        }
        self.batch.event(event);
        self.events += 1;
        self.calls += u64::from(matches!(event, Event::Exit(_)));
        let late = event.at().is_some_and(|at| at.saturating_sub(*self.began.get_or_insert(at)) > PATIENCE);
        if late || self.batch.is_full() { self.flush() } else { Ok(()) }
    }

    pub fn fact(&mut self, fact: &Fact) -> io::Result<()> {
        self.batch.fact(fact);
        if self.batch.is_full() { self.flush() } else { Ok(()) }
    }

    /// Writes everything there is.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.batch.to.size() == 0 {
            return Ok(());
        }
        self.batch.to.join(&mut self.joined);
        self.batch.clear();
        self.began = None;
        self.frame(FrameKind::Batch)?;
        self.written.calls += std::mem::take(&mut self.calls);
        self.written.events += std::mem::take(&mut self.events);
        Ok(())
    }

    /// Writes the end frame. A recording without it was cut off.
    pub fn finish(&mut self, lost: Lost) -> io::Result<()> {
        self.flush()?;
        let Written { calls, events, .. } = self.written;
        self.joined = Totals { calls, events, lost }.encode();
        self.frame(FrameKind::End)?;
        self.to.flush()
    }

    fn frame(&mut self, kind: FrameKind) -> io::Result<()> {
        self.packed.clear();
        self.packed.resize(FrameHead::SIZE, 0);
        let contents = self.compressor.compress(&self.joined)?;
        let head = FrameHead::new(kind, self.joined.len(), &contents);
        self.packed[..FrameHead::SIZE].copy_from_slice(&head.bytes());
        self.packed.extend_from_slice(&contents);
        // In one piece. If it were killed in between, more would have to be thrown away.
        self.to.write_all(&self.packed)?;
        self.written.bytes += self.packed.len() as u64;
        Ok(())
    }
}
