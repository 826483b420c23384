//! The data that engines hand on: events, calls with their captured bytes, ids and clocks. Also the questions that can be asked about a tracee.
//!
//! - An engine is asked for a trace by a [`TraceSpec`], and hands out [`Event`]s. They are borrowed from the engine until the next one.
//! - A [`Call`] has registers as numbers, the memory behind them as [`Blocks`], and its [`Outcome`]. Its meaning is on its row
//!   (`stride_syscalls`); [`Call::field`] and [`Call::path`] look arguments up by their names there.
//! - Times are nanoseconds ([`Ns`]) of the clock `CLOCK_MONOTONIC`. A time that is not known is `None`, or 0 where its field says so.
//! - Ids of threads ([`Tid`]) are those of the tracer's own PID namespace.
//! - Bytes from a tracee (paths, names, memory) are hostile. They may be anything, and must be escaped before they are shown.
//! - Errors are positive numbers of errno(3), from 1 to 4095. Those from 512 on are the kernel's own, such as ERESTARTSYS.
//!
//! Architecture invariant: no I/O, no decoding, nothing that only one engine can provide.

#![deny(missing_docs)]

mod call;
mod capture;
mod counted;
mod events;
pub mod quantity;
mod question;
mod spec;
mod stack;
mod units;

pub use call::args::{Fields, Piece};
pub use call::descriptor::{Descriptor, Detail, FileKind};
pub use call::errno::{ErrnoSet, errno, errno_name, errno_word};
pub use call::tampering::Tampering;
pub use call::waits::{CallWaits, Interrupt, NamedThread, Sleep, Taker, WaitKind, WaitTimes, Waker, parts_within};
pub use call::{Call, Outcome};
pub use capture::memory::{BlockRef, Blocks, Memory, Phase};
pub use capture::{Limits, Peek, actual_call, capture};
pub use counted::{CallStats, CountBy, Counted, Histogram, PowerBucket, Times};
pub use events::batch::EventBatch;
pub use events::library::{
    LIBRARY_TEXT, LIBRARY_WORDS, LibraryCall, LibraryFunction, LibraryPart, LibraryProbe, LibraryText, OperationFacts,
    Param, ProbedFile, ProbedWord, WordPlace,
};
pub use events::lost::Lost;
pub use events::ring_use::RingUse;
pub use events::{Event, EventOf, Fate, SIGINFO_SIZE, StartKind};
pub use quantity::{duration, grouped};
pub use question::{Doing, FdOf, Question};
pub use spec::endings::{Bounds, Endings};
pub use spec::glob::{Atom, Glob};
pub use spec::inject::{Chance, InjectedResult, Invocations, Poke, ThreadKey};
pub use spec::machine::{CgroupPath, Machine};
pub use spec::wanted_threads::{WantedThreads, comm_words};
pub use spec::{
    CallSet, Command, Counting, Daemonize, FdSet, FileFilter, Injection, Interruptible, Seccomp, StackRate, TraceSpec,
    VcpuDetail,
};
pub use stack::caller::{Caller, FrameFunction};
pub use stack::calling::{CallingFunction, WithSource};
pub use stack::mapping::{CodeBacking, CodeMapping, FileVersion, NotedMapping};
pub use stack::per_stack::PerStack;
pub use stack::script::{MIX, ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, TaskLayout, ThreadMemory, mix};
pub use stack::{
    Bottom, CodeChange, CodeFile, CodeHistory, CodeKind, InlinedFunction, Regs, SourceLine, Stack, StackFrame, Symbol,
    Unwind, Unwound,
};
pub use units::{Comm, Ns, Tid};
