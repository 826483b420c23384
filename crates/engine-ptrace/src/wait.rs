//! The reports of wait4(2), taken apart.

use crate::sys;
use crate::tracee::{ExitToken, StopToken};
use nix::errno::Errno;
use stride_event::{Ns, Tid};

#[derive(Debug)]
pub enum Stop {
    /// Entry or exit of a system call.
    Syscall,
    /// fork, vfork or clone made a child.
    NewChild,
    Exec,
    /// The thread is about to be gone.
    Exiting,
    Seccomp,
    /// Stopped by `PTRACE_INTERRUPT`, newly attached, or continued after a group-stop.
    Trap,
    /// A group-stop by this signal.
    Group(i32),
    /// A signal about to be delivered.
    Signal(i32),
    /// An event that was not asked for.
    Other,
}

#[derive(Debug)]
pub enum Status {
    Stopped(StopToken, Stop),
    Exited(ExitToken, i32),
    Killed(ExitToken, i32, bool),
    Continued,
}

#[derive(Debug)]
pub struct Report {
    pub tid: Tid,
    pub status: Status,
    /// CPU time in the kernel, if asked for.
    pub system_time: Ns,
}

#[derive(Debug)]
pub enum Waited {
    Report(Report),
    /// Nothing has happened yet.
    Nothing,
    /// A signal arrived.
    Interrupted,
    NoChildren,
}

pub fn wait(nohang: bool, want_system_time: bool) -> Result<Waited, Errno> {
    match sys::wait(nohang, want_system_time) {
        Ok((0, ..)) => Ok(Waited::Nothing),
        Ok((tid, raw, system_time)) => Ok(Waited::Report(Report { tid, status: status(tid, raw), system_time })),
        Err(Errno::EINTR) => Ok(Waited::Interrupted),
        Err(Errno::ECHILD) => Ok(Waited::NoChildren),
        Err(e) => Err(e),
    }
}

fn status(tid: Tid, raw: i32) -> Status {
    let gone = || ExitToken { _made_by_wait: () };
    if libc::WIFEXITED(raw) {
        return Status::Exited(gone(), libc::WEXITSTATUS(raw));
    }
    if libc::WIFSIGNALED(raw) {
        return Status::Killed(gone(), libc::WTERMSIG(raw), libc::WCOREDUMP(raw));
    }
    if !libc::WIFSTOPPED(raw) {
        return Status::Continued;
    }
    let signal = libc::WSTOPSIG(raw);
    let stop = match raw >> 16 {
        0 if signal == libc::SIGTRAP | 0x80 => Stop::Syscall,
        0 => Stop::Signal(signal),
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => Stop::NewChild,
        libc::PTRACE_EVENT_EXEC => Stop::Exec,
        libc::PTRACE_EVENT_EXIT => Stop::Exiting,
        libc::PTRACE_EVENT_SECCOMP => Stop::Seccomp,
        libc::PTRACE_EVENT_STOP if signal == libc::SIGTRAP => Stop::Trap,
        libc::PTRACE_EVENT_STOP => Stop::Group(signal),
        _ => Stop::Other,
    };
    Status::Stopped(StopToken { tid, _made_by_wait: () }, stop)
}
