//! Counts how many requests of a process to a server are under way at a time, and for how long there is any.

use super::common::Bounded;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_track::{ObjectId, Tracker};

/// The requests of a process to a server.
#[derive(Default)]
pub struct Crowd {
    pub requests: u64,
    pub waited: Ns,
    pub longest: Ns,
    /// So many were under way at a time.
    pub at_most: u64,
    /// The time in which there was one under way.
    pub busy: Ns,
    /// Some of the threads that make them.
    pub askers: Vec<Tid>,
    pending: u64,
    since: Ns,
}

#[derive(Default)]
pub struct FewAtOnce {
    crowds: Bounded<(Tid, ObjectId), Crowd>,
}

const MOST_ASKERS: usize = 64;
/// More than so many at a time are not few.
const FEW: u64 = 4;
/// A few more requests than the most at a time need no more at a time.
const ROUNDS: u64 = 10;

impl FewAtOnce {
    pub fn sent(&mut self, peer: (Tid, ObjectId), tid: Tid, at: Ns, tracker: &Tracker) {
        self.crowds.forget_ended(tracker, |crowd| crowd.requests >= ROUNDS);
        let Some(crowd) = self.crowds.entry(peer, Crowd::default) else { return };
        if crowd.pending == 0 {
            crowd.since = at;
        }
        if crowd.askers.len() < MOST_ASKERS && !crowd.askers.contains(&tid) {
            crowd.askers.push(tid);
        }
        crowd.pending += 1;
        crowd.at_most = crowd.at_most.max(crowd.pending);
    }

    pub fn answered(&mut self, peer: (Tid, ObjectId), waited: Ns, at: Ns) {
        let Some(crowd) = self.crowds.get_mut(&peer) else { return };
        crowd.requests += 1;
        crowd.waited += waited;
        crowd.longest = crowd.longest.max(waited);
        crowd.pending = crowd.pending.saturating_sub(1);
        if crowd.pending == 0 {
            crowd.busy += at.saturating_sub(crowd.since);
        }
    }

    /// A connection was closed, and no answer to its request had come.
    pub fn given_up(&mut self, peer: (Tid, ObjectId)) {
        if let Some(crowd) = self.crowds.get_mut(&peer) {
            crowd.pending = crowd.pending.saturating_sub(1);
        }
    }

    /// The requests, few at a time but not one, that kept a process waiting for longest: at least for `least` in all, and `each` on average.
    pub fn worst(&self, least: f64, each: Ns) -> Option<(&(Tid, ObjectId), &Crowd)> {
        let few = |crowd: &Crowd| {
            (2..=FEW).contains(&crowd.at_most)
                && crowd.requests >= crowd.at_most * ROUNDS
                && crowd.waited >= crowd.requests * each
                // Nearly always more than one, and no more than a thread each.
                && crowd.waited * 2 >= crowd.busy * 3
                && crowd.busy as f64 >= least
        };
        self.crowds.iter().filter(|(_, crowd)| few(crowd)).max_by_key(|(peer, crowd)| (crowd.busy, Reverse(**peer)))
    }
}
