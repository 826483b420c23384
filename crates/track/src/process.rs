//! Processes and threads.

use crate::ObjectId;
use crate::descriptors::Descriptors;
use stride_event::{Ns, Tid};

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
}

#[derive(Debug)]
pub struct Process {
    pub pid: Tid,
    /// The process that made it, if that is traced.
    pub parent: Option<Tid>,
    /// The name of its first thread.
    pub comm: Vec<u8>,
    /// What it runs since its last execve: the file, and the arguments as far as they were captured.
    pub program: Option<ObjectId>,
    pub command: Vec<Vec<u8>>,
    pub started: Ns,
    /// Threads of it that live.
    pub threads: usize,
    pub(crate) descriptors: Descriptors,
    pub(crate) cwd: Option<ObjectId>,
    /// It was there before Stride: there is more to be known than was seen.
    pub(crate) older: bool,
}
