//! Kinds of requests, and their sums.

use super::connection::ServedRequest;
use crate::ObjectId;
use crate::causes::shares::TimeShare;
use crate::causes::spent::{ActivityId, CallCount, Spent};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use stride_event::{Histogram, Ns};

const MAX_KINDS: usize = 1 << 10;

/// Requests to one address that one program answers.
#[derive(Clone, Debug)]
pub struct RequestKind {
    /// The name of the threads that receive.
    pub comm: Box<[u8]>,
    /// The address, with all clients, or what the socket is called.
    pub object: ObjectId,
    /// Requests that were answered, and others.
    pub answered: u64,
    pub unanswered: u64,
    /// From the beginning of a request to its end, of those that were answered.
    pub durations: Histogram,
    /// The sum of the durations.
    pub total: Ns,
    pub longest: Ns,
    /// The parts of the sum, the largest first.
    pub shares: Vec<TimeShare>,
}

struct KindSum {
    /// Without its shares.
    kind: RequestKind,
    parts: BTreeMap<ActivityId, f64>,
}

/// All kinds, by number. Those beyond the limit have the number of the first one.
#[derive(Default)]
pub(super) struct Kinds {
    sums: Vec<KindSum>,
    places: FxHashMap<(ObjectId, Box<[u8]>), u32>,
}

impl Kinds {
    /// The kind of the requests that threads of a name receive on a connection.
    pub fn of(&mut self, object: ObjectId, comm: Box<[u8]>) -> u32 {
        if let Some(&known) = self.places.get(&(object, comm.clone())) {
            return known;
        }
        if self.sums.len() >= MAX_KINDS {
            return 0;
        }
        let (answered, unanswered, durations) = Default::default();
        let (total, longest, shares) = Default::default();
        let kind = RequestKind { comm: comm.clone(), object, answered, unanswered, durations, total, longest, shares };
        self.sums.push(KindSum { kind, parts: BTreeMap::new() });
        let place = self.sums.len() as u32 - 1;
        self.places.insert((object, comm), place);
        place
    }

    /// A request is over, whether it was answered or not.
    pub fn finished(&mut self, kind: u32, request: &ServedRequest) {
        let sum = &mut self.sums[kind as usize].kind;
        let Some(answered) = request.answered else {
            sum.unanswered += 1;
            return;
        };
        let took = answered - request.since;
        sum.answered += 1;
        sum.durations.add(took);
        sum.total = sum.total.saturating_add(took);
        sum.longest = sum.longest.max(took);
    }

    /// Adds parts of the time of requests.
    pub fn add(&mut self, kind: u32, parts: Vec<(ActivityId, f64)>) {
        let sum = &mut self.sums[kind as usize].parts;
        parts.into_iter().for_each(|(id, part)| *sum.entry(id).or_default() += part);
    }

    /// Those that took most time first.
    pub fn all(&self, spent: &Spent) -> Vec<RequestKind> {
        let kind = |sum: &KindSum| RequestKind { shares: shares(&sum.parts, spent), ..sum.kind.clone() };
        let mut kinds: Vec<RequestKind> = self.sums.iter().map(kind).collect();
        kinds.retain(|kind| kind.answered + kind.unanswered > 0);
        kinds.sort_by_key(|kind| (Reverse(kind.total), kind.object, kind.comm.clone()));
        kinds
    }
}

/// Calls are counted whether they are part of a request or not, and so are threads that had CPUs: nothing is told of these.
fn shares(parts: &BTreeMap<ActivityId, f64>, spent: &Spent) -> Vec<TimeShare> {
    let plain = |share| TimeShare { calls: CallCount::default(), cpu_taken_by: None, ..share };
    spent.shares(parts).into_iter().map(plain).collect()
}
