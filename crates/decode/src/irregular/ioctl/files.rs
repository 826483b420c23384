//! File systems: FS_IOC_FIEMAP, FIDEDUPERANGE, labels.

use crate::{Cx, Member, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::{DEDUPE, DEDUPE_IN, DEDUPE_OUT, DEDUPE_STATUS, FIEMAP_EXTENT, FIEMAP_IN, FIEMAP_OUT};
use stride_syscalls::{Dir, Struct, Ty};

/// The members of a struct, as a list to which more can be added.
fn members<'a>(cx: &Cx<'a>, s: &'static Struct, phase: Phase, addr: u64) -> Option<Vec<'a, Member<'a>>> {
    let Value::Struct(members, _) = cx.strukt(s, phase, addr)? else { return None };
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend(members.iter().copied());
    Some(all)
}

/// The request, and the extents that the kernel returned.
pub fn fiemap<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(before) = cx.strukt(&FIEMAP_IN, Phase::Entry, addr) else { return Value::Addr(addr) };
    if cx.failed() {
        return before;
    }
    let Some(mut all) = members(cx, &FIEMAP_OUT, Phase::Exit, addr) else { return before };
    let tail = if cx.abbrev {
        Tail::More
    } else {
        let number = |s, name| cx.number(s, name, Phase::Exit, addr).unwrap_or(0);
        let n = number(&FIEMAP_OUT, "fm_mapped_extents").min(number(&FIEMAP_IN, "fm_extent_count"));
        let at = addr.wrapping_add(FIEMAP_OUT.size(cx.abi()) as u64);
        let value = generic::elements(cx, Phase::Exit, at, &Ty::Struct(&FIEMAP_EXTENT), n, false);
        all.push(Member { name: "fm_extents", value });
        Tail::End
    };
    let after = Value::Struct(all.into_bump_slice(), tail);
    Value::Change(cx.keep(before), cx.keep(after))
}

/// The ranges to share with another file, and the result of each.
pub fn dedupe<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(mut before) = members(cx, &DEDUPE, Phase::Entry, addr) else { return Value::Addr(addr) };
    let count = cx.number(&DEDUPE, "dest_count", Phase::Entry, addr).unwrap_or(0);
    let at = addr.wrapping_add(DEDUPE.size(cx.abi()) as u64);
    before.push(Member { name: "info", value: ranges(cx, &DEDUPE_IN, Phase::Entry, at, count) });
    let before = Value::Struct(before.into_bump_slice(), Tail::End);
    // Without ranges there are no results.
    if cx.failed() || count == 0 {
        return before;
    }
    let after = cx.members(&[("info", ranges(cx, &DEDUPE_OUT, Phase::Exit, at, count))]);
    Value::Change(cx.keep(before), cx.keep(after))
}

fn ranges<'a>(cx: &Cx<'a>, s: &'static Struct, phase: Phase, addr: u64, count: u64) -> Value<'a> {
    let limit = if cx.abbrev { 2 } else { u64::MAX };
    let mut items = Vec::new_in(cx.arena);
    for i in 0..count {
        if i >= limit {
            return Value::Array(items.into_bump_slice(), Tail::More);
        }
        let at = addr.wrapping_add(i.wrapping_mul(s.size(cx.abi()) as u64));
        match cx.strukt(s, phase, at) {
            Some(value) => items.push(value),
            None if i == 0 => return Value::Addr(at),
            None => return Value::Array(items.into_bump_slice(), Tail::Unread(at)),
        }
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}

/// The status of a range: an error, or whether it was equal.
pub fn dedupe_status<'a>(raw: u64) -> Value<'a> {
    match super::int(raw) {
        negative if negative < 0 => Value::Errno(negative as i32),
        _ if DEDUPE_STATUS.name_of(raw).is_some() => Value::Enum { raw, set: &DEDUPE_STATUS },
        number => Value::Int(number),
    }
}

/// A volume's label.
pub fn label<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    let &Ty::Buffer(dir, _, max) = shape else { return Value::Addr(addr) };
    let phase = match generic::follow(cx, addr, dir) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    let bytes = cx.prefix(phase, addr, max as usize);
    let end = bytes.iter().position(|&b| b == 0);
    if end.is_none() && bytes.len() < max as usize {
        return Value::Addr(addr);
    }
    // A label is shown whole, as other names are.
    let len = end.unwrap_or(bytes.len().saturating_sub(1));
    Value::Text(Text { bytes: &bytes[..len], cut: end.is_none(), kind: TextKind::Str })
}
