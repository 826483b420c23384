//! Joins the records of waits with the calls during which threads waited (`--waits`).
//!
//! A thread that was off its CPUs sends a record when it is back. Those of waits in a call stand before the record of the call, if the call is reported. A
//! call may have many. All other waits count as times before the thread's next call. When tracing ends, those that last are told as well.

pub mod programs;

use crate::reading::records;
use crate::wire::{rec_wait, wait_cause, wait_flag, waker, waker_kind};
use rustc_hash::FxHashMap;
use stride_event::{Call, CallWaits, Interrupt, NamedThread, Ns, Sleep, Taker, Tid, WaitKind, WaitTimes, Waker};

/// The waits of each thread since its last reported call.
#[derive(Default)]
pub struct WaitsOfCalls {
    by_thread: FxHashMap<Tid, Pending>,
}

#[derive(Default)]
struct Pending {
    /// The entry of the call that they belong to. 0: there is none.
    entered: Ns,
    /// When the thread was back on a CPU last.
    at: Ns,
    /// The longest time without a CPU in the call, and before the call.
    longest_runnable: Ns,
    longest_before: Ns,
    waits: Box<CallWaits>,
    /// The wait that lasts when tracing ends.
    lasts: Option<rec_wait>,
}

impl WaitsOfCalls {
    /// Takes in a record.
    pub fn add(&mut self, rec: &rec_wait) {
        let new = || Pending { entered: rec.entered, ..Pending::default() };
        let pending = self.by_thread.entry(rec.head.tid as Tid).or_insert_with(new);
        if rec.flags & wait_flag::WAIT_LASTS.0 != 0 {
            // (Or it is over by now: the thread's own record came first.)
            pending.lasts = (began(rec) >= pending.at).then_some(*rec);
            return;
        }
        pending.lasts = None;
        pending.add(rec);
    }

    /// The waits of a call that has returned.
    pub fn take(&mut self, call: &Call) -> Option<Box<CallWaits>> {
        if self.by_thread.is_empty() {
            return None;
        }
        Some(self.by_thread.remove(&call.tid)?.of(call))
    }

