//! Kinds of requests, and their sums.

use super::bands::{Bands, Parts, SlowRequests};
use super::connection::ServedRequest;
use crate::ObjectId;
use crate::causes::shares::TimeShare;
use crate::causes::spent::Spent;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Histogram, Ns, Tid};

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
    pub longest: LongestRequest,
    /// The parts of the sum, the largest first.
    pub shares: Vec<TimeShare>,
    /// How the slowest differ from the others, if they do.
    pub slow: Option<SlowRequests>,
}

/// The request that took longest.
#[derive(Clone, Copy, Default, Debug)]
pub struct LongestRequest {
    pub took: Ns,
    /// Its beginning.
    pub since: Ns,
    /// The thread that received it last.
    pub receiver: Tid,
}

struct KindSum {
    /// Without its shares.
    kind: RequestKind,
    bands: Bands,
}

/// All kinds, by number. Those beyond the limit have the number of the first one.
#[derive(Default)]
pub(super) struct Kinds {
    sums: Vec<KindSum>,
    places: FxHashMap<(ObjectId, Box<[u8]>), u32>,
    /// The parts of all bands.
    parts: usize,
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
        let (total, longest, shares, slow) = Default::default();
        let kind =
            RequestKind { comm: comm.clone(), object, answered, unanswered, durations, total, longest, shares, slow };
        self.sums.push(KindSum { kind, bands: Bands::default() });
        let place = self.sums.len() as u32 - 1;
        self.places.insert((object, comm), place);
        place
    }

    /// A request is over without an answer.
    pub fn unanswered(&mut self, kind: u32) {
        self.sums[kind as usize].kind.unanswered += 1;
    }

    /// A request is over that was answered at this moment.
    pub fn answered(&mut self, kind: u32, request: &ServedRequest, answered: Ns, parts: &Parts) {
        let sum = &mut self.sums[kind as usize];
        let took = answered - request.since;
        sum.kind.answered += 1;
        sum.kind.durations.add(took);
        sum.kind.total = sum.kind.total.saturating_add(took);
        if took >= sum.kind.longest.took {
            sum.kind.longest = LongestRequest { took, since: request.since, receiver: request.receiver };
        }
        self.parts += sum.bands.add(took, parts, self.parts);
    }

    /// Those that took most time first.
    pub fn all(&self, spent: &Spent) -> Vec<RequestKind> {
        let kind = |sum: &KindSum| RequestKind {
            shares: sum.bands.all().shares(spent),
            slow: sum.bands.slow(spent),
            ..sum.kind.clone()
        };
        let mut kinds: Vec<RequestKind> = self.sums.iter().map(kind).collect();
        kinds.retain(|kind| kind.answered + kind.unanswered > 0);
        kinds.sort_by_key(|kind| (Reverse(kind.total), kind.object, kind.comm.clone()));
        kinds
    }
}
