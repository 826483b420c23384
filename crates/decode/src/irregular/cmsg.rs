//! Control messages (cmsg(3)), which accompany the bytes of a message.

use crate::cx::{le, signed};
use crate::irregular::{inet, sockaddr};
use crate::{Cx, Member, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::{socket as names, sockopt as sets};
use stride_syscalls::{PidKind, Ty, uapi::consts as c};

/// The messages in `len` bytes at `addr`.
pub fn list<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, len: u64) -> Value<'a> {
    let word = cx.abi().word();
    let header = word + 8;
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let there = cx.prefix(phase, addr, len);
    // The kernel refuses lengths that are no `int`.
    if addr == 0 || len > i32::MAX as usize || there.len() < header.min(len) || len < header {
        return Value::Addr(addr);
    }
    let mut items = Vec::new_in(cx.arena);
    let mut at = 0;
    let mut tail = Tail::End;
    while there.len() - at >= header {
        if cx.abbrev && items.len() >= cx.options.text {
            tail = Tail::More;
            break;
        }
        let all = &there[at..];
        let cmsg_len = le(all, 0, word);
        let (level, kind) = (le(all, word, 4), le(all, word + 4, 4));
        let end = usize::try_from(cmsg_len).unwrap_or(usize::MAX).min(all.len());
        let data = all.get(header..end).unwrap_or(&[]);
        items.push(message(cx, cmsg_len, level, kind, data));
        let aligned = end.next_multiple_of(word);
        if (cmsg_len as usize) < header {
            // The length does not lead to a next message.
            at += header;
            if at < len {
                tail = Tail::Unread(addr.wrapping_add(at as u64));
            }
            break;
        }
        at += aligned.min(all.len());
    }
    if tail == Tail::End && there.len() < len {
        tail = Tail::More;
    } else if tail == Tail::End && at < there.len() {
        tail = Tail::Unread(addr.wrapping_add(at as u64));
    }
    Value::Array(items.into_bump_slice(), tail)
}

fn message<'a>(cx: &Cx<'a>, len: u64, level: u64, kind: u64, data: &'a [u8]) -> Value<'a> {
    let name = match level {
        c::SOL_SOCKET => Value::Enum { raw: kind, set: &sets::SCM },
        c::SOL_IP => Value::Enum { raw: kind, set: &sets::IP_CMSG },
        _ => Value::Hex(kind),
    };
    let mut members = Vec::with_capacity_in(4, cx.arena);
    members.push(Member { name: "cmsg_len", value: Value::UInt(len) });
    members.push(Member { name: "cmsg_level", value: Value::Enum { raw: level, set: &sets::CMSG_LEVEL } });
    members.push(Member { name: "cmsg_type", value: name });
    if !data.is_empty() {
        let known = match level {
            c::SOL_SOCKET => of_socket(cx, kind, data),
            c::SOL_IP => of_ip(cx, kind, data),
            _ => None,
        };
        let value = known.unwrap_or_else(|| hex(cx, data));
        members.push(Member { name: "cmsg_data", value });
    }
    Value::Struct(members.into_bump_slice(), Tail::End)
}

fn hex<'a>(cx: &Cx<'a>, data: &'a [u8]) -> Value<'a> {
    let shown = data.len().min(cx.options.text);
    Value::Text(Text { bytes: &data[..shown], cut: shown < data.len(), kind: TextKind::HexBytes })
}

