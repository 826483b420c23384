//! CPU affinity and the CPU a thread last ran on.

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The CPUs this thread may run on.
pub fn own_cpus() -> Result<CpuSet, Errno> {
    sched_getaffinity(Pid::from_raw(0))
}

pub fn set_own_cpus(cpus: &CpuSet) -> Result<(), Errno> {
    sched_setaffinity(Pid::from_raw(0), cpus)
}

pub fn current_cpu() -> usize {
    // SAFETY: no arguments; answered by the vDSO.
    (unsafe { libc::sched_getcpu() }).max(0) as usize
}

/// The CPU on which a thread last ran, from its open `/proc/TID/stat`: field 39.
pub fn cpu_of(stat: &File) -> Option<usize> {
    let mut buf = [0; 1024];
    let n = stat.read_at(&mut buf, 0).ok()?;
    let text = &buf[..n];
    // The second field, the name, is the only one that may hold spaces or parentheses.
    let after = text.iter().rposition(|&b| b == b')')? + 2;
    let field = text.get(after..)?.split(|&b| b == b' ').nth(39 - 3)?;
    std::str::from_utf8(field).ok()?.parse().ok()
}
