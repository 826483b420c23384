//! Shared by the rules about small reads and writes: each file, and how many bytes of it were moved in how many pieces.

use super::common::{Bounded, Claims, ProcessCounts, is_nameless, largest, plain, thing};
use crate::counts::index::{Index, OpenFile, Transfers};
use crate::report::finding::{Candidate, Evidence};
use crate::report::quantity::{CALLS, EACH, FILES, IN_ALL, MEAN_CALLS};
use crate::report::statement::{Statement, say};
use crate::thresholds::shared::GOOD_BUFFER;
use std::cmp::Reverse;
use stride_track::{ObjectId, ObjectKind, Tracker};

/// Transfers, and how many of them are not needed.
#[derive(Default)]
pub struct Pieces {
    things: Bounded<ObjectId, Piece>,
    claims: Claims,
    openings: u64,
    calls: u64,
    bytes: u64,
    processes: ProcessCounts,
}

/// If there are too many things, those with at most this many wasted calls are dropped.
const ORDINARY: u64 = 100;

#[derive(Default)]
struct Piece {
    calls: u64,
    bytes: u64,
    wasted: u64,
    size: u64,
    line: u64,
}

/// The transfers of an open file that were small.
pub struct Moved {
    pub calls: u64,
    pub bytes: u64,
    /// The size of most transfers.
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
        // `by` counts all transfers of a process, and most of them were small.
        let small = |all: u64| all * calls / of.calls.max(1);
        of.by.iter().for_each(|(pid, all)| self.processes.add(pid, small(all), index.comm(pid, tracker)));
    }

    /// Calls about the file that move nothing and come with each piece: a shell asks a pipe for its position and its
    /// terminal before each line.
    pub fn claim_others(&mut self, file: &OpenFile) {
        for (key, calls) in file.others.iter() {
            self.claims.add(key, calls.min(file.reads.calls).saturating_sub(1));
        }
    }

    /// `what` is the participle: "read", "written". The rule itself fills in the rest of the candidate.
    pub fn candidate(&mut self, what: &str, calls_are: &str, tracker: &Tracker) -> Option<Candidate> {
        let size = |(object, piece): &(&ObjectId, &Piece)| (piece.wasted, Reverse(**object));
        let top = largest(self.things.iter(), 4, size);
        let (worst, piece) = *top.first().filter(|_| !self.claims.few())?;
        let (calls, bytes) = (self.calls, self.bytes);
        let name = plain(tracker.name(*worst));
        let nameless = is_nameless(*worst, tracker);
        let subject = if nameless { format!("A {name}") } else { name.clone() };
        let sentence = match self.openings {
            1 => say!(
                "{subject} was {what} {} at a time: {} {calls_are} for {} bytes.",
                size_of(piece.size),
                CALLS.of(calls),
                IN_ALL.of(bytes),
            ),
            n if self.things.len() == 1 && !nameless => say!(
                "{name} was opened {} times and {what} {} at a time: {} {calls_are} for {} bytes.",
                FILES.of(n),
                size_of(piece.size),
                CALLS.of(calls),
                IN_ALL.of(bytes),
            ),
            n => say!(
                "{} {} were {what} {} at a time{}: {} {calls_are} for each.",
                FILES.of(n),
                self.sorts(tracker),
                size_of(piece.size),
                if nameless { String::new() } else { format!(", such as {name}") },
                MEAN_CALLS.mean(calls, n),
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
        Some(Candidate { sentence, evidence, claims, ..Candidate::default() })
    }

    /// The things, by their kinds: "pipes", "files and sockets".
    fn sorts(&self, tracker: &Tracker) -> String {
        let has = |kind| self.things.iter().any(|(object, _)| tracker.kind(*object) == kind);
        let (pipes, sockets) = (has(ObjectKind::Pipe), has(ObjectKind::Socket));
        let others = self
            .things
            .iter()
            .any(|(object, _)| !matches!(tracker.kind(*object), ObjectKind::Pipe | ObjectKind::Socket));
        let words = [(others, "files"), (pipes, "pipes"), (sockets, "sockets")];
        words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect::<Vec<_>>().join(" and ")
    }
}

/// The number of transfers that these bytes need.
pub fn needed(bytes: u64) -> u64 {
    bytes.div_ceil(GOOD_BUFFER)
}

fn size_of(bytes: u64) -> Statement {
    match bytes {
        0 | 1 => "one byte".into(),
        n => say!("{} bytes", EACH.of(n)),
    }
}
