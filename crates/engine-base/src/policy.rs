//! Scheduling policies of threads, as sched(7) has them: musl's functions of these names only say ENOSYS, because they mean processes.

use nix::errno::Errno;
use stride_event::Tid;

/// The policy of a thread. 0 is this thread.
pub fn policy(tid: Tid) -> Result<i32, Errno> {
    // SAFETY: takes only numbers.
    Errno::result(unsafe { libc::syscall(libc::SYS_sched_getscheduler, tid) }).map(|policy| policy as i32)
}

/// Gives a thread a policy, and the priority of real-time threads, which is 0 for all others. 0 is this thread.
pub fn set_policy(tid: Tid, policy: i32, priority: i32) -> Result<(), Errno> {
    // The kernel's struct sched_param has this one member.
    let param = [priority];
    // SAFETY: reads one sched_param, which outlives the call.
    Errno::result(unsafe { libc::syscall(libc::SYS_sched_setscheduler, tid, policy, param.as_ptr()) }).map(drop)
}
