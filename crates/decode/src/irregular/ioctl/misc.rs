//! Small families of requests.

use crate::{Cx, Member, Siblings, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::userfault::UFFD_FEATURES;
use stride_syscalls::ioctl::{RTC_PARAM_IN, RTC_PARAM_OUT, UDMABUF_ITEM, UDMABUF_LIST};
use stride_syscalls::{Dir, Ty};

/// RNDADDENTROPY: a header, then the bytes (random(4)).
pub fn entropy<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let (Some(count), Some(size)) = (cx.uint(Phase::Entry, addr, 4), cx.uint(Phase::Entry, addr + 4, 4)) else {
        return Value::Addr(addr);
    };
    let bytes = generic::bytes(cx, Phase::Entry, addr + 8, size, TextKind::Bytes);
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
    let count = cx.uint(Phase::Entry, addr + 4, 4).unwrap_or(0);
    let at = addr + UDMABUF_LIST.size(cx.abi()) as u64;
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
    let seconds = cx.plain(format_args!("{}.{:06} s", raw / 1_000_000, raw % 1_000_000));
    Value::Nameless(cx.keep(Value::UInt(raw)), cx.keep(seconds))
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

/// The features that the program asks for, and those that the kernel has.
pub fn uffd_features<'a>(cx: &Cx<'a>, raw: u64, siblings: Siblings) -> Value<'a> {
    let asked = Value::Flags { raw, set: &UFFD_FEATURES };
    let there = match siblings {
        Siblings::Struct(s, base, _) if !cx.failed() => s
            .field("features")
            .and_then(|f| cx.uint(Phase::Exit, base.wrapping_add(u64::from(f.place(cx.abi()).offset)), 8))
            .filter(|&n| n != 0),
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
