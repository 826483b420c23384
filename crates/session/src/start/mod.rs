//! The start of a session: the request to the engine, and the choice of the engine.

mod cgroups;
mod choice;
pub mod command;
mod command_limit;
mod debuginfod;
mod needs;
mod spec;
pub mod stacks;

pub use choice::{Chosen, ENGINES, TRIALS, replay, start};
pub use command::CommandNotFound;
pub use command_limit::command_text;
pub use debuginfod::servers;
pub use needs::Needs;
pub use spec::{naming_calls, spec};
