//! One system call as an engine saw it.

pub mod args;
pub mod descriptor;
pub mod errno;
pub mod tampering;
pub mod waits;

use crate::{Blocks, CallWaits, Descriptor, FileKind, Ns, Stack, Tampering, Tid, WaitKind, Waker};
use std::sync::Arc;
use stride_syscalls::{Abi, table};

/// A call that was entered and has perhaps returned, with the memory that its capture plan copied.
#[derive(Debug, Clone)]
pub struct Call {
    /// The thread that makes it, as the tracer knows it.
    pub tid: Tid,
    /// The convention by which it is made. It decides what the number means.
    pub abi: Abi,
    /// The number as the kernel saw it. It may name no known call.
    pub nr: u64,
    /// Already cut to the ABI's register width.
    pub args: [u64; 6],
    /// The instruction pointer (`-i`). 0 if the engine did not read it.
    pub ip: u64,
    /// The stack pointer at entry. 0 if the engine did not read it.
    pub sp: u64,
    /// If this is a restart_syscall(2): the number of the call that it resumes, if the engine knows.
    pub resumes: Option<u64>,
    /// Monotonic time of entry. If tracing began during the call, it is the time when tracing began. `None` if the entry was not seen, and if the
    /// engine takes no times.
    pub entered: Option<Ns>,
    /// Monotonic time of return. While in flight, that of entry. 0 if the engine takes no times.
    pub returned: Ns,
    /// Time just before the entry for which the thread stood still, because Stride read its stack. 0 if the engine did not stop the thread for that.
    pub held: Ns,
    /// CPU time in the kernel during the call (`-c` without `-w`). 0 if unknown.
    pub system_time: Ns,
    /// How it ended, if it did.
    pub outcome: Outcome,
    /// How an engine changed the call ([`crate::TraceSpec::injections`]).
    pub tampering: Tampering,
    /// The kind of the file behind the call's descriptor, if the meaning of the call depends on it and the engine looked it up. Without it,
    /// /proc is asked.
    pub file_kind: Option<FileKind>,
    /// The engine itself counted this call ([`crate::TraceSpec::counting`]).
    pub counted: bool,
    /// The memory that was captured, by address and moment.
    pub blocks: Blocks,
    /// The referents of the call's descriptors, if the engine looked them up: first of those given to it, then of
    /// those it made.
    pub descriptors: Vec<Descriptor>,
    /// The container that its thread is in, if the engine knows.
    pub container: Option<Arc<str>>,
    /// By which calls of its own the program came to make this one ([`crate::TraceSpec::stacks`]).
    pub stack: Option<Arc<Stack>>,
    /// For how many calls from the same place the stack stands, this one included. It is more than 1 if only samples are taken.
    pub stack_calls: u32,
    /// The waits of its thread during the call and just before ([`crate::TraceSpec::waits`]). `None`: there were none, or the engine did not look.
    pub waits: Option<Box<CallWaits>>,
}

impl Call {
    /// The time from entry to return. `None` if the entry was not seen.
    pub fn took(&self) -> Option<Ns> {
        self.lasted(self.returned)
    }

    /// The time from entry to a later moment.
    pub fn lasted(&self, until: Ns) -> Option<Ns> {
        self.entered.map(|entered| until.saturating_sub(entered))
    }

    /// The earliest moment that is known of the call: its entry, or else its return.
    pub fn began(&self) -> Ns {
        self.entered.unwrap_or(self.returned)
    }

    /// The waker of the thread's longest sleep in the call, and when the thread was woken; if the engine measured waits, and that was no sleep for a disk.
    pub fn woken_by(&self) -> Option<(Waker, Ns)> {
        let waits = self.waits.as_deref()?;
        let sleep = waits.longest.filter(|sleep| sleep.kind == WaitKind::Blocked)?;
        Some((sleep.waker?, (self.began() + waits.in_call.asleep()).min(self.returned)))
    }

    /// Bytes that the call moved through its descriptor. `None` if it failed, or never moves any.
    pub fn moved(&self) -> Option<u64> {
        let Outcome::Value(moved) = self.outcome else { return None };
        table(self.abi).get(self.nr).filter(|entry| entry.row.returns_moved()).map(|_| moved.max(0) as u64)
    }

    /// The referent of a descriptor that was given to the call.
    pub fn given(&self, fd: i32) -> Option<&Descriptor> {
        self.descriptors.iter().find(|d| d.fd == fd && !d.made)
    }

    /// The referent of a descriptor that the call made. (dup2(2) may be given another one of this number.)
    pub fn made(&self, fd: i32) -> Option<&Descriptor> {
        self.descriptors.iter().find(|d| d.fd == fd && d.made)
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Still in flight.
    Pending,
    /// The result. Calls that return addresses may have negative ones.
    Value(i64),
    /// A positive errno, perhaps one of the kernel's restart codes (512 and up).
    Error(u32),
    /// It will not return: the thread is gone, or exec replaced it.
    Gone,
}

impl Outcome {
    /// From a raw return register.
    pub fn from_raw(raw: i64) -> Outcome {
        if (-4095..0).contains(&raw) { Outcome::Error(-raw as u32) } else { Outcome::Value(raw) }
    }

    /// True if the call failed.
    pub fn is_error(self) -> bool {
        matches!(self, Outcome::Error(_))
    }

    /// True if a signal ended the call: EINTR, and the kernel's ERESTARTSYS to ERESTART_RESTARTBLOCK.
    pub fn is_interruption(self) -> bool {
        matches!(self, Outcome::Error(4 | 512..=516))
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
            entered: None,
            returned: 0,
            held: 0,
            system_time: 0,
            outcome: Outcome::Pending,
            tampering: Tampering::default(),
            file_kind: None,
            counted: false,
            blocks: Blocks::default(),
            descriptors: Vec::new(),
            container: None,
            stack: None,
            stack_calls: 1,
            waits: None,
        }
    }
}
