//! From an event and its row to typed values.
//!
//! Architecture invariant: values carry no punctuation, and decoders see no memory but what was captured.

mod call;
mod cx;
mod dump;
mod generic;
pub mod irregular;
mod options;
mod touch;
mod value;

pub use call::{Decoded, Decoder, NamedArg, Part, Return};
pub use cx::{Cx, Siblings};
pub use dump::Dump;
pub use options::{FdInfo, Options, PidInfo, TRACER, World};
pub use touch::{Touch, touches};
pub use value::{FdNote, Member, PidNote, Tail, Text, TextKind, Value};
