//! The system calls that the code of a program can make, whether a run made them or not.
//!
//! [`reachable`] takes the files of code that a run used: executables, libraries, and objects that were loaded on demand. It reads their machine
//! instructions and follows what leads from one to another: calls, jumps, addresses that are taken, tables of pointers, and names that one file wants of
//! another. The code of executables counts as a whole, because linkers leave unused parts out. In libraries, only functions that are wanted by name count, with
//! everything that they lead to. An object that no other file names was loaded on demand, so all that it exports counts.
//!
//! The number of a call is looked for backwards from the instruction that makes the call (`numbers`). A function that takes the number from
//! its caller (`syscall` of C libraries, `syscall.Syscall` of Go) passes the question on to its callers.
//!
//! The answer is an estimate from both sides. Code may be there that no input reaches. A number that is computed, a function pointer that
//! is computed, or code that is made while the program runs cannot be seen; the places of the first kind are counted.
//!
//! Files are hostile: their sizes are bounded by the caller, and each step here is linear in them, or bounded.

mod arm64;
mod graph;
mod image;
mod isa;
mod numbers;
mod pieces;
mod x86;

pub use graph::{ReachedCalls, WayToCall, reachable};
pub use image::{MachineCode, Unread};
