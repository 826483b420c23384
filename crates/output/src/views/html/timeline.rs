//! The timeline: a lane for each thread.
//!
//! At first every call is kept. When there are too many, the shortest are counted in bins that are as wide as the
//! shortest call still shown. So a call that is shown is never narrower than a bin, at any scale. The width doubles
//! whenever there are too many calls or bins. The length and pace of the run need not be known beforehand.

use super::call_text::SliceText;
use super::data::CallIndex;
use super::lane::{CallEnd, Lane, Short, Slice};
use super::stacks::ShownStack;
use super::states::{States, WokenBy};
use crate::views::processes::Serial;
use std::collections::{HashMap, HashSet};
use stride_advise::CallKey;
use stride_event::{Ns, Tid};

#[derive(Clone, Copy)]
pub struct Room {
    pub slices: usize,
    pub bins: usize,
    /// Up to twice this number are kept for a while.
    pub lanes: usize,
}

pub const ROOM: Room = Room { slices: 20_000, bins: 50_000, lanes: 400 };

pub struct Timeline {
    room: Room,
    /// The width of bins, or 0 while every call is shown by itself.
    width: Ns,
    lanes: Vec<Lane>,
    /// The lanes of living threads.
    live: HashMap<Tid, usize>,
    /// Living threads without a lane.
    without: HashSet<Tid>,
    /// All threads without a lane, as one lane of bins without times.
    others: Lane,
    /// The number of threads in `others`.
    more: u64,
    /// The sum over all lanes.
    slices: usize,
    bins: usize,
}

/// A call. Its time counts from the beginning of the run.
pub struct Made {
    pub tid: Tid,
    pub process: Serial,
    pub at: Ns,
    pub took: Ns,
    pub call: CallIndex,
    pub end: CallEnd,
    pub waits: bool,
    pub states: States,
    pub woken: Option<WokenBy>,
    pub stack: Option<ShownStack>,
    /// The kind of the call as findings have it, with `--advise`.
    pub kind: Option<CallKey>,
}

impl Made {
    fn slice(&self, text: SliceText) -> Slice {
        let &Made { at, took, call, end, waits, states, woken, kind, .. } = self;
        Slice { at, took, call, end, waits, text, states, woken, stack: self.stack.clone(), kind }
    }
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline::new(ROOM)
    }
}

impl Timeline {
    pub fn new(room: Room) -> Timeline {
        Timeline {
            room,
            width: 0,
            lanes: Vec::new(),
            live: HashMap::new(),
            without: HashSet::new(),
            others: Lane::default(),
            more: 0,
            slices: 0,
            bins: 0,
        }
    }

    /// A thread begins, or is attached to, which may be in the midst of a wait.
    pub fn started(&mut self, tid: Tid, process: Serial, at: Ns, attached: bool) {
        self.ended(tid, at);
        if let Some(lane) = self.lane(tid, process, at).filter(|_| !attached) {
            self.lanes[lane].until = Some(at);
        }
    }

    /// The time up to which the waits of a thread are accounted for. `None`: the thread may have been in the midst of a wait.
    pub fn until(&self, tid: Tid) -> Option<Ns> {
        self.lanes[*self.live.get(&tid)?].until
    }

    pub fn ended(&mut self, tid: Tid, at: Ns) {
        self.without.remove(&tid);
        if let Some(lane) = self.live.remove(&tid) {
            self.lanes[lane].to = Some(at);
        }
    }

    /// Sets the current name of a thread.
    pub fn name(&mut self, tid: Tid, name: impl FnOnce() -> String) {
        if let Some(lane) = self.live.get(&tid) {
            self.lanes[*lane].name = name();
        }
    }

    /// Thread `old` continues as `tid`.
    pub fn superseded(&mut self, tid: Tid, old: Tid, at: Ns) {
        self.ended(tid, at);
        if let Some(lane) = self.live.remove(&old) {
            self.live.insert(tid, lane);
        }
        if self.without.remove(&old) {
            self.without.insert(tid);
        }
    }

    pub fn lost(&mut self, tid: Tid, at: Ns, count: u64) {
        if let Some(lane) = self.live.get(&tid) {
            self.lanes[*lane].lose(at, count);
        }
    }

    pub fn living(&self) -> Vec<Tid> {
        self.live.keys().copied().collect()
    }

    /// The index of a thread's lane, if it has one.
    fn lane(&mut self, tid: Tid, process: Serial, at: Ns) -> Option<usize> {
        if let Some(&lane) = self.live.get(&tid) {
            return Some(lane);
        }
        if self.without.contains(&tid) {
            return None;
        }
        if self.lanes.len() >= 2 * self.room.lanes {
            self.drop_lanes();
        }
        self.lanes.push(Lane { tid, process, from: at, ..Lane::default() });
        let lane = self.lanes.len() - 1;
        self.live.insert(tid, lane);
        Some(lane)
    }

