//! keyctl(2), landlock, and the calls of security modules.

use crate::{Cx, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::{Phase, errno_name};
use stride_syscalls::sets::keys::{KEY_REQKEY_DEFL, KEY_SPEC, KEYCTL_CAPS0, KEYCTL_CAPS1};
use stride_syscalls::structs::keys::{LANDLOCK_RULESET, LSM_CTX, PKEY_OUT_PARAMS};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Dir, Len, Set, Ty};

/// A key's serial number, or a keyring's name for a negative one.
pub fn serial<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    named(cx, raw, &KEY_SPEC)
}

/// The keyring into which request_key(2) puts keys from now on.
pub fn default<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    named(cx, raw, &KEY_REQKEY_DEFL)
}

/// A signed decimal number with a name.
fn named<'a>(cx: &Cx<'a>, raw: u64, set: &'static Set) -> Value<'a> {
    let number = i64::from(raw as i32);
    match set.name_of(number as u64) {
        Some(name) => cx.known(Value::Int(number), Value::Word(name)),
        None if set.unknown.is_empty() => Value::Int(number),
        None => cx.remarked(Value::Int(number), Value::Unnamed(set)),
    }
}

/// The error for callers that ask for a rejected key.
pub fn error<'a>(raw: u64) -> Value<'a> {
    let known = errno_name(raw as u32).is_some();
    if known { Value::Errno(raw as i32) } else { Value::UInt(raw) }
}

/// The number of bytes that the kernel filled in. It returns the number that it has, which may be larger than the
/// buffer.
fn filled(cx: &Cx<'_>) -> Option<u64> {
    Some(cx.ret()?.max(0) as u64).map(|n| n.min(cx.arg("buflen")))
}

/// Bytes that the kernel filled in.
pub fn data<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    match filled(cx) {
        Some(len) if addr != 0 => generic::bytes(cx, Phase::Exit, addr, len, TextKind::Bytes),
        _ => Value::Addr(addr),
    }
}

/// A text that the kernel filled in. Its length includes the NUL, and only a NUL at the end is none of the text.
pub fn text<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let (Some(len), true) = (filled(cx), addr != 0) else { return Value::Addr(addr) };
    let want = (len as usize).min(cx.options.text.saturating_add(1));
    let Some(bytes) = cx.read(Phase::Exit, addr, want) else { return Value::Addr(addr) };
    let end = match bytes {
        [text @ .., 0] if want as u64 == len => text.len(),
        _ => want,
    };
    let shown = end.min(cx.options.text);
    Value::Text(Text { bytes: &bytes[..shown], cut: shown < end, kind: TextKind::Str })
}

/// The features of the kernel's key service, one byte of flags at a time.
pub fn capabilities<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let (Some(len), true) = (filled(cx), addr != 0 && cx.verbose) else { return Value::Addr(addr) };
    let shown = (len as usize).min(cx.options.text);
    let bytes = cx.prefix(Phase::Exit, addr, shown);
    if bytes.is_empty() && len != 0 {
        return Value::Addr(addr);
    }
    let mut items = Vec::new_in(cx.arena);
    for (i, &byte) in bytes.iter().enumerate() {
        let raw = u64::from(byte);
        items.push(match i {
            0 => Value::Flags { raw, set: &KEYCTL_CAPS0 },
            1 => Value::Flags { raw, set: &KEYCTL_CAPS1 },
            _ => Value::Hex(raw),
        });
    }
    let tail = if bytes.len() == shown && shown < len as usize { Tail::More } else { Tail::End };
    Value::Array(items.into_bump_slice(), tail)
}

/// Further input of a key derivation. Without a length nothing is shown.
pub fn other_info<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    match siblings {
        Siblings::Struct(_, _, phase) if cx.len(Len::Of("otherinfolen"), phase, siblings) != Some(0) => {
            generic::held(cx, shape, addr, siblings)
        }
        _ => Value::Addr(addr),
    }
}

/// Input or output of a public-key operation. Its length is a member of the parameters.
pub fn pkey<'a>(cx: &Cx<'a>, shape: &Ty, length: &str, addr: u64) -> Value<'a> {
    let &Ty::Bytes(dir, _) = shape else { return Value::Addr(addr) };
    let params = cx.arg("params");
    // Both forms of the parameters have the second length at the same offset.
    let member = if length == "in_len" { "in_len" } else { "out_len" };
    let whole = cx.read(Phase::Entry, params, PKEY_OUT_PARAMS.size(cx.abi())).is_some();
    match cx.number(&PKEY_OUT_PARAMS, member, Phase::Entry, params) {
        Some(len) if whole && addr != 0 && cx.filled(dir) => {
            generic::bytes(cx, Phase::of(dir), addr, len, TextKind::Bytes)
        }
        _ => Value::Addr(addr),
    }
}

