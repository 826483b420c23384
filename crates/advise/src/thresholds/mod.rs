//! The numbers that make a pattern a pattern, those that rules share, and setting them (`--advise-config`).

pub mod config;
pub mod shared;
pub mod threshold;
