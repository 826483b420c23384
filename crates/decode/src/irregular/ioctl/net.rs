//! Network interfaces.

use crate::irregular::inet;
use crate::{Cx, Operator, Text, TextKind, Value, generic};
use stride_event::Phase;
use stride_syscalls::ioctl::{ARPHRD, IFCONF, IFREQ_ADDR};
use stride_syscalls::{Dir, uapi::consts as c};

/// `IFNAMSIZ`.
const NAME_SIZE: usize = 16;

/// A hardware address: its kind, and the bytes of an address of that kind.
pub fn hardware<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let kind = cx.uint(phase, addr, 2)?;
    let data = inet::mac(cx, cx.read(phase, addr.wrapping_add(2), address_size(kind))?);
    Some(cx.members(&[("sa_family", Value::Enum { raw: kind, set: &ARPHRD }), ("sa_data", data)]))
}

/// The bytes of a hardware address of this kind, or the room for one (linux/if_arp.h, and the headers of each kind).
fn address_size(kind: u64) -> usize {
    const ROOM: usize = 14;
    match kind {
        c::ARPHRD_ARCNET
        | c::ARPHRD_CAIF
        | c::ARPHRD_LOCALTLK
        | c::ARPHRD_MCTP
        | c::ARPHRD_PHONET
        | c::ARPHRD_PHONET_PIPE
        | c::ARPHRD_PPP => 1,
        c::ARPHRD_DLCI => 2,
        c::ARPHRD_IPDDP | c::ARPHRD_IPGRE | c::ARPHRD_IRDA | c::ARPHRD_PIMREG | c::ARPHRD_SIT | c::ARPHRD_TUNNEL => 4,
        c::ARPHRD_ROSE | c::ARPHRD_X25 => 5,
        c::ARPHRD_ETHER
        | c::ARPHRD_FDDI
        | c::ARPHRD_HIPPI
        | c::ARPHRD_IEEE802
        | c::ARPHRD_IEEE80211
        | c::ARPHRD_IEEE80211_PRISM
        | c::ARPHRD_IEEE80211_RADIOTAP
        | c::ARPHRD_LOOPBACK => 6,
        c::ARPHRD_AX25 | c::ARPHRD_NETROM => 7,
        c::ARPHRD_6LOWPAN
        | c::ARPHRD_EUI64
        | c::ARPHRD_IEEE802154
        | c::ARPHRD_IEEE802154_MONITOR
        | c::ARPHRD_VSOCKMON => 8,
        _ => ROOM,
    }
}

/// The name of an interface, behind a pointer.
pub fn interface_name<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let bytes = cx.prefix(Phase::Entry, addr, NAME_SIZE);
    match bytes.iter().position(|&b| b == 0) {
        Some(end) => Value::Text(Text { bytes: &bytes[..end], cut: false, kind: TextKind::Str }),
        None if bytes.len() == NAME_SIZE => Value::Text(Text { bytes, cut: true, kind: TextKind::Str }),
        None => Value::Addr(addr),
    }
}

/// A list of interfaces: the room for it, the room that it needs, and the list.
pub fn ifconf<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let abi = cx.abi();
    let Some(before) = cx.read(Phase::Entry, addr, IFCONF.size(abi)).and(cx.uint(Phase::Entry, addr, 4)) else {
        return Value::Addr(addr);
    };
    let buffer = cx.number(&IFCONF, "ifc_buf", Phase::Entry, addr).unwrap_or(0);
    let each = IFREQ_ADDR.size(abi) as u64;
    let length = |raw: u64| {
        let n = super::int(raw);
        if n > 0 && (n as u64).is_multiple_of(each) {
            let size = cx.call("sizeof", &[Value::Word("struct ifreq")]);
            cx.comment(Value::Int(n), cx.binary(Value::UInt(n as u64 / each), Operator::Times, size))
        } else {
            Value::Int(n)
        }
    };
    let after = if cx.failed() { None } else { cx.uint(Phase::Exit, addr, 4) };
    // Without a buffer, the program asks only for the length.
    let shown = match after {
        Some(after) if buffer == 0 => length(after),
        Some(after) if after != before => Value::Change(cx.keep(length(before)), cx.keep(length(after))),
        _ => length(before),
    };
    let list = match after {
        // (A length below zero is none.)
        Some(after) if buffer != 0 && super::int(after) >= 0 => {
            let n = super::int(after) as u64 / each;
            generic::elements(cx, Phase::Exit, buffer, &stride_syscalls::Ty::Struct(&IFREQ_ADDR), n, false)
        }
        _ => Value::Addr(buffer),
    };
    cx.members(&[("ifc_len", shown), ("ifc_buf", list)])
}
