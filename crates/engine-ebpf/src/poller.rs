//! When to look for blocked or stopped threads, which send no records (bpf/poller.bpf.c).

use crate::kernel::Kernel;
use crate::load::Programs;
use crate::relocate;
use crate::wire::{PollerSkel, PollerSkelBuilder, bound};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{Iter, Link};
use std::io::Read;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};
use stride_event::CallSet;
use stride_syscalls::Abi;

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

/// The programs that find blocked threads. They are loaded when they are needed first: most programs end before there is anything to look for.
pub struct BlockedPrograms {
    skel: PollerSkel<'static>,
    link: Link,
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

impl BlockedPrograms {
    /// `calls`: those that are told. `guarded`: as in [`crate::load::Config`].
    pub fn load(
        programs: &Programs,
        calls: &CallSet,
        ring_bytes: u32,
        guarded: bool,
    ) -> libbpf_rs::Result<BlockedPrograms> {
        // As in load.rs, there is one per process.
        let object = Box::leak(Box::new(MaybeUninit::uninit()));
        let mut builder = PollerSkelBuilder::default();
        relocate::by(programs.types(), &mut builder);
        let mut open = builder.open(object)?;
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            for &abi in Abi::SERVED {
                let numbers = bound::NUMBERS.0 as usize;
                for nr in (0..numbers).filter(|&nr| calls.contains(abi, nr as u64)) {
                    rodata.wanted[(abi as usize * numbers + nr) / 64] |= 1 << (nr % 64);
                }
            }
            rodata.want_unknown = calls.unknown;
            // Calls leave a sixteenth of the ring. Half of that may be used here.
            rodata.ring_limit = u64::from(ring_bytes - ring_bytes / 32);
        }
        open.progs.learn_ids.set_autoload(false);
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            rodata.nested = programs.nested().is_some();
            rodata.guarded = guarded;
        }
        if let (Some(bss), Some((level, numbers))) = (open.maps.bss_data.as_deref_mut(), programs.nested()) {
            (bss.pid_level, bss.pid_numbers) = (level, numbers);
        }
        open.maps.ring.reuse_fd(programs.rings()[0])?;
        open.maps.tasks.reuse_fd(programs.tasks())?;
        let skel = open.load()?;
        let link = skel.progs.poller.attach()?;
        Ok(BlockedPrograms { skel, link })
    }

    /// Sends records of the blocked or stopped threads: those found blocked for the second time, or all.
    pub fn look(&mut self, at_once: bool) {
        if let Some(bss) = self.skel.maps.bss_data.as_deref_mut() {
            bss.at_once = u32::from(at_once);
        }
        if let Ok(mut iter) = Iter::new(&self.link) {
            let mut none = [0; 64];
            while iter.read(&mut none).is_ok_and(|n| n > 0) {}
        }
    }
}

/// The time that this thread has run. (Other threads' time is no reason to look less often.)
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec. (It does not fail; if it did, no time would pass.)
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
