//! Requests of btrfs: structs with lists behind them (linux/btrfs.h).

use super::count;
use crate::{Cx, Designation, Member, Siblings, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::btrfs::{
    CONTAINER, FEATURES, FOUND, QGROUP_INHERIT, SEARCH, SEARCH_V2, SPACE, SPACES, SPACES_REPLY, STATS,
};
use stride_syscalls::{Dir, Struct, Ty};

/// A number whose bits are all set has a name.
pub fn most<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, name: &'static str, siblings: Siblings) -> Value<'a> {
    match raw == crate::cx::cut(u64::MAX, shape.size(cx.abi())) {
        true => cx.known(Value::UInt(raw), Value::Word(name)),
        false => generic::held(cx, shape, raw, siblings),
    }
}

/// A share of what is to be done.
pub fn thousandths<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if raw > 1000 {
        return Value::UInt(raw);
    }
    cx.remarked(Value::UInt(raw), cx.quantity(Value::Decimal { raw: raw.into(), digits: 1 }, "percent"))
}

/// `01234567-89ab-cdef-fedc-ba9876543210`
pub fn uuid<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    cx.read(phase, addr, 16).map(|bytes| Value::Designation(Designation::Uuid(bytes)))
}

/// The members of a struct, then a list, which is shown only with `-v`.
fn with_list<'a>(cx: &Cx<'a>, head: Value<'a>, name: &'static str, list: impl FnOnce() -> Value<'a>) -> Value<'a> {
    let Value::Struct(members, tail) = head else { return head };
    if cx.abbrev {
        return Value::Struct(members, Tail::More);
    }
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend_from_slice(members);
    all.push(Member { name, value: list() });
    Value::Struct(all.into_bump_slice(), tail)
}

/// Limits of a new subvolume, and the quota groups to which it belongs.
pub fn qgroup_inherit<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(head) = cx.strukt(&QGROUP_INHERIT, Phase::Entry, addr) else { return Value::Addr(addr) };
    let siblings = Siblings::Struct(&QGROUP_INHERIT, addr, Phase::Entry);
    let n = count(cx, "num_qgroups", Phase::Entry, siblings);
    let at = addr.wrapping_add(QGROUP_INHERIT.size(cx.abi()) as u64);
    with_list(cx, head, "qgroups", || generic::elements(cx, Phase::Entry, at, &Ty::U64, n, false))
}

/// A search in a tree, and the items that were found: headers, each followed by its data.
pub fn tree_search<'a>(cx: &Cx<'a>, addr: u64, v2: bool) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let (asked, head): (&'static Struct, _) =
        if v2 { (&SEARCH_V2, SEARCH_V2.size(cx.abi())) } else { (&SEARCH, v1_head(cx)) };
    let Some(before) = struct_of(cx, asked, Phase::Entry, addr) else { return Value::Addr(addr) };
    let number = |at: u64, width| cx.uint(Phase::Exit, addr.wrapping_add(at), width);
    let size = if v2 { number(head as u64 - 8, 8).map(Value::UInt) } else { None };
    // If there is too little room for an item, the kernel says how much is needed.
    let overflow = matches!(cx.call.outcome, stride_event::Outcome::Error(e) if e == OVERFLOW);
    let after = match (cx.failed(), size) {
        (true, Some(size)) if overflow => cx.members(&[("buf_size", size)]),
        (true, _) => return before,
        (false, size) => {
            let Some(n) = number(NR_ITEMS, 4) else { return before };
            let mut members = Vec::new_in(cx.arena);
            members.push(Member { name: "key", value: cx.members(&[("nr_items", Value::UInt(n))]) });
            members.extend(size.map(|value| Member { name: "buf_size", value }));
            let head_of = Value::Struct(members.into_bump_slice(), Tail::End);
            with_list(cx, head_of, "buf", || items_found(cx, addr.wrapping_add(head as u64), n))
        }
    };
    Value::Change(cx.keep(before), cx.keep(after))
}

/// `nr_items` in the key, with which the struct begins.
const NR_ITEMS: u64 = 64;
const OVERFLOW: u32 = stride_syscalls::uapi::consts::EOVERFLOW as u32;

/// The key alone: the rest of the struct is room for the answer.
fn v1_head(cx: &Cx<'_>) -> usize {
    SEARCH.field("key").map_or(0, |key| key.place(cx.abi()).size as usize)
}

/// A struct of which only the beginning, with its described members, must have been captured.
fn struct_of<'a>(cx: &Cx<'a>, s: &'static Struct, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let mut members = Vec::new_in(cx.arena);
    for field in s.fields {
        members.push(Member { name: field.name, value: generic::member(cx, s, field, phase, addr)? });
    }
    Some(Value::Struct(members.into_bump_slice(), Tail::End))
}

