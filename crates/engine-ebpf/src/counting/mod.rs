//! Calls that are counted in the kernel, and the times that are taken for that.

pub mod counts;
pub mod ticks;
pub mod timing;
