//! Small families of requests.

use crate::irregular::answers;
use crate::{Cx, Member, Siblings, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::userfault::UFFD_FEATURES;
use stride_syscalls::ioctl::{RTC_PARAM_IN, RTC_PARAM_OUT, UDMABUF_ITEM, UDMABUF_LIST};
use stride_syscalls::{Dir, Len, Ty};

/// RNDADDENTROPY: a header, then the bytes (random(4)).
pub fn entropy<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let (Some(count), Some(size)) = (cx.uint(Phase::Entry, addr, 4), cx.uint(Phase::Entry, addr.wrapping_add(4), 4))
    else {
        return Value::Addr(addr);
    };
    let bytes = generic::bytes(cx, Phase::Entry, addr.wrapping_add(8), size, TextKind::Bytes);
    cx.members(&[
        ("entropy_count", Value::Int(super::int(count))),
        ("buf_size", Value::Int(super::int(size))),
        ("buf", bytes),
    ])
}

/// A header with a number of items, and the items: linux/udmabuf.h
pub fn udmabuf_list<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(Value::Struct(members, _)) = cx.strukt(&UDMABUF_LIST, Phase::Entry, addr) else {
        return Value::Addr(addr);
    };
    let count = cx.uint(Phase::Entry, addr.wrapping_add(4), 4).unwrap_or(0);
    let at = addr.wrapping_add(UDMABUF_LIST.size(cx.abi()) as u64);
    let list = generic::elements(cx, Phase::Entry, at, &Ty::Struct(&UDMABUF_ITEM), count, false);
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend(members.iter().copied());
    all.push(Member { name: "list", value: list });
    Value::Struct(all.into_bump_slice(), Tail::End)
}

/// A number of microseconds, also shown in seconds.
pub fn microseconds<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if raw == 0 {
        return Value::UInt(0);
    }
    cx.remarked(Value::UInt(raw), cx.seconds(raw, 6))
}

/// A signed number of nanoseconds, also shown in seconds.
pub fn nanoseconds<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let n = super::int(raw);
    if n == 0 {
        return Value::Int(0);
    }
    cx.remarked(Value::Int(n), cx.seconds(n, 9))
}

/// A parameter of a real-time clock: the question, and the answer or the address for it.
pub fn rtc_param<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(before) = cx.strukt(&RTC_PARAM_IN, Phase::Entry, addr) else { return Value::Addr(addr) };
    let after = match cx.failed() {
        true => None,
        false => cx.strukt(&RTC_PARAM_OUT, Phase::Exit, addr),
    };
    Value::Change(cx.keep(before), cx.keep(after.unwrap_or(Value::Addr(addr))))
}

/// The features that the program asks for, and those that the kernel has, if they are others.
pub fn uffd_features<'a>(cx: &Cx<'a>, raw: u64, siblings: Siblings) -> Value<'a> {
    let asked = Value::Flags { raw, set: &UFFD_FEATURES };
    let there = match siblings {
        Siblings::Struct(s, base, _) if !cx.failed() => {
            cx.number(s, "features", Phase::Exit, base).filter(|&n| n != 0 && n != raw)
        }
        _ => None,
    };
    match there {
        Some(raw) => {
            let there = Value::Named("features", cx.keep(Value::Flags { raw, set: &UFFD_FEATURES }));
            Value::Change(cx.keep(asked), cx.keep(there))
        }
        None => asked,
    }
}

/// A struct, and the number with which the kernel replaced its first member.
pub fn number_reply<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    let before = match answers::given(cx, shape, addr) {
        Ok((before, _)) => before,
        Err(value) => return value,
    };
    let number = cx.uint(Phase::Exit, addr, 4).map_or(Value::Addr(addr), |n| Value::Int(super::int(n)));
    Value::Change(cx.keep(before), cx.keep(Value::Array(cx.values(&[number]), Tail::End)))
}

/// The length of a volume's name. It is signed, and may be wrong.
pub fn name_length(cx: &Cx<'_>, phase: Phase, siblings: Siblings) -> Option<usize> {
    let len = cx.len(Len::Of("name_len"), phase, siblings)? as u16 as i16;
    Some(usize::try_from(len).unwrap_or(0))
}

/// The value of a sibling that is a signed count.
pub fn signed_count(cx: &Cx<'_>, name: &'static str, phase: Phase, siblings: Siblings) -> Option<u64> {
    Some(super::int(cx.len(Len::Of(name), phase, siblings)?).max(0) as u64)
}

/// The elements of an array, in rows of `columns` elements.
pub fn rows<'a>(
    cx: &Cx<'a>,
    shape: &Ty,
    phase: Phase,
    addr: u64,
    size: usize,
    columns: usize,
    siblings: Siblings,
) -> Option<Value<'a>> {
    let &Ty::Items(item) = shape else { return None };
    let each = columns * item.size(cx.abi()).max(1);
    let mut items = Vec::new_in(cx.arena);
    for i in 0..size / each {
        items.push(generic::inline(cx, shape, phase, addr.wrapping_add((i * each) as u64), each, siblings)?);
    }
    Some(Value::Array(items.into_bump_slice(), Tail::End))
}
