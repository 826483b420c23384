//! `--replay`: a recording in an engine's place.

mod engine;
mod limits;

pub use engine::Replay;
pub use limits::adapt;