/// A ruleset. Bytes behind the known members are left out.
pub fn landlock_ruleset<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    match generic::held(cx, shape, addr, siblings) {
        Value::Struct(members, Tail::End | Tail::Unknown)
            if cx.arg("size") > LANDLOCK_RULESET.size(cx.abi()) as u64 =>
        {
            let known = members.iter().position(|m| m.name.is_empty()).unwrap_or(members.len());
            Value::Struct(&members[..known], Tail::More)
        }
        value => value,
    }
}

/// One context that the program sets.
pub fn lsm_context<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    match generic::follow(cx, addr, Dir::In) {
        Err(value) => value,
        Ok(phase) => context(cx, phase, addr, addr.saturating_add(cx.arg("size"))).unwrap_or(Value::Addr(addr)),
    }
}

/// A context and its bytes, which end at `end`, and where the context says that it ends.
fn context<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, end: u64) -> Option<Value<'a>> {
    let head = LSM_CTX.size(cx.abi()) as u64;
    let Value::Struct(members, tail) = cx.strukt(&LSM_CTX, phase, addr)? else { return None };
    let at = addr.wrapping_add(head);
    let (whole, len) =
        (cx.uint(phase, addr.wrapping_add(head - 16), 8)?, cx.uint(phase, addr.wrapping_add(head - 8), 8)?);
    if len == 0 || at >= end || whole <= head {
        return Some(Value::Struct(members, tail));
    }
    let end = end.min(addr.saturating_add(whole));
    let bytes = generic::bytes(cx, phase, at, len.min(end - at), TextKind::HexBytes);
    let ctx = crate::Member { name: "ctx", value: bytes };
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend(members.iter().copied());
    all.push(ctx);
    Some(Value::Struct(all.into_bump_slice(), tail))
}

/// The contexts that the kernel filled in, one after another.
pub fn lsm_contexts<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let size = cx.uint(Phase::Entry, cx.arg("size"), 4);
    // The program asks for the context of one module only, and names that module.
    let asked = match cx.arg("flags") & c::LSM_FLAG_SINGLE {
        0 => None,
        _ => cx.strukt(&LSM_CTX, Phase::Entry, addr).and(cx.uint(Phase::Entry, addr, 8)).filter(|_| size.is_some()),
    };
    let answer = answer(cx, addr).unwrap_or(Value::Addr(addr));
    match asked {
        None => answer,
        Some(raw) => {
            let id = Value::Enum { raw, set: &stride_syscalls::sets::keys::LSM_CTX_ID };
            Value::Change(cx.keep(cx.members(&[("id", id)])), cx.keep(answer))
        }
    }
}

/// The modules' ids. The kernel has written them only if it could write their number.
pub fn lsm_ids<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    match cx.uint(Phase::Exit, cx.arg("size"), 4) {
        None if !cx.failed() => Value::Addr(addr),
        _ => generic::held(cx, shape, addr, siblings),
    }
}

fn answer<'a>(cx: &Cx<'a>, addr: u64) -> Option<Value<'a>> {
    let count = cx.ret()?;
    let room = cx.uint(Phase::Exit, cx.arg("size"), 4)?;
    if count > 0 && room < LSM_CTX.size(cx.abi()) as u64 {
        return None;
    }
    let end = addr.wrapping_add(room);
    let mut at = addr;
    let mut items = Vec::new_in(cx.arena);
    for _ in 0..count {
        if cx.abbrev && items.len() >= cx.options.text {
            return Some(Value::Array(items.into_bump_slice(), Tail::More));
        }
        let Some(value) = context(cx, Phase::Exit, at, end) else {
            return (!items.is_empty()).then(|| Value::Array(items.into_bump_slice(), Tail::Unread(at)));
        };
        items.push(value);
        let len = cx.uint(Phase::Exit, at.wrapping_add(LSM_CTX.size(cx.abi()) as u64 - 16), 8)?;
        if len < LSM_CTX.size(cx.abi()) as u64 || len >= end.saturating_sub(at) {
            break;
        }
        at = at.wrapping_add(len);
    }
    Some(Value::Array(items.into_bump_slice(), Tail::End))
}
