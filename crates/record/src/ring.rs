//! The latest part of a run, in memory, as pieces of a recording (`--flight`).
//!
//! The pieces are encoded and compressed like a file's: redis-benchmark's calls take 8 bytes each, so 64 MiB hold millions. The
//! kernel's overwriting ring would hold a twentieth of that, and nothing in it would know the names of what was opened before.
//! Each piece begins with the state of that moment, so the oldest piece can be dropped at any time, and the next one begins the dump.
//! The buffers are used again: after the first round nothing is allocated.

use crate::write::end_frame;
use crate::{BatchPace, Fact, Metadata, Recorder, Totals, Written};
use std::collections::VecDeque;
use std::io::{self, Write};
use stride_event::{Event, Lost, Ns};

/// The ring has so many pieces. The oldest one goes at once, so at least fifteen sixteenths of the memory are in use.
const PIECES: usize = 16;
/// A limit in time is kept to an eighth.
const SLICES: Ns = 8;

/// The amount that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The most memory, in bytes. What is kept is compressed.
    pub bytes: usize,
    /// The most time, in nanoseconds, to an eighth of it.
    pub time: Option<Ns>,
}

/// A part of the run.
#[derive(Default)]
struct Piece {
    /// Frames: answers, then starts of threads, then the events.
    frames: Vec<u8>,
    answers_end: usize,
    state_end: usize,
    began: Ns,
    last: Ns,
    calls: u64,
    events: u64,
    state_events: u64,
}

/// The latest part of a run, up to a limit in bytes and in time. It can be written as a recording at any moment.
pub struct FlightRing {
    recorder: Recorder<Vec<u8>>,
    /// The bytes that a file begins with.
    head: Vec<u8>,
    keep: Keep,
    /// The pieces that are complete, the oldest first.
    pieces: VecDeque<Piece>,
    current: Piece,
    spare: Vec<Vec<u8>>,
    /// Counts of the recorder when the current piece began.
    before: Written,
    total: u64,
}

impl FlightRing {
    /// An empty ring.
    ///
    /// # Errors
    /// If the compressor finds no memory.
    pub fn new(metadata: &Metadata, keep: Keep) -> io::Result<FlightRing> {
        let piece = (keep.bytes / PIECES) as u64;
        let pace = BatchPace { patience: Ns::MAX, ..BatchPace::within(piece) };
        let mut recorder = Recorder::new(Vec::new(), metadata)?.paced(pace);
        let head = std::mem::take(recorder.sink());
        let before = recorder.written();
        let mut ring = FlightRing {
            recorder,
            head,
            keep,
            pieces: VecDeque::with_capacity(PIECES),
            current: Piece::default(),
            spare: Vec::new(),
            before,
            total: 0,
        };
        *ring.recorder.sink() = ring.buffer();
        Ok(ring)
    }

    fn piece_size(&self) -> usize {
        self.keep.bytes / PIECES
    }

