//! Data that /proc has and events have not: which processes are traced, how much of a processor each uses, and what their threads wait for.

pub mod families;
pub mod processes;
pub mod wait_source;
pub mod waits;
