//! Pairs of a sleep and the call that ended it (`--waits`). The two calls' returns may be reported in any order.
//!
//! A flow between them has a mark in each call, at the time of the waking. It cannot lead from slice to slice: the woken call began first, and Perfetto takes the
//! slice that began first for the beginning of the flow.

use std::collections::VecDeque;
use stride_event::{Call, Ns, Outcome, Tid, Waker};
use stride_syscalls::Abi;

/// A call that slept once, until a call of another thread ended that.
#[derive(Clone, Copy)]
pub struct WokenCall {
    track: u64,
    /// The waker's call.
    by: (Abi, u64),
    /// The bounds of the time of the waking. The thread fell asleep some time after its entry, so the sleep ended later than at `from`, which is the entry and
    /// the length of the sleep.
    from: Ns,
    to: Ns,
}

impl WokenCall {
    /// The waker's thread, and the call. Where a call slept several times, the time of the longest sleep is not known.
    pub fn of(call: &Call, track: u64) -> Option<(Tid, WokenCall)> {
        let (waits, entered) = (call.waits.as_deref()?, call.entered?);
        let Some(Waker::Thread(waker, Some(by))) = waits.longest?.waker else { return None };
        let (from, to) = (entered.saturating_add(waits.in_call.asleep()), call.returned);
        let is_known = waits.sleeps == 1 && waker.tid != 0 && waker.tid != call.tid && from < to;
        (is_known && has_returned(call)).then_some((waker.tid, WokenCall { track, by, from, to }))
    }
}

fn has_returned(call: &Call) -> bool {
    matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_))
}

/// A call that may have woken a thread.
#[derive(Clone, Copy)]
struct WakingCall {
    call: (Abi, u64),
    from: Ns,
    /// The end of its slice.
    until: Ns,
    returned: bool,
}

impl WakingCall {
    fn wakes(&self, woken: &WokenCall) -> bool {
        // A thread that ends wakes its parent after the time of its end.
        let lasts = !self.returned || self.until >= woken.from;
        self.call == woken.by && self.from < woken.to && lasts
    }
}

/// The marks of a flow: their tracks and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    pub waker: (u64, Ns),
    pub woken: (u64, Ns),
}

/// The calls of a thread that may wake others.
pub struct WakerTrack {
    track: u64,
    /// Its latest calls, oldest first.
    calls: VecDeque<WakingCall>,
    /// The end of the latest call that is no more among them.
    forgotten: Option<Ns>,
    /// Calls that it woke in a call that is not reported yet.
    awaited: Vec<WokenCall>,
}

/// The most calls of a thread that are kept, of either kind.
const MOST_CALLS: usize = 16;

impl WakerTrack {
    pub fn new(track: u64) -> WakerTrack {
        WakerTrack { track, calls: VecDeque::new(), forgotten: None, awaited: Vec::new() }
    }

    /// A call of the thread is reported. Hands out its flows to calls that were reported before.
    pub fn reported(&mut self, call: &Call, mut found: impl FnMut(Wake)) {
        let waking = WakingCall {
            call: (call.abi, call.nr),
            from: call.began(),
            until: if has_returned(call) { call.returned } else { Ns::MAX },
            returned: has_returned(call),
        };
        let track = self.track;
        self.awaited.retain(|woken| {
            let wakes = waking.wakes(woken);
            if wakes {
                found(wake(track, &waking, woken));
            }
            // Calls come in order, so none comes any more if this one is too late.
            !wakes && waking.from < woken.to
        });
        if self.calls.len() == MOST_CALLS {
            self.forgotten = self.calls.pop_front().map(|call| call.until).max(self.forgotten);
        }
        self.calls.push_back(waking);
    }

    /// The flow to a call that this thread woke. Of several calls that may have done that the first is meant.
    pub fn woke(&self, woken: &WokenCall) -> Option<Wake> {
        let knows = self.forgotten.is_none_or(|end| end < woken.from);
        let waking = self.calls.iter().find(|call| knows && call.wakes(woken))?;
        Some(wake(self.track, waking, woken))
    }

    /// The waking call may still be reported.
    pub fn awaits(&mut self, woken: WokenCall) {
        if self.awaited.len() < MOST_CALLS && self.calls.back().is_none_or(|latest| latest.from < woken.to) {
            self.awaited.push(woken);
        }
    }

    /// The thread ended, and with it the slice of a call that did not return.
    pub fn ended(&mut self, at: Ns) {
        self.calls.iter_mut().for_each(|call| call.until = call.until.min(at));
        self.awaited = Vec::new();
    }
}

