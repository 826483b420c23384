//! The filter for sockets that a request of sock_diag(7) may carry: linux/inet_diag.h.

use super::Span;
use crate::{Member, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_syscalls::netlink::{FILTER_HOST, FILTER_MARK, FILTER_OP};
use stride_syscalls::{Irregular, Struct, Ty, uapi::consts as c};

/// An instruction, and what it compares.
pub(super) fn filter<'a>(span: &Span<'a, '_>) -> Option<Value<'a>> {
    let cx = span.cx;
    let size = FILTER_OP.size(cx.abi());
    if span.len < size {
        return None;
    }
    let Some(op) = cx.strukt(&FILTER_OP, span.phase, span.addr) else { return Some(Value::Addr(span.addr)) };
    let rest = span.from(size);
    if rest.len == 0 {
        return Some(op);
    }
    Some(Value::Seq(cx.values(&[op, operand(&rest, span.uint(0, 1)?)])))
}

fn operand<'a>(span: &Span<'a, '_>, code: u64) -> Value<'a> {
    match code {
        c::INET_DIAG_BC_S_COND | c::INET_DIAG_BC_D_COND => host(span),
        c::INET_DIAG_BC_DEV_COND => number(span, &Ty::Custom(Irregular::Ifindex, &Ty::UInt)),
        c::INET_DIAG_BC_CGROUP_COND => number(span, &Ty::U64),
        c::INET_DIAG_BC_S_GE
        | c::INET_DIAG_BC_S_LE
        | c::INET_DIAG_BC_S_EQ
        | c::INET_DIAG_BC_D_GE
        | c::INET_DIAG_BC_D_LE
        | c::INET_DIAG_BC_D_EQ => strukt(span, &FILTER_OP),
        c::INET_DIAG_BC_MARK_COND => strukt(span, &FILTER_MARK),
        _ => span.hex(),
    }
}

fn number<'a>(span: &Span<'a, '_>, ty: &Ty) -> Value<'a> {
    let size = ty.size(span.cx.abi());
    if span.len < size {
        return span.hex();
    }
    match span.uint(0, size) {
        Some(raw) => generic::held(span.cx, ty, raw, Siblings::Args),
        None => Value::Addr(span.addr),
    }
}

fn strukt<'a>(span: &Span<'a, '_>, s: &'static Struct) -> Value<'a> {
    if span.len < s.size(span.cx.abi()) {
        return span.hex();
    }
    span.cx.strukt(s, span.phase, span.addr).unwrap_or(Value::Addr(span.addr))
}

/// An address and a port to compare with.
fn host<'a>(span: &Span<'a, '_>) -> Value<'a> {
    let cx = span.cx;
    let head = strukt(span, &FILTER_HOST);
    let (Value::Struct(members, tail), Some(family)) = (head, span.uint(0, 1)) else { return head };
    let rest = span.from(FILTER_HOST.size(cx.abi()));
    if rest.len == 0 {
        return head;
    }
    let address = rest.address(family);
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend_from_slice(members);
    all.push(Member { name: "addr", value: address });
    debug_assert!(tail == Tail::End);
    Value::Struct(all.into_bump_slice(), Tail::End)
}