fn items_found<'a>(cx: &Cx<'a>, addr: u64, n: u64) -> Value<'a> {
    let mut items = Vec::new_in(cx.arena);
    let mut at = addr;
    for i in 0..n {
        let header = cx.strukt(&FOUND, Phase::Exit, at);
        let len = cx.uint(Phase::Exit, at.wrapping_add(FOUND.size(cx.abi()) as u64 - 4), 4);
        let (Some(header), Some(len)) = (header, len) else {
            let tail = if i == 0 { Tail::Unknown } else { Tail::Unread(at) };
            return Value::Array(items.into_bump_slice(), tail);
        };
        items.push(header);
        at = at.wrapping_add(FOUND.size(cx.abi()) as u64 + len);
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}

/// The amount of space of each kind.
pub fn spaces<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(before) = cx.strukt(&SPACES, Phase::Entry, addr) else { return Value::Addr(addr) };
    if cx.failed() {
        return before;
    }
    let Some(after) = cx.strukt(&SPACES_REPLY, Phase::Exit, addr) else { return before };
    let slots = count(cx, "space_slots", Phase::Entry, Siblings::Struct(&SPACES, addr, Phase::Entry));
    let total = count(cx, "total_spaces", Phase::Exit, Siblings::Struct(&SPACES_REPLY, addr, Phase::Exit));
    // Without room, only the number is asked for. If that is zero, the list is whole.
    let after = if slots == 0 && total > 0 {
        after
    } else {
        let at = addr.wrapping_add(SPACES.size(cx.abi()) as u64);
        let list = || generic::elements(cx, Phase::Exit, at, &Ty::Struct(&SPACE), total.min(slots), false);
        with_list(cx, after, "spaces", list)
    };
    Value::Change(cx.keep(before), cx.keep(after))
}

/// The answer of BTRFS_IOC_INO_PATHS: offsets of paths, from the first offset on.
pub fn inode_paths<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    container(cx, addr, |n| {
        let base = addr.wrapping_add(CONTAINER.size(cx.abi()) as u64);
        let mut items = Vec::new_in(cx.arena);
        for i in 0..n {
            let at = base.wrapping_add(8 * i);
            let path = cx.uint(Phase::Exit, at, 8).and_then(|offset| {
                let bytes = cx.prefix(Phase::Exit, base.wrapping_add(offset), 4096);
                let end = bytes.iter().position(|&b| b == 0)?;
                Some(Value::Text(crate::Text { bytes: &bytes[..end], cut: false, kind: TextKind::Path }))
            });
            let Some(path) = path else { return Value::Array(items.into_bump_slice(), Tail::Unread(at)) };
            items.push(path);
        }
        Value::Array(items.into_bump_slice(), Tail::End)
    })
}

/// The answer of BTRFS_IOC_LOGICAL_INO: three numbers for each file.
pub fn inodes<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    container(cx, addr, |n| {
        let base = addr.wrapping_add(CONTAINER.size(cx.abi()) as u64);
        let mut items = Vec::new_in(cx.arena);
        for i in 0..n / 3 {
            let at = base.wrapping_add(24 * i);
            let number = |k: u64| cx.uint(Phase::Exit, at.wrapping_add(8 * k), 8).map(Value::UInt);
            let (Some(inum), Some(offset), Some(root)) = (number(0), number(1), number(2)) else {
                return Value::Array(items.into_bump_slice(), Tail::Unread(at));
            };
            items.push(cx.members(&[("inum", inum), ("offset", offset), ("root", root)]));
        }
        Value::Array(items.into_bump_slice(), Tail::End)
    })
}

fn container<'a>(cx: &Cx<'a>, addr: u64, list: impl FnOnce(u64) -> Value<'a>) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::Out) {
        return value;
    }
    let Some(head) = cx.strukt(&CONTAINER, Phase::Exit, addr) else { return Value::Addr(addr) };
    let n = count(cx, "elem_cnt", Phase::Exit, Siblings::Struct(&CONTAINER, addr, Phase::Exit));
    with_list(cx, head, "val", || list(n))
}

/// Errors of a device, by kind: `[[BTRFS_DEV_STAT_WRITE_ERRS]=0, ...]`.
pub fn device_stats<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: usize, siblings: Siblings) -> Option<Value<'a>> {
    let n = count(cx, "nr_items", phase, siblings).min(size as u64 / 8);
    let mut items = Vec::new_in(cx.arena);
    for raw in 0..n {
        let value = Value::UInt(cx.uint(phase, addr.wrapping_add(8 * raw), 8)?);
        let index = Value::Enum { raw, set: &STATS };
        items.push(cx.indexed(index, value));
    }
    Some(Value::Array(items.into_bump_slice(), Tail::End))
}

/// The features that the kernel supports, that may be set, and that may be cleared.
pub fn supported_features<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::Out) {
        return value;
    }
    let mut items = Vec::new_in(cx.arena);
    for (i, what) in ["supported", "safe to set", "safe to clear"].into_iter().enumerate() {
        let at = addr.wrapping_add((i * FEATURES.size(cx.abi())) as u64);
        let Some(features) = cx.strukt(&FEATURES, Phase::Exit, at) else { return Value::Addr(addr) };
        items.push(cx.comment(features, Value::Word(what)));
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}
