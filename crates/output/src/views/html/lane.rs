//! One thread in the timeline: long calls one by one, and the others counted in bins of time.

use super::call_text::SliceText;
use super::data::CallIndex;
use super::stacks::ShownStack;
use super::states::{States, WokenBy};
use crate::views::processes::Serial;
use stride_advise::CallKey;
use stride_event::{Ns, Tid};

/// The most marks of lost calls. Beyond that, each two marks become one.
const MARKS: usize = 50;

/// A call that is shown by itself, or the time between two in which the thread was not always on a CPU.
pub struct Slice {
    pub at: Ns,
    pub took: Ns,
    pub call: CallIndex,
    pub end: CallEnd,
    /// True if the call is one that waits.
    pub waits: bool,
    pub text: SliceText,
    pub states: States,
    pub woken: Option<WokenBy>,
    pub stack: Option<ShownStack>,
    /// The kind of the call as findings have it, with `--advise`.
    pub kind: Option<CallKey>,
}

/// A call, or the time between two, that goes into a bin.
#[derive(Clone, Copy)]
pub struct Short {
    pub at: Ns,
    /// 0 for a call that waits, and for the time between calls.
    pub took: Ns,
    pub call: CallIndex,
    pub end: CallEnd,
    pub states: States,
    pub kind: Option<CallKey>,
}

impl Slice {
    fn short(&self) -> Short {
        let &Slice { at, took, call, end, waits, states, kind, .. } = self;
        Short { at, took: if waits { 0 } else { took }, call, end, states, kind }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallEnd {
    Returned,
    Failed,
    /// The call was under way when the thread or the tracing ended.
    Never,
    /// It is no call: it is the time between two.
    Between,
}

/// The short calls that began within one bin.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// The start of the bin, in bins.
    pub index: u64,
    pub calls: u64,
    pub errors: u64,
    /// Time spent in calls that do not wait, because a bin shows work.
    pub busy: Ns,
    /// The syscall that took most of that time, as far as a majority vote finds it, and its lead.
    pub call: CallIndex,
    lead: Ns,
    /// The states of the thread in these calls, in those that wait, and in short times between calls.
    pub states: States,
    /// With `--advise`, what most calls of each syscall in the bin were about, as far as a majority vote finds it, with
    /// its lead.
    kinds: Vec<(CallKey, u64)>,
}

/// The syscalls of a bin whose objects are known, at most.
const KINDS: usize = 8;

impl Bin {
    /// Kinds of calls that were made in this bin: one or none of each syscall.
    pub fn kinds(&self) -> impl Iterator<Item = CallKey> {
        self.kinds.iter().map(|(kind, _)| *kind)
    }

    fn vote_kind(&mut self, kind: CallKey, weight: u64) {
        let room = self.kinds.len() < KINDS;
        match self.kinds.iter_mut().find(|(known, _)| (known.abi, known.nr) == (kind.abi, kind.nr)) {
            Some((known, lead)) if *known == kind => *lead += weight,
            Some((known, lead)) if *lead < weight => (*known, *lead) = (kind, weight - *lead),
            Some((_, lead)) => *lead -= weight,
            None if room => self.kinds.push((kind, weight)),
            None => {}
        }
    }

    /// Majority vote by time (Boyer and Moore). The result is right if one syscall took more time than all others
    /// together.
    fn vote(&mut self, call: CallIndex, weight: Ns) {
        if self.call == call {
            self.lead += weight;
        } else if self.lead < weight {
            (self.call, self.lead) = (call, weight - self.lead);
        } else {
            self.lead -= weight;
        }
    }

    fn merge(&mut self, other: &Bin) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.busy += other.busy;
        self.states += other.states;
        self.vote(other.call, other.lead);
        other.kinds.iter().for_each(|&(kind, lead)| self.vote_kind(kind, lead));
    }
}

