//! What every engine needs whatever it observes with: a command that waits to be let go, and what signals do to Stride itself.
//!
//! `spawn` makes the process that becomes the command, `interrupt` sets up `-I`; `process` and `signal` wrap the kernel, and
//! `startup` remembers what Stride inherited, for the command to get it too.
//!
//! Architecture invariant: `unsafe` only in `process`, `signal` and `startup`.
#![deny(unsafe_code)]

pub mod interrupt;
#[allow(unsafe_code)]
pub mod process;
#[allow(unsafe_code)]
pub mod signal;
pub mod spawn;
#[allow(unsafe_code)]
mod startup;

pub use interrupt::Dispositions;
pub use signal::die_of;
pub use spawn::{Filter, SpawnError, Waiting, spawn};
