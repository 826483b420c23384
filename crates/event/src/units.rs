//! What threads and times are counted in.

/// A thread id, as seen from Stride's PID namespace.
pub type Tid = i32;
/// Nanoseconds.
pub type Ns = u64;
