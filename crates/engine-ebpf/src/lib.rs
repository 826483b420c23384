//! The eBPF engine: programs in the kernel copy what each call did into a ring, and the tracee never stops.
//!
//! `bpf/` is the kernel side; `bpf/wire.h` says what passes between it and this side. The files here, outermost first:
//! `engine` (the loop, and in it `take`, which takes in records, and `note`, what is to be told), `settings`, `records` (reading them),
//! `threads` (what is out of the ordinary about a thread), `groups` (which form a process), `survey` and `inside` (finding blocked
//! calls, and reading their memory), `rings` and `ring`, `valve` (holding who fills them), `load` (programs and maps), `relocate` and
//! `btf` (which kernel types they look into), `plans` (rows to ops), `about` (filters of files), `files` (what descriptors refer to),
//! `wire` (the generated mirror of wire.h), `probe` (whether it can work here), `refusal` (why not) and `error`.
//!
//! Architecture invariants: layouts shared with the kernel side are generated from wire.h, never typed; nothing is decoded here;
//! what the kernel side copies is what `stride_event::capture` would, op by op.

mod about;
mod btf;
mod counts;
mod engine;
mod error;
mod files;
mod groups;
mod inside;
mod load;
mod plans;
pub mod probe;
mod records;
mod refusal;
mod relocate;
mod ring;
mod rings;
mod settings;
mod survey;
mod threads;
mod valve;
mod wire;

pub use engine::EbpfEngine;
pub use error::{StartError, Why, setcap};
pub use load::{available, trial_load};
pub use probe::trial;
pub use settings::{DEFAULT_RING, Overflow, Settings};
pub use valve::Held;
