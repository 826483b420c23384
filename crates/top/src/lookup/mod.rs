//! Data that /proc has and events have not: the traced processes, the share of a processor that each uses, and the waits of their threads.

pub mod families;
pub mod processes;
pub mod wait_source;
pub mod waits;
