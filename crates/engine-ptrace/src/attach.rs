//! `-p`: attaching to threads that run already.

use crate::error::refused;
use crate::tracee::Running;
use nix::errno::Errno;
use std::collections::HashSet;
use stride_engine_base::{AttachFailure, StartError, procfs, spawn};
use stride_event::{Command, Tid};

#[derive(Debug, Default)]
pub struct Attached {
    pub threads: Vec<(Tid, Running)>,
    pub failures: Vec<AttachFailure>,
}

/// Seizes each of the threads, with `follow` all threads of its process. They run on until a stop of each arrives.
/// From that stop, each can be resumed as tracing needs it.
pub fn attach(tids: &[Tid], follow: bool, options: i32) -> Attached {
    let mut done = HashSet::new();
    let mut attached = Attached::default();
    for &tid in tids {
        if !done.insert(tid) {
            continue;
        }
        match seize(tid, options) {
            Ok(running) => attached.threads.push((tid, running)),
            Err(errno) => {
                attached.failures.push(refused(tid, errno));
                continue;
            }
        }
        // Threads that are not traced yet may start others. So repeat until a pass finds nothing new.
        // The kernel attaches to what traced threads start, and refuses to seize it again (EPERM).
        let mut new = follow;
        while new {
            new = false;
            for other in procfs::threads(tid) {
                if done.insert(other)
                    && let Ok(running) = seize(other, options)
                {
                    attached.threads.push((other, running));
                    new = true;
                }
            }
        }
    }
    attached
}

/// Tests whether the engine works on this machine: it traces a process of Stride's own for a moment.
pub fn available() -> Result<(), StartError> {
    // The process is never let go, and exits.
    let command = Command { path: "/".into(), args: Vec::new(), env: Vec::new(), user: None };
    let waiting = spawn(&command, None, stride_event::Daemonize::No)?;
    waiting.ready()?;
    let pid = waiting.pid();
    Running::seize(pid, 0).map(drop).map_err(|errno| StartError::Attach(vec![refused(pid, errno)]))
}

fn seize(tid: Tid, options: i32) -> Result<Running, Errno> {
    let running = Running::seize(tid, options)?;
    running.interrupt()?;
    Ok(running)
}
