//! Seizes the command while it waits to be let go (`stride_engine_base::spawn`). All that it does before execve
//! happens under [`Startup::Before`](crate::threads::Startup) and is not shown.

use crate::error::refused;
use crate::sys;
use crate::tracee::{Running, Stopped, Until};
use crate::wait::{Status, Waited, wait};
use nix::errno::Errno;
use stride_engine_base::{StartError, Waiting};
use stride_event::Tid;

/// Lets the command go, traced. `filtered`: it will install a seccomp filter, which stops the wanted calls.
pub fn seize(waiting: Waiting, options: i32, filtered: bool) -> Result<(Tid, Running), StartError> {
    // The child is ready, and has let this process trace it where that is needed.
    waiting.ready()?;
    let pid = waiting.pid();
    let seized = Running::seize(pid, options).map_err(|errno| {
        if waiting.is_child() {
            sys::kill(pid, libc::SIGKILL);
        }
        StartError::Attach(vec![refused(pid, errno)])
    })?;
    let stopped = first_stop(pid, seized).map_err(StartError::refused("wait4"))?;
    let running = stopped.resume(if filtered { Until::Event } else { Until::Syscall }, 0);
    waiting.go()?;
    Ok((pid, running))
}

fn first_stop(pid: Tid, seized: Running) -> Result<Stopped, Errno> {
    seized.interrupt()?;
    loop {
        match wait(false, false)? {
            Waited::Report(report) if report.tid == pid => match report.status {
                Status::Stopped(token, _) => return Ok(seized.stopped(token)),
                Status::Continued => {}
                _ => return Err(Errno::ESRCH),
            },
            Waited::NoChildren => return Err(Errno::ECHILD),
            // Another child of Stride's, which is no business of the engine.
            _ => {}
        }
    }
}