#[derive(Default)]
pub struct Lane {
    pub tid: Tid,
    pub process: Serial,
    pub name: String,
    pub from: Ns,
    /// The end of its last call, or its beginning, as far as its waits were measured from then on.
    pub until: Option<Ns>,
    /// The time at which the thread ended, or `None` while it lives.
    pub to: Option<Ns>,
    pub calls: u64,
    pub errors: u64,
    /// Time spent in calls, and the part of it in calls that wait.
    pub busy: Ns,
    pub waiting: Ns,
    pub slices: Vec<Slice>,
    pub bins: Vec<Bin>,
    /// The times at which losses were found, and the numbers of lost calls.
    pub lost: Vec<(Ns, u64)>,
}

impl Lane {
    /// Counts a call in its bin. If the call reaches into the next bin, the time is split between both.
    pub fn count(&mut self, short: Short, width: Ns) {
        let Short { at, took, call, end, states, kind } = short;
        let index = at / width;
        let room = width - at % width;
        let here = took.min(room);
        let (now, later) = states.split(room);
        // (The time between calls has no vote.)
        let calls = u64::from(end != CallEnd::Between);
        let bin = |index, calls, errors, busy: Ns, states| {
            let kinds = Vec::new();
            Bin { index, calls, errors, busy, call, lead: if calls + busy > 0 { busy + 1 } else { 0 }, states, kinds }
        };
        let mut first = bin(index, calls, (end == CallEnd::Failed).into(), here, now);
        first.kinds.extend(kind.map(|kind| (kind, 1)));
        self.put(first);
        if took > here || later.total() > 0 {
            self.put(bin(index + 1, 0, 0, took - here, later));
        }
    }

    /// Takes note that calls were lost before this moment.
    pub fn lose(&mut self, at: Ns, count: u64) {
        self.lost.push((at, count));
        if self.lost.len() > MARKS {
            self.lost = self.lost.chunks(2).map(|two| (two[0].0, two.iter().map(|(_, n)| n).sum())).collect();
        }
    }

    fn put(&mut self, bin: Bin) {
        match self.bins.last_mut() {
            Some(last) if last.index == bin.index => last.merge(&bin),
            _ => self.bins.push(bin),
        }
    }

