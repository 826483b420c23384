//! Pairs of a sleep and the call that ended it (`--waits`). The two calls' returns may be reported in any order.

use std::collections::{HashMap, VecDeque};
use stride_event::{Call, Ns, Outcome, Tid, Waker};
use stride_syscalls::Abi;

/// A call that slept once, until a call of another thread ended that, and what a view knows of the sleep.
pub struct WokenCall<W> {
    known: W,
    /// The thread that woke it, and the call that this thread was in.
    waker: Tid,
    by: (Abi, u64),
    /// The bounds of the time of the waking. The thread fell asleep some time after its entry, so the sleep ended later than at `from`, which is the entry and
    /// the length of the sleep.
    from: Ns,
    to: Ns,
}

impl<W> WokenCall<W> {
    /// `Err`: no call is known to have woken this one. Where a call slept several times, the time of the longest sleep is not known.
    pub fn of(call: &Call, known: W) -> Result<WokenCall<W>, W> {
        match waking(call) {
            Some((waker, by, from, to)) => Ok(WokenCall { known, waker, by, from, to }),
            None => Err(known),
        }
    }
}

fn waking(call: &Call) -> Option<(Tid, (Abi, u64), Ns, Ns)> {
    let (waits, entered) = (call.waits.as_deref()?, call.entered?);
    let Some(Waker::Thread(waker, Some(by))) = waits.longest?.waker else { return None };
    let (from, to) = (entered.saturating_add(waits.in_call.asleep()), call.returned);
    let is_known = waits.sleeps == 1 && waker.tid != 0 && waker.tid != call.tid && from < to;
    (is_known && has_returned(call)).then_some((waker.tid, by, from, to))
}

fn has_returned(call: &Call) -> bool {
    matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_))
}

/// A call that may have woken a thread, and what a view knows of it.
struct WakingCall<C> {
    known: C,
    call: (Abi, u64),
    from: Ns,
    /// The end of its slice.
    until: Ns,
    returned: bool,
}

impl<C: Clone> WakingCall<C> {
    fn wakes<W>(&self, woken: &WokenCall<W>) -> bool {
        // A thread that ends wakes its parent after the time of its end.
        let lasts = !self.returned || self.until >= woken.from;
        self.call == woken.by && self.from < woken.to && lasts
    }

    /// Times within both calls.
    fn wake<W>(&self, woken: &WokenCall<W>) -> Wake<C> {
        let woken_at = woken.from.max(self.from).min(woken.to - 1);
        let waker_at = woken_at.min(self.until.saturating_sub(1)).max(self.from);
        Wake { waker: self.known.clone(), waker_at, woken_at }
    }
}

/// The call that woke another one, and the time of the waking within each of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake<C> {
    pub waker: C,
    pub waker_at: Ns,
    pub woken_at: Ns,
}

/// A thread that makes calls which may wake others.
struct WakerThread<C, W> {
    /// Its latest calls, oldest first.
    calls: VecDeque<WakingCall<C>>,
    /// The end of the latest call that is no more among them.
    forgotten: Option<Ns>,
    /// Calls that it woke in a call that is not reported yet.
    awaited: Vec<WokenCall<W>>,
}

impl<C, W> Default for WakerThread<C, W> {
    fn default() -> Self {
        WakerThread { calls: VecDeque::new(), forgotten: None, awaited: Vec::new() }
    }
}

/// The most calls of a thread that are kept, of either kind.
const MOST_CALLS: usize = 16;
/// The most threads that are kept.
const MOST_THREADS: usize = 1 << 16;
/// The most ended threads that are kept. Their parents wake up after their end.
const MOST_ENDED: usize = 64;

impl<C: Clone, W> WakerThread<C, W> {
    /// Of several calls that may have woken it the first is meant.
    fn wake(&self, woken: &WokenCall<W>) -> Option<Wake<C>> {
        let knows = self.forgotten.is_none_or(|end| end < woken.from);
        self.calls.iter().find(|call| knows && call.wakes(woken)).map(|call| call.wake(woken))
    }
}

/// The latest calls of all threads. `C` is what a view knows of a call that may wake others, and `W` what it knows of a sleep. Each sleep is told once, with
/// the call that ended it, or with `None` if that is not found.
pub struct WakeFinder<C, W> {
    threads: HashMap<Tid, WakerThread<C, W>>,
    ended: VecDeque<(Tid, WakerThread<C, W>)>,
}

impl<C, W> Default for WakeFinder<C, W> {
    fn default() -> Self {
        WakeFinder { threads: HashMap::new(), ended: VecDeque::new() }
    }
}

