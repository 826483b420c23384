//! Joins the records of waits with the calls during which threads waited (`--waits`).
//!
//! A record stands before that of its call, if its call is reported. It has the sums of all sleeps and of all times without a CPU, and the
//! longest sleep with its waker. If the call is not reported after all, its times count as times before the thread's next call.

pub mod programs;

use crate::reading::records;
use crate::wire::{rec_wait, wait_cause, waker, waker_kind};
use rustc_hash::FxHashMap;
use stride_event::{Call, CallWaits, Interrupt, NamedThread, Ns, Sleep, Tid, WaitKind, WaitTimes, Waker};

/// The waits of each thread since its last reported call.
#[derive(Default)]
pub struct WaitsOfCalls {
    by_thread: FxHashMap<Tid, Pending>,
}

struct Pending {
    /// When the call returned that they belong to.
    at: Ns,
    waits: Box<CallWaits>,
}

impl WaitsOfCalls {
    /// Takes in a record.
    pub fn add(&mut self, rec: &rec_wait) {
        let mut waits = Box::new(waits(rec));
        let tid = rec.head.tid as Tid;
        if let Some(earlier) = self.by_thread.remove(&tid) {
            waits.before += all_of(&earlier.waits);
        }
        self.by_thread.insert(tid, Pending { at: rec.at, waits });
    }

    /// The waits of a call that has returned.
    pub fn take(&mut self, call: &Call) -> Option<Box<CallWaits>> {
        if self.by_thread.is_empty() {
            return None;
        }
        let mut pending = self.by_thread.remove(&call.tid)?;
        if call.entered.is_some_and(|entered| pending.at < entered) {
            // They are those of an earlier call.
            *pending.waits = CallWaits { before: all_of(&pending.waits), ..CallWaits::default() };
        }
        Some(pending.waits)
    }

    /// A thread is gone.
    pub fn forget(&mut self, tid: Tid) {
        self.by_thread.remove(&tid);
    }

    /// A thread has taken over another's id.
    pub fn renamed(&mut self, old: Tid, new: Tid) {
        if let Some(pending) = self.by_thread.remove(&old) {
            self.by_thread.insert(new, pending);
        }
    }
}

/// The times of a call and before the call.
fn all_of(waits: &CallWaits) -> WaitTimes {
    let mut all = waits.before;
    all += waits.in_call;
    all
}

fn waits(rec: &rec_wait) -> CallWaits {
    let sleep = || Sleep { time: rec.longest, kind: wait_kind(rec.cause), waker: waker_of(&rec.waker) };
    CallWaits {
        in_call: times(&rec.in_call),
        before: times(&rec.before),
        sleeps: rec.waits,
        longest: (rec.waits > 0).then(sleep),
        taker: (kind(&rec.taker) == waker_kind::WAKER_THREAD).then(|| thread(&rec.taker)),
    }
}

fn times(by_cause: &[Ns]) -> WaitTimes {
    let mut times = WaitTimes::default();
    for (cause, &time) in by_cause.iter().enumerate() {
        times.add(wait_kind(cause as u32), time);
    }
    times
}

fn wait_kind(cause: u32) -> WaitKind {
    match wait_cause(cause) {
        wait_cause::WAIT_FOR_CPU => WaitKind::Runnable,
        wait_cause::WAIT_THROTTLED => WaitKind::Throttled,
        wait_cause::WAIT_DISK => WaitKind::Disk,
        wait_cause::WAIT_STOPPED => WaitKind::Stopped,
        _ => WaitKind::Blocked,
    }
}

fn kind(waker: &waker) -> waker_kind {
    waker_kind(u32::from(waker.kind))
}

fn thread(waker: &waker) -> NamedThread {
    NamedThread { tid: waker.tid as Tid, process: waker.process as Tid, comm: waker.comm }
}

fn waker_of(waker: &waker) -> Option<Waker> {
    let interrupt = match kind(waker) {
        waker_kind::WAKER_THREAD => {
            let call = (waker.nr >= 0).then(|| (records::abi(waker.abi), waker.nr as u64));
            return Some(Waker::Thread(thread(waker), call));
        }
        waker_kind::WAKER_TIMER => Interrupt::Timer,
        waker_kind::WAKER_NETWORK => Interrupt::Network,
        waker_kind::WAKER_DISK => Interrupt::Disk,
        waker_kind::WAKER_DEVICE => Interrupt::Device(waker.comm),
        waker_kind::WAKER_INTERRUPT => Interrupt::Other,
        _ => return None,
    };
    Some(Waker::Interrupt(interrupt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::rec_head;

    fn record(tid: u32, at: Ns, asleep: Ns, before: Ns) -> rec_wait {
        let head = rec_head { tid, ..rec_head::default() };
        let mut rec = rec_wait { head, at, waits: u32::from(asleep > 0), ..rec_wait::default() };
        rec.in_call[wait_cause::WAIT_ASLEEP.0 as usize] = asleep;
        rec.before[wait_cause::WAIT_ASLEEP.0 as usize] = before;
        rec
    }

    fn call(tid: Tid, entered: Ns) -> Call {
        Call { tid, entered: Some(entered), ..Call::default() }
    }

    #[test]
    fn a_call_has_the_waits_of_its_own_record() {
        let mut waits = WaitsOfCalls::default();
        waits.add(&record(7, 100, 60, 5));
        assert!(waits.take(&call(8, 10)).is_none());
        let found = waits.take(&call(7, 10)).unwrap();
        assert_eq!((found.in_call.asleep(), found.before.asleep(), found.sleeps), (60, 5, 1));
        assert!(waits.take(&call(7, 10)).is_none());
    }

    #[test]
    fn waits_of_calls_that_are_not_reported_count_as_time_before_the_next_call() {
        let mut waits = WaitsOfCalls::default();
        waits.add(&record(7, 100, 60, 5));
        waits.add(&record(7, 200, 30, 1));
        let found = waits.take(&call(7, 150)).unwrap();
        assert_eq!((found.in_call.asleep(), found.before.asleep()), (30, 66));
        // The next call did not wait, and sends no record.
        waits.add(&record(7, 300, 60, 5));
        let found = waits.take(&call(7, 350)).unwrap();
        assert_eq!((found.in_call.asleep(), found.before.asleep(), found.longest), (0, 65, None));
    }

    #[test]
    fn a_thread_that_is_gone_leaves_nothing() {
        let mut waits = WaitsOfCalls::default();
        waits.add(&record(7, 100, 60, 5));
        waits.renamed(7, 6);
        waits.add(&record(8, 100, 60, 5));
        waits.forget(8);
        assert!(waits.take(&call(8, 1)).is_none() && waits.take(&call(7, 1)).is_none());
        assert!(waits.take(&call(6, 1)).is_some());
    }

    #[test]
    fn wakers_are_threads_with_their_calls_or_interrupts() {
        let of = |kind: waker_kind, nr| waker { kind: kind.0 as u8, nr, tid: 5, process: 4, ..waker::default() };
        let Some(Waker::Thread(thread, Some((_, 44)))) = waker_of(&of(waker_kind::WAKER_THREAD, 44)) else { panic!() };
        assert_eq!((thread.tid, thread.process), (5, 4));
        assert!(matches!(waker_of(&of(waker_kind::WAKER_THREAD, -1)), Some(Waker::Thread(_, None))));
        assert_eq!(waker_of(&of(waker_kind::WAKER_TIMER, -1)), Some(Waker::Interrupt(Interrupt::Timer)));
        assert_eq!(waker_of(&of(waker_kind::WAKER_UNKNOWN, -1)), None);
    }
}
