//! The functions of a file by their names, with what is needed to trace them: where each begins, and the types of its
//! arguments.
//!
//! `file` is an opened file. `by_name` finds functions: `table` reads the symbols, `types` the prototypes from DWARF,
//! `typed` holds them, and `machine` has the registers. `usdt` finds the probes that a program has in itself. For files
//! without debug information, [`stride_syscalls::library`] has prototypes of well-known functions.
//!
//! Architecture invariant: the return of a function is only watched where that is safe. A watched return replaces the
//! return address on the stack. Programs that read, save or skip this address would fail: see [`entry_only`].

mod by_name;
mod entry_only;
mod file;
mod machine;
mod table;
mod typed;
mod types;
mod usdt;

pub use by_name::functions;
pub use file::{CodeFileToProbe, ProbesFound, needed_libraries};
pub use usdt::usdt_probes;
