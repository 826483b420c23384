//! The units of threads and times.

/// A thread id in Stride's PID namespace.
pub type Tid = i32;
/// Nanoseconds.
pub type Ns = u64;

/// A thread's name, with zeros behind it (`TASK_COMM_LEN`).
pub type Comm = [u8; 16];
