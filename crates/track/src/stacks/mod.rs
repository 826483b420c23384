//! Stacks by numbers, and counts of them.

pub mod ids;
pub mod tally;
