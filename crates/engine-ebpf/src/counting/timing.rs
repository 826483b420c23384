//! The times of calls that are only counted.
//!
//! Two programs run at each call: one when the call is entered, which reads the clock, and one when the call returns, which counts. The first
//! takes more than half of the time that both take. So where calls are very many, the first is attached for a short part of each
//! period only, and the calls that were entered meanwhile stand for all ([`Estimates`]). Calls and errors are counted exactly all the same.
//!
//! Below [`MANY`] calls a second, all calls are timed.

use crate::ring::Mapping;
use crate::wire::{bound, count, count_times};
use libbpf_rs::libbpf_sys;
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use stride_engine_base::signal::without_signals;

/// More calls a second than this are not all timed, until there are fewer than [`FEW`].
const MANY: f64 = 50_000.0;
const FEW: f64 = 20_000.0;
/// The length of a period, on average, and of the part of it in which calls are timed.
const PERIOD: Duration = Duration::from_millis(100);
const TIMED: Duration = Duration::from_millis(5);
/// With so many timed calls of a syscall, they stand for those that returned meanwhile.
const ENOUGH: u64 = 16;

/// The counts of one syscall, of all CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimedCount {
    pub calls: u64,
    /// Those of them that were timed, and the time that these took on a CPU, in nanoseconds.
    pub timed: u64,
    pub cpu: u64,
}

impl TimedCount {
    fn since(self, before: TimedCount) -> TimedCount {
        TimedCount { calls: self.calls - before.calls, timed: self.timed - before.timed, cpu: self.cpu - before.cpu }
    }

    /// The time that all calls took, if they took as long as those that were timed.
    fn scaled(self, calls: u64) -> u64 {
        if self.timed == 0 { 0 } else { (u128::from(self.cpu) * u128::from(calls) / u128::from(self.timed)) as u64 }
    }
}

/// The times of all calls, estimated from those of some. Short stretches are scaled up by themselves, because the share of timed calls differs
/// from one to the next, and the calls may differ, too.
#[derive(Debug, Default)]
pub struct Estimates {
    /// By slot: the counts up to which there is an estimate, and the estimate in nanoseconds.
    slots: Vec<(TimedCount, u64)>,
    /// Calls went by that were not timed.
    needed: bool,
}

impl Estimates {
    fn settle(&mut self, counts: &[TimedCount]) {
        self.slots.resize(counts.len().max(self.slots.len()), Default::default());
        for ((settled, estimate), &now) in self.slots.iter_mut().zip(counts) {
            let new = now.since(*settled);
            if new.timed >= ENOUGH {
                *estimate += new.scaled(new.calls);
                *settled = now;
            }
        }
    }

    /// The time that the calls of this slot took on a CPU. `None`: all of them were timed.
    pub fn find(&self, slot: usize, now: TimedCount) -> Option<u64> {
        self.needed.then(|| self.of(slot, now))
    }

    fn of(&self, slot: usize, now: TimedCount) -> u64 {
        let (settled, estimate) = self.slots.get(slot).copied().unwrap_or_default();
        let new = now.since(settled);
        // A few timed calls do not stand for very many others: one of them may have been disturbed.
        let alike = if new.timed >= ENOUGH { new } else { now };
        estimate + new.cpu + alike.scaled(new.calls.saturating_sub(new.timed))
    }
}

/// The thread that attaches the program at entry, and detaches it.
pub struct Timing {
    estimates: Arc<Mutex<Estimates>>,
    /// When the sender is dropped, the thread ends.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Timing {
    /// Attaches the program. `counts` is the kernel side's map of counts.
    pub fn start(program: BorrowedFd<'_>, counts: BorrowedFd<'_>, cpus: u32) -> io::Result<Timing> {
        let first = attach(program)?;
        let (stop, stopped) = channel();
        let estimates = Arc::default();
        let timer = Timer {
            program: program.try_clone_to_owned()?,
            counts: Counts::map(counts, cpus)?,
            estimates: Arc::clone(&estimates),
            stopped,
        };
        let run = move || timer.run(first);
        let thread = without_signals(|| thread::Builder::new().name("timing".into()).spawn(run))?;
        Ok(Timing { estimates, thread: Some((stop, thread)) })
    }

    /// Detaches the program.
    pub fn end(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    }

    pub fn estimates(&self) -> MutexGuard<'_, Estimates> {
        self.estimates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread's own part.
struct Timer {
    program: OwnedFd,
    counts: Counts,
    estimates: Arc<Mutex<Estimates>>,
    stopped: Receiver<()>,
}

impl Timer {
    fn run(self, first: OwnedFd) {
        let mut link = Some(first);
        let mut times_all = true;
        let mut before = (Instant::now(), 0);
        let mut chance = 1;
        loop {
            if self.is_over_after(if times_all { PERIOD } else { (PERIOD - TIMED).mul_f64(unsteady(&mut chance)) }) {
                return;
            }
            if !times_all {
                // If that fails, the next period may do better.
                link = attach(self.program.as_fd()).ok();
                if self.is_over_after(TIMED) {
                    return;
                }
            }
            let counts = self.counts.read();
            let now = (Instant::now(), counts.iter().map(|count| count.calls).sum());
            let rate = (now.1 - before.1) as f64 / (now.0 - before.0).as_secs_f64();
            before = now;
            times_all = rate <= if times_all { MANY } else { FEW };
            let mut estimates = self.estimates.lock().unwrap_or_else(PoisonError::into_inner);
            estimates.settle(&counts);
            estimates.needed |= !times_all;
            drop(estimates);
            link = if times_all { link.or_else(|| attach(self.program.as_fd()).ok()) } else { None };
        }
    }

