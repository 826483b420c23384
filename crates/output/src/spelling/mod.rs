//! The spelling of names and bytes: quoting, names of errors and signals, words of a shell, and the options for them.

pub mod clock;
pub mod digits;
pub mod legible;
pub mod names;
pub mod quote;
pub mod shell;
pub mod style;
pub mod wrap;
