//! For how long a thread was off its CPUs between two of its stops (`--waits`), by the kernel's own account.
//!
//! A stop takes the thread off its CPU, and the tracer wakes the thread again. That is no wait of the program's, but the kernel counts it as one. So stops are
//! left out, as far as the tracer sees them:
//!
//! - A thread that got a CPU as often as the tracer resumed it never left its CPU between the stops. It did not wait, however long the stops took.
//! - Otherwise it may have waited for a CPU for as long as the kernel says. A part of that may be the time until it got one after a stop.
//! - The rest of the time in which it was neither stopped nor on a CPU nor ready for one, it slept, if it gave up a CPU by itself, as the kernel counts it. A part
//!   of that may be the time until the tracer noticed a stop.
//!
//! So both times are upper bounds, and a call that did not wait has none.

use stride_engine_base::{StartError, procfs};
use stride_event::{Ns, Tid, WaitKind, WaitTimes};

/// The notice to the user about the limits of these times.
pub const LIMITS: &str = "under ptrace, times of waits are upper bounds, and it is not known who ended a wait, who had the CPU, and which waits were for a \
     disk. With --engine=ebpf, root and users of stride-broker know that";

/// The times of one thread since a stop.
#[derive(Debug, Default)]
pub struct WaitAccount {
    /// The stop at which the present interval began, with the kernel's account.
    since: Option<(Ns, ThreadAccount)>,
    /// The time of the latest stop, and all stops so far.
    stopped: Ns,
    stops: u64,
    /// Since the interval began: the time in stops that are over, the time in group-stops, and how often the thread was resumed.
    held: Ns,
    group_stopped: Ns,
    resumed: u64,
    /// It stays in a group-stop.
    listens: bool,
    /// How often the thread had given up a CPU by itself when that was read last, and the stops until then, each of which is among them.
    given_up: Option<(u64, u64)>,
}

/// /proc/TID/schedstat
#[derive(Clone, Copy, Debug)]
struct ThreadAccount {
    on_cpu: Ns,
    ready: Ns,
    /// How often it got a CPU.
    turns: u64,
}

/// The waits of an interval.
#[derive(Debug, Default, Clone, Copy)]
pub struct WaitsBetweenStops {
    pub times: WaitTimes,
    pub sleeps: u32,
}

impl WaitAccount {
    /// The tracer was told of a stop.
    pub fn stops(&mut self, at: Ns) {
        if std::mem::take(&mut self.listens) {
            self.group_stopped += at.saturating_sub(self.stopped);
            self.resumed += 1;
        }
        self.stopped = at;
        self.stops += 1;
    }

    /// The thread is about to run on.
    pub fn resumes(&mut self, at: Ns) {
        self.held += at.saturating_sub(self.stopped);
        self.resumed += 1;
    }

    /// The thread stays in its group-stop.
    pub fn listens(&mut self) {
        self.listens = true;
    }

    /// The waits since the last question. The thread has stopped, and is off its CPU.
    pub fn take(&mut self, tid: Tid) -> Option<WaitsBetweenStops> {
        let now = account(tid).map(|account| (self.stopped, account));
        let before = std::mem::replace(&mut self.since, now);
        let (held, resumed) = (std::mem::take(&mut self.held), std::mem::take(&mut self.resumed));
        let group_stopped = std::mem::take(&mut self.group_stopped);
        let now = now?;
        let Some((since, first)) = before else {
            self.given_up = given_up(tid).map(|times| (times, self.stops));
            return None;
        };
        let mut times = WaitTimes::from_iter([(WaitKind::Stopped, group_stopped)]);
        if now.1.turns.wrapping_sub(first.turns) <= resumed {
            return Some(WaitsBetweenStops { times, sleeps: 0 });
        }
        let sleeps = self.sleeps(tid);
        let ready = now.1.ready.saturating_sub(first.ready);
        let on_cpu = now.1.on_cpu.saturating_sub(first.on_cpu);
        let asleep = (now.0.saturating_sub(since)).saturating_sub(held + group_stopped + ready + on_cpu);
        times.add(WaitKind::Runnable, ready);
        if sleeps != Some(0) {
            times.add(WaitKind::Blocked, asleep);
        }
        Some(WaitsBetweenStops { times, sleeps: sleeps.unwrap_or(0) })
    }

    /// How often the thread has slept since this was asked last. Each stop counts as a sleep to the kernel.
    fn sleeps(&mut self, tid: Tid) -> Option<u32> {
        let now = given_up(tid).map(|times| (times, self.stops));
        let (before, now) = (std::mem::replace(&mut self.given_up, now)?, now?);
        let all = now.0.saturating_sub(before.0);
        u32::try_from(all.saturating_sub(now.1 - before.1)).ok()
    }
}

/// An error if this kernel does not keep the account (CONFIG_SCHED_INFO), or if there is no /proc.
pub fn is_accounted() -> Result<(), StartError> {
    if account(nix::unistd::gettid().as_raw()).is_some_and(|own| own.turns > 0) {
        return Ok(());
    }
    let why = "--waits under ptrace needs /proc/TID/schedstat, which this kernel does not have (CONFIG_SCHED_INFO)";
    Err(StartError::Unavailable { why: why.into(), advice: None })
}

fn account(tid: Tid) -> Option<ThreadAccount> {
    let text = procfs::text(procfs::path(tid, "schedstat"))?;
    let mut numbers = text.split_whitespace().map_while(|number| number.parse().ok());
    Some(ThreadAccount { on_cpu: numbers.next()?, ready: numbers.next()?, turns: numbers.next()? })
}

fn given_up(tid: Tid) -> Option<u64> {
    let status = procfs::text(procfs::path(tid, "status"))?;
    status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?.trim().parse().ok()
}
