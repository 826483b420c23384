//! Video devices: linux/videodev2.h.

use super::int;
use crate::{Cx, Member, Operator, Tail, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::video::{
    BUFFER_FLAGS, CONTROL_CLASSES, CREATE, EXTENDED_CONTROL, EXTENDED_CONTROLS, NEXT_CONTROL, TIMESTAMP_SOURCES,
    TIMESTAMPS,
};
use stride_syscalls::ioctl::video_names::CONTROLS;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Dir, Set, Ty};

/// `v4l2_fourcc('J', 'P', 'E', 'G') /* V4L2_PIX_FMT_JPEG */`
pub fn four_characters<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64) -> Value<'a> {
    let code = cx.call("v4l2_fourcc", &(raw as u32).to_le_bytes().map(Value::CodeChar));
    let name = match *shape {
        Ty::Enum(formats) => formats.name_of(raw),
        _ => None,
    };
    let code = name.map_or(code, |name| cx.comment(code, Value::Word(name)));
    Value::Split(cx.keep(Value::Hex(raw)), cx.keep(code))
}

/// A numerator and a denominator: `30/1`.
pub fn fraction<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let (above, below) = (cx.uint(phase, addr, 4)?, cx.uint(phase, addr.wrapping_add(4), 4)?);
    Some(cx.binary(Value::UInt(above), Operator::Over, Value::UInt(below)))
}

/// The id of a control: its name, or its class and its number in that class.
fn control<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    const CLASS: u64 = 0x0fff_0000;
    let named = CONTROLS.name_of(raw).is_some();
    match CONTROL_CLASSES.name_of(raw & CLASS) {
        Some(class) if !named && raw & !0x0fff_ffff == 0 => {
            let within = cx.binary(Value::Word(class), Operator::Plus, Value::Hex(raw & !CLASS));
            cx.known(Value::Hex(raw), within)
        }
        _ => Value::Enum { raw, set: &CONTROLS },
    }
}

/// The id of a control, perhaps with flags that ask for the one behind it.
pub fn control_id<'a>(cx: &Cx<'a>, raw: u64, flags: bool) -> Value<'a> {
    let next = if flags { raw & (c::V4L2_CTRL_FLAG_NEXT_CTRL | c::V4L2_CTRL_FLAG_NEXT_COMPOUND) } else { 0 };
    let flags = Value::Flags { raw: next, set: &NEXT_CONTROL };
    match raw & !next {
        _ if next == 0 => control(cx, raw),
        0 => flags,
        id => Value::Split(cx.keep(Value::Hex(raw)), cx.keep(Value::Or(cx.values(&[flags, control(cx, id)])))),
    }
}

/// A buffer's flags, the clock of its time, and when the time was taken.
pub fn buffer_flags<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let field = |mask, set: &'static Set| Value::Enum { raw: raw & mask, set };
    let mut parts = Vec::new_in(cx.arena);
    let flags = raw & !(c::V4L2_BUF_FLAG_TIMESTAMP_MASK | c::V4L2_BUF_FLAG_TSTAMP_SRC_MASK);
    if flags != 0 {
        parts.push(Value::Flags { raw: flags, set: &BUFFER_FLAGS });
    }
    parts.push(field(c::V4L2_BUF_FLAG_TIMESTAMP_MASK, &TIMESTAMPS));
    parts.push(field(c::V4L2_BUF_FLAG_TSTAMP_SRC_MASK, &TIMESTAMP_SOURCES));
    Value::Split(cx.keep(Value::Hex(raw)), cx.keep(Value::Or(parts.into_bump_slice())))
}

/// The controls to set, and after the call their values; or the controls to read. The kernel says which control was
/// wrong, even if the call fails.
pub fn controls<'a>(cx: &Cx<'a>, addr: u64, get: bool) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    if cx.read(Phase::Entry, addr, EXTENDED_CONTROLS.size(cx.abi())).is_none() {
        return Value::Addr(addr);
    }
    let member = |name: &str, phase| {
        let field = EXTENDED_CONTROLS.field(name)?;
        let value = generic::member(cx, &EXTENDED_CONTROLS, field, phase, addr)?;
        Some(Member { name: field.name, value })
    };
    let list = |phase| {
        let number = |name| cx.number(&EXTENDED_CONTROLS, name, phase, addr);
        let value = match number("controls")? {
            0 => Value::Addr(0),
            at => control_list(cx, phase, at, number("count")?),
        };
        Some(Member { name: "controls", value })
    };
    let whole = |list: &Member<'_>| matches!(list.value, Value::Array(_, Tail::End | Tail::More));
    let (Some(class), Some(count)) = (member("ctrl_class", Phase::Entry), member("count", Phase::Entry)) else {
        return Value::Addr(addr);
    };
    let none = matches!(count.value, Value::UInt(0));
    let mut before = Vec::new_in(cx.arena);
    before.extend([class, count]);
    if get {
        if !none {
            before.extend(list(Phase::Exit));
            before.extend(member("error_idx", Phase::Exit));
        }
        return Value::Struct(before.into_bump_slice(), Tail::End);
    }
    let given = if none { None } else { list(Phase::Entry) };
    before.extend(given);
    let before = Value::Struct(before.into_bump_slice(), Tail::End);
    let (Some(values), Some(index)) = (list(Phase::Exit), member("error_idx", Phase::Exit)) else { return before };
    if !given.as_ref().is_some_and(whole) || !whole(&values) {
        return before;
    }
    let after = Value::Struct(cx.arena.alloc_slice_copy(&[values, index]), Tail::End);
    Value::Change(cx.keep(before), cx.keep(after))
}

fn control_list<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, count: u64) -> Value<'a> {
    let size = EXTENDED_CONTROL.size(cx.abi()) as u64;
    let mut items = Vec::new_in(cx.arena);
    for i in 0..count {
        let at = addr.wrapping_add(i.wrapping_mul(size));
        match one_control(cx, phase, at) {
            Some(_) if cx.abbrev && i >= cx.options.text as u64 => {
                return Value::Array(items.into_bump_slice(), Tail::More);
            }
            Some(control) => items.push(control),
            None if i == 0 => return Value::Addr(addr),
            None => return Value::Array(items.into_bump_slice(), Tail::Unread(at)),
        }
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}

/// A control with a number, or with a string of this size.
fn one_control<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let number = |name| cx.number(&EXTENDED_CONTROL, name, phase, addr);
    let (id, size) = (control(cx, number("id")?), number("size")?);
    let (id, length) = (("id", id), ("size", Value::UInt(size)));
    Some(match size {
        0 => {
            let value = Value::Int(int(number("value")?));
            cx.members(&[id, length, ("value", value), ("value64", Value::Int(number("value64")? as i64))])
        }
        size => {
            let string = match number("string")? {
                0 => Value::Addr(0),
                at => generic::bytes(cx, phase, at, size, TextKind::Bytes),
            };
            cx.members(&[id, length, ("string", string)])
        }
    })
}

/// VIDIOC_CREATE_BUFS: the buffers that were made.
pub fn created<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let addr = cx.arg("argp");
    cx.ret()?;
    cx.read(Phase::Exit, addr, CREATE.size(cx.abi()))?;
    let number = |at: u64| cx.uint(Phase::Exit, addr.wrapping_add(at), 4).map(Value::UInt);
    Some(cx.members(&[("index", number(0)?), ("count", number(4)?)]))
}
