//! One system call as an engine saw it.

use crate::{Blocks, Descriptor, Ns, Tid};
use stride_syscalls::{Abi, table};

/// A call, entered and perhaps returned, with the memory its capture plan copied.
#[derive(Debug, Clone)]
pub struct Call {
    pub tid: Tid,
    pub abi: Abi,
    /// The number as the kernel saw it; it need not name a known call.
    pub nr: u64,
    /// Already cut to the ABI's register width.
    pub args: [u64; 6],
    /// The instruction pointer (`-i`), 0 where the engine did not read it.
    pub ip: u64,
    /// The stack pointer at entry, 0 where the engine did not read it.
    pub sp: u64,
    /// The number of the call that a restart_syscall(2) resumes, where it is one and the engine knows.
    pub resumes: Option<u64>,
    /// Monotonic time of entry.
    pub entered: Ns,
    /// Monotonic time of return; equal to `entered` while in flight.
    pub returned: Ns,
    /// CPU time the tracee spent in the kernel during the call (`-c` without `-w`), 0 where unknown.
    pub system_time: Ns,
    pub outcome: Outcome,
    /// The protocol of the netlink socket it is about, where the engine saw to that; else /proc is asked.
    pub netlink: Option<u32>,
    /// The engine counted it itself ([`crate::TraceSpec::counting`]).
    pub counted: bool,
    /// Whether the descriptor it is about is a terminal, likewise.
    pub terminal: Option<bool>,
    pub blocks: Blocks,
    /// What its descriptors are, where the engine saw to that: those given to it, then those it made.
    pub descriptors: Vec<Descriptor>,
}

impl Call {
    /// Bytes that it moved through its descriptor; none if it failed, or moves none by its nature.
    pub fn moved(&self) -> Option<u64> {
        let Outcome::Value(moved) = self.outcome else { return None };
        table(self.abi).get(self.nr).filter(|entry| entry.row.returns_moved()).map(|_| moved.max(0) as u64)
    }

    /// What a descriptor that it was given is.
    pub fn given(&self, fd: i32) -> Option<&Descriptor> {
        self.descriptors.iter().find(|d| d.fd == fd && !d.made)
    }

    /// What a descriptor that it made is: dup2(2) may be given another of this number.
    pub fn made(&self, fd: i32) -> Option<&Descriptor> {
        self.descriptors.iter().find(|d| d.fd == fd && d.made)
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Still in flight.
    Pending,
    Value(i64),
    /// A positive errno, possibly one of the kernel's restart codes (512 and up).
    Error(u32),
    /// It will not return: the thread is gone, or exec replaced it.
    Gone,
}

impl Outcome {
    /// From a raw return register.
    pub fn from_raw(raw: i64) -> Outcome {
        if (-4095..0).contains(&raw) { Outcome::Error(-raw as u32) } else { Outcome::Value(raw) }
    }

    pub fn is_error(self) -> bool {
        matches!(self, Outcome::Error(_))
    }
}

impl Default for Call {
    fn default() -> Call {
        Call {
            tid: 0,
            abi: Abi::NATIVE,
            nr: 0,
            args: [0; 6],
            ip: 0,
            sp: 0,
            resumes: None,
            entered: 0,
            returned: 0,
            system_time: 0,
            outcome: Outcome::Pending,
            netlink: None,
            terminal: None,
            counted: false,
            blocks: Blocks::default(),
            descriptors: Vec::new(),
        }
    }
}
