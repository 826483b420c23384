//! Processes and threads.

use crate::ObjectId;
use crate::descriptors::Descriptors;
use std::rc::Rc;
use stride_event::{Ns, Tid};

/// So many threads are followed at the same time; no machine runs more. What others are called is not known.
pub const MAX_THREADS: usize = 1 << 18;

#[derive(Clone, Debug)]
pub struct Thread {
    pub tid: Tid,
    pub pid: Tid,
    /// As the kernel keeps it: 15 bytes at most.
    pub comm: Vec<u8>,
    pub started: Ns,
    /// It was there before it was traced.
    pub attached: bool,
    /// Since when it has made no call that got it on: it looks whether there is something to do, and there is not.
    pub idle_since: Option<Ns>,
    /// Not zero: it waited in vain until its time was up. What it writes after that is its clock's doing, and no progress.
    pub(crate) timed_out: u8,
    /// The word that the kernel clears, and at which it wakes whoever waits, when the thread ends.
    pub(crate) cleared_at_end: Option<u64>,
    /// The thread that waits for its end.
    pub(crate) joined_by: Option<Tid>,
}

#[derive(Debug)]
pub struct Process {
    pub pid: Tid,
    /// The process that made it, if that is traced.
    pub parent: Option<Tid>,
    /// The thread of that process that made it.
    pub(crate) made_by: Option<Tid>,
    /// The name of its first thread.
    pub comm: Vec<u8>,
    /// What it runs since its last execve: the file, and the arguments as far as they were captured.
    pub program: Option<ObjectId>,
    pub command: Rc<Vec<Vec<u8>>>,
    pub started: Ns,
    /// Threads of it that live.
    pub threads: usize,
    pub(crate) descriptors: Descriptors,
    pub(crate) cwd: Option<ObjectId>,
    /// It was there before Stride: there is more to be known than was seen.
    pub(crate) older: bool,
}