impl<C: Clone, W> WakeFinder<C, W> {
    /// A call is reported, which may have woken calls that were reported before.
    pub fn reported(&mut self, call: &Call, known: C, mut told: impl FnMut(W, Option<Wake<C>>)) {
        if self.is_full(call.tid) {
            self.give_up(&mut told);
        }
        let thread = self.threads.entry(call.tid).or_default();
        let returned = has_returned(call);
        let until = if returned { call.returned } else { Ns::MAX };
        let waking = WakingCall { known, call: (call.abi, call.nr), from: call.began(), until, returned };
        for woken in std::mem::take(&mut thread.awaited) {
            if waking.wakes(&woken) {
                let wake = waking.wake(&woken);
                told(woken.known, Some(wake));
            } else if waking.from < woken.to {
                thread.awaited.push(woken);
            } else {
                // Calls come in order, so the call that woke it does not come any more.
                told(woken.known, None);
            }
        }
        if thread.calls.len() == MOST_CALLS {
            thread.forgotten = thread.calls.pop_front().map(|call| call.until).max(thread.forgotten);
        }
        thread.calls.push_back(waking);
    }

    /// A call is reported that was woken. If its waker's call is not reported yet, it is told later.
    pub fn woke(&mut self, woken: WokenCall<W>, mut told: impl FnMut(W, Option<Wake<C>>)) {
        if self.is_full(woken.waker) {
            self.give_up(&mut told);
        }
        let of_ended = |thread: &(Tid, WakerThread<C, W>)| (thread.0 == woken.waker).then(|| thread.1.wake(&woken))?;
        let living = self.threads.get(&woken.waker).and_then(|thread| thread.wake(&woken));
        if let Some(wake) = living.or_else(|| self.ended.iter().rev().find_map(of_ended)) {
            return told(woken.known, Some(wake));
        }
        let thread = self.threads.entry(woken.waker).or_default();
        let comes = thread.calls.back().is_none_or(|latest| latest.from < woken.to);
        if comes && thread.awaited.len() < MOST_CALLS {
            thread.awaited.push(woken);
        } else {
            told(woken.known, None);
        }
    }

    /// The thread ended, and with it the slice of a call that did not return.
    pub fn ended(&mut self, tid: Tid, at: Ns, mut told: impl FnMut(W, Option<Wake<C>>)) {
        let Some(mut thread) = self.threads.remove(&tid) else { return };
        thread.calls.iter_mut().for_each(|call| call.until = call.until.min(at));
        std::mem::take(&mut thread.awaited).into_iter().for_each(|woken| told(woken.known, None));
        if self.ended.len() == MOST_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back((tid, thread));
    }

    /// No more calls come.
    pub fn give_up(&mut self, mut told: impl FnMut(W, Option<Wake<C>>)) {
        let awaited = self.threads.drain().flat_map(|(_, thread)| thread.awaited);
        awaited.for_each(|woken| told(woken.known, None));
    }

