//! The arguments of options for sets.

use crate::flags::flag::{Value, words};
use stride_filter::{Catalog, syscall_members};

/// The argument of options for a set of syscalls.
pub const SYSCALLS: Value = Value::Set(|| words(syscall_members(Catalog::native())));
/// The argument of options for a set of file descriptors. Only the descriptors that every program has are offered.
pub const DESCRIPTORS: Value = Value::Set(|| words(["0", "1", "2"]));
