//! Numbers of threads and ABIs, checked.

use crate::stream::Malformed;
use stride_event::Tid;
use stride_syscalls::Abi;

/// No id of the kernel's is beyond this (PID_MAX_LIMIT), and no thread of another namespace has an id below 0. State
/// that is kept for each thread relies on that bound.
const MAX_TID: Tid = 1 << 22;

pub fn tid(v: i64) -> Result<Tid, Malformed> {
    let possible = |tid: &Tid| (0..=MAX_TID).contains(tid);
    Tid::try_from(v).ok().filter(possible).ok_or(Malformed("a thread has an impossible id"))
}

pub fn abi(byte: u8) -> Result<Abi, Malformed> {
    Abi::from_value(byte).ok_or(Malformed("a call has an unknown ABI"))
}
