//! The requests of a kind by how long they took, so that the slowest can be compared with the others.

use crate::causes::path_parts::ActivityId;
use crate::causes::shares::TimeShare;
use crate::causes::spent::{Activity, CallCount, Spent};
use std::collections::BTreeMap;
use std::ops::AddAssign;
use stride_event::{Histogram, Ns};

/// With fewer requests, nothing is said of the slowest.
const MIN_REQUESTS: u64 = 20;
/// The slowest are told if one of them takes so many times as long as another one.
const SLOWER: f64 = 1.5;
/// Parts of all bands that are kept. Further ones are told as other things.
const MAX_PARTS: usize = 1 << 18;
/// The number of all activities for which there was no room.
const OTHER: ActivityId = 0;

/// The time that requests spent on an activity, and how often.
#[derive(Clone, Copy, Default, Debug)]
pub struct PartSum {
    pub time: f64,
    pub times: u64,
}

impl AddAssign for PartSum {
    fn add_assign(&mut self, other: PartSum) {
        (self.time, self.times) = (self.time + other.time, self.times + other.times);
    }
}

/// The parts of the time of requests.
pub type Parts = BTreeMap<ActivityId, PartSum>;

/// Requests that took about as long.
#[derive(Clone, Default, Debug)]
pub struct Band {
    requests: u64,
    total: Ns,
    parts: Parts,
}

impl Band {
    fn merge(&mut self, other: &Band) {
        self.requests += other.requests;
        self.total = self.total.saturating_add(other.total);
        for (id, part) in &other.parts {
            *self.parts.entry(*id).or_default() += *part;
        }
    }

    /// The time of each activity. Calls are counted whether they are part of a request or not, and so are threads that had CPUs: nothing is told of these.
    pub fn shares(&self, spent: &Spent) -> Vec<TimeShare> {
        let plain = |share| TimeShare { calls: CallCount::default(), cpu_taken_by: None, ..share };
        let times = self.parts.iter().map(|(id, part)| (*id, part.time)).collect();
        spent.shares(&times).into_iter().map(plain).collect()
    }

    /// How often each thing was done, as the time of a share: so activities are merged as they are for times.
    fn counts(&self, spent: &Spent) -> Vec<TimeShare> {
        let counts = self.parts.iter().map(|(id, part)| (*id, part.times as f64)).collect();
        spent.shares(&counts)
    }

    fn mean(&self) -> Ns {
        self.total / self.requests.max(1)
    }
}

/// All requests of a kind, in the order of how long they took.
#[derive(Default)]
pub struct Bands(BTreeMap<usize, Band>);

impl Bands {
    /// Adds a request. `kept`: the parts of all bands of all kinds. Returns how many more there are now.
    pub fn add(&mut self, took: Ns, parts: &Parts, kept: usize) -> usize {
        let band = self.0.entry(Histogram::bucket(took)).or_default();
        band.requests += 1;
        band.total = band.total.saturating_add(took);
        let before = band.parts.len();
        for (id, part) in parts {
            let room = kept + band.parts.len() - before < MAX_PARTS || band.parts.contains_key(id);
            *band.parts.entry(if room { *id } else { OTHER }).or_default() += *part;
        }
        band.parts.len() - before
    }

    /// All of them together.
    pub fn all(&self) -> Band {
        merged(self.0.values())
    }

    /// The slowest hundredth against the middle half.
    pub fn slow(&self, spent: &Spent) -> Option<SlowRequests> {
        let all: u64 = self.0.values().map(|band| band.requests).sum();
        if all < MIN_REQUESTS {
            return None;
        }
        let mut seen = 0;
        let ranked: Vec<(u64, &Band)> = self
            .0
            .values()
            .map(|band| {
                seen += band.requests;
                (seen - band.requests, band)
            })
            .collect();
        let slowest = merged(
            ranked
                .iter()
                .filter(|(before, band)| before + band.requests > all - all.div_ceil(100))
                .map(|(_, band)| *band),
        );
        let is_middle = |before: u64, band: &Band| before < all - all / 4 && before + band.requests > all / 4;
        let ordinary = merged(ranked.iter().filter(|(before, band)| is_middle(*before, band)).map(|(_, band)| *band));
        let differ = ordinary.requests > 0 && slowest.mean() as f64 >= SLOWER * ordinary.mean() as f64;
        differ.then(|| SlowRequests::new(&slowest, &ordinary, spent))
    }
}

fn merged<'a>(bands: impl Iterator<Item = &'a Band>) -> Band {
    let mut all = Band::default();
    bands.for_each(|band| all.merge(band));
    all
}

/// Some of the requests of a kind.
#[derive(Clone, Copy, Debug)]
pub struct RequestGroup {
    pub requests: u64,
    /// How long one of them took, on average.
    pub mean: Ns,
}

/// The slowest requests of a kind, and where they differ from the others.
#[derive(Clone, Debug)]
pub struct SlowRequests {
    pub slowest: RequestGroup,
    /// The middle half: those that are neither fast nor slow.
    pub ordinary: RequestGroup,
    /// The activities on which one of the slowest spends more time, those first where it is most.
    pub more: Vec<MoreTime>,
}

/// An activity on which a slow request spends more time than an ordinary one.
#[derive(Clone, Debug)]
pub struct MoreTime {
    /// With the time of a slow request.
    pub share: TimeShare,
    /// The time of an ordinary one.
    pub ordinary: Ns,
    /// How often a slow request and an ordinary one do that.
    times: [f64; 2],
}

impl MoreTime {
    /// The difference.
    pub fn more(&self) -> Ns {
        self.share.time.saturating_sub(self.ordinary)
    }

    /// How often a slow request and an ordinary one made such a call. `None`: it is no call.
    pub fn calls(&self) -> Option<[f64; 2]> {
        matches!(self.share.activity, Activity::InCall(_) | Activity::Asleep(..)).then_some(self.times)
    }
}

impl SlowRequests {
    fn new(slowest: &Band, ordinary: &Band, spent: &Spent) -> SlowRequests {
        let each = |of: &Band, sum: Ns| sum / of.requests.max(1);
        let usual = ordinary.shares(spent);
        let counts = [slowest, ordinary].map(|band| (band.requests as f64, band.counts(spent)));
        let more = slowest.shares(spent).into_iter().map(|share| {
            let same = |other: &&TimeShare| (&other.who.comm, other.activity) == (&share.who.comm, share.activity);
            let ordinary = each(ordinary, usual.iter().find(same).map_or(0, |other| other.time));
            let times = counts.each_ref().map(|(requests, counts)| {
                let of_all = counts.iter().find(same).map_or(0, |other| other.time);
                of_all as f64 / requests.max(1.0)
            });
            MoreTime { share: TimeShare { time: each(slowest, share.time), ..share }, ordinary, times }
        });
        let mut more: Vec<MoreTime> = more.filter(|more| more.more() > 0).collect();
        more.sort_by_key(|more| std::cmp::Reverse(more.more()));
        let group = |of: &Band| RequestGroup { requests: of.requests, mean: of.mean() };
        SlowRequests { slowest: group(slowest), ordinary: group(ordinary), more }
    }
}
