//! Waiting: poll, select, epoll.

use crate::Syscall;

pub static ROWS: &[Syscall] = &[];

pub static I386: &[(&str, Syscall)] = &[];
