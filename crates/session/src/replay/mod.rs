//! `--replay`: a recording in place of an engine.

mod engine;
mod limits;

pub use engine::Replay;
pub use limits::{adapt, require_stacks};
