//! File offsets: sendfile(2), splice(2), _llseek(2).

use crate::{Cx, Tail, Value};
use stride_event::Phase;
use stride_syscalls::Ty;

/// `[before]`, or `[before => after]` if the call moved the offset.
pub fn change<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    let Ty::Array(_, inner, _) = *shape else { return Value::Addr(addr) };
    let size = inner.size(cx.abi());
    let at = |phase| cx.uint(phase, addr, size).map(Value::UInt);
    let before = match at(Phase::Entry) {
        Some(before) if addr != 0 && cx.verbose => before,
        _ => return Value::Addr(addr),
    };
    let moved = cx.ret().is_some_and(|n| n > 0);
    let value = match at(Phase::Exit) {
        Some(after) if moved => Value::Change(cx.keep(before), cx.keep(after)),
        _ => before,
    };
    Value::Array(cx.values(&[value]), Tail::End)
}

/// An offset in two halves. `low` is the lower one; the upper one is the argument before it.
pub fn split<'a>(cx: &Cx<'a>, low: u64) -> Value<'a> {
    Value::Int(((cx.arg("offset_high") & 0xffff_ffff) << 32 | low & 0xffff_ffff) as i64)
}
