//! Calls into trusted execution environments: linux/tee.h.

use super::count;
use crate::{Cx, Member, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::tee::PARAMETER;
use stride_syscalls::{Dir, Struct, Ty};

/// The length and the address of a struct with parameters behind it. The struct is shown if its length fits the number
/// of its parameters, as the kernel wants it.
pub fn call<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let &Ty::Shapes(&[_, Ty::Struct(asked), Ty::Struct(answered)]) = shape else { return Value::Addr(addr) };
    let (at, len) = (cx.uint(Phase::Entry, addr, 8), cx.uint(Phase::Entry, addr.wrapping_add(8), 8));
    let (Some(at), Some(len)) = (at, len) else { return Value::Addr(addr) };
    let length = ("buf_len", Value::UInt(len));
    let Some(before) = head(cx, asked, Phase::Entry, at, len) else {
        return cx.members(&[length, ("buf_ptr", Value::Addr(at))]);
    };
    let before = cx.members(&[length, ("buf_ptr", before)]);
    let after = if cx.failed() { None } else { head(cx, answered, Phase::Exit, at, len) };
    match after {
        Some(after) => Value::Change(cx.keep(before), cx.keep(cx.members(&[("buf_ptr", after)]))),
        None => before,
    }
}

fn head<'a>(cx: &Cx<'a>, s: &'static Struct, phase: Phase, addr: u64, len: u64) -> Option<Value<'a>> {
    let size = s.size(cx.abi()) as u64;
    let Value::Struct(members, tail) = cx.strukt(s, phase, addr)? else { return None };
    let n = count(cx, "num_params", phase, Siblings::Struct(s, addr, phase));
    let each = PARAMETER.size(cx.abi()) as u64;
    if n.checked_mul(each)?.checked_add(size)? != len {
        return None;
    }
    let params = generic::elements(cx, phase, addr.wrapping_add(size), &Ty::Struct(&PARAMETER), n, false);
    let params = if n == 0 { Value::Array(&[], Tail::End) } else { params };
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend_from_slice(members);
    all.push(Member { name: "params", value: params });
    Some(Value::Struct(all.into_bump_slice(), tail))
}
