//! Structs in which the kernel answers.

use crate::{Cx, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::{Dir, Struct, Ty};

/// The struct as the program gave it, and the shape of the kernel's answer. `Err`: no answer came, and this value is
/// shown.
pub fn given<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Result<(Value<'a>, &'static Struct), Value<'a>> {
    generic::follow(cx, addr, Dir::In)?;
    let &Ty::Turn(before, after) = shape else { return Err(Value::Addr(addr)) };
    let given = cx.strukt(before, Phase::Entry, addr).ok_or(Value::Addr(addr))?;
    if cx.failed() { Err(given) } else { Ok((given, after)) }
}

/// A struct, and the members that the kernel adds to it. `more` says that there are others.
pub fn joined<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, more: bool) -> Value<'a> {
    let (given, after) = match given(cx, shape, addr) {
        Ok((Value::Struct(given, _), after)) => (given, after),
        Ok((other, _)) | Err(other) => return other,
    };
    let Some(Value::Struct(added, tail)) = cx.strukt(after, Phase::Exit, addr) else { return Value::Addr(addr) };
    let mut all = Vec::new_in(cx.arena);
    all.extend_from_slice(given);
    all.extend(added.iter().filter(|new| given.iter().all(|old| old.name != new.name)));
    Value::Struct(all.into_bump_slice(), if more { Tail::More } else { tail })
}

/// A struct, and after the call those of its members that the kernel may have changed.
pub fn answer<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, fixed: &[&str]) -> Value<'a> {
    let (given, after) = match given(cx, shape, addr) {
        Ok(both) => both,
        Err(value) => return value,
    };
    let Some(Value::Struct(all, tail)) = cx.strukt(after, Phase::Exit, addr) else { return given };
    let mut changed = Vec::new_in(cx.arena);
    changed.extend(all.iter().filter(|member| !fixed.contains(&member.name)));
    if changed.is_empty() {
        return given;
    }
    Value::Change(cx.keep(given), cx.keep(Value::Struct(changed.into_bump_slice(), tail)))
}

/// A member that the kernel may replace by another number: `168 => 104`. If it does so although the call fails, the
/// direction of its memory says so, and there is a number from after the call.
pub fn changed<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, name: &str, siblings: Siblings) -> Value<'a> {
    let shown = |raw| generic::held(cx, shape, raw, siblings);
    let at = |phase| match siblings {
        Siblings::Struct(s, base, _) => cx.number(s, name, phase, base),
        Siblings::Args => None,
    };
    // The struct may have been read at exit, so `raw` may be the number after the call.
    let before = at(Phase::Entry).unwrap_or(raw);
    match at(Phase::Exit) {
        Some(after) if after != before => Value::Change(cx.keep(shown(before)), cx.keep(shown(after))),
        _ => shown(before),
    }
}

/// A member that the kernel fills in. One that the program filled in is left out.
pub fn filled_in<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, name: &str, siblings: Siblings) -> Value<'a> {
    let before = match siblings {
        Siblings::Struct(s, base, _) => cx.number(s, name, Phase::Entry, base),
        Siblings::Args => None,
    };
    match before {
        Some(given) if given != 0 => Value::Absent,
        _ => generic::held(cx, shape, raw, siblings),
    }
}
