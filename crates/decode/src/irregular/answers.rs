//! Structs in which the kernel answers.

use crate::{Cx, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::{Dir, Ty};

/// A struct, and the members that the kernel adds to it. `more` says that there are others.
pub fn joined<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, more: bool) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let &Ty::Turn(before, after) = shape else { return Value::Addr(addr) };
    let Some(Value::Struct(given, tail)) = cx.strukt(before, Phase::Entry, addr) else { return Value::Addr(addr) };
    if cx.failed() {
        return Value::Struct(given, tail);
    }
    let Some(Value::Struct(added, tail)) = cx.strukt(after, Phase::Exit, addr) else { return Value::Addr(addr) };
    let mut all = Vec::new_in(cx.arena);
    all.extend_from_slice(given);
    all.extend(added.iter().filter(|new| given.iter().all(|old| old.name != new.name)));
    Value::Struct(all.into_bump_slice(), if more { Tail::More } else { tail })
}

/// A struct, and after the call those of its members that the kernel may have changed.
pub fn answer<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, fixed: &[&str]) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let &Ty::Turn(before, after) = shape else { return Value::Addr(addr) };
    let Some(given) = cx.strukt(before, Phase::Entry, addr) else { return Value::Addr(addr) };
    if cx.failed() {
        return given;
    }
    let Some(Value::Struct(all, tail)) = cx.strukt(after, Phase::Exit, addr) else { return given };
    let mut changed = Vec::new_in(cx.arena);
    changed.extend(all.iter().filter(|member| !fixed.contains(&member.name)));
    if changed.is_empty() {
        return given;
    }
    Value::Change(cx.keep(given), cx.keep(Value::Struct(changed.into_bump_slice(), tail)))
}

/// A member that the kernel may replace by another number: `168 => 104`.
pub fn changed<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, name: &str, siblings: Siblings) -> Value<'a> {
    let shown = |raw| generic::held(cx, shape, raw, siblings);
    let at = |phase| match siblings {
        Siblings::Struct(s, base, _) => cx.number(s, name, phase, base),
        Siblings::Args => None,
    };
    // The struct may have been read at exit, so `raw` may be the number after the call.
    let before = at(Phase::Entry).unwrap_or(raw);
    match at(Phase::Exit) {
        Some(after) if after != before && !cx.failed() => Value::Change(cx.keep(shown(before)), cx.keep(shown(after))),
        _ => shown(before),
    }
}
