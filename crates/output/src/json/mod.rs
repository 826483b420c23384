//! `--json`: one object per line. docs/json.md describes the objects for people, and [`schema`] for programs.
//!
//! The view writes the same `Value`s that the text does. The shape of a value follows from its variant, and so from the row's
//! type: `schema.rs` walks the types of the rows and says what each becomes (docs/json.schema.json). Types that take code to
//! decode (`Ty::Custom`) may be any value there, unless `schema.rs` knows better. `crates/cli/tests/json.rs` validates the lines
//! of real programs and of those in `tests/syscalls/`, live and replayed.
//!
//! A call is one object, written when the call returns. Under ptrace its arguments are kept from entry to return if descriptors
//! or names are looked up (`-y`, `-Y`), because the entry is the time to look. A call that is in flight when its thread goes is
//! `unfinished`. Otherwise processes and objects come from the tracker.

mod call;
mod compared;
mod event;
pub mod schema;
mod stack;
mod value;
mod view;
mod writer;

pub(crate) use call::abi_name;
pub use view::JsonView;
pub use writer::Json;

/// Grows when readers of the old shapes would misread new ones. What is merely added changes nothing.
pub const VERSION: u32 = 1;

#[cfg(test)]
mod view_tests;
