//! Numbers in network byte order, addresses, and interface indices.

use crate::{Cx, Designation, Text, TextKind, Value};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The bytes in memory order. `-X raw` shows values in network order this way.
pub fn octets<'a>(cx: &Cx<'a>, bytes: &[u8]) -> Value<'a> {
    Value::Text(Text { bytes: cx.bytes(bytes), cut: false, kind: TextKind::HexBytes })
}

/// Two bytes as `htons(…)`. `name` decodes the number in it.
pub fn htons<'a>(cx: &Cx<'a>, bytes: [u8; 2], name: impl FnOnce(u64) -> Value<'a>) -> Value<'a> {
    order(cx, "htons", &bytes, u64::from(u16::from_be_bytes(bytes)), name)
}

/// Four bytes as `htonl(…)`. `name` decodes the number in it.
pub fn htonl<'a>(cx: &Cx<'a>, bytes: [u8; 4], name: impl FnOnce(u64) -> Value<'a>) -> Value<'a> {
    order(cx, "htonl", &bytes, u64::from(u32::from_be_bytes(bytes)), name)
}

/// A port.
pub fn port<'a>(cx: &Cx<'a>, bytes: [u8; 2]) -> Value<'a> {
    htons(cx, bytes, Value::UInt)
}

fn order<'a>(cx: &Cx<'a>, call: &'static str, bytes: &[u8], n: u64, name: impl FnOnce(u64) -> Value<'a>) -> Value<'a> {
    let named = cx.call(call, &[name(n)]);
    either(cx, octets(cx, bytes), named)
}

/// Two spellings of one value: as a number, and by name.
pub fn either<'a>(cx: &Cx<'a>, raw: Value<'a>, name: Value<'a>) -> Value<'a> {
    Value::Known(cx.keep(raw), cx.keep(name))
}

/// An `AF_INET` or `AF_INET6` address, depending on its length.
pub fn ip<'a>(bytes: &[u8]) -> Option<Value<'a>> {
    if let Ok(v4) = <[u8; 4]>::try_from(bytes) {
        return Some(Value::Ip(IpAddr::V4(Ipv4Addr::from(v4))));
    }
    let v6 = <[u8; 16]>::try_from(bytes).ok()?;
    Some(Value::Ip(IpAddr::V6(Ipv6Addr::from(v6))))
}

/// A hardware address: `00:16:3e:…`.
pub fn mac<'a>(cx: &Cx<'a>, bytes: &[u8]) -> Value<'a> {
    either(cx, octets(cx, bytes), Value::Designation(Designation::Mac(cx.bytes(bytes))))
}

/// An interface index. If the interface exists, it is shown as the call that finds it by name.
pub fn ifindex<'a>(cx: &Cx<'a>, index: u32) -> Value<'a> {
    let number = Value::UInt(index.into());
    if index == 0 {
        return number;
    }
    match cx.resolver.interface(index) {
        Some(name) => {
            let name = Value::Text(Text { bytes: cx.bytes(&name), cut: false, kind: TextKind::Str });
            either(cx, number, cx.call("if_nametoindex", &[name]))
        }
        None => number,
    }
}
