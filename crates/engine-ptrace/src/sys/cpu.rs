//! CPU affinity and the CPU a thread last ran on.

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::FileExt;
use stride_engine_base::{policy, set_policy};
use stride_event::Tid;

/// The CPUs this thread may run on.
pub fn own_cpus() -> Result<CpuSet, Errno> {
    sched_getaffinity(Pid::from_raw(0))
}

/// The CPUs that a thread of this process may run on; 0 is this thread.
pub fn set_cpus(tid: Tid, cpus: &CpuSet) -> Result<(), Errno> {
    sched_setaffinity(Pid::from_raw(tid), cpus)
}

/// True if this thread has the default scheduling policy.
pub fn has_default_policy() -> bool {
    policy(0) == Ok(libc::SCHED_OTHER)
}

/// Makes a thread of this process enter or leave `SCHED_IDLE`. 0 is this thread. The nice value stays.
pub fn set_idle_policy(tid: Tid, on: bool) {
    let _ = set_policy(tid, if on { libc::SCHED_IDLE } else { libc::SCHED_OTHER }, 0);
}

/// The time that a thread of this process has spent on a CPU up to now. (`/proc/TID/schedstat` lags behind by a
/// tick.)
pub fn cpu_time(tid: Tid) -> Option<u64> {
    // include/linux/posix-timers.h: CPUCLOCK_SCHED of one thread.
    let clock = !tid << 3 | 6;
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec, which outlives the call.
    let r = unsafe { libc::clock_gettime(clock, &mut t) };
    (r == 0).then_some(t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64)
}

/// sched(7): leaving `SCHED_IDLE` needs CAP_SYS_NICE, or a resource limit that allows the present nice value.
pub fn may_leave_idle_policy() -> bool {
    const CAP_SYS_NICE: u64 = 1 << 23;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes one rlimit; getpriority takes only numbers.
    let nice = unsafe {
        libc::getrlimit(libc::RLIMIT_NICE, &mut limit);
        libc::getpriority(libc::PRIO_PROCESS, 0)
    };
    super::capabilities() & CAP_SYS_NICE != 0 || limit.rlim_cur >= (20 - nice) as u64
}

/// The CPU where a thread last ran: field 39 of its open `/proc/TID/stat`.
pub fn cpu_of(stat: &File) -> Option<usize> {
    let mut buf = [0; 1024];
    let n = stat.read_at(&mut buf, 0).ok()?;
    let text = &buf[..n];
    // The second field, the name, is the only one that may hold spaces or parentheses.
    let after = text.iter().rposition(|&b| b == b')')? + 2;
    let field = text.get(after..)?.split(|&b| b == b' ').nth(39 - 3)?;
    std::str::from_utf8(field).ok()?.parse().ok()
}
