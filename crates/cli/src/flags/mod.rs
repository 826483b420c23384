//! The command line.
//!
//! One table ([`table`]) has an entry per option: how it is spelt, what it takes, its documentation, and how it changes
//! the [`RawOptions`]. Everything else follows from the table: the parser, `--help`, the man page, the shell completions, and
//! the tests that keep all of them complete. To add an option, add an entry to the file of its topic, or of its view.
//!
//! The spellings, the order in which mistakes are found and the words of most messages are strace's, so that scripts
//! work with either tool. The table also has strace's options that Stride lacks. They are refused by name: an option
//! that is silently ignored is worse than one that fails.

mod artefact;
mod complete;
mod examples;
pub mod explain;
mod expression;
pub mod flag;
mod generate;
pub mod help;
pub mod long_run_values;
mod lookup;
mod man;
mod parser;
mod raw_flight;
pub mod raw_options;
pub mod stop;
pub mod summary;
mod table;
mod time_format;
mod tip;
mod tips;
mod truss;
mod users;
mod validate;
pub mod values;
mod version;

pub use parser::{Outcome, Parsed, parse};
pub use tips::text as tip_text;

#[cfg(test)]
pub use parser::options_of;
