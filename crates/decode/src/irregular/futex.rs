//! Futexes: the operation packed in `val3`, vectors of waiters.

use crate::{Cx, Siblings, Tail, Value, generic};
use stride_event::Phase;
use stride_syscalls::{Set, Ty, sets::futex::*, structs::futex::WAITER, uapi::consts as c};

/// `FUTEX_WAKE_OP`'s operation and comparison (linux/futex.h, `FUTEX_OP`).
pub fn wake_op<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let op = (raw >> 28) & 7;
    let parts = [
        shifted(cx, c::FUTEX_OP_OPARG_SHIFT, &WAKE_SHIFT, 28),
        shifted(cx, op, &WAKE_OP, 28),
        cx.shifted(Value::Hex((raw >> 12) & 0xfff), 12),
        shifted(cx, (raw >> 24) & 15, &WAKE_CMP, 24),
        Value::Hex(raw & 0xfff),
    ];
    let from = usize::from(raw >> 31 & 1 == 0);
    Value::Or(cx.values(&parts[from..]))
}

/// A name and its shift in the word. The comment of an unknown number follows the shift.
fn shifted<'a>(cx: &Cx<'a>, raw: u64, set: &'static Set, by: u64) -> Value<'a> {
    let number = if set.name_of(raw).is_some() { Value::Enum { raw, set } } else { Value::Hex(raw) };
    let both = cx.shifted(number, by);
    match set.name_of(raw) {
        Some(_) => both,
        None => cx.comment(both, Value::Unnamed(set)),
    }
}

/// futex_waitv(2)'s vector. More waiters than the kernel takes are not shown.
pub fn waiters<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let Ty::Array(dir, _, len) = *shape else { return Value::Addr(addr) };
    if addr == 0 || !cx.verbose || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    let Some(n) = cx.len(len, Phase::Entry, siblings) else { return Value::Addr(addr) };
    match generic::elements(cx, Phase::Entry, addr, &Ty::Struct(&WAITER), n.min(c::FUTEX_WAITV_MAX), false) {
        Value::Array(items, Tail::End) if n > c::FUTEX_WAITV_MAX => Value::Array(items, Tail::More),
        value => value,
    }
}
