//! Decodes a call into typed values, by its row.
//!
//! [`Decoder::decode`] takes a [`Call`](stride_event::Call): number, registers, outcome, and the memory that was copied
//! for it. An engine makes such calls; [`RegisterReader`] makes them from registers and a function that reads memory,
//! without an engine. The result is a [`Decoded`] with a [`Value`] for each argument. The crate `output` writes values
//! as text, JSON and pages.
//!
//! - **Errors**: there are none. Memory that was not copied is shown as its address, a number without a name as a
//!   number, and a call that is in no table as its registers. Bytes of the tracee are hostile, and stay bytes
//!   ([`Text`]).
//! - **Facts from outside the call**, such as the file behind a descriptor, come from a [`Resolver`]. `()` is one that
//!   knows nothing.
//! - **Memory**: the values of a call live until the next one is decoded, and take 16 MiB at most.
//! - **Sources**: the man pages and the kernel's UAPI headers, as the crate `syscalls` describes them. `irregular/` has
//!   what a row alone does not say.
//!
//! Architecture invariant: values contain no punctuation, and decoders see only captured memory. A value is a number, a
//! name, words, or bytes of the tracee, or it is made of other values: a call with its arguments, a sum, a range, a
//! comment. The writers add what stands between the parts. `cargo xtask check` finds strings that are more than names
//! and words.

#![deny(missing_docs)]

mod call;
mod cx;
mod dump;
mod generic;
pub mod irregular;
mod library;
mod options;
mod registers;
mod touch;
mod value;

pub use call::{Decoded, Decoder, NamedArg, Part, Return};
pub use cx::{Cx, Siblings};
pub use dump::Dump;
pub use library::{library_args, library_args_noted, library_result, library_result_noted, operation_fds};
pub use options::{FdInfo, Labelled, NetworkMount, Options, PidInfo, Resolver, TRACER, is_within};
pub use registers::RegisterReader;
pub use touch::{Touch, touches};
pub use value::{Designation, FdNote, Member, Operator, PidNote, Prefix, Tail, Text, TextKind, Value};