fn of_socket<'a>(cx: &Cx<'a>, kind: u64, data: &'a [u8]) -> Option<Value<'a>> {
    let native = cx.abi().word();
    Some(match kind {
        c::SCM_RIGHTS if data.len() >= 4 => array(cx, data, 4, |b| generic::fd(cx, le(b, 0, 4) as i32)),
        c::SCM_CREDENTIALS if data.len() >= 12 => {
            let pid = generic::held(cx, &Ty::Pid(PidKind::Tgid), le(data, 0, 4), Siblings::Args);
            let id = |at, ty: &Ty| generic::held(cx, ty, le(data, at, 4), Siblings::Args);
            cx.members(&[("pid", pid), ("uid", id(4, &Ty::Uid)), ("gid", id(8, &Ty::Gid))])
        }
        c::SCM_SECURITY => security(cx, data),
        c::SCM_PIDFD if data.len() >= 4 => generic::fd(cx, le(data, 0, 4) as i32),
        c::SO_TIMESTAMP_OLD => times(cx, data, 1, native, "tv_usec"),
        c::SO_TIMESTAMPNS_OLD => times(cx, data, 1, native, "tv_nsec"),
        c::SO_TIMESTAMPING_OLD => times(cx, data, 3, native, "tv_nsec"),
        c::SO_TIMESTAMP_NEW => times(cx, data, 1, 8, "tv_usec"),
        c::SO_TIMESTAMPNS_NEW => times(cx, data, 1, 8, "tv_nsec"),
        c::SO_TIMESTAMPING_NEW => times(cx, data, 3, 8, "tv_nsec"),
        _ => return None,
    })
}

fn of_ip<'a>(cx: &Cx<'a>, kind: u64, data: &'a [u8]) -> Option<Value<'a>> {
    let octets = || array(cx, data, 1, |b| Value::Hex(b[0].into()));
    Some(match kind {
        c::IP_PKTINFO if data.len() >= 12 => {
            let ip = |at| inet::ip(&data[at..at + 4]);
            let ifindex = inet::ifindex(cx, le(data, 0, 4) as u32);
            cx.members(&[("ipi_ifindex", ifindex), ("ipi_spec_dst", ip(4)?), ("ipi_addr", ip(8)?)])
        }
        c::IP_TTL | c::IP_CHECKSUM if data.len() >= 4 => array(cx, data, 4, |b| Value::UInt(le(b, 0, 4))),
        c::IP_TOS | c::IP_RECVOPTS | c::IP_RETOPTS => octets(),
        c::IP_RECVERR if data.len() >= 32 => {
            let n = |at, width| Value::UInt(le(data, at, width));
            cx.members(&[
                ("ee_errno", n(0, 4)),
                ("ee_origin", n(4, 1)),
                ("ee_type", n(5, 1)),
                ("ee_code", n(6, 1)),
                ("ee_info", n(8, 4)),
                ("ee_data", n(12, 4)),
                ("offender", sockaddr::value(cx, &data[16..32])),
            ])
        }
        c::IP_ORIGDSTADDR if data.len() >= 2 => sockaddr::value(cx, &data[..data.len().min(128)]),
        c::IP_PROTOCOL if data.len() >= 4 => {
            array(cx, &data[..4], 4, |b| Value::Enum { raw: le(b, 0, 4), set: &names::IPPROTO })
        }
        c::SCM_SECURITY => security(cx, data),
        _ => return None,
    })
}

/// A security label.
fn security<'a>(cx: &Cx<'a>, data: &'a [u8]) -> Value<'a> {
    let shown = data.len().min(cx.options.text);
    Value::Text(Text { bytes: &data[..shown], cut: shown < data.len(), kind: TextKind::Bytes })
}

/// Whole elements of `size` bytes each.
fn array<'a>(cx: &Cx<'a>, data: &'a [u8], size: usize, show: impl Fn(&'a [u8]) -> Value<'a>) -> Value<'a> {
    let all = data.len() / size;
    let shown = if cx.abbrev { all.min(cx.options.text) } else { all };
    let items = Vec::from_iter_in(data.chunks_exact(size).take(shown).map(show), cx.arena);
    Value::Array(items.into_bump_slice(), if shown < all { Tail::More } else { Tail::End })
}

/// `count` pairs of seconds and a fraction, each number of `width` bytes.
fn times<'a>(cx: &Cx<'a>, data: &'a [u8], count: usize, width: usize, part: &'static str) -> Value<'a> {
    if data.len() < 2 * width * count {
        // The size does not fit the type.
        return Value::Unknown;
    }
    let time = |b: &'a [u8]| {
        let part_of = le(b, width, width);
        cx.members(&[("tv_sec", Value::Int(signed(le(b, 0, width), width))), (part, Value::UInt(part_of))])
    };
    if count == 1 { time(data) } else { array(cx, &data[..2 * width * count], 2 * width, time) }
}
