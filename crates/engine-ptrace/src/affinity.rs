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
//! told these apart as well as trying: what stops cost [`Mode::Beside`] the tracee is compared with what they cost in a window spent
//! [`Mode::Free`]. The kernel may move the tracee at any time, so when stops become slow, the first guess is that it went elsewhere.
//! Failed trials become rare by doubling their distance. Nothing of this takes a system call but when a verdict changes, or stops are slow.

use crate::sys;
use nix::sched::CpuSet;
use std::fs::File;
use stride_event::{Ns, Tid};

/// Stops by which the cost of being free is measured.
const WINDOW: u32 = 256;
/// The same at the very beginning: a short program is over before a whole window is.
const FIRST: u32 = CHUNK;
/// Stops after which it is asked whether being beside still pays.
const CHUNK: u32 = 16;
/// Slow chunks (twice, where it turned out that the tracee had not moved) less quick ones, until being beside counts as a failure.
const PATIENCE: u32 = 16;
/// Where stops are rarer than this on average, there is nothing to gain.
const RARE: Ns = 200_000;
/// A pause counts for this much at most: it is the tracee's.
const PAUSE: Ns = 1_000_000;
/// Stops from a failed trial to the next, at first and at most.
const AGAIN: u32 = 1 << 12;
const RARELY: u32 = 1 << 18;
/// Stops for which a verdict stands.
const STANDS: u32 = 1 << 16;
/// The same for a verdict after so short a look.
const STANDS_FIRST: u32 = 1 << 9;

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
    /// How many stops the current window takes.
    window: u32,
    /// The current window or chunk: stops, time spent, time of the latest stop.
    stops: u32,
    spent: Ns,
    last: Ns,
    /// What a chunk took when last free.
    free: Ns,
    slow: u32,
    /// Stops left until the next trial, or for which the verdict stands.
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
            window: FIRST,
            stops: 0,
            spent: 0,
            last: 0,
            free: 0,
            slow: 0,
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
        if self.last == 0 {
            self.last = now;
        }
        self.stops += 1;
        self.spent += now.saturating_sub(self.last).min(PAUSE);
        self.last = now;
        let beside = self.mode != Mode::Free;
        if self.stops >= if beside { CHUNK } else { self.window } {
            let spent = std::mem::replace(&mut self.spent, 0);
            let stops = std::mem::replace(&mut self.stops, 0);
            self.left = self.left.saturating_sub(stops);
            if beside { self.beside(tid, spent) } else { self.free(tid, spent) }
        }
    }

    fn free(&mut self, tid: Tid, spent: Ns) {
        let window = std::mem::replace(&mut self.window, WINDOW);
        if self.left == 0 && spent < RARE * Ns::from(window) {
            self.free = spent / Ns::from(window / CHUNK);
            self.slow = 0;
            self.left = if window == FIRST { STANDS_FIRST } else { STANDS };
            self.come(tid);
        }
    }

    fn beside(&mut self, tid: Tid, spent: Ns) {
        if spent > self.free / 4 * 3 {
            self.slow += if self.come(tid) { 1 } else { 2 };
        } else {
            self.slow = self.slow.saturating_sub(1);
        }
        if self.slow >= PATIENCE {
            self.leave();
            self.left = self.distance;
            self.distance = (self.distance * 2).min(RARELY);
        } else if self.left == 0 {
            // It went well. Measure again what being free would cost.
            self.distance = AGAIN;
            self.leave();
        }
    }

    /// Goes where this thread last ran; false if it is there already, or must not go.
    fn come(&mut self, tid: Tid) -> bool {
        let Some(cpu) = File::open(format!("/proc/{tid}/stat")).ok().and_then(|stat| sys::cpu_of(&stat)) else {
            return false;
        };
        if self.mode == Mode::Beside(cpu) || !self.own.is_some_and(|own| own.is_set(cpu).unwrap_or(false)) {
            return false;
        }
        let mut one = CpuSet::new();
        let moved = one.set(cpu).and_then(|()| sys::set_own_cpus(&one)).is_ok();
        if moved {
            if self.may_idle && self.mode == Mode::Free {
                sys::set_idle_policy(true);
            }
            self.mode = Mode::Beside(cpu);
        }
        moved
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
