//! Functions that an interpreter runs, among the functions of the native stack.
//!
//! An interpreter has a native function that runs scripts (its evaluation function), and keeps a list of the scripts' frames for each thread. Where the
//! native stack has the evaluation function, the frames that this call of it runs take its place.
//!
//! A language is a [`runtime::Runtime`], in a folder of its own. To add one: tell by which native function it is known, find its version in the file of code
//! ([`languages`]), describe where it keeps its frames ([`stride_event::ScriptLayout`]), and name them. The engines need nothing more: they copy frames by the layout.
//!
//! Everything that is read comes from the program and may be anything. Counts are bounded. If the frames and the native stack do not fit, or
//! the code of a frame is gone, a frame says so ([`mixed`]).

#[cfg(test)]
mod hostile_tests;
pub mod identity;
mod known;
pub mod languages;
pub mod mixed;
#[cfg(test)]
mod narrow_tests;
pub mod objects;
pub mod perl;
pub mod php;
pub mod python;
pub mod ruby;
pub mod runtime;
pub mod unknown;
mod waiting;
mod waiting_names;
pub mod walk;
pub mod word_size;
