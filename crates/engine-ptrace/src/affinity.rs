//! Running where the tracee runs.
//!
//! A stop costs several times as much when tracer and tracee run on different CPUs: each has to wake the other's CPU from idle, in a
//! virtual machine through the hypervisor. Left alone, the kernel keeps them apart, for it wakes a thread on an idle CPU if there is one.
//! So the tracer comes to the tracee, whose own affinity is never touched:
//!
//! - it allows itself only the CPU where the tracee last ran (within those the user left it);
//! - it becomes `SCHED_IDLE`. The kernel takes a CPU that runs only such threads for idle, and wakes the tracee right there; otherwise
//!   the tracee would flee to the next idle CPU at every stop. This takes CAP_SYS_NICE, without which there is no way back.
//!
//! That is good for one tracee that makes call after call, and bad where several run in parallel, or others compete for that CPU. No rule
//! told these apart as well as trying: the time of a window of stops [`Mode::Beside`] the tracee is compared with that of one spent
//! [`Mode::Free`], and the better is kept, to be questioned again now and then. Failed trials become rare by doubling their distance.
//! Nothing of this costs a system call but at the ends of windows.

use crate::sys;
use nix::sched::CpuSet;
use std::fs::File;
use stride_event::{Ns, Tid};

/// Stops by which a mode is judged.
const WINDOW: u32 = 256;
/// Where stops are rarer than this on average, there is nothing to gain.
const RARE: Ns = 200_000;
/// A pause counts for this much at most: it is the tracee's.
const PAUSE: Ns = 1_000_000;
/// Windows until a trial is repeated.
const AGAIN: u32 = 16;
/// Windows for which a verdict stands.
const STANDS: u32 = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Free,
    /// On this CPU.
    Beside(usize),
}

#[derive(Debug)]
pub struct Affinity {
    mode: Mode,
    /// The CPUs to be free on; `None` where moving is out of the question.
    own: Option<CpuSet>,
    may_idle: bool,
    /// The current window: stops, time spent, time of the latest stop.
    stops: u32,
    spent: Ns,
    last: Ns,
    /// What the latest free window took.
    free: Ns,
    /// Windows left until the next trial, or in which the verdict stands.
    left: u32,
    distance: u32,
}

impl Affinity {
    pub fn new() -> Affinity {
        // With one CPU, or a scheduling policy that the user chose, nothing is to be done.
        let own = sys::own_cpus().ok().filter(|own| {
            let cpus = (0..CpuSet::count()).filter(|&c| own.is_set(c).unwrap_or(false)).count();
            cpus > 1 && sys::has_default_policy()
        });
        Affinity {
            mode: Mode::Free,
            own,
            may_idle: sys::may_leave_idle_policy(),
            stops: 0,
            spent: 0,
            last: 0,
            free: 0,
            left: 0,
            distance: AGAIN,
        }
    }

    /// A thread stopped at a system call.
    #[inline]
    pub fn at_stop(&mut self, tid: Tid, now: Ns) {
        if self.own.is_none() {
            return;
        }
        self.stops += 1;
        self.spent += now.saturating_sub(self.last).min(PAUSE);
        self.last = now;
        let beside = self.mode != Mode::Free;
        if self.stops >= WINDOW || beside && self.spent > self.free {
            let spent = std::mem::replace(&mut self.spent, 0);
            let stops = std::mem::replace(&mut self.stops, 0);
            self.judge(tid, stops, spent);
        }
    }

    fn judge(&mut self, tid: Tid, stops: u32, spent: Ns) {
        self.left = self.left.saturating_sub(1);
        match self.mode {
            Mode::Free if spent > RARE * Ns::from(stops) || self.left > 0 => {}
            Mode::Free => {
                self.free = spent;
                self.left = STANDS;
                self.come(tid);
            }
            Mode::Beside(_) if stops < WINDOW || spent > self.free / 8 * 7 => {
                self.leave();
                self.left = self.distance;
                self.distance = (self.distance * 2).min(1024);
            }
            Mode::Beside(_) => {
                self.distance = AGAIN;
                if self.left == 0 {
                    // Measure again what being free would cost.
                    self.leave();
                } else {
                    self.come(tid);
                }
            }
        }
    }

    /// Goes where this thread last ran.
    fn come(&mut self, tid: Tid) {
        let Some(cpu) = File::open(format!("/proc/{tid}/stat")).ok().and_then(|stat| sys::cpu_of(&stat)) else { return };
        if self.mode == Mode::Beside(cpu) || !self.own.is_some_and(|own| own.is_set(cpu).unwrap_or(false)) {
            return;
        }
        let mut one = CpuSet::new();
        if one.set(cpu).and_then(|()| sys::set_own_cpus(&one)).is_ok() {
            if self.may_idle && self.mode == Mode::Free {
                sys::set_idle_policy(true);
            }
            self.mode = Mode::Beside(cpu);
        }
    }

    fn leave(&mut self) {
        if self.mode != Mode::Free {
            self.mode = Mode::Free;
            if self.may_idle {
                sys::set_idle_policy(false);
            }
            if let Some(own) = &self.own {
                let _ = sys::set_own_cpus(own);
            }
        }
    }
}

impl Drop for Affinity {
    fn drop(&mut self) {
        self.leave();
    }
}
