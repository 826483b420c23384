//! The errors of tracing, and possible remedies. Engines put both in words. Callers distinguish only the cases
//! that they treat differently.

use crate::procfs;
use crate::spawn::SpawnError;
use crate::stat::is_kernel_thread;
use nix::errno::Errno;
use std::fmt;
use stride_event::Tid;

/// Tracing could not begin.
#[derive(Debug)]
pub enum StartError {
    /// The engine cannot work on this machine, whatever is traced.
    Unavailable { why: String, advice: Option<String> },
    /// The command could not be started.
    Spawn(SpawnError),
    /// None of the threads asked for can be traced.
    Attach(Vec<AttachFailure>),
}

impl StartError {
    /// Starting needs a call that was refused.
    pub fn refused(call: &'static str) -> impl FnOnce(Errno) -> StartError {
        move |errno| StartError::Spawn(SpawnError::Call(call, errno))
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Unavailable { why, .. } => f.write_str(why),
            StartError::Spawn(error) => error.fmt(f),
            StartError::Attach(failures) => {
                f.write_str(&failures.iter().map(AttachFailure::to_string).collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

impl std::error::Error for StartError {}

impl From<SpawnError> for StartError {
    fn from(error: SpawnError) -> StartError {
        StartError::Spawn(error)
    }
}

/// A thread that was asked for and is not traced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachFailure {
    pub tid: Tid,
    /// One line, in strace's words where strace knows the case.
    pub what: String,
    /// One more line: why, and what to do next.
    pub hint: Option<String>,
}

impl AttachFailure {
    /// Adds the reason and a way on, for cases that are the same in each engine.
    pub fn explained(mut self) -> AttachFailure {
        if self.hint.is_none() {
            self.hint = why_not(self.tid);
        }
        self
    }
}

fn why_not(tid: Tid) -> Option<String> {
    if !procfs::exists(tid) {
        return Some(format!("There is no process or thread {tid}: `pgrep -a NAME` lists processes and their ids"));
    }
    if is_kernel_thread(tid) {
        return Some(format!(
            "Process {tid} is a thread of the kernel, and makes no system calls: name a process that runs a program"
        ));
    }
    None
}

impl fmt::Display for AttachFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\n{hint}"))
    }
}

/// There are no more events, though there should be. Tracees are released when Stride exits.
#[derive(Debug)]
pub struct EngineError(String);

impl EngineError {
    pub fn new(what: impl Into<String>) -> EngineError {
        EngineError(what.into())
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EngineError {}