    fn is_full(&self, tid: Tid) -> bool {
        self.threads.len() >= MOST_THREADS && !self.threads.contains_key(&tid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{CallWaits, NamedThread, Sleep, WaitKind};

    const WRITE: (Abi, u64) = (Abi::NATIVE, 1);

    fn write(from: Ns, to: Ns) -> Call {
        Call {
            tid: 7,
            abi: WRITE.0,
            nr: WRITE.1,
            entered: Some(from),
            returned: to,
            outcome: Outcome::Value(1),
            ..Call::default()
        }
    }

    /// A sleep that a write of thread 7 ended.
    fn woken(from: Ns, to: Ns) -> WokenCall<&'static str> {
        WokenCall { known: "sleep", waker: 7, by: WRITE, from, to }
    }

    type Told = Vec<Option<(&'static str, Ns, Ns)>>;

    #[derive(Default)]
    struct Test(WakeFinder<&'static str, &'static str>, Told);

    fn keep(told: &mut Told) -> impl FnMut(&'static str, Option<Wake<&'static str>>) {
        |known, wake| {
            assert_eq!(known, "sleep");
            told.push(wake.map(|wake| (wake.waker, wake.waker_at, wake.woken_at)));
        }
    }

    impl Test {
        fn reported(&mut self, call: &Call) -> Told {
            self.0.reported(call, "call", keep(&mut self.1));
            std::mem::take(&mut self.1)
        }

        fn woke(&mut self, woken: WokenCall<&'static str>) -> Told {
            self.0.woke(woken, keep(&mut self.1));
            std::mem::take(&mut self.1)
        }

        fn ended(&mut self, at: Ns) -> Told {
            self.0.ended(7, at, keep(&mut self.1));
            std::mem::take(&mut self.1)
        }
    }

    fn found(waker_at: Ns, woken_at: Ns) -> Told {
        vec![Some(("call", waker_at, woken_at))]
    }

    #[test]
    fn in_either_order() {
        let mut test = Test::default();
        for (from, to) in [(10, 20), (30, 40), (50, 60)] {
            assert_eq!(test.reported(&write(from, to)), []);
        }
        assert_eq!(test.woke(woken(35, 58)), found(35, 35), "the first of two");
        assert_eq!(test.woke(woken(25, 45)), found(30, 30), "not before the waker's call");
        assert_eq!(test.woke(woken(65, 90)), [], "it may still come");
        assert_eq!(test.woke(woken(66, 72)), []);
        assert_eq!(test.reported(&Call { nr: 0, ..write(61, 62) }), [], "another call");
        assert_eq!(test.reported(&Call { tid: 8, ..write(70, 95) }), [], "another thread");
        assert_eq!(test.reported(&write(70, 95)), [found(70, 70), found(70, 70)].concat());
        assert_eq!(test.reported(&write(96, 97)), []);
    }

    #[test]
    fn a_call_that_is_hidden_is_not_awaited_for_ever() {
        let mut test = Test::default();
        assert_eq!(test.woke(woken(65, 90)), []);
        assert_eq!(test.reported(&write(95, 98)), [None]);
        assert_eq!(test.woke(woken(65, 90)), [None], "it is too late already");
        let told: Told = (0..1000).flat_map(|i| test.woke(woken(100 + i, 2000))).collect();
        assert_eq!(told.len(), 1000 - MOST_CALLS);
        assert_eq!(test.ended(3000).len(), MOST_CALLS, "each sleep is told");
    }

    #[test]
    fn forgotten_calls_are_not_mistaken() {
        let mut test = Test::default();
        for i in 0..20 {
            test.reported(&write(10 * i, 10 * i + 5));
        }
        assert_eq!(test.0.threads[&7].calls.len(), MOST_CALLS);
        assert_eq!(test.woke(woken(35, 190)), [None], "a forgotten call may have done it");
        assert_eq!(test.woke(woken(36, 190)), found(40, 40));
    }

    #[test]
    fn a_thread_wakes_its_parent_after_its_end() {
        let mut test = Test::default();
        test.reported(&Call { outcome: Outcome::Gone, ..write(10, 10) });
        assert_eq!(test.woke(woken(25, 45)), found(25, 25));
        assert_eq!(test.ended(20), []);
        assert_eq!(test.woke(woken(25, 45)), found(19, 25), "in the slice, which ends with the thread");
        assert_eq!(test.woke(WokenCall { waker: 8, ..woken(25, 45) }), []);
        for _ in 0..1000 {
            test.reported(&write(30, 40));
            test.ended(50);
        }
        assert!(test.0.ended.len() <= MOST_ENDED);
    }

    #[test]
    fn memory_is_bounded() {
        let mut test = Test::default();
        let told: usize =
            (0..3 * MOST_THREADS).map(|tid| test.woke(WokenCall { waker: tid as Tid, ..woken(25, 45) }).len()).sum();
        assert!(test.0.threads.len() <= MOST_THREADS);
        test.0.give_up(keep(&mut test.1));
        assert_eq!(told + test.1.len(), 3 * MOST_THREADS, "each sleep is told once");
    }

    /// Only a single sleep has a known time, and only a thread that is known can be looked for.
    #[test]
    fn sleeps_that_are_looked_for() {
        let waker =
            |tid| Waker::Thread(NamedThread { tid, process: 1, comm: *b"writer\0\0\0\0\0\0\0\0\0\0" }, Some(WRITE));
        let of = |sleeps, waker| {
            let longest = Some(Sleep { time: 40, kind: WaitKind::Blocked, waker });
            let in_call = [(WaitKind::Blocked, 40)].into_iter().collect();
            let waits = CallWaits { in_call, sleeps, longest, ..CallWaits::default() };
            WokenCall::of(&Call { tid: 9, waits: Some(Box::new(waits)), ..write(10, 60) }, ())
        };
        let known = of(1, Some(waker(7))).unwrap_or_else(|()| panic!("it is known"));
        assert_eq!((known.waker, known.by, known.from, known.to), (7, WRITE, 50, 60));
        for (sleeps, waker) in
            [(2, Some(waker(7))), (1, Some(waker(0))), (1, Some(waker(9))), (1, Some(Waker::Hidden)), (1, None)]
        {
            assert!(of(sleeps, waker).is_err(), "{sleeps} {waker:?}");
        }
    }
}
