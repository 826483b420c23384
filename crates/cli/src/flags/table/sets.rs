//! What options for sets take.

use crate::flags::flag::{Value, words};
use stride_filter::{Catalog, syscall_members};

/// What options for a set of syscalls take.
pub const SYSCALLS: Value = Value::Set(|| words(syscall_members(Catalog::native())));
/// What options for a set of file descriptors take: those that every program has are worth offering.
pub const DESCRIPTORS: Value = Value::Set(|| words(["0", "1", "2"]));
