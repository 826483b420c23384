//! The latest activities of a thread, each with its time and with the connection that it was for.

use super::connection::ConnectionId;
use crate::causes::path_parts::ActivityId;
use std::collections::VecDeque;
use stride_event::{Ns, Tid};

/// A call, or the time between two.
pub struct LogSegment {
    pub from: Ns,
    pub to: Ns,
    pub parts: Vec<(ActivityId, Ns)>,
    /// The connection that the thread worked for, if that is known.
    pub owner: Option<ConnectionId>,
    /// The traced thread that woke this one in the call, and when.
    pub woken: Option<(Tid, Ns)>,
    /// It waited for something that other threads or clients do: perhaps it had nothing to do.
    pub idle: bool,
    /// The parts before it was woken.
    pub asleep: Option<ActivityId>,
}

impl LogSegment {
    /// The parts of a piece of it. The moments of the parts are not known, so each has the same share of all pieces.
    pub fn piece(&self, from: Ns, to: Ns) -> impl Iterator<Item = (ActivityId, f64)> {
        let (whole, piece) = ((self.to - self.from).max(1) as f64, to.saturating_sub(from) as f64);
        self.parts.iter().map(move |(id, part)| (*id, *part as f64 * piece / whole))
    }

    /// The parts from its waking on.
    pub fn awake(&self, from: Ns, to: Ns) -> Vec<(ActivityId, f64)> {
        let parts: Vec<_> = self.parts.iter().filter(|(id, _)| Some(*id) != self.asleep).collect();
        let (sum, piece) = (parts.iter().map(|(_, part)| *part).sum::<Ns>(), to.saturating_sub(from) as f64);
        match sum {
            0 => parts.iter().take(1).map(|(id, _)| (*id, piece)).collect(),
            _ => parts.iter().map(|(id, part)| (*id, *part as f64 * piece / sum as f64)).collect(),
        }
    }
}

#[derive(Default)]
pub struct ThreadLog {
    /// In the order of their ends.
    pub segments: VecDeque<LogSegment>,
    /// The end of the time that is accounted for.
    pub until: Option<Ns>,
    /// The thread that made it, and when.
    pub made_by: Option<(Tid, Ns)>,
    /// The number of its party, until its name changes.
    pub party: Option<u32>,
    /// The connection that it works for.
    pub owner: Option<ConnectionId>,
    /// Its waits were measured from before its next call, if any are.
    pub followed_on: bool,
}

impl ThreadLog {
    /// Keeps so many segments.
    pub fn push(&mut self, segment: LogSegment, kept: usize) {
        if segment.to <= segment.from {
            return;
        }
        while self.segments.len() >= kept {
            self.segments.pop_front();
        }
        self.segments.push_back(segment);
    }
}
