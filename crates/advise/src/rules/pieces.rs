//! What the rules about small transfers share: files by what was moved in pieces.

use super::common::{Bounded, Claims, ProcessCounts, largest, plain, thing};
use crate::finding::{Draft, Evidence};
use crate::index::{Index, OpenFile, Transfers};
use crate::thresholds::GOOD_BUFFER;
use std::cmp::Reverse;
use stride_event::quantity::{decimal, grouped};
use stride_track::{ObjectId, Tracker};

/// Transfers through one thing, and how many of them need not be.
#[derive(Default)]
pub struct Pieces {
    things: Bounded<ObjectId, Piece>,
    claims: Claims,
    openings: u64,
    calls: u64,
    bytes: u64,
    processes: ProcessCounts,
}

/// Where there are too many things, those are forgotten of whose calls no more are wasted.
const ORDINARY: u64 = 100;

#[derive(Default)]
struct Piece {
    calls: u64,
    bytes: u64,
    wasted: u64,
    size: u64,
    line: u64,
}

/// What of an open file's transfers was in pieces.
pub struct Moved {
    pub calls: u64,
    pub bytes: u64,
    /// So many bytes is what most of them moved.
    pub size: u64,
    /// Calls that could be saved.
    pub wasted: u64,
}

impl Pieces {
    pub fn add(&mut self, file: &OpenFile, of: &Transfers, moved: Moved, index: &Index, tracker: &Tracker) {
        let Moved { calls, bytes, size, wasted } = moved;
        let (Some(key), 1..) = (of.key, wasted) else { return };
        self.things.make_room(|piece| piece.wasted > ORDINARY);
        let Some(piece) = self.things.entry(file.object, Piece::default) else { return };
        piece.calls += calls;
        piece.bytes += bytes;
        piece.wasted += wasted;
        piece.size = piece.size.max(size);
        piece.line = of.line;
        self.claims.add(key, wasted);
        self.openings += 1;
        self.calls += calls;
        self.bytes += bytes;
        // Of what the processes moved, what was in pieces is not told apart: that is nearly all.
        of.by.iter().for_each(|(pid, calls)| self.processes.add(pid, calls, index.comm(pid, tracker)));
    }

    /// `what` is what is done: "read", "written". The draft lacks what only the rule knows.
    pub fn draft(&mut self, what: &str, calls_are: &str, tracker: &Tracker) -> Option<Draft> {
        let size = |(object, piece): &(&ObjectId, &Piece)| (piece.wasted, Reverse(**object));
        let top = largest(self.things.iter(), 4, size);
        let (worst, piece) = *top.first().filter(|_| !self.claims.few())?;
        let (calls, bytes) = (self.calls, self.bytes);
        let name = plain(tracker.name(*worst));
        let sentence = match self.openings {
            1 => format!(
                "{name} was {what} {} at a time: {} {calls_are} for {} bytes.",
                size_of(piece.size),
                grouped(calls),
                grouped(bytes),
            ),
            n if self.things.len() == 1 => format!(
                "{name} was opened {} times and {what} {} at a time: {} {calls_are} for {} bytes.",
                grouped(n),
                size_of(piece.size),
                grouped(calls),
                grouped(bytes),
            ),
            n => format!(
                "{} files were {what} {} at a time, such as {name}: {} {calls_are} for each.",
                grouped(n),
                size_of(piece.size),
                decimal(calls as f64 / n as f64),
            ),
        };
        let evidence: Vec<Evidence> = top
            .iter()
            .map(|(object, piece)| Evidence {
                bytes: Some(piece.bytes),
                line: Some(piece.line),
                ..thing(**object, piece.calls, tracker)
            })
            .chain(self.processes.most(3))
            .collect();
        let claims = std::mem::take(&mut self.claims).list();
        Some(Draft { sentence, evidence, claims, ..Draft::default() })
    }
}

/// Transfers that are needed for so many bytes.
pub fn needed(bytes: u64) -> u64 {
    bytes.div_ceil(GOOD_BUFFER)
}

fn size_of(bytes: u64) -> String {
    match bytes {
        0 | 1 => "one byte".into(),
        n => format!("{} bytes", grouped(n)),
    }
}
