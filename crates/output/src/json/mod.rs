//! `--json`: one object a line. What the objects look like is in docs/json.md; [`schema`] says it for machines.

mod call;
mod event;
pub mod schema;
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