    pub fn add(&mut self, made: &Made, text: impl FnOnce() -> SliceText) {
        let &Made { at, took, call, end, kind, .. } = made;
        let place = self.lane(made.tid, made.process, at);
        let lane = place.map_or(&mut self.others, |lane| &mut self.lanes[lane]);
        lane.from = lane.from.min(at);
        lane.until = Some(at + took);
        lane.calls += 1;
        lane.errors += u64::from(end == CallEnd::Failed);
        lane.busy += took;
        lane.waiting += if made.waits { took } else { 0 };
        if place.is_some() && took >= self.width {
            lane.slices.push(made.slice(text()));
            self.slices += 1;
        } else {
            let before = lane.bins.len();
            let took = if place.is_none() || made.waits { 0 } else { took };
            // Those of several threads would add up to more than there is time.
            let states = place.map_or(States::default(), |_| made.states);
            lane.count(Short { at, took, call, end, states, kind }, self.width);
            self.bins += lane.bins.len() - before;
        }
        self.make_room();
    }

    /// The time between two calls of a thread, which has a lane.
    pub fn between(&mut self, tid: Tid, at: Ns, took: Ns, states: States, text: impl FnOnce() -> SliceText) {
        let Some(lane) = self.live.get(&tid).map(|lane| &mut self.lanes[*lane]) else { return };
        let (call, end, kind) = (0, CallEnd::Between, None);
        if took >= self.width {
            let (text, waits) = (text(), false);
            lane.slices.push(Slice { at, took, call, end, waits, text, states, woken: None, stack: None, kind });
            self.slices += 1;
        } else {
            let before = lane.bins.len();
            lane.count(Short { at, took: 0, call, end, states, kind }, self.width);
            self.bins += lane.bins.len() - before;
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        if self.slices > self.room.slices || self.bins > self.room.bins {
            self.coarsen();
        }
    }

    /// A call that did not return. A thread has only one at a time, so each lane has room for it.
    pub fn stuck(&mut self, made: &Made, text: impl FnOnce() -> SliceText) {
        if let Some(lane) = self.lane(made.tid, made.process, made.at)
            && self.slices < self.room.slices + 2 * self.room.lanes
        {
            self.lanes[lane].slices.push(made.slice(text()));
            self.slices += 1;
        }
    }

    fn coarsen(&mut self) {
        self.others.widen(false);
        self.recount();
        while self.slices > self.room.slices / 2 || self.bins > self.room.bins / 2 {
            if self.width == 0 {
                self.fold(self.usual());
            } else {
                self.all().for_each(|lane| lane.widen(true));
                self.fold(2 * self.width);
            }
        }
    }

    fn fold(&mut self, width: Ns) {
        self.width = width;
        self.all().for_each(|lane| lane.fold(width));
        self.recount();
    }

    /// A width that at least half of the calls are shorter than.
    fn usual(&self) -> Ns {
        let mut all: Vec<Ns> = self.lanes.iter().flat_map(|lane| &lane.slices).map(|slice| slice.took).collect();
        let middle = all.len() / 2;
        if all.is_empty() { 1 } else { (*all.select_nth_unstable(middle).1 + 1).next_power_of_two() }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.lanes.iter_mut().chain([&mut self.others])
    }

    fn recount(&mut self) {
        self.slices = self.all().map(|lane| lane.slices.len()).sum();
        self.bins = self.all().map(|lane| lane.bins.len()).sum();
    }

    /// Keeps the lanes of the threads with the most calls.
    fn drop_lanes(&mut self) {
        if self.width == 0 {
            self.fold(self.usual());
        }
        let mut weights: Vec<u64> = self.lanes.iter().map(|lane| lane.calls).collect();
        let place = weights.len() - self.room.lanes;
        let (_, &mut least, above) = weights.select_nth_unstable(place);
        // Of the threads with exactly as many calls as the limit, only some fit.
        let mut room = self.room.lanes - above.iter().filter(|&&calls| calls > least).count();
        let (mut kept, mut places) = (Vec::new(), Vec::new());
        for lane in std::mem::take(&mut self.lanes) {
            let equal = lane.calls == least && room > 0;
            room -= usize::from(equal);
            if equal || lane.calls > least {
                places.push(Some(kept.len()));
                kept.push(lane);
            } else {
                places.push(None);
                self.more += 1;
                self.others.absorb(lane, self.width);
            }
        }
        self.others.widen(false);
        self.lanes = kept;
        let without = &mut self.without;
        self.live.retain(|tid, lane| match places[*lane] {
            Some(place) => {
                *lane = place;
                true
            }
            None => {
                without.insert(*tid);
                false
            }
        });
        self.recount();
    }

    /// The width of bins, the lanes, the lane of all other threads, and the number of those threads.
    pub fn into_parts(mut self) -> (Ns, Vec<Lane>, Lane, u64) {
        if self.lanes.len() > self.room.lanes {
            self.drop_lanes();
        }
        self.all().for_each(|lane| lane.widen(false));
        (self.width, self.lanes, self.others, self.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Room = Room { slices: 100, bins: 300, lanes: 20 };

    fn made(tid: Tid, at: Ns, took: Ns) -> Made {
        let (end, states) = (CallEnd::Returned, States::default());
        Made { tid, process: 1, at, took, call: 0, end, waits: false, states, woken: None, stack: None, kind: None }
    }

    fn calls(lanes: &[Lane], others: &Lane) -> u64 {
        let bins = |lane: &Lane| lane.bins.iter().map(|bin| bin.calls).sum::<u64>() + lane.slices.len() as u64;
        lanes.iter().map(bins).sum::<u64>() + bins(others)
    }

    #[test]
    fn few_calls_are_kept_as_they_are() {
        let mut timeline = Timeline::new(SMALL);
        (0..100).for_each(|i| timeline.add(&made(1, i * 10, 3), || "text".into()));
        let (width, lanes, _, more) = timeline.into_parts();
        assert_eq!((width, lanes.len(), lanes[0].slices.len(), lanes[0].bins.len(), more), (0, 1, 100, 0, 0));
    }

    #[test]
    fn many_calls_of_one_thread_stay_bounded() {
        let mut timeline = Timeline::new(SMALL);
        let mut texts = 0;
        for i in 0..100_000u64 {
            let took = if i % 1000 == 0 { 5_000 } else { 1 + i % 9 };
            timeline.add(&made(1, i * 10_000, took), || {
                texts += 1;
                "text".into()
            });
            assert!(timeline.slices <= 101 && timeline.bins <= 302);
        }
        let (width, lanes, others, _) = timeline.into_parts();
        assert!(width.is_power_of_two());
        assert_eq!(calls(&lanes, &others), 100_000);
        assert!(texts < 2_000, "texts are made for what is kept only: {texts}");
        let busy: Ns = lanes[0].bins.iter().map(|b| b.busy).chain(lanes[0].slices.iter().map(|s| s.took)).sum();
        assert_eq!(busy, lanes[0].busy);
    }

    #[test]
    fn many_threads_stay_bounded() {
        let mut timeline = Timeline::new(SMALL);
        for i in 0..100_000u64 {
            let tid = 10 + i as Tid;
            timeline.started(tid, 1, i * 100, false);
            timeline.add(&made(tid, i * 100, 20), || "".into());
            timeline.add(&made(1, i * 100, 20), || "".into());
            if i % 2 == 0 {
                timeline.ended(tid, i * 100 + 50);
            }
            assert!(timeline.lanes.len() <= 40 && timeline.bins <= 302);
        }
        let (_, lanes, others, more) = timeline.into_parts();
        assert_eq!(calls(&lanes, &others), 200_000);
        assert_eq!((lanes.len() as u64 + more, lanes.len()), (100_001, 20));
        assert_eq!(lanes.iter().find(|lane| lane.tid == 1).unwrap().calls, 100_000);
    }

    /// Living threads and open calls are not searched again and again. That would take many minutes.
    #[test]
    fn very_many_that_live_on() {
        let mut timeline = Timeline::default();
        for tid in 0..1_000_000 {
            timeline.started(tid, 1, 0, false);
            timeline.stuck(&Made { end: CallEnd::Never, ..made(tid, 0, 1 << 40) }, || "".into());
            assert!(timeline.slices <= ROOM.slices + 2 * ROOM.lanes && timeline.live.len() <= 2 * ROOM.lanes);
        }
        let (_, lanes, _, more) = timeline.into_parts();
        assert_eq!((lanes.len(), more), (ROOM.lanes, 1_000_000 - ROOM.lanes as u64));
    }

    /// A thread id that comes again is another thread.
    #[test]
    fn ids_are_used_again() {
        let mut timeline = Timeline::default();
        timeline.started(5, 5, 0, false);
        timeline.add(&made(5, 1, 1), || "".into());
        timeline.ended(5, 3);
        timeline.started(5, 4, 7, false);
        timeline.add(&made(5, 8, 1), || "".into());
        let (_, lanes, ..) = timeline.into_parts();
        let lanes: Vec<_> = lanes.iter().map(|l| (l.tid, l.process, l.from, l.to, l.calls)).collect();
        assert_eq!(lanes, [(5, 5, 0, Some(3), 1), (5, 4, 7, None, 1)]);
    }
}
