//! The command line.
//!
//! One table ([`table`]) has an entry per option: how it is spelt, what it takes, its documentation, and how it changes
//! a [`Draft`]. Everything else follows from the table: the parser, `--help`, the man page, the shell completions, and
//! the tests that keep all of them complete. To add an option, add an entry to the file of its topic, or of its view.
//!
//! The spellings, the order in which mistakes are found and the words of most messages are strace's, so that scripts
//! work with either tool. The table also has strace's options that Stride lacks. They are refused by name: an option
//! that is silently ignored is worse than one that fails.

mod artefact;
pub mod asked;
mod complete;
pub mod draft;
mod examples;
pub mod explain;
mod expression;
pub mod flag;
mod generate;
pub mod help;
pub mod long_run_values;
mod long_runs;
mod lookup;
mod man;
mod options;
mod parser;
pub mod stop;
pub mod summary;
mod table;
mod tip;
mod tips;
mod truss;
mod users;
mod validate;
pub mod values;
mod version;

#[cfg(test)]
pub use long_run_values::rotation;
pub use long_runs::{Extent, Flight, Rotation, Trigger};
pub use options::{
    Color, Command, ConstStyle, Daemonize, Engine, HexStrings, Interruptible, LibraryPattern, LineStyle, MachineFilter,
    Options, Output, Overflow, PidPrefix, Summary, TimeFormat,
};
pub use parser::{Outcome, parse};
pub use tips::text as tip_text;

#[cfg(test)]
pub use parser::options_of;
