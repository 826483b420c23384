//! Stacks of user space: which functions of a program lead to its system calls.
//!
//! An engine gives the registers of a thread and a way to read its memory ([`stride_event::Unwind`]), at a moment when the thread
//! stands still or from a copy of its stack. [`Stacks`] finds the frames and names them.
//!
//! - `walk` goes from frame to frame; `cfi` has the rules for that, from `.eh_frame` and `.debug_frame`. Code without rules is taken to
//!   keep frame pointers, as JIT compilers and Go do. Frames of signal handlers lead back to what they interrupted.
//! - `space` is the code that a process has mapped, from `maps`. The calls that change the mappings are noted ([`Stacks::note`],
//!   `events`), and have them read again; so does an address that is in no mapping.
//! - `images` has each file of code once, whoever maps it; `image` is one such file (`elf`), with its functions (`symbols`), its lines
//!   and inlined functions (`lines`), or those of a file beside it (`separate`). `perf_map` names the functions of JIT compilers.
//!
//! Architecture invariants: files of code are as hostile as a tracee's memory. Lengths are checked before they are used, loops and memory
//! are bounded, and files are read and never mapped, for a file that shrinks under a mapping kills the reader. No file is opened that is
//! not regular, or that a process serves (FUSE), for it may be waiting for Stride. What cannot be known is left out; nothing is guessed.

mod cfi;
mod demangle;
mod elf;
mod events;
mod file;
#[cfg(test)]
mod hostile_tests;
mod image;
mod images;
mod lines;
mod maps;
mod mounts;
mod perf_map;
mod separate;
mod space;
mod stacks;
mod symbols;
mod walk;

pub use events::mapping_calls;
pub use stacks::{StackDetail, Stacks};
