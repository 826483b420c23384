//! The data that engines hand on: events, calls with their captured bytes, ids and clocks. Also the questions that can be asked about a tracee.
//!
//! Architecture invariant: no I/O, no decoding, nothing that only one engine can provide.

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
pub use call::{Call, Outcome};
pub use capture::memory::{BlockRef, Blocks, Memory, Phase};
pub use capture::{Limits, Peek, capture};
pub use counted::{CallStats, CountBy, Counted, Histogram, PowerBucket, Times};
pub use events::library::{
    LIBRARY_TEXT, LIBRARY_WORDS, LibraryCall, LibraryFunction, LibraryPart, LibraryProbe, LibraryText, OperationFacts,
    Param, ProbedFile, ProbedWord, WordPlace,
};
pub use events::lost::Lost;
pub use events::ring_use::RingUse;
pub use events::{Event, EventOf, Fate, Origin, SIGINFO_SIZE};
pub use quantity::{duration, grouped};
pub use question::{FdOf, Question};
pub use spec::endings::{Bounds, Endings};
pub use spec::glob::{Atom, Glob};
pub use spec::inject::{Chance, InjectedResult, Invocations, Poke, ThreadKey};
pub use spec::machine::Machine;
pub use spec::wanted_threads::{Comm, WantedThreads, comm_words};
pub use spec::{
    CallSet, Command, Counting, Daemonize, FdSet, FileFilter, Injection, Interruptible, Seccomp, StackRate, TraceSpec,
    VcpuDetail,
};
pub use stack::caller::{Caller, FrameFunction};
pub use stack::calling::{CallingFunction, WithSource};
pub use stack::per_stack::PerStack;
pub use stack::{
    Bottom, CodeChange, CodeFile, CodeHistory, CodeKind, InlinedFunction, ReadWord, Regs, SourceLine, Stack,
    StackFrame, Symbol, Unwind, Unwound,
};
pub use units::{Ns, Tid};
