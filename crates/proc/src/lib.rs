//! What /proc tells of a live tracee's descriptors and processes.

use stride_decode::World;
use stride_event::Tid;
use stride_filter::{FdDetail, PidDetail, WordSet};

/// Looks things up in /proc at the moment they are asked for.
pub struct Proc {
    fds: WordSet<FdDetail>,
    _pids: WordSet<PidDetail>,
}

impl Proc {
    pub fn new(fds: WordSet<FdDetail>, pids: WordSet<PidDetail>) -> Proc {
        Proc { fds, _pids: pids }
    }

    /// For matching descriptors against paths.
    pub fn paths_only() -> Proc {
        Proc::new(WordSet::of(&[FdDetail::Path]), WordSet::NONE)
    }
}

impl World for Proc {
    fn fd(&self, tid: Tid, fd: i32) -> Option<Vec<u8>> {
        if self.fds.is_empty() {
            return None;
        }
        let link = if fd == -100 { format!("/proc/{tid}/cwd") } else { format!("/proc/{tid}/fd/{fd}") };
        let target = std::fs::read_link(link).ok()?;
        Some(std::os::unix::ffi::OsStringExt::into_vec(target.into_os_string()))
    }

    fn pidfd(&self, tid: Tid, fd: i32) -> Option<Tid> {
        let info = std::fs::read_to_string(format!("/proc/{tid}/fdinfo/{fd}")).ok()?;
        let pid = info.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()?;
        // 0 or less: no process any more, or one that this PID namespace does not have.
        (pid > 0).then_some(pid)
    }
}
