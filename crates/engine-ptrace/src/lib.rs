//! The ptrace engine: every traced call stops the tracee at its entry and at its exit.
//!
//! One thread does all of it, because ptrace ties tracees to the *thread* that seized them: [`PtraceEngine`] cannot
//! be sent elsewhere. Its [`next`](stride_engine_base::Engine::next) waits for the next stop and turns it into
//! events. The thread stays stopped until `next` is called again, so that the caller sees in `/proc` what the tracee
//! sees at that moment.
//!
//! The files, outermost first: `engine` (the loop, and in it `calls` and `births` of threads), `note` (events that wait to be taken),
//! `spawn` and `attach` (how tracees come; the command is forked by `stride_engine_base`), `detach` (how they go), `seccomp`,
//! `affinity`, `place` and `rescue` (which CPU to run on), `plans`, `memory` and `present` (capture), `stacks` and `sites`, `off_cpu` (waits), `inject`, `injected` and `delays` (changed calls), `vcpus` (virtual CPUs), `threads` and `tracee` (what is
//! known of a thread, and which requests its state permits), `wait`, `signals`, `error`; `sys` wraps the kernel.
//!
//! Architecture invariant: `unsafe` only in `sys`; a ptrace request can be made only through [`tracee::Stopped`].
#![deny(unsafe_code)]

mod affinity;
mod attach;
mod delays;
mod detach;
mod engine;
mod error;
mod inject;
mod injected;
mod memory;
mod note;
mod off_cpu;
mod place;
mod plans;
mod present;
mod rescue;
mod seccomp;
mod signals;
mod sites;
mod spawn;
mod stacks;
#[allow(unsafe_code)]
mod sys;
mod threads;
mod tracee;
mod vcpus;
mod wait;

pub use attach::available;
pub use engine::PtraceEngine;