    /// Room for a piece. It may be larger than the piece should be, because the state at its beginning takes room as well.
    fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.piece_size()))
    }

    /// Adds an event.
    ///
    /// # Errors
    /// If a batch cannot be compressed.
    pub fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Some(at) = event.at().filter(|at| *at > 0) {
            if self.current.began == 0 {
                self.current.began = at;
            }
            self.current.last = self.current.last.max(at);
        }
        if matches!(event, Event::Idle) { Ok(()) } else { self.recorder.event(event) }
    }

    /// Adds an answer, which the next event needs.
    ///
    /// # Errors
    /// As for [`FlightRing::event`].
    pub fn fact(&mut self, fact: &Fact) -> io::Result<()> {
        self.recorder.fact(fact)
    }

    /// True if the current piece is complete, and [`FlightRing::begin`] has to follow.
    pub fn is_complete(&mut self) -> bool {
        let size = self.piece_size();
        let used = self.recorder.sink().len() - self.current.state_end + self.recorder.pending() / 4;
        let slice = self.keep.time.map(|time| time / SLICES);
        used >= size - size / 8
            || slice.is_some_and(|slice| self.current.last.saturating_sub(self.current.began) > slice)
    }

    /// The bytes of state that a piece may begin with, before they are compressed.
    pub fn room_for_state(&self) -> usize {
        self.piece_size()
    }

    /// Begins the next piece with the answers that hold now, and an `Event::Started` for each thread that exists.
    ///
    /// # Errors
    /// As for [`FlightRing::event`].
    pub fn begin(&mut self, facts: &[Fact], threads: &[Event<'_>]) -> io::Result<()> {
        self.recorder.flush()?;
        let buffer = self.buffer();
        let written = self.recorder.written();
        let mut piece = std::mem::take(&mut self.current);
        piece.frames = std::mem::replace(self.recorder.sink(), buffer);
        piece.calls = written.calls - self.before.calls;
        piece.events = written.events - self.before.events - piece.state_events;
        self.total += piece.frames.len() as u64;
        self.pieces.push_back(piece);
        self.before = written;
        facts.iter().try_for_each(|fact| self.recorder.fact(fact))?;
        self.recorder.flush()?;
        self.current.answers_end = self.recorder.sink().len();
        threads.iter().try_for_each(|event| self.recorder.event(event))?;
        self.recorder.flush()?;
        self.current.state_end = self.recorder.sink().len();
        self.current.state_events = threads.len() as u64;
        self.drop_oldest();
        Ok(())
    }

    fn drop_oldest(&mut self) {
        while self.pieces.len() >= PIECES || self.memory() > self.keep.bytes && !self.pieces.is_empty() {
            let Some(oldest) = self.pieces.pop_front() else { return };
            let mut buffer = oldest.frames;
            buffer.clear();
            // One large call must not leave a large buffer behind.
            buffer.shrink_to(self.piece_size());
            if self.spare.is_empty() && buffer.capacity() <= 2 * self.piece_size() {
                self.spare.push(buffer);
            }
        }
    }

    /// The memory that the kept calls take, spare buffers included.
    pub fn memory(&self) -> usize {
        let current = self.recorder.peek_sink().capacity();
        let kept: usize = self.pieces.iter().map(|piece| piece.frames.capacity()).sum();
        current + kept + self.spare.iter().map(Vec::capacity).sum::<usize>()
    }

    /// The memory for the calls of the moment, before they are compressed.
    pub fn working_memory(&self) -> usize {
        self.recorder.memory()
    }

    /// The bytes since the beginning of the run, compressed.
    pub fn total(&self) -> u64 {
        self.total + self.recorder.peek_sink().len() as u64
    }

    /// Writes everything that is kept as a recording. The ring goes on afterwards.
    pub fn dump(&mut self, to: &mut impl Write, lost: Lost) -> io::Result<Written> {
        self.recorder.flush()?;
        let written = self.recorder.written();
        let frames = std::mem::take(self.recorder.sink());
        let current = Piece {
            frames,
            calls: written.calls - self.before.calls,
            events: written.events - self.before.events - self.current.state_events,
            ..self.current
        };
        let pieces = self.pieces.iter().chain([&current]);
        let from = self.keep.time.map_or(0, |time| current.last.saturating_sub(time));
        let kept = pieces.filter(|piece| piece.last >= from);
        let result = write(&self.head, kept, to, lost);
        *self.recorder.sink() = current.frames;
        result
    }
}

fn write<'a>(
    head: &[u8],
    pieces: impl Iterator<Item = &'a Piece>,
    to: &mut impl Write,
    lost: Lost,
) -> io::Result<Written> {
    let mut written = Written { bytes: head.len() as u64, ..Written::default() };
    to.write_all(head)?;
    for (i, piece) in pieces.enumerate() {
        // The answers are needed by the piece itself; the threads are known from the pieces before.
        let (answers, rest) = piece.frames.split_at(piece.answers_end);
        let rest = if i == 0 { rest } else { &rest[piece.state_end - piece.answers_end..] };
        to.write_all(answers)?;
        to.write_all(rest)?;
        written.bytes += (answers.len() + rest.len()) as u64;
        written.calls += piece.calls;
        written.events += piece.events + if i == 0 { piece.state_events } else { 0 };
    }
    let end = end_frame(Totals { calls: written.calls, events: written.events, lost })?;
    to.write_all(&end)?;
    written.bytes += end.len() as u64;
    to.flush()?;
    Ok(written)
}
