//! The parts that every engine needs: a command that waits to be let go, and the effect of signals on Stride itself.
//!
//! `engine` is the contract: the trait behind which the rest of Stride sees engines and replays. `error` says why tracing cannot begin or
//! go on. `spawn` makes the process that becomes the command, `interrupt` sets up `-I`; `process` and `signal` wrap the kernel, and
//! `startup` remembers what Stride inherited, for the command to get it too. `remote` reads a tracee's memory with a time limit, `inside` tells in
//! which call a thread sleeps, and `procfs` says where /proc has a thread. `policy` is how a thread is scheduled. `restart` says which call a
//! restart_syscall(2) goes on with. `kernel_code` has the kernel map what it maps into 32-bit programs.
//!
//! Architecture invariant: `unsafe` only in `kernel_code`, `policy`, `process`, `signal` and `startup`.
#![deny(unsafe_code)]

pub mod blocked_call;
mod cgroup;
pub mod engine;
pub mod error;
pub mod interrupt;
#[allow(unsafe_code)]
pub mod kernel_code;
#[allow(unsafe_code)]
mod policy;
#[allow(unsafe_code)]
pub mod process;
pub mod procfs;
pub mod remote;
pub mod restart;
#[allow(unsafe_code)]
pub mod signal;
pub mod spawn;
#[allow(unsafe_code)]
mod startup;
pub mod stat;
pub mod ticks;

pub use cgroup::{cgroup_root, container_id};
pub use engine::{Capabilities, Choose, Delayed, Engine};
pub use error::{AttachFailure, EngineError, StartError};
pub use interrupt::Dispositions;
pub use policy::{policy, set_policy};
pub use remote::Remote;
pub use restart::Interrupted;
pub use signal::{die_of, survive_file_limit};
pub use spawn::{SeccompFilter, SpawnError, Waiting, spawn};
