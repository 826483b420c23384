//! The views of this crate. Each gets the events of a run and writes them in a form of its own.

pub mod advise;
pub mod flamegraph;
pub mod harden;
pub mod html;
pub mod inputs;
pub mod json;
pub mod perfetto;
pub mod processes;
pub mod summary;
pub mod text;
pub mod time_spent;
pub mod tree;
pub mod view;
mod wakes;
