//! Stacks of user space: which functions of a program lead to its system calls.
//!
//! An engine gives the registers of a thread and a way to read its memory ([`stride_event::Unwind`]). The thread stands
//! still, or the memory is a copy of its stack. [`Stacks`] finds the frames and names them.
//!
//! | folder | contents |
//! |---|---|
//! | `unwind/` | going from frame to frame, by the rules of `.eh_frame` and `.debug_frame` or by frame pointers, in 64-bit and 32-bit code |
//! | `space/` | the code that a process has mapped, and whether a mapping may be newer than a stack |
//! | `image/` | the names and lines of a file of code, and each file once, however many processes map it |
//! | `script/` | the functions that an interpreter runs, and where it keeps their frames |
//! | `jit/` | the functions that a language's run-time system compiles while the program runs |
//! | `elf/` | reading ELF |
//! | `process` | what is known of each process |
//! | `kept` | stacks that were made before, each once |
//! | `files/` | opening and reading files that may be hostile |
//! | `functions/` | functions by their names, with the types of their arguments, and USDT probes (`--library-calls`, `--usdt`) |
//!
//! Architecture invariants: files of code are as hostile as a tracee's memory. Lengths are checked before they are
//! used, and loops and memory are bounded. Files are read and never mapped, because a file that shrinks under a mapping
//! kills the reader. Only regular files are opened, and none that a process serves (FUSE), because that process may be
//! waiting for Stride. What cannot be known is left out; nothing is guessed.

mod elf;
mod examine;
mod examine_frames;
mod files;
mod functions;
#[cfg(test)]
mod hostile_tests;
mod image;
mod jit;
mod kept;
#[cfg(test)]
mod nameless_tests;
mod process;
mod script;
mod space;
mod stacks;
mod unwind;

#[doc(hidden)]
pub use examine::examine;
#[doc(hidden)]
pub use examine_frames::examine_frames;
pub use functions::{CodeFileToProbe, ProbesFound, functions, needed_libraries, usdt_probes};
pub use image::separate::Fetch;
pub use space::events::mapping_calls;
pub use space::maps::code_files;
pub use stacks::{StackDetail, Stacks};
