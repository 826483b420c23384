//! Attributes of GPIO lines: linux/gpio.h.

use crate::{Cx, Member, Value};
use stride_event::Phase;
use stride_syscalls::ioctl::GPIO_V2_FLAGS;
use stride_syscalls::uapi::consts as c;

/// The bytes of an attribute, which come before the mask of lines in a configuration.
const ATTR: u64 = 16;

/// The value of an attribute of a known kind.
fn known<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Option<Member<'a>>> {
    let (id, padding) = (cx.uint(phase, addr, 4)?, cx.uint(phase, addr.wrapping_add(4), 4)?);
    let data = cx.uint(phase, addr.wrapping_add(8), 8)?;
    Some(match id {
        _ if padding != 0 => None,
        c::GPIO_V2_LINE_ATTR_ID_FLAGS => {
            Some(Member { name: "flags", value: Value::Flags { raw: data, set: &GPIO_V2_FLAGS } })
        }
        c::GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES => Some(Member { name: "values", value: Value::Hex(data) }),
        c::GPIO_V2_LINE_ATTR_ID_DEBOUNCE => {
            Some(Member { name: "debounce_period_us", value: Value::UInt(data & 0xffff_ffff) })
        }
        _ => None,
    })
}

fn unknown<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let id = ("id", Value::UInt(cx.uint(phase, addr, 4)?));
    let padding = ("padding", Value::Hex(cx.uint(phase, addr.wrapping_add(4), 4)?));
    let data = ("data", Value::Hex(cx.uint(phase, addr.wrapping_add(8), 8)?));
    Some(if matches!(padding.1, Value::Hex(0)) { cx.members(&[id, data]) } else { cx.members(&[id, padding, data]) })
}

pub fn attr<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    match known(cx, phase, addr)? {
        Some(Member { name, value }) => Some(cx.members(&[(name, value)])),
        None => unknown(cx, phase, addr),
    }
}

/// An attribute, and the lines that it is for.
pub fn config_attr<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let (name, value) = match known(cx, phase, addr)? {
        Some(Member { name, value }) => (name, value),
        None => ("attr", unknown(cx, phase, addr)?),
    };
    let mask = Value::Hex(cx.uint(phase, addr.wrapping_add(ATTR), 8)?);
    Some(cx.members(&[(name, value), ("mask", mask)]))
}
