//! bpf(2), perf_event_open(2), seccomp(2).

use crate::Syscall;

pub static ROWS: &[Syscall] = &[];

pub static I386: &[(&str, Syscall)] = &[];
