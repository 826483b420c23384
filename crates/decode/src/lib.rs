//! Decodes a call into typed values, by its row.
//!
//! Architecture invariant: values contain no punctuation, and decoders see only captured memory. A value is a number, a name, words, or
//! bytes of the tracee, or it is made of other values: a call with its arguments, a sum, a range, a comment. The writers in the crate
//! `output` add what stands between the parts. `cargo xtask check` finds strings that are more than names and words.

#![deny(missing_docs)]

mod call;
mod cx;
mod dump;
mod generic;
pub mod irregular;
mod library;
mod options;
mod touch;
mod value;

pub use call::{Decoded, Decoder, NamedArg, Part, Return};
pub use cx::{Cx, Siblings};
pub use dump::Dump;
pub use library::{library_args, library_args_noted, library_result, library_result_noted, operation_fds};
pub use options::{FdInfo, Labelled, NetworkMount, Options, PidInfo, TRACER, World, is_within};
pub use touch::{Touch, touches};
pub use value::{Designation, FdNote, Member, Operator, PidNote, Prefix, Tail, Text, TextKind, Value};