    /// Adds another thread's calls without their times, because the times of several threads would add up to more than
    /// a bin's width. The bins are in order again after [`Lane::widen`].
    pub fn absorb(&mut self, other: Lane, width: Ns) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.busy += other.busy;
        self.waiting += other.waiting;
        for slice in other.slices {
            if slice.end != CallEnd::Between {
                self.count(Short { took: 0, states: States::default(), ..slice.short() }, width);
            }
        }
        let began = other.bins.into_iter().filter(|bin| bin.calls > 0);
        self.bins.extend(began.map(|bin| Bin { busy: 0, states: States::default(), ..bin }));
    }

    /// Doubles the width of bins, or merges bins of the same place.
    pub fn widen(&mut self, double: bool) {
        if double {
            self.bins.iter_mut().for_each(|bin| bin.index /= 2);
        }
        self.bins.sort_by_key(|bin| bin.index);
        self.bins.dedup_by(|next, bin| {
            let same = next.index == bin.index;
            if same {
                bin.merge(next);
            }
            same
        });
    }

    /// Moves calls shorter than `width` into bins.
    pub fn fold(&mut self, width: Ns) {
        let mut slices = std::mem::take(&mut self.slices);
        slices.retain(|slice| {
            let long = slice.took >= width;
            if !long {
                self.count(slice.short(), width);
            }
            long
        });
        self.slices = slices;
        self.widen(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Event, Outcome};
    use stride_syscalls::Abi;
    use stride_test_support::calls::{call, naming};
    use stride_track::{ObjectId, Tracker};

    fn short(at: Ns, took: Ns, call: CallIndex, failed: bool) -> Short {
        let end = if failed { CallEnd::Failed } else { CallEnd::Returned };
        Short { at, took, call, end, states: States::default(), kind: None }
    }

    /// A bin knows the object of most calls of a syscall, also after bins became one.
    #[test]
    fn most_calls_win() {
        let of = |nr, object: u8| CallKey { abi: Abi::X86_64, nr, object: Some(objects()[usize::from(object)]) };
        let mut lane = Lane::default();
        for i in 0..40 {
            let kinds = [of(1, if i % 4 == 0 { 0 } else { 1 }), of(2, 2)];
            kinds.into_iter().for_each(|kind| lane.count(Short { kind: Some(kind), ..short(i, 1, 7, false) }, 4));
        }
        assert_eq!(lane.bins.len(), 10);
        (0..4).for_each(|_| lane.widen(true));
        let kinds: Vec<_> = lane.bins.iter().map(|bin| bin.kinds().collect::<Vec<_>>()).collect();
        assert_eq!(kinds, [[of(1, 1), of(2, 2)]]);
    }

    fn objects() -> [ObjectId; 3] {
        let mut tracker = Tracker::default();
        ["/a", "/b", "/c"].map(|path| {
            let call = naming(call(7, "stat", &[0x1000, 0x2000], Outcome::Value(0)), 0x1000, path);
            tracker.event(&Event::Exit(&call), &());
            tracker.seen().unwrap().path.unwrap()
        })
    }

    #[test]
    fn bins_add_up() {
        let mut lane = Lane::default();
        let mut busy = 0;
        for i in 0..1000 {
            lane.count(short(i * 10, 1 + i % 9, (i % 3) as CallIndex, i % 5 == 0), 16);
            busy += 1 + i % 9;
        }
        for _ in 0..4 {
            lane.widen(true);
            let sums = lane.bins.iter().fold((0, 0, 0), |s, b| (s.0 + b.calls, s.1 + b.errors, s.2 + b.busy));
            assert_eq!(sums, (1000, 200, busy));
            assert!(lane.bins.is_sorted_by(|a, b| a.index < b.index));
        }
        assert_eq!(lane.bins.len(), 10_000usize.div_ceil(256));
    }

    /// The time between calls is no call, and fills bins all the same.
    #[test]
    fn states_add_up() {
        let mut lane = Lane::default();
        let states = |time| States::of_call(&stride_event::Call::default(), time, true);
        for i in 0..1000 {
            let end = if i % 2 == 0 { CallEnd::Between } else { CallEnd::Returned };
            let busy = if i % 2 == 0 { 0 } else { 9 };
            lane.count(Short { end, states: states(9), ..short(i * 10, busy, 3, false) }, 16);
        }
        for _ in 0..4 {
            lane.widen(true);
            let sums = lane.bins.iter().fold((0, 0, 0), |s, b| (s.0 + b.calls, s.1 + b.busy, s.2 + b.states.total()));
            assert_eq!(sums, (500, 4_500, 9_000));
        }
    }

    #[test]
    fn most_time_wins() {
        let mut lane = Lane::default();
        for i in 0..10 {
            lane.count(short(i, 1, 7, false), 1000);
        }
        lane.count(short(20, 100, 8, false), 1000);
        assert_eq!(lane.bins[0].call, 8);
    }

    #[test]
    fn no_loss_is_lost() {
        let mut lane = Lane::default();
        (0..10_000).for_each(|i| lane.lose(i, 3));
        assert!(lane.lost.len() <= MARKS);
        assert_eq!(lane.lost.iter().map(|(_, n)| n).sum::<u64>(), 30_000);
    }

    #[test]
    fn long_calls_stay_whole() {
        let mut lane = Lane::default();
        for took in [5, 50, 500] {
            let (end, text, states) = (CallEnd::Returned, SliceText::from(""), States::default());
            let (stack, kind, woken) = (None, None, None);
            lane.slices.push(Slice { at: took, took, call: 0, end, waits: false, text, states, woken, stack, kind });
        }
        lane.fold(64);
        assert_eq!(lane.slices.iter().map(|s| s.took).collect::<Vec<_>>(), [500]);
        assert_eq!(lane.bins.iter().map(|b| (b.index, b.calls, b.busy)).collect::<Vec<_>>(), [(0, 2, 19), (1, 0, 36)]);
    }
}