/// Marks within both slices.
fn wake(track: u64, waking: &WakingCall, woken: &WokenCall) -> Wake {
    let at = woken.from.max(waking.from).min(woken.to - 1);
    Wake { waker: (track, at.min(waking.until.saturating_sub(1)).max(waking.from)), woken: (woken.track, at) }
}

/// Threads that have ended. Their parents wake up after that.
#[derive(Default)]
pub struct EndedWakers(VecDeque<(Tid, Box<WakerTrack>)>);

/// The most ended threads that are kept.
const MOST_ENDED: usize = 64;

impl EndedWakers {
    pub fn add(&mut self, tid: Tid, waker: Box<WakerTrack>) {
        if self.0.len() == MOST_ENDED {
            self.0.pop_front();
        }
        self.0.push_back((tid, waker));
    }

    pub fn woke(&self, tid: Tid, woken: &WokenCall) -> Option<Wake> {
        self.0.iter().rev().filter(|(ended, _)| *ended == tid).find_map(|(_, waker)| waker.woke(woken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: (Abi, u64) = (Abi::NATIVE, 1);

    fn write(from: Ns, to: Ns) -> Call {
        Call {
            abi: WRITE.0,
            nr: WRITE.1,
            entered: Some(from),
            returned: to,
            outcome: Outcome::Value(1),
            ..Call::default()
        }
    }

    fn woken(from: Ns, to: Ns) -> WokenCall {
        WokenCall { track: 2, by: WRITE, from, to }
    }

    fn reported(waker: &mut WakerTrack, call: &Call) -> Vec<Wake> {
        let mut all = Vec::new();
        waker.reported(call, |wake| all.push(wake));
        all
    }

    fn marks(waker: Ns, woken: Ns) -> Wake {
        Wake { waker: (1, waker), woken: (2, woken) }
    }

    #[test]
    fn in_either_order() {
        let mut waker = WakerTrack::new(1);
        assert_eq!(reported(&mut waker, &write(10, 20)), []);
        assert_eq!(reported(&mut waker, &write(30, 40)), []);
        assert_eq!(reported(&mut waker, &write(50, 60)), []);
        assert_eq!(waker.woke(&woken(35, 58)), Some(marks(35, 35)), "the first of two");
        assert_eq!(waker.woke(&woken(25, 45)), Some(marks(30, 30)), "not before the waker's call");
        assert_eq!(waker.woke(&woken(65, 90)), None);
        waker.awaits(woken(65, 90));
        waker.awaits(woken(66, 72));
        assert_eq!(reported(&mut waker, &Call { nr: 0, ..write(61, 62) }), [], "another call");
        assert_eq!(reported(&mut waker, &write(70, 95)), [marks(70, 70), marks(70, 70)]);
        assert_eq!(reported(&mut waker, &write(96, 97)), []);
    }

    #[test]
    fn a_call_that_is_hidden_is_not_awaited_for_ever() {
        let mut waker = WakerTrack::new(1);
        waker.awaits(woken(65, 90));
        assert_eq!(reported(&mut waker, &write(95, 98)), []);
        assert!(waker.awaited.is_empty());
        waker.awaits(woken(65, 90));
        assert!(waker.awaited.is_empty(), "it is too late already");
        (0..1000).for_each(|i| waker.awaits(woken(100 + i, 2000)));
        assert!(waker.awaited.len() <= MOST_CALLS);
    }

    #[test]
    fn forgotten_calls_are_not_mistaken() {
        let mut waker = WakerTrack::new(1);
        for i in 0..20 {
            reported(&mut waker, &write(10 * i, 10 * i + 5));
        }
        assert_eq!(waker.calls.len(), MOST_CALLS);
        assert_eq!(waker.woke(&woken(35, 190)), None, "a forgotten call may have done it");
        assert_eq!(waker.woke(&woken(36, 190)), Some(marks(40, 40)));
    }

    #[test]
    fn a_thread_wakes_its_parent_after_its_end() {
        let mut waker = WakerTrack::new(1);
        reported(&mut waker, &Call { outcome: Outcome::Gone, ..write(10, 10) });
        assert_eq!(waker.woke(&woken(25, 45)), Some(marks(25, 25)));
        waker.ended(20);
        let mut ended = EndedWakers::default();
        ended.add(7, Box::new(waker));
        assert_eq!(ended.woke(7, &woken(25, 45)), Some(marks(19, 25)), "in the slice, which ends with the thread");
        assert_eq!(ended.woke(8, &woken(25, 45)), None);
        (0..1000).for_each(|_| ended.add(7, Box::new(WakerTrack::new(3))));
        assert!(ended.0.len() <= MOST_ENDED);
    }
}
