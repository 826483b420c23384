//! inotify(7), fanotify(7).

use crate::Syscall;

pub static ROWS: &[Syscall] = &[];

pub static I386: &[(&str, Syscall)] = &[];
