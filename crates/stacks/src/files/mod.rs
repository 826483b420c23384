//! Opening and reading files that may be hostile.

pub mod bytes;
pub mod mounts;
pub mod open;
pub mod pool;
