//! fcntl(2), flock(2) and leases.

use crate::Syscall;

pub static ROWS: &[Syscall] = &[];

pub static I386: &[(&str, Syscall)] = &[];
