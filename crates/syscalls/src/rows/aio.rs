//! Asynchronous I/O: io_submit(2), io_uring(7).

use crate::Syscall;

pub static ROWS: &[Syscall] = &[];

pub static I386: &[(&str, Syscall)] = &[];
