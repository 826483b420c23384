//! Functions that a language's run-time system compiles to machine code while the program runs (JIT), or runs in code of its own.
//!
//! Such functions have frames on the native stack, but no file has their code. A language tells two things about these frames: how the walk goes on behind
//! one, unless the frame pointer leads on; and for which functions each stands.
//!
//! A language is a [`runtime::Jit`] in a folder of its own. To add one: tell in which files it is ([`languages`]), find its version there, and name its frames. What is read of
//! the process may be anything, and without ptrace the thread runs on: what was not copied with the stack may have changed since.

pub mod hotspot;
pub mod languages;
mod pypy;
pub mod runtime;
#[cfg(test)]
pub(crate) mod test_memory;
pub mod v8;
