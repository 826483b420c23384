//! The data that engines hand on: events, calls with their captured bytes, ids and clocks. Also the questions that can be asked about a tracee.
//!
//! Architecture invariant: no I/O, no decoding, nothing that only one engine can provide.

mod args;
mod call;
mod caller;
mod calling;
mod capture;
mod counted;
mod descriptor;
mod endings;
mod errno;
mod event;
mod glob;
mod inject;
mod library;
mod lost;
mod machine;
mod memory;
mod origin;
mod per_stack;
pub mod quantity;
mod question;
mod ring_use;
mod spec;
mod stack;
mod tampering;
mod units;
mod wanted_threads;

pub use args::{Fields, Piece};
pub use call::{Call, Outcome};
pub use caller::{Caller, FrameFunction};
pub use calling::{CallingFunction, WithSource};
pub use capture::{Limits, Peek, actual_call, capture};
pub use counted::{CallStats, CountBy, Counted, Histogram, PowerBucket, Times};
pub use descriptor::{Descriptor, Detail};
pub use endings::{Bounds, Endings};
pub use errno::{ErrnoSet, errno, errno_name, errno_word};
pub use event::{Event, EventOf, Fate, Origin, SIGINFO_SIZE};
pub use glob::{Atom, Glob};
pub use inject::{Chance, InjectedResult, Invocations, Poke, ThreadKey};
pub use library::{
    LIBRARY_TEXT, LIBRARY_WORDS, LibraryCall, LibraryFunction, LibraryPart, LibraryProbe, LibraryText, OperationFacts,
    Param, ProbedFile, ProbedWord, WordPlace,
};
pub use lost::Lost;
pub use machine::Machine;
pub use memory::{BlockRef, Blocks, Memory, Phase};
pub use per_stack::PerStack;
pub use quantity::{duration, grouped};
pub use question::{FdOf, Question};
pub use ring_use::RingUse;
pub use spec::{CallSet, Command, Counting, FdSet, FileFilter, Injection, Seccomp, StackRate, TraceSpec, VcpuDetail};
pub use stack::{
    Bottom, CodeChange, CodeFile, CodeHistory, CodeKind, InlinedFunction, ReadWord, Regs, SourceLine, Stack,
    StackFrame, Symbol, Unwind, Unwound,
};
pub use tampering::Tampering;
pub use units::{Ns, Tid};
pub use wanted_threads::{Comm, WantedThreads, comm_words};
