//! Memory of calls that does not come with their records.

pub mod absent;
pub mod pieces;
