//! rseq(2)'s area and the critical section it points at.

use crate::{Cx, Value};
use stride_event::Phase;
use stride_syscalls::structs::futex::{RSEQ, RSEQ_CS};

/// The area's size when it was first defined: a smaller one the kernel refuses.
const LEAST: u64 = 32;

pub fn held<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose || (cx.arg("rseq_len") as u32 as u64) < LEAST {
        return Value::Addr(addr);
    }
    cx.strukt(&RSEQ, Phase::Entry, addr).unwrap_or(Value::Addr(addr))
}

/// The pointer to the critical section: what it points at comes first.
pub fn section<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    match cx.strukt(&RSEQ_CS, Phase::Entry, addr) {
        Some(section) if addr != 0 => cx.comment(section, Value::Addr(addr)),
        _ => Value::Addr(addr),
    }
}
