//! Makes samples from the counts of an engine, and from the calls that the reader has to count.

use crate::model::sample::{OffCpu, Reason, Sample, SampleKey, SampleTally};
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::{Call, CallStats, CallWaits, Counted, LibraryCall, Ns, Outcome, WaitKind};
use stride_output::{errno_name, shown, waker_name};
use stride_syscalls::{Abi, table};
use stride_track::{Cause, Tracker};

/// Rows of one sample. A machine has fewer threads and syscalls than it takes for more.
const MOST_ROWS: usize = 1 << 15;

#[derive(Default)]
pub struct Sampler {
    rows: HashMap<SampleKey, SampleTally>,
    reasons: HashMap<Reason, Ns>,
    calls: HashMap<(Abi, u64), Arc<str>>,
    errors: HashMap<u32, Arc<str>>,
    comms: HashMap<Vec<u8>, Arc<str>>,
}

impl Sampler {
    pub fn counted(&mut self, counted: &Counted) {
        let call = counted.call.map(|(abi, nr)| self.call(abi, nr)).unwrap_or_default();
        let key = SampleKey {
            pid: counted.pid,
            comm: self.comm(&counted.comm),
            call,
            errno: self.errno(counted.errno),
            ..SampleKey::default()
        };
        self.add(key, &tally(&counted.tally));
    }

    /// A call that returned and that the engine did not count.
    pub fn call_returned(&mut self, call: &Call, tracker: &Tracker) {
        let errno = match call.outcome {
            Outcome::Error(errno) => errno,
            Outcome::Value(_) => 0,
            Outcome::Pending | Outcome::Gone => return,
        };
        if call.counted {
            return;
        }
        let pid = tracker.seen().map_or(call.tid, |seen| seen.pid);
        let time = call.took().unwrap_or(0);
        let comm = tracker.thread(call.tid).map(|thread| self.comm(&thread.comm)).unwrap_or_default();
        let key = SampleKey {
            pid,
            comm,
            call: self.call(call.abi, call.nr),
            errno: self.errno(errno),
            ..SampleKey::default()
        };
        let (asleep, off) = call.waits.as_ref().map_or((0, 0), |waits| (waits.in_call.asleep(), waits.in_call.all()));
        let tally = SampleTally {
            calls: 1,
            errors: u64::from(errno != 0),
            bytes: call.moved().unwrap_or(0),
            time,
            longest: time,
            blocked: asleep,
            runnable: off - asleep,
        };
        self.add(key, &tally);
        if let Some(waits) = call.waits.as_deref() {
            self.waited(pid, call, waits, tracker);
        }
    }

    /// Counts a call's waits by their reasons.
    fn waited(&mut self, pid: i32, call: &Call, waits: &CallWaits, tracker: &Tracker) {
        let cause = tracker.seen().and_then(|seen| Cause::of(call, seen, tracker));
        let waker = waits.longest.and_then(|longest| longest.waker).map(|waker| shown(&waker_name(&waker)).into());
        let without_cpu = waits.before.of(WaitKind::Runnable) + waits.before.of(WaitKind::Throttled);
        let reasons = [
            (cause.map(OffCpu::Cause), waits.in_call.all()),
            (waker.map(OffCpu::Waker), waits.longest.map_or(0, |longest| longest.time)),
            (Some(OffCpu::NoCpu), without_cpu),
        ];
        for (why, time) in reasons {
            let Some(why) = why.filter(|_| time > 0) else { continue };
            let reason = Reason { pid, why };
            if self.reasons.len() < MOST_ROWS || self.reasons.contains_key(&reason) {
                let all = self.reasons.entry(reason).or_default();
                *all = all.saturating_add(time);
            }
        }
    }

    /// An operation of io_uring that ended. Of one with several completions, each adds its bytes.
    pub fn operation_ended(&mut self, call: &LibraryCall, tracker: &Tracker) {
        let pid = tracker.seen().map_or(call.tid, |seen| seen.pid);
        let comm = tracker.thread(call.tid).map(|thread| self.comm(&thread.comm)).unwrap_or_default();
        let error = call.error();
        let key = SampleKey {
            pid,
            comm,
            // There are few names.
            call: call.function.name.as_ref().into(),
            errno: error.map(|error| self.errno(error)).unwrap_or_default(),
            ..SampleKey::default()
        };
        let is_counted = call.is_counted_here();
        let time = call.duration().filter(|_| is_counted).unwrap_or(0);
        let tally = SampleTally {
            calls: is_counted.into(),
            errors: (is_counted && error.is_some()).into(),
            bytes: call.moved().unwrap_or(0),
            time,
            longest: time,
            ..SampleTally::default()
        };
        self.add(key, &tally);
    }