    /// Waits, and returns true at once when tracing ends.
    fn is_over_after(&self, wait: Duration) -> bool {
        !matches!(self.stopped.recv_timeout(wait), Err(RecvTimeoutError::Timeout))
    }
}

/// Between a half and one and a half, so that no program keeps step with the periods.
fn unsteady(state: &mut u32) -> f64 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    0.5 + f64::from(*state >> 16) / 65_536.0
}

fn attach(program: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: the name is a string of C, and the program a raw tracepoint's.
    let fd = unsafe { libbpf_sys::bpf_raw_tracepoint_open(c"sys_enter".as_ptr(), program.as_raw_fd()) };
    if fd < 0 {
        return Err(io::Error::from_raw_os_error(-fd));
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The kernel side's counts, mapped.
struct Counts {
    map: Mapping,
    cpus: usize,
}

impl Counts {
    fn map(fd: BorrowedFd<'_>, cpus: u32) -> io::Result<Counts> {
        let cpus = cpus as usize;
        let map = Mapping::values(fd, cpus * bound::COUNT_SLOTS.0 as usize * size_of::<count>())?;
        Ok(Counts { map, cpus })
    }

    /// Of each slot that is in use. The kernel side gives out slots one after another.
    fn read(&self) -> Vec<TimedCount> {
        let slots = bound::COUNT_SLOTS.0 as usize;
        let of = |slot| {
            let mut sum = TimedCount::default();
            for cpu in 0..self.cpus {
                let at = (cpu * slots + slot) * size_of::<count>();
                let number = |offset| self.map.long(at + offset).load(Ordering::Relaxed);
                sum.calls += number(offset_of!(count, calls));
                sum.timed += number(offset_of!(count, timed));
                sum.cpu += number(offset_of!(count, cpu) + offset_of!(count_times, total));
            }
            sum
        };
        (0..slots).map(of).take_while(|sum| sum.calls > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(calls: u64, timed: u64, cpu: u64) -> TimedCount {
        TimedCount { calls, timed, cpu }
    }

    #[test]
    fn stretches_are_scaled_by_themselves() {
        let mut estimates = Estimates::default();
        // All calls are timed, and take 100 ns each. Then a tenth of them are, and take 10 ns each.
        let slow = count(1_000, 1_000, 100_000);
        let fast = count(101_000, 11_000, 200_000);
        estimates.settle(&[slow]);
        estimates.settle(&[fast]);
        assert_eq!(estimates.of(0, fast), 100_000 + 1_000_000);
        let pooled = Estimates::default().of(0, fast);
        assert!(pooled > 1_800_000, "as one stretch, slow calls would stand for fast ones: {pooled}");
    }

    #[test]
    fn few_timed_calls_wait_for_more() {
        let mut estimates = Estimates::default();
        estimates.settle(&[count(100, 1, 5_000)]);
        estimates.settle(&[count(200, 2, 6_000)]);
        assert_eq!(estimates.of(0, count(200, 2, 6_000)), 600_000, "one stretch of 200 calls");
        estimates.settle(&[count(1_600, 16, 16_000)]);
        assert_eq!(estimates.of(0, count(1_600, 16, 16_000)), 1_600_000);
        assert_eq!(estimates.of(0, count(1_700, 16, 16_000)), 1_700_000, "the rest is taken to be like all others");
        let disturbed = count(301_600, 17, 96_000);
        assert_eq!(
            estimates.of(0, disturbed),
            1_600_000 + 80_000 + 299_999 * 96_000 / 17,
            "one call does not stand for 300,000"
        );
        assert_eq!(estimates.of(1, count(3, 0, 0)), 0, "nothing is known");
        assert_eq!(estimates.of(1, count(3, 3, 30)), 30, "a new slot");
    }

    #[test]
    fn timed_calls_are_exact() {
        let mut estimates = Estimates::default();
        for n in 1..=50 {
            estimates.settle(&[count(n * 7, n * 7, n * 7_001)]);
        }
        assert_eq!(estimates.of(0, count(351, 351, 350_060)), 350_060);
    }

    #[test]
    fn periods_differ_and_keep_their_mean() {
        let mut state = 1;
        let lengths: Vec<f64> = (0..1_000).map(|_| unsteady(&mut state)).collect();
        assert!(lengths.iter().all(|length| (0.5..1.5).contains(length)));
        assert!((lengths.iter().sum::<f64>() / 1_000.0 - 1.0).abs() < 0.05);
        assert!(lengths.windows(2).any(|two| (two[0] - two[1]).abs() > 0.5));
    }
}
