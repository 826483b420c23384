//! Stacks of user space: which functions of a program lead to its system calls.
//!
//! An engine gives the registers of a thread and a way to read its memory ([`stride_event::Unwind`]). The thread stands
//! still, or the memory is a copy of its stack. [`Stacks`] finds the frames and names them.
//!
//! - `walk` goes from frame to frame. `cfi` has the rules for that, from `.eh_frame` and `.debug_frame`. Code without
//!   rules is assumed to keep frame pointers, as JIT compilers and Go do. A signal handler's frame leads back to the
//!   interrupted code. Go's `systemstack`, which runs a function on the thread's own stack, leads back to the goroutine's.
//!   `registers` tells how 64-bit and 32-bit code differ.
//! - `space` is the code that a process has mapped, read by `maps`. The mappings are read again after a call that
//!   changes them ([`Stacks::note`], `events`), and after an address that is in no mapping. `age` finds out whether a
//!   mapping may be newer than a stack.
//! - `images` has each file of code once, however many processes map it. `image` is one such file (`elf`, `elf_form`), with its
//!   functions (`symbols`), and its lines and inlined functions (`lines`). Debug information may be in a separate file
//!   (`separate`). Go programs have a table of their own (`go_table`). `perf_map` names the functions of JIT compilers.
//!   `pool` bounds the number of open files. `vdso` has the code that the kernel maps into processes.
//!
//! - `functions` finds functions by their names, with the types of their arguments, and USDT probes (`--library-calls`, `--usdt`).
//!
//! Architecture invariants: files of code are as hostile as a tracee's memory. Lengths are checked before they are
//! used, and loops and memory are bounded. Files are read and never mapped, because a file that shrinks under a mapping
//! kills the reader. Only regular files are opened, and none that a process serves (FUSE), because that process may be
//! waiting for Stride. What cannot be known is left out; nothing is guessed.

mod age;
mod bytes;
mod cfi;
mod demangle;
mod elf;
mod elf_form;
mod events;
mod examine;
mod file;
mod functions;
mod go_table;
#[cfg(test)]
mod hostile_tests;
mod image;
mod images;
mod lines;
mod maps;
mod mounts;
mod perf_map;
mod pool;
mod registers;
mod separate;
mod space;
mod stacks;
mod symbols;
mod vdso;
mod walk;

pub use events::mapping_calls;
#[doc(hidden)]
pub use examine::examine;
pub use functions::{CodeFileToProbe, ProbesFound, functions, needed_libraries, usdt_probes};
pub use maps::code_files;
pub use separate::Fetch;
pub use stacks::{StackDetail, Stacks};