    /// The calls that were counted since this was last asked.
    pub fn take(&mut self, length: u64) -> Sample {
        self.comms.clear();
        let rows = std::mem::take(&mut self.rows).into_iter().collect();
        Sample { length, rows, reasons: std::mem::take(&mut self.reasons).into_iter().collect() }
    }

    fn add(&mut self, key: SampleKey, tally: &SampleTally) {
        if self.rows.len() < MOST_ROWS || self.rows.contains_key(&key) {
            self.rows.entry(key).or_default().merge(tally);
        }
    }

    fn call(&mut self, abi: Abi, nr: u64) -> Arc<str> {
        // A tracee may make up numbers.
        if self.calls.len() > 4096 {
            self.calls.clear();
        }
        self.calls
            .entry((abi, nr))
            .or_insert_with(|| {
                let name = table(abi).name(nr);
                if abi == Abi::NATIVE { name.into() } else { format!("{name} ({})", abi.name()).into() }
            })
            .clone()
    }

    fn errno(&mut self, errno: u32) -> Arc<str> {
        if errno == 0 {
            return Arc::default();
        }
        self.errors.entry(errno & 0xfff).or_insert_with(|| errno_name(errno).into()).clone()
    }

    fn comm(&mut self, comm: &[u8]) -> Arc<str> {
        if let Some(known) = self.comms.get(comm) {
            return known.clone();
        }
        let name: Arc<str> = shown(comm).into();
        if self.comms.len() < MOST_ROWS {
            self.comms.insert(comm.to_vec(), name.clone());
        }
        name
    }
}

fn tally(of: &CallStats) -> SampleTally {
    SampleTally {
        calls: of.calls,
        errors: of.errors,
        bytes: of.bytes,
        time: of.wall.total,
        longest: of.wall.max,
        blocked: of.blocked,
        runnable: of.runnable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{Event, Interrupt, Sleep, WaitTimes, Waker};
    use stride_test_support::calls::{attached, call, lasting, operation};

    #[test]
    fn waits_have_reasons() {
        let (mut sampler, mut tracker) = (Sampler::default(), Tracker::default());
        tracker.event(&attached(7, 5), &());
        let waits = CallWaits {
            in_call: WaitTimes::from_iter([(WaitKind::Blocked, 60), (WaitKind::Runnable, 5)]),
            before: WaitTimes::from_iter([(WaitKind::Runnable, 9), (WaitKind::Throttled, 2), (WaitKind::Stopped, 4)]),
            sleeps: 2,
            longest: Some(Sleep { time: 50, kind: WaitKind::Blocked, waker: Some(Waker::Interrupt(Interrupt::Timer)) }),
            taker: None,
            taker_before: None,
        };
        for _ in 0..2 {
            let sleep = lasting(call(7, "nanosleep", &[0, 0], Outcome::Value(0)), 100, 80);
            let sleep = Call { waits: Some(Box::new(waits)), ..sleep };
            tracker.event(&Event::Exit(&sleep), &());
            sampler.call_returned(&sleep, &tracker);
        }
        let sample = sampler.take(1);
        let (_, tally) = &sample.rows[0];
        assert_eq!((tally.time, tally.blocked, tally.runnable), (160, 120, 10));
        let time = |why| sample.reasons.iter().find(|(reason, _)| reason.why == why).map(|(_, time)| *time);
        assert_eq!(time(OffCpu::Cause(Cause::Timer)), Some(130));
        assert_eq!(time(OffCpu::Waker("timer".into())), Some(100));
        assert_eq!(time(OffCpu::NoCpu), Some(22));
        assert_eq!(sampler.take(1).reasons, []);
    }

    #[test]
    fn operations_are_rows_beside_calls() {
        let (mut sampler, mut tracker) = (Sampler::default(), Tracker::default());
        tracker.event(&attached(7, 5), &());
        for result in [100, 50, -2] {
            let read = operation(7, "read", &[3, 0x1000, 100], &[], result);
            tracker.event(&Event::Library(&read), &());
            sampler.operation_ended(&read, &tracker);
        }
        let mut rows = sampler.take(1).rows;
        rows.sort_by_key(|(key, _)| key.errno.clone());
        let figures: Vec<_> =
            rows.iter().map(|(key, tally)| (&*key.call, &*key.errno, key.pid, tally.calls, tally.bytes)).collect();
        assert_eq!(figures, [("io_uring:read", "", 7, 2, 150), ("io_uring:read", "ENOENT", 7, 1, 0)]);
        assert_eq!((rows[0].1.time, rows[0].1.longest, rows[1].1.errors), (4000, 2000, 1));
    }
}
