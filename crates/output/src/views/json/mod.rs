//! `--json`: one object per line. docs/json.md describes the objects for users, and [`schema`] for programs.
//!
//! The view writes the same `Value`s as the text view. The shape of a value follows from its variant, and so from the
//! row's type. `schema.rs` walks the types of the rows and describes the shape of each (docs/json.schema.json). Types
//! that take code to decode (`Ty::Custom`) may be any value in the schema, unless `schema.rs` has a definition for
//! them. `crates/cli/tests/json/` validates the lines of real programs and of those in `tests/syscalls/`, live and
//! replayed.
//!
//! A call is one object, written when the call returns. Under ptrace its arguments are kept from entry to return if
//! descriptors or names are looked up (`-y`, `-Y`), because they must be looked up at entry. A call that is in flight
//! when its thread goes is `unfinished`. Processes and objects come from the tracker otherwise.

mod arguments;
mod call;
mod compared;
mod event;
mod library;
mod named;
pub mod schema;
mod stack;
mod value;
mod view;
mod waits;
mod writer;

pub use arguments::CallArguments;
pub use library::operation_args;
pub use view::JsonView;
pub use writer::Json;

/// The version is raised when readers of the old shapes would misread new ones. Additions do not change it.
pub const VERSION: u32 = 1;

#[cfg(test)]
mod view_tests;
