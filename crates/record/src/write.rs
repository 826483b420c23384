//! Writing a recording.

use crate::frame::{
    FrameHead, FrameKind, MAGIC, VERSION, WITH_STACKS_ONLY, WITHOUT_HOLDS, WITHOUT_OPERATIONS, WITHOUT_STACKS,
    WITHOUT_WAITS,
};
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
    /// The time of the batch's first event.
    began: Option<Ns>,
    /// Counts in the batch.
    calls: u64,
    events: u64,
    written: Written,
    pace: BatchPace,
}

/// The size and the age at which a batch is written.
#[derive(Clone, Copy, Debug)]
pub struct BatchPace {
    /// The size of a batch before compression, in bytes.
    pub batch: usize,
    /// A batch older than this is written with the next event. In nanoseconds.
    pub patience: Ns,
}

impl Default for BatchPace {
    fn default() -> BatchPace {
        BatchPace { batch: crate::BATCH, patience: PATIENCE }
    }
}

impl BatchPace {
    /// Batches for a piece of so many bytes. Batches that are small compared with the piece keep its size near its limit.
    pub fn within(piece: u64) -> BatchPace {
        const LEAST: u64 = 4 << 10;
        BatchPace { batch: (piece / 8).clamp(LEAST, crate::BATCH as u64) as usize, ..BatchPace::default() }
    }
}

/// The amount that has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Calls that returned: events of the kind `Exit`.
    pub calls: u64,
    /// All events, those of calls included.
    pub events: u64,
    /// Compressed, with all headers.
    pub bytes: u64,
}

impl<W: Write> Recorder<W> {
    /// Begins a recording: writes the magic number, the version and the metadata.
    ///
    /// # Errors
    /// If the sink fails, or the compressor finds no memory.
    pub fn new(mut to: W, metadata: &Metadata) -> io::Result<Recorder<W>> {
        to.write_all(&MAGIC)?;
        let version = match metadata {
            Metadata { holds: true, .. } => VERSION,
            Metadata { waits: true, .. } => WITHOUT_HOLDS,
            Metadata { operations: true, .. } => WITHOUT_WAITS,
            Metadata { library: true, .. } | Metadata { changes: true, .. } => WITHOUT_OPERATIONS,
            Metadata { stacks: true, .. } => WITH_STACKS_ONLY,
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
            pace: BatchPace::default(),
        };
        recorder.joined = metadata.encode();
        recorder.frame(FrameKind::Metadata)?;
        Ok(recorder)
    }

    /// The recorder with another pace than the usual one.
    pub fn paced(self, pace: BatchPace) -> Recorder<W> {
        Recorder { pace, ..self }
    }

    /// The sink that the frames go to.
    pub fn sink(&mut self) -> &mut W {
        &mut self.to
    }

    /// The same, to look at.
    pub fn peek_sink(&self) -> &W {
        &self.to
    }

    /// The size of the batch that is not written yet, in bytes before compression.
    pub fn pending(&self) -> usize {
        self.batch.to.size()
    }

    /// The memory that the recorder takes, in bytes, without its sink.
    pub fn memory(&self) -> usize {
        self.batch.to.capacity() + self.joined.capacity() + self.packed.capacity()
    }

    /// Calls, events and bytes in whole frames.
    pub fn written(&self) -> Written {
        self.written
    }

    /// Adds an event. `Event::Idle` writes the batch, and is not recorded.
    ///
    /// # Errors
    /// If the batch is full or old, and cannot be written.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if matches!(event, Event::Idle) {
            return self.flush();
        }
        self.batch.event(event);
        self.events += 1;
        self.calls += u64::from(matches!(event, Event::Exit(_)));
        let late = event.at().is_some_and(|at| at.saturating_sub(*self.began.get_or_insert(at)) > self.pace.patience);
        if late || self.batch.is_full(self.pace.batch) { self.flush() } else { Ok(()) }
    }

    /// Adds an answer, which the next event needs.
    ///
    /// # Errors
    /// If the batch is full and cannot be written.
    pub fn fact(&mut self, fact: &Fact) -> io::Result<()> {
        self.batch.fact(fact);
        if self.batch.is_full(self.pace.batch) { self.flush() } else { Ok(()) }
    }

    /// Writes the batch, if there is anything in it.
    ///
    /// # Errors
    /// If the sink fails.
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

    /// Writes the batch and the end frame. A recording without the latter was cut off. `lost`: what the engine lost.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn finish(&mut self, lost: Lost) -> io::Result<()> {
        self.flush()?;
        let Written { calls, events, .. } = self.written;
        self.joined = Totals { calls, events, lost }.encode();
        self.frame(FrameKind::End)?;
        self.to.flush()
    }

    fn frame(&mut self, kind: FrameKind) -> io::Result<()> {
        pack(&mut self.compressor, kind, &self.joined, &mut self.packed)?;
        // In one piece. If it were killed in between, more would have to be thrown away.
        self.to.write_all(&self.packed)?;
        self.written.bytes += self.packed.len() as u64;
        Ok(())
    }
}

/// Replaces the contents of `packed` by a frame with these contents. The memory of `packed` is used again.
fn pack(with: &mut Compressor<'static>, kind: FrameKind, contents: &[u8], packed: &mut Vec<u8>) -> io::Result<()> {
    packed.clear();
    packed.resize(FrameHead::SIZE + zstd::zstd_safe::compress_bound(contents.len()), 0);
    let len = with.compress_to_buffer(contents, &mut packed[FrameHead::SIZE..])?;
    packed.truncate(FrameHead::SIZE + len);
    let head = FrameHead::new(kind, contents.len(), &packed[FrameHead::SIZE..]);
    packed[..FrameHead::SIZE].copy_from_slice(&head.bytes());
    Ok(())
}

/// The end frame of a recording that was put together from pieces.
pub(crate) fn end_frame(totals: Totals) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    pack(&mut Compressor::new(LEVEL)?, FrameKind::End, &totals.encode(), &mut packed)?;
    Ok(packed)
}
