//! Arguments of the socket calls.

use crate::{Cx, Value};
use stride_event::Phase;
use stride_syscalls::{Ty, sets::socket as sets, uapi::consts as c};

/// A socket's type and flags, which share a word: `SOCK_STREAM|SOCK_CLOEXEC`.
pub fn kind<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let (kind, flags) = (raw & c::SOCK_TYPE_MASK, raw & !c::SOCK_TYPE_MASK);
    if raw == 0 {
        return Value::Hex(0);
    }
    if flags == 0 {
        return Value::Enum { raw: kind, set: &sets::SOCK_TYPE };
    }
    if sets::SOCK_TYPE.name_of(kind).is_none() {
        return Value::Flags { raw, set: &sets::SOCK_FLAGS };
    }
    let kind = Value::Enum { raw: kind, set: &sets::SOCK_TYPE };
    Value::Or(cx.values(&[kind, Value::Flags { raw: flags, set: &sets::SOCK_FLAGS }]))
}

/// A packet socket's protocol: an EtherType in network order.
pub fn packet_protocol<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let ether_type = u64::from((raw as u16).swap_bytes());
    let name = Value::Enum { raw: ether_type, set: &sets::ETH_P };
    cx.call("htons", &[name])
}

/// A length: the room before the call, and the needed room after it: `[128 => 16]`.
pub fn len_change<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    // Without room for an address, the kernel does not look at its length.
    let address = cx.row.args.iter().position(|arg| matches!(arg.ty, Ty::Sockaddr(..)));
    if address.is_some_and(|i| cx.row.held(i, &cx.call.args, cx.abi()) == 0) {
        return Value::Addr(addr);
    }
    let at = |phase| cx.uint(phase, addr, 4).map(|v| Value::Int(i64::from(v as u32 as i32)));
    let (Some(before), after) = (at(Phase::Entry), at(Phase::Exit)) else { return Value::Addr(addr) };
    let length = match (before, after) {
        (Value::Int(a), Some(Value::Int(b))) if a != b => Value::Change(cx.keep(before), cx.keep(Value::Int(b))),
        _ => before,
    };
    Value::Array(cx.values(&[length]), crate::Tail::End)
}
