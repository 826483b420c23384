//! Rows of i386 calls that differ from the call of the same name elsewhere, by the kernel's i386 name.

use crate::Syscall;

pub static ROWS: &[(&str, Syscall)] = &[];
