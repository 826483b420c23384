//! Values that occur only in netlink messages.

use crate::cx::le;
use crate::irregular::inet;
use crate::{Cx, Operator, Siblings, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::netlink::{MCAST_DIRECTIONS, ROUTE_FAMILY};
use stride_syscalls::sets::socket::{ETH_P, FAMILY};
use stride_syscalls::{Len, Ty, uapi::consts as c};

/// A number of two, four or eight bytes in network order.
pub fn net_order<'a>(cx: &Cx<'a>, bytes: &[u8]) -> Option<Value<'a>> {
    Some(match *bytes {
        [a, b] => inet::port(cx, [a, b]),
        [a, b, c, d] => inet::htonl(cx, [a, b, c, d], Value::UInt),
        _ => {
            let n = u64::from_be_bytes(bytes.try_into().ok()?);
            inet::either(cx, inet::octets(cx, bytes), cx.call("htobe64", &[Value::UInt(n)]))
        }
    })
}

/// The names of the bits that are set: `1<<TCP_ESTABLISHED|1<<TCP_LISTEN`. The lowest bit stands for the value `from`.
pub fn bits<'a>(cx: &Cx<'a>, raw: u64, shape: &Ty, from: u64) -> Value<'a> {
    let Ty::Enum(set) = *shape else { return Value::Hex(raw) };
    if raw == 0 {
        return Value::Hex(0);
    }
    let mut parts = Vec::new_in(cx.arena);
    let mut rest = raw;
    for item in set.items {
        let Some(bit) = item.value.checked_sub(from).filter(|b| *b < 64) else { continue };
        if raw >> bit & 1 != 0 {
            rest &= !(1 << bit);
            let name = Value::Word(item.name);
            let by = if from == 0 { name } else { cx.binary(name, Operator::Minus, Value::UInt(from)) };
            parts.push(cx.binary(Value::UInt(1), Operator::ShiftLeft, by));
        }
    }
    if parts.is_empty() {
        let unknown = cx.binary(Value::UInt(1), Operator::ShiftLeft, Value::Unnamed(set));
        return cx.comment(Value::Hex(raw), unknown);
    }
    if rest != 0 {
        parts.push(Value::Hex(rest));
    }
    Value::Known(cx.keep(Value::Hex(raw)), cx.keep(Value::Or(parts.into_bump_slice())))
}

/// `struct inet_diag_sockid`. The first byte of the message is the family of its addresses.
pub fn inet_diag_id<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, message: u64) -> Option<Value<'a>> {
    let b = cx.read(phase, addr, 48)?;
    let len = if cx.uint(phase, message, 1)? == c::AF_INET6 { 16 } else { 4 };
    let n = |at| Value::UInt(le(b, at, 4));
    let cookie = Value::Array(cx.values(&[n(40), n(44)]), crate::Tail::End);
    Some(cx.members(&[
        ("idiag_sport", inet::port(cx, [b[0], b[1]])),
        ("idiag_dport", inet::port(cx, [b[2], b[3]])),
        ("idiag_src", inet::ip(&b[4..4 + len])?),
        ("idiag_dst", inet::ip(&b[20..20 + len])?),
        ("idiag_if", inet::ifindex(cx, le(b, 36, 4) as u32)),
        ("idiag_cookie", cookie),
    ]))
}

/// An Ethernet protocol in network order.
pub fn ether_type<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let raw = u64::from(u16::from_be_bytes(cx.read(phase, addr, 2)?.try_into().ok()?));
    let name = Value::Enum { raw, set: &ETH_P };
    Some(cx.call("htons", &[name]))
}

/// An address of the family that a sibling holds.
pub fn family_address<'a>(
    cx: &Cx<'a>,
    phase: Phase,
    addr: u64,
    size: usize,
    member: &'static str,
    siblings: Siblings,
) -> Option<Value<'a>> {
    let bytes = cx.read(phase, addr, size)?;
    match cx.len(Len::Of(member), phase, siblings)? {
        c::AF_INET => inet::ip(bytes.get(..4)?),
        c::AF_INET6 => inet::ip(bytes.get(..16)?),
        _ => Some(inet::octets(cx, bytes)),
    }
}

/// `struct br_ip`: an address, and the Ethernet protocol that tells of which kind the address is.
pub fn mdb_address<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let bytes = cx.read(phase, addr, 20)?;
    let proto = [bytes[16], bytes[17]];
    let name = |raw: u64| Value::Enum { raw, set: if FAMILY.name_of(raw).is_some() { &FAMILY } else { &ETH_P } };
    let address = match u64::from(u16::from_be_bytes(proto)) {
        c::ETH_P_IP => inet::ip(&bytes[..4])?,
        c::ETH_P_IPV6 => inet::ip(&bytes[..16])?,
        _ => inet::octets(cx, &bytes[..16]),
    };
    Some(cx.members(&[("u", address), ("proto", inet::htons(cx, proto, name))]))
}

/// An address family, or one of those that multicast routers have in their messages.
pub fn route_family<'a>(raw: u64) -> Value<'a> {
    let set = if FAMILY.name_of(raw).is_some() { &FAMILY } else { &ROUTE_FAMILY };
    Value::Enum { raw, set }
}

/// Some bits of a byte, with their place.
pub fn bits_of_byte<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, [from, to]: [u8; 2], siblings: Siblings) -> Value<'a> {
    let place = Value::Place { unit: "bits", from: from.into(), to: to.into(), content: None };
    cx.comment(generic::held(cx, shape, raw, siblings), place)
}

/// The counters of received and of sent multicast packets.
pub fn mcast_directions<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let one = |i: u64| {
        let count = Value::UInt(cx.uint(phase, addr.wrapping_add(8 * i), 8)?);
        let index = Value::Enum { raw: i, set: &MCAST_DIRECTIONS };
        Some(cx.indexed(index, count))
    };
    Some(Value::Array(cx.values(&[one(0)?, one(1)?]), crate::Tail::End))
}
