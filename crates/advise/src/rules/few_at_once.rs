//! Counts how many requests of a process to a server are under way at a time, and for how long there is any; and finds out if they go in batches.

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
    pub batches: Batches,
    pending: u64,
    since: Ns,
    /// The requests since none was under way.
    batch: Batch,
}

/// Requests that begin only when all before them are answered, several at a time.
#[derive(Clone, Copy, Default)]
pub struct Batches {
    pub batches: u64,
    pub requests: u64,
    /// The time of all batches.
    pub busy: Ns,
    /// The time that they would take if each answer came after the mean time of its batch.
    even: Ns,
}

impl Batches {
    /// The time in which there was room for further requests, because the batch waited for its slowest answers.
    pub fn idle(&self) -> Ns {
        self.busy.saturating_sub(self.even)
    }
}

/// The requests since none was under way, up to now.
#[derive(Clone, Copy, Default)]
struct Batch {
    requests: u64,
    answers: u64,
    waited: Ns,
    /// A request began after another one was answered, or one was given up.
    is_mixed: bool,
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
/// So many requests at least are a batch.
const SMALLEST_BATCH: u64 = 3;
/// So few batches may be chance.
const FEW_BATCHES: u64 = 5;

impl FewAtOnce {
    pub fn sent(&mut self, peer: (Tid, ObjectId), tid: Tid, at: Ns, tracker: &Tracker) {
        self.crowds.forget_ended(tracker, |crowd| crowd.requests >= ROUNDS);
        let Some(crowd) = self.crowds.entry(peer, Crowd::default) else { return };
        if crowd.pending == 0 {
            (crowd.since, crowd.batch) = (at, Batch::default());
        }
        crowd.batch.is_mixed |= crowd.batch.answers > 0;
        crowd.batch.requests += 1;
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
        crowd.batch.answers += 1;
        crowd.batch.waited += waited;
        if crowd.pending == 0 {
            let busy = at.saturating_sub(crowd.since);
            crowd.busy += busy;
            let Batch { requests, waited, is_mixed, .. } = crowd.batch;
            if requests >= SMALLEST_BATCH && !is_mixed {
                let all = &mut crowd.batches;
                all.batches += 1;
                all.requests += requests;
                all.busy += busy;
                all.even += waited / requests;
            }
        }
    }

    /// A connection was closed, and no answer to its request had come.
    pub fn given_up(&mut self, peer: (Tid, ObjectId)) {
        if let Some(crowd) = self.crowds.get_mut(&peer) {
            crowd.pending = crowd.pending.saturating_sub(1);
            crowd.batch.is_mixed = true;
        }
    }

    /// The requests in batches that left most time unused: at least `least`, while each took `each` on average.
    pub fn worst_batches(&self, least: f64, each: Ns) -> Option<(&(Tid, ObjectId), &Crowd)> {
        let in_batches = |crowd: &Crowd| {
            crowd.batches.batches >= FEW_BATCHES
                // Nearly all requests are in batches.
                && crowd.batches.requests * 10 >= crowd.requests * 9
                && crowd.waited >= crowd.requests * each
                && crowd.batches.idle() as f64 >= least
        };
        let all = self.crowds.iter().filter(|(_, crowd)| in_batches(crowd));
        all.max_by_key(|(peer, crowd)| (crowd.batches.idle(), Reverse(**peer)))
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

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ns = 1_000_000;
    const CLIENT: Tid = 7;

    /// Ten batches of requests with these times, in ms. With `early`, the next batch begins when the first answer is there.
    fn idle(times: &[Ns], early: bool) -> Option<Ns> {
        let (mut few, tracker) = (FewAtOnce::default(), Tracker::default());
        let peer = (CLIENT, ObjectId::default());
        let slowest = times.iter().max().copied().unwrap_or(0) * MS;
        let quickest = times.iter().min().copied().unwrap_or(0) * MS;
        let mut events: Vec<(Ns, Option<Ns>)> = Vec::new();
        for batch in 0..10 {
            let begin = batch * (if early { quickest } else { slowest } + MS);
            events.extend(times.iter().flat_map(|time| [(begin, None), (begin + time * MS, Some(time * MS))]));
        }
        events.sort();
        for (at, answer) in events {
            match answer {
                None => few.sent(peer, CLIENT, at, &tracker),
                Some(waited) => few.answered(peer, waited, at),
            }
        }
        few.worst_batches(100.0 * MS as f64, 5 * MS).map(|(_, crowd)| crowd.batches.idle())
    }

    #[test]
    fn batches_wait_for_their_slowest_answers() {
        assert_eq!(idle(&[10, 10, 100], false), Some(10 * (100 - 40) * MS));
        assert_eq!(idle(&[40, 40, 40], false), None);
        assert_eq!(idle(&[10, 100], false), None, "two are no batch");
        assert_eq!(idle(&[10, 10, 100], true), None, "the next ones begin before the last answer");
    }
}
