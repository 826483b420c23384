//! rseq(2)'s area and the critical section it points at.

use crate::{Cx, Member, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::structs::futex::{RSEQ, RSEQ_CS};

/// The first size of the area, and its alignment. The kernel refuses smaller or unaligned areas.
const LEAST: u64 = 32;

pub fn held<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let size = u64::from(cx.arg("rseq_len") as u32);
    if addr == 0 || !cx.verbose || size < LEAST || !addr.is_multiple_of(LEAST) {
        return Value::Addr(addr);
    }
    area(cx, addr, size).unwrap_or(Value::Addr(addr))
}

fn area<'a>(cx: &Cx<'a>, addr: u64, size: u64) -> Option<Value<'a>> {
    let mut members = Vec::with_capacity_in(RSEQ.fields.len(), cx.arena);
    for field in RSEQ.fields {
        // Members beyond the area's size count as zero.
        let value = if field.place(cx.abi()).end() as u64 <= size {
            generic::member(cx, &RSEQ, field, Phase::Entry, addr)?
        } else {
            Value::Hex(0)
        };
        members.push(Member { name: field.name, value });
    }
    Some(Value::Struct(members.into_bump_slice(), Tail::End))
}

/// The critical section: its content is shown before the pointer.
pub fn section<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    match cx.strukt(&RSEQ_CS, Phase::Entry, addr) {
        Some(section) if addr != 0 => cx.comment(section, Value::Addr(addr)),
        _ => Value::Addr(addr),
    }
}
