//! The units of threads and times.

/// A thread id in Stride's PID namespace.
pub type Tid = i32;
/// Nanoseconds.
pub type Ns = u64;
