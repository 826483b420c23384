//! Processes and threads.

pub(crate) mod clone;
mod starts;

use crate::ObjectId;
use crate::descriptors::Descriptors;
use std::rc::Rc;
use stride_decode::NetworkMount;
use stride_event::{Ns, Tid};

/// The most threads that are followed at the same time. No machine runs more. The names of others are unknown.
pub const MAX_THREADS: usize = 1 << 18;

#[derive(Clone, Debug)]
pub struct Thread {
    pub tid: Tid,
    pub pid: Tid,
    /// As in the kernel: at most 15 bytes.
    pub comm: Vec<u8>,
    pub started: Ns,
    /// The thread existed before it was traced.
    pub attached: bool,
    /// Since when it has made no progress: it only looks for work, and finds none.
    pub idle_since: Option<Ns>,
    /// Not zero: it waited until a timeout. What it writes after that is the clock's doing, and no progress.
    pub(crate) timed_out: u8,
    /// The word that the kernel clears at the thread's end, waking the threads that wait there.
    pub(crate) cleared_at_end: Option<u64>,
    /// The thread that waits for its end.
    pub(crate) joined_by: Option<Tid>,
}

#[derive(Debug)]
pub struct Process {
    pub pid: Tid,
    /// The process that made it, if that one is traced.
    pub parent: Option<Tid>,
    /// The thread of that process that made it.
    pub(crate) made_by: Option<Tid>,
    /// The name of its first thread.
    pub comm: Vec<u8>,
    /// The file that it runs since its last execve, and the arguments as far as they were captured.
    pub program: Option<ObjectId>,
    pub command: Rc<Vec<Vec<u8>>>,
    pub started: Ns,
    /// Its living threads.
    pub threads: usize,
    pub(crate) descriptors: Descriptors,
    pub(crate) cwd: Option<ObjectId>,
    /// The process existed before tracing, so not all of its state was seen.
    pub(crate) predates_trace: bool,
    /// The mounts of network file systems that it sees, if the resolver was asked.
    pub(crate) network_mounts: Option<Rc<[NetworkMount]>>,
}
