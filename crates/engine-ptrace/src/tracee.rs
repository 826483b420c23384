//! A thread's ptrace state as a type: requests that need a stopped tracee exist only on [`Stopped`], and resuming
//! consumes it. A [`Running`] thread becomes [`Stopped`] only with the [`StopToken`] that `wait` returns when the
//! kernel has reported a stop.
//!
//! A stopped tracee may still be killed at any moment. Requests then fail with ESRCH. That is no error here: the
//! thread counts as running, and a later wait reports its death.

use crate::sys::{self, Info};
use nix::errno::Errno;
use stride_event::{SIGINFO_SIZE, Tid};
use stride_syscalls::Abi;

/// Proof that the kernel reported this thread stopped. Made by `wait` alone.
#[derive(Debug)]
pub struct StopToken {
    pub(crate) tid: Tid,
    pub(super) _made_by_wait: (),
}

/// Proof that the kernel reported this thread gone.
#[derive(Debug)]
pub struct ExitToken {
    pub(super) _made_by_wait: (),
}

#[derive(Debug)]
pub struct Running {
    tid: Tid,
}

#[derive(Debug)]
pub struct Stopped {
    tid: Tid,
}

/// Neither can be used on a thread that is gone.
#[derive(Debug)]
pub struct Dead;

/// The point up to which a resumed tracee may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The next entry or exit of a system call.
    Syscall,
    /// The next event or signal. A seccomp filter's trap is an event.
    Event,
    /// The thread stays in its group-stop, but its end is reported (`PTRACE_LISTEN`).
    Continued,
}

impl Running {
    /// Starts tracing a thread that runs on meanwhile.
    pub fn seize(tid: Tid, options: i32) -> Result<Running, Errno> {
        sys::seize(tid, options)?;
        Ok(Running { tid })
    }

    /// A thread that the kernel attached to by itself, as the child of a tracee.
    pub fn born(tid: Tid) -> Running {
        Running { tid }
    }

    /// Stops the thread without a signal. A blocked call is restarted when the thread resumes.
    pub fn interrupt(&self) -> Result<(), Errno> {
        sys::interrupt(self.tid)
    }

    pub fn stopped(self, token: StopToken) -> Stopped {
        Stopped { tid: token.tid }
    }

    pub fn reaped(self, _token: ExitToken) -> Dead {
        Dead
    }
}

impl Stopped {
    /// A thread that was reported stopped and was not known before.
    pub fn new(token: StopToken) -> Stopped {
        Stopped { tid: token.tid }
    }

    pub fn syscall_info(&self) -> Result<Info, Errno> {
        sys::syscall_info(self.tid)
    }

    pub fn siginfo(&self, info: &mut [u8; SIGINFO_SIZE]) -> Result<(), Errno> {
        sys::siginfo(self.tid, info)
    }

    /// The new child's tid, the former tid of a thread that executed, or the exit status, depending on the event.
    pub fn event_msg(&self) -> Result<u64, Errno> {
        sys::event_msg(self.tid)
    }

    /// The call that restart_syscall(2) will resume, if the thread was interrupted in one.
    pub fn interrupted_call(&self) -> Option<u64> {
        sys::interrupted_call(self.tid)
    }

    /// Changes the number of the call that the thread is in, and its result, if one is given. A call of number -1 is not made.
    pub fn replace_call(&self, number: i64, result: Option<i64>) -> Result<(), Errno> {
        sys::replace_call(self.tid, number, result)
    }

    /// Puts a value into the register of an argument of the call that the thread is in, if that is the call of this number. Returns the value that was there.
    pub fn set_argument(&self, abi: Abi, number: Option<u64>, position: usize, value: u64) -> Result<u64, Errno> {
        sys::set_argument(self.tid, abi, number, position, value)
    }

    /// Lets the thread run on, and delivers the signal unless it is 0.
    pub fn resume(self, until: Until, signal: i32) -> Running {
        let _ = match until {
            Until::Syscall => sys::step_syscall(self.tid, signal),
            Until::Event => sys::cont(self.tid, signal),
            Until::Continued => sys::listen(self.tid),
        };
        Running { tid: self.tid }
    }

    /// Ends tracing. A group-stopped thread stays stopped, any other one runs.
    pub fn detach(self, signal: i32) {
        let _ = sys::detach(self.tid, signal);
    }

    /// The thread died while stopped.
    pub fn reaped(self, _token: ExitToken) -> Dead {
        Dead
    }
}