    /// The waits so far of a call that has not returned when tracing ends, and, if one of them lasts, the latest moment at which that was seen.
    pub fn leave(&mut self, call: &Call) -> Option<(Box<CallWaits>, Option<Ns>)> {
        let mut pending = self.by_thread.remove(&call.tid)?;
        // (One that began before this call was in another one.)
        let lasts = pending.lasts.take().filter(|rec| call.entered.is_none_or(|entered| began(rec) >= entered));
        if let Some(rec) = &lasts {
            pending.add(rec);
        }
        Some((pending.of(call), lasts.map(|rec| rec.at)))
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

impl Pending {
    fn add(&mut self, rec: &rec_wait) {
        if self.entered != rec.entered {
            self.become_earlier();
            self.entered = rec.entered;
        }
        self.at = rec.at;
        let (waits, times) = (&mut self.waits, times(&rec.in_call));
        waits.before += self::times(&rec.before);
        waits.in_call += times;
        let (kind, runnable) = (wait_kind(rec.cause), times.of(WaitKind::Runnable));
        if rec.flags & wait_flag::WAIT_IN_CALL.0 != 0 && kind.is_sleep() {
            waits.sleeps += 1;
            if waits.longest.is_none_or(|longest| longest.time < times.of(kind)) {
                waits.longest = Some(Sleep { time: times.of(kind), kind, waker: waker_of(&rec.waker) });
            }
        }
        if runnable > self.longest_runnable {
            self.longest_runnable = runnable;
            waits.taker = taker(&rec.taker);
        }
        let before = self::times(&rec.before).of(WaitKind::Runnable);
        if before > self.longest_before {
            self.longest_before = before;
            waits.taker_before = taker(&rec.taker);
        }
    }

    /// The waits so far were those of an earlier call.
    fn become_earlier(&mut self) {
        if self.longest_runnable > self.longest_before {
            self.longest_before = self.longest_runnable;
            self.waits.taker_before = self.waits.taker;
        }
        self.longest_runnable = 0;
        self.waits.become_earlier();
    }

    /// Those of this call. They may be all of an earlier one.
    fn of(mut self, call: &Call) -> Box<CallWaits> {
        if call.entered.is_some_and(|entered| self.at < entered) {
            self.become_earlier();
        }
        self.waits
    }
}

/// The moment at which the thread left its CPU. (A record has one wait.)
fn began(rec: &rec_wait) -> Ns {
    rec.at.saturating_sub(times(&rec.in_call).all())
}

fn times(by_cause: &[Ns]) -> WaitTimes {
    by_cause.iter().enumerate().map(|(cause, &time)| (wait_kind(cause as u32), time)).collect()
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

fn taker(taker: &waker) -> Option<Taker> {
    match kind(taker) {
        waker_kind::WAKER_THREAD => Some(Taker::Thread(thread(taker))),
        waker_kind::WAKER_HIDDEN => Some(Taker::Hidden),
        _ => None,
    }
}

fn waker_of(waker: &waker) -> Option<Waker> {
    let interrupt = match kind(waker) {
        waker_kind::WAKER_THREAD => {
            let call = (waker.nr >= 0).then(|| (records::abi(waker.abi), waker.nr as u64));
            return Some(Waker::Thread(thread(waker), call));
        }
        waker_kind::WAKER_HIDDEN => return Some(Waker::Hidden),
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

    /// A sleep in a call that was entered at this time.
    fn record(tid: u32, entered: Ns, asleep: Ns, before: Ns) -> rec_wait {
        let head = rec_head { tid, ..rec_head::default() };
        let at = entered + asleep;
        let (cause, flags) = (wait_cause::WAIT_ASLEEP.0, if entered > 0 { wait_flag::WAIT_IN_CALL.0 } else { 0 });
        let mut rec = rec_wait { head, at, entered, cause, flags, ..rec_wait::default() };
        rec.in_call[wait_cause::WAIT_ASLEEP.0 as usize] = asleep;
        rec.before[wait_cause::WAIT_ASLEEP.0 as usize] = before;
        rec
    }

    fn call(tid: Tid, entered: Ns) -> Call {
        Call { tid, entered: Some(entered), ..Call::default() }
    }

    #[test]
    fn a_call_has_the_waits_of_its_own_records() {
        let mut waits = WaitsOfCalls::default();
        waits.add(&record(7, 10, 60, 5));
        assert!(waits.take(&call(8, 10)).is_none());
        let mut other = record(7, 10, 40, 0);
        other.waker.kind = waker_kind::WAKER_TIMER.0 as u8;
        waits.add(&other);
        let found = waits.take(&call(7, 10)).unwrap();
        assert_eq!((found.in_call.asleep(), found.before.asleep(), found.sleeps), (100, 5, 2));
        assert!(found.longest.is_some_and(|longest| longest.time == 60 && longest.waker.is_none()));
        assert!(waits.take(&call(7, 10)).is_none());
    }

    #[test]
    fn waits_of_calls_that_are_not_reported_count_as_time_before_the_next_call() {
        let mut waits = WaitsOfCalls::default();
        waits.add(&record(7, 100, 60, 5));
        waits.add(&record(7, 200, 30, 1));
        // (The record of an entry may have a time of its own, a little later.)
        let found = waits.take(&call(7, 201)).unwrap();
        assert_eq!((found.in_call.asleep(), found.before.asleep(), found.sleeps), (30, 66, 1));
        // The next call did not wait, and sends no record.
        waits.add(&record(7, 300, 60, 5));
        let found = waits.take(&call(7, 370)).unwrap();
        assert_eq!((found.in_call.asleep(), found.before.asleep(), found.longest), (0, 65, None));
    }

    #[test]
    fn waits_outside_calls_come_before_a_call() {
        let mut waits = WaitsOfCalls::default();
        waits.add(&record(7, 0, 0, 9));
        let found = waits.take(&call(7, 350)).unwrap();
        assert_eq!((found.before.asleep(), found.sleeps, found.longest), (9, 0, None));
    }

    /// A call tells the threads that had the CPU for which its thread waited longest: in the call, and before.
    #[test]
    fn takers_of_cpus() {
        let by = |tid, entered, time, before| {
            let mut rec = rec_wait { at: 500, entered, ..rec_wait::default() };
            rec.head.tid = 7;
            rec.in_call[wait_cause::WAIT_FOR_CPU.0 as usize] = time;
            rec.before[wait_cause::WAIT_FOR_CPU.0 as usize] = before;
            rec.taker = waker { kind: waker_kind::WAKER_THREAD.0 as u8, tid, process: tid, ..waker::default() };
            rec
        };
        let tid = |taker: Option<Taker>| match taker {
            Some(Taker::Thread(thread)) => thread.tid,
            _ => 0,
        };
        let mut waits = WaitsOfCalls::default();
        [by(1, 0, 0, 30), by(2, 0, 0, 50), by(3, 0, 0, 40), by(4, 100, 9, 0), by(5, 100, 8, 0)]
            .iter()
            .for_each(|rec| waits.add(rec));
        let found = waits.take(&call(7, 100)).unwrap();
        assert_eq!((tid(found.taker), tid(found.taker_before)), (4, 2));
        // An unreported call, of which the longest time is now one before the next call.
        [by(1, 0, 0, 30), by(4, 100, 90, 0), by(5, 200, 8, 0)].iter().for_each(|rec| waits.add(rec));
        let found = waits.take(&call(7, 200)).unwrap();
        assert_eq!((tid(found.taker), tid(found.taker_before)), (5, 4));
    }

    #[test]
    fn a_wait_that_lasts_is_told_when_tracing_ends() {
        let lasting = |tid, entered, asleep| {
            let rec = record(tid, entered, asleep, 0);
            rec_wait { flags: rec.flags | wait_flag::WAIT_LASTS.0, ..rec }
        };
        let mut waits = WaitsOfCalls::default();
        waits.add(&record(7, 100, 10, 5));
        waits.add(&rec_wait { at: 190, ..lasting(7, 100, 60) });
        let (found, until) = waits.leave(&call(7, 100)).unwrap();
        assert_eq!((found.in_call.asleep(), found.before.asleep(), found.sleeps, until), (70, 5, 2, Some(190)));
        assert!(found.longest.is_some_and(|longest| longest.time == 60 && longest.waker.is_none()));
        // It ended after all, and has its own record before or after that.
        for swapped in [false, true] {
            let mut both = [lasting(7, 100, 60), record(7, 100, 70, 0)];
            if swapped {
                both.reverse();
            }
            both.iter().for_each(|rec| waits.add(rec));
            let (found, until) = waits.leave(&call(7, 100)).unwrap();
            assert_eq!((found.in_call.asleep(), found.sleeps, until), (70, 1, None), "{swapped}");
        }
        // The thread was in another call by then.
        waits.add(&lasting(7, 100, 60));
        let (found, until) = waits.leave(&call(7, 300)).unwrap();
        assert_eq!((*found, until), (CallWaits::default(), None));
        // The call began before tracing did.
        let mut early = lasting(7, 0, 60);
        early.flags |= wait_flag::WAIT_IN_CALL.0;
        waits.add(&early);
        let (found, until) = waits.leave(&Call { tid: 7, ..Call::default() }).unwrap();
        assert_eq!((found.in_call.asleep(), found.sleeps, until), (60, 1, Some(60)));
        // A call that returns has its own records.
        waits.add(&lasting(7, 100, 60));
        assert_eq!(waits.take(&call(7, 100)).map(|found| *found), Some(CallWaits::default()));
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
        assert_eq!(waker_of(&of(waker_kind::WAKER_HIDDEN, -1)), Some(Waker::Hidden));
        assert_eq!(waker_of(&of(waker_kind::WAKER_UNKNOWN, -1)), None);
        assert_eq!(taker(&of(waker_kind::WAKER_HIDDEN, -1)), Some(Taker::Hidden));
        assert_eq!(taker(&of(waker_kind::WAKER_UNKNOWN, -1)), None);
    }
}
