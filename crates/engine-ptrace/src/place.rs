//! The CPUs of this machine, and the threads that want them.

use crate::affinity::Place;
use crate::rescue::Rescuer;
use crate::sys;
use nix::sched::CpuSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use stride_engine_base::procfs;
use stride_event::Tid;

#[derive(Debug)]
pub struct OwnCpus {
    /// The CPUs to be free on. `None` if the tracer must not move.
    own: Option<CpuSet>,
    cpus: usize,
    /// `/proc/loadavg`, which counts the threads that run or wait for a CPU.
    load: Option<File>,
    may_idle: bool,
    rescuer: Option<Rescuer>,
}

impl OwnCpus {
    pub fn new() -> OwnCpus {
        let count = |own: &CpuSet| (0..CpuSet::count()).filter(|&c| own.is_set(c).unwrap_or(false)).count();
        // With one CPU, or with a scheduling policy that the user chose, the tracer does not move.
        let own = sys::own_cpus().ok().filter(|own| count(own) > 1 && sys::has_default_policy());
        OwnCpus {
            cpus: own.as_ref().map_or(0, count),
            load: own.and_then(|_| File::open("/proc/loadavg").ok()),
            own,
            may_idle: sys::may_leave_idle_policy(),
            rescuer: None,
        }
    }

    fn is_idle(&self) -> bool {
        self.rescuer.as_ref().is_some_and(Rescuer::is_on)
    }
}

impl Place for OwnCpus {
    fn may_move(&self) -> bool {
        self.own.is_some()
    }

    /// The tracer itself is one of the running threads. Its tracee is stopped.
    fn has_room(&mut self) -> bool {
        let mut buf = [0; 64];
        let text = self.load.as_ref().and_then(|load| load.read_at(&mut buf, 0).ok()).map(|n| &buf[..n]);
        text.and_then(running).is_some_and(|running| running <= self.cpus)
    }

    fn cpu_of(&mut self, tid: Tid) -> Option<usize> {
        let stat = File::open(procfs::path(tid, "stat")).ok()?;
        sys::cpu_of(&stat).filter(|&cpu| self.own.is_some_and(|own| own.is_set(cpu).unwrap_or(false)))
    }

    fn come(&mut self, cpu: usize) -> bool {
        let mut one = CpuSet::new();
        if one.set(cpu).and_then(|()| sys::set_cpus(0, &one)).is_err() {
            return false;
        }
        if let (true, false, Some(own)) = (self.may_idle, self.is_idle(), self.own) {
            if self.rescuer.is_none() {
                self.rescuer = Rescuer::new(own);
                // Without a rescuer it is better not to become idle-priority.
                self.may_idle = self.rescuer.is_some();
            }
            if let Some(rescuer) = &self.rescuer {
                rescuer.enter();
            }
        }
        true
    }

    fn leave(&mut self) {
        if let Some(rescuer) = &self.rescuer {
            rescuer.leave();
        }
        if let Some(own) = &self.own {
            let _ = sys::set_cpus(0, own);
        }
    }

    fn joined(&mut self, tid: Tid) {
        if let Some(rescuer) = &self.rescuer {
            rescuer.watch(tid);
        }
    }

    fn was_rescued(&self) -> bool {
        self.rescuer.as_ref().is_some_and(|rescuer| !rescuer.is_on())
    }
}

impl Drop for OwnCpus {
    fn drop(&mut self) {
        self.leave();
    }
}

/// `0.20 0.18 0.12 1/80 11206`: the number before the slash.
fn running(loadavg: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(loadavg).ok()?;
    text.split(' ').nth(3)?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_run() {
        assert_eq!(running(b"0.20 0.18 0.12 3/80 11206\n"), Some(3));
        assert_eq!(running(b"0.20 0.18"), None);
    }
}
