//! `-e` expressions, as data.
//!
//! Every expression is a set over some domain: syscalls, signals, file descriptors, return statuses, kinds of messages.
//! All domains share one grammar ([`list`]) and differ in the spelling of members. The result is plain data, which the
//! command line hands to engines (which skip calls as early as they can) and to the printer.
//!
//! The texts of errors are part of the interface, because scripts match on them. They are strace's where strace has
//! one.

mod catalog;
mod descriptors;
mod durations;
mod ere;
mod error;
mod errors;
mod expression;
mod frames;
mod injections;
mod list;
mod nearest;
mod paths;

mod secrets;
mod signals;
mod syscalls;
mod words;

pub use catalog::{Catalog, Named};
pub use descriptors::parse_descriptors;
pub use durations::parse_durations;
pub use error::Error;
pub use errors::{error_names, parse_errors};
pub use expression::{
    CallFacts, CallField, Datum, EarlyChoice, ExprMistake, Expression, ExpressionPart, FIELDS, Fault, MOST_INNER_TEXT,
    MOST_ITEMS, MOST_TEXT,
};
pub use frames::FramePattern;
pub use injections::{InjectionRule, Tamper, parse_injection};
pub use nearest::{did_you_mean, nearest};
pub use paths::{PathSet, Resolved};
pub use secrets::{FoundSecret, SecretKind, Secrets};
pub use signals::{SignalSet, signal_names};
pub use stride_event::{CallSet, FdSet};
pub use syscalls::{parse_syscalls, syscall_members, with_nameless};
pub use words::{ContextDetail, FdDetail, PidDetail, Quiet, Status, Word, WordSet};
