//! When to look for blocked or stopped threads, which send no records (bpf/poller.bpf.c).

use crate::kernel::Kernel;
use std::time::{Duration, Instant};
use stride_event::CallSet;

/// A call is reported when it is found the second time, so within two periods, which a reader perceives as "at once".
const PERIOD: Duration = Duration::from_millis(50);
/// Looking takes at most a tenth of the reader's time, however many threads the machine has. (10,000 threads take 8
/// ms.)
const SHARE: u32 = 10;
/// Records that are handled before the clock is read: less than a millisecond.
const RECORDS: u32 = 512;

pub struct Poller {
    calls: CallSet,
    ring_bytes: u32,
    state: State,
    next: Instant,
    records: u32,
}

#[derive(PartialEq)]
enum State {
    /// Blocked calls are not wanted.
    Off,
    On,
}

impl Poller {
    pub fn new(wanted: bool, calls: CallSet, ring_bytes: u32) -> Poller {
        let state = if wanted { State::On } else { State::Off };
        Poller { calls, ring_bytes, state, next: Instant::now() + PERIOD, records: RECORDS }
    }

    /// A record was read. Looks, if it is time.
    #[inline]
    pub fn record(&mut self, kernel: &mut Kernel) {
        self.records -= 1;
        if self.records == 0 {
            self.records = RECORDS;
            self.idle(kernel);
        }
    }

    /// Looks, if it is time.
    pub fn idle(&mut self, kernel: &mut Kernel) {
        if Instant::now() >= self.next {
            self.look(kernel, false);
        }
    }

    /// How long the reader may wait for records.
    pub fn patience(&self, most: Duration) -> Duration {
        match self.state {
            State::Off => most,
            _ => self.next.saturating_duration_since(Instant::now()).min(most),
        }
    }

    /// Something happened that makes looking soon worthwhile.
    pub fn hurry(&mut self) {
        self.next = self.next.min(Instant::now() + PERIOD / 10);
    }

    /// Sends records of the blocked or stopped threads: those found blocked for the second time, or all.
    pub fn look(&mut self, kernel: &mut Kernel, at_once: bool) {
        let start = Instant::now();
        let begun = cpu_time();
        // A failure does no harm: the calls are still shown when they return.
        if self.state == State::Off || !kernel.look_for_blocked(&self.calls, self.ring_bytes, at_once) {
            self.state = State::Off;
            self.next = start + Duration::from_secs(3600);
            return;
        }
        self.next = start + PERIOD.max(cpu_time().saturating_sub(begun) * SHARE);
    }

    /// Tracing has ended. There is nothing to look for, and the remaining records are read without delay.
    pub fn end(&mut self) {
        self.state = State::Off;
    }
}

/// The time that this thread has run. (Other threads' time is no reason to look less often.)
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec. (It does not fail; if it did, no time would pass.)
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
