//! The part of a message behind its header.

use super::{HEADER, Header, Span, attr, family, message};
use crate::irregular::inet;
use crate::{Cx, Member, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_syscalls::netlink::{self as nl, Body};
use stride_syscalls::{sets::socket as names, uapi::consts as c};

/// Appends the parts of a message's body.
pub(super) fn parts<'a>(span: &Span<'a, '_>, kind: u64, flags: u64, protocol: u64, parts: &mut Vec<'a, Value<'a>>) {
    match kind {
        c::NLMSG_ERROR => return parts.push(error(span, flags, protocol)),
        c::NLMSG_DONE if span.len >= 4 => {
            return parts.push(match span.uint(0, 4) {
                Some(n) => Value::Int(i64::from(n as u32 as i32)),
                None => Value::Addr(span.addr),
            });
        }
        c::NLMSG_NOOP | c::NLMSG_DONE | c::NLMSG_OVERRUN => return parts.push(span.hex()),
        _ => {}
    }
    match protocol {
        c::NETLINK_ROUTE => match nl::route(kind, span.uint(0, 1).unwrap_or(0)) {
            Some(body) => of_family(span, body, parts),
            None => parts.push(only_family(span)),
        },
        c::NETLINK_SOCK_DIAG => sock_diag(span, kind, flags, parts),
        c::NETLINK_GENERIC => {
            let body = if kind == c::GENL_ID_CTRL { &nl::NLCTRL } else { &nl::GENERIC };
            if kind == c::GENL_ID_CTRL {
                family::meet(span);
            }
            fixed(span, body, 0, parts);
        }
        c::NETLINK_NETFILTER => netfilter(span, kind, parts),
        c::NETLINK_CRYPTO if nl::CRYPTO_MSG.name_of(kind).is_some() => {
            // A short message is shown as text, because it begins with names.
            if span.len < nl::CRYPTO.header.size(span.cx.abi()) {
                return parts.push(span.plain());
            }
            fixed(span, &nl::CRYPTO, 0, parts);
        }
        c::NETLINK_SELINUX => {
            let header = match kind {
                c::SELNL_MSG_SETENFORCE => &nl::SELINUX_STATE,
                c::SELNL_MSG_POLICYLOAD => &nl::SELINUX_POLICY,
                _ => return parts.push(span.hex()),
            };
            fixed(span, &Body { header, attrs: None }, 0, parts);
        }
        _ => parts.push(span.hex()),
    }
}

/// An acknowledgement: an error number, and the header of the message that it answers.
fn error<'a>(span: &Span<'a, '_>, flags: u64, protocol: u64) -> Value<'a> {
    let cx = span.cx;
    if span.len < 4 + HEADER {
        return span.hex();
    }
    let (Some(errno), Some(header)) = (span.uint(0, 4), Header::read(&span.from(4))) else {
        return Value::Addr(span.addr);
    };
    let errno = Value::Errno(errno as u32 as i32);
    let capped = flags & c::NLM_F_CAPPED != 0;
    let whole = span.from(4);
    let message_len = if capped { HEADER } else { (header.len as usize).clamp(HEADER, whole.len) };
    let shown = if capped { header.show(cx, protocol) } else { message(&whole.first(message_len), &header, protocol) };
    let error_members = cx.members(&[("error", errno), ("msg", shown)]);
    let rest = whole.from(message_len.next_multiple_of(4));
    if (capped || flags & c::NLM_F_ACK_TLVS != 0) && rest.len > 0 {
        return Value::Array(cx.values(&[error_members, attr::list(&rest, &nl::ACK, 0)]), Tail::End);
    }
    error_members
}

/// A message with an address family and unknown content.
fn only_family<'a>(span: &Span<'a, '_>) -> Value<'a> {
    let Some(raw) = span.uint(0, 1) else { return Value::Addr(span.addr) };
    let family = Value::Enum { raw, set: &names::FAMILY };
    if span.len > 1 {
        return span.cx.members(&[("family", family), ("data", span.from(1).hex())]);
    }
    span.cx.members(&[("family", family)])
}

/// A struct. Its first byte is the address family that decides the rest.
fn of_family<'a>(span: &Span<'a, '_>, body: &Body, parts: &mut Vec<'a, Value<'a>>) {
    let Some(raw) = span.uint(0, 1) else { return parts.push(Value::Addr(span.addr)) };
    let family = Value::Enum { raw, set: &names::FAMILY };
    let size = body.header.size(span.cx.abi());
    let name = body.header.fields[0].name;
    if span.len == 1 && size > 1 {
        return parts.push(span.cx.members(&[("family", family)]));
    }
    if span.len < size {
        let member = std::slice::from_ref(span.cx.arena.alloc(Member { name, value: family }));
        return parts.push(Value::Struct(member, Tail::More));
    }
    match header(span, body) {
        Some(header) => parts.push(header),
        None => return parts.push(span.cx.members(&[(name, family), ("", Value::Addr(span.addr.wrapping_add(1)))])),
    }
    behind(span, body, size, raw, parts);
}

/// A struct without an address family.
fn fixed<'a>(span: &Span<'a, '_>, body: &Body, family: u64, parts: &mut Vec<'a, Value<'a>>) {
    let size = body.header.size(span.cx.abi());
    if span.len < size {
        return parts.push(span.hex());
    }
    match header(span, body) {
        Some(header) => parts.push(header),
        None => return parts.push(Value::Addr(span.addr)),
    }
    behind(span, body, size, family, parts);
}

fn header<'a>(span: &Span<'a, '_>, body: &Body) -> Option<Value<'a>> {
    generic::strukt(span.cx, body.header, span.phase, span.addr)
}

/// The attributes behind a struct.
fn behind<'a>(span: &Span<'a, '_>, body: &Body, size: usize, family: u64, parts: &mut Vec<'a, Value<'a>>) {
    let rest = span.from(size.next_multiple_of(4));
    if rest.len > 0 {
        parts.push(match body.attrs {
            Some(attrs) => attr::list(&rest, attrs, family),
            None => rest.hex(),
        });
    }
}

fn sock_diag<'a>(span: &Span<'a, '_>, kind: u64, flags: u64, parts: &mut Vec<'a, Value<'a>>) {
    let Some(family) = span.uint(0, 1) else { return parts.push(Value::Addr(span.addr)) };
    let by_family = matches!(kind, c::SOCK_DIAG_BY_FAMILY | c::SOCK_DESTROY);
    // Programs send requests. The answers of a dump carry NLM_F_MULTI.
    let request = flags & c::NLM_F_REQUEST != 0 && flags & c::NLM_F_MULTI == 0;
    let compat = matches!(kind, c::TCPDIAG_GETSOCK | c::DCCPDIAG_GETSOCK);
    match nl::sock_diag(family, request) {
        Some(_) if compat && request => of_family(span, &nl::COMPAT_REQUEST, parts),
        Some(body) if by_family || compat => of_family(span, body, parts),
        _ => parts.push(only_family(span)),
    }
}

fn netfilter<'a>(span: &Span<'a, '_>, kind: u64, parts: &mut Vec<'a, Value<'a>>) {
    let size = nl::NFGENMSG.size(span.cx.abi());
    if span.len < size {
        return parts.push(span.hex());
    }
    let Some(Value::Struct(members, _)) = span.cx.strukt(&nl::NFGENMSG, span.phase, span.addr) else {
        return parts.push(Value::Addr(span.addr));
    };
    let mut all = Vec::with_capacity_in(3, span.cx.arena);
    all.extend_from_slice(members);
    let raw = span.uint(2, 2).unwrap_or(0);
    all.push(Member { name: "res_id", value: resource(span.cx, raw as u16, kind) });
    parts.push(Value::Struct(all.into_bump_slice(), Tail::End));
    let rest = span.from(size);
    if rest.len > 0 {
        let batch = nl::NFNL_MSG_BATCH.name_of(kind).is_some();
        parts.push(if batch { rest.hex() } else { attr::list(&rest, &nl::CONTROL, 0) });
    }
}

/// In a batch the number is that of the subsystem. Elsewhere each subsystem has its own meaning for the number.
fn resource<'a>(cx: &Cx<'a>, raw: u16, kind: u64) -> Value<'a> {
    let number = u64::from(raw.swap_bytes());
    if number == kind >> 8 && nl::NFNL_SUBSYS.name_of(number).is_some() {
        return inet::htons(cx, raw.to_le_bytes(), |raw| Value::Enum { raw, set: &nl::NFNL_SUBSYS });
    }
    if u64::from(raw) == kind >> 8 && nl::NFNL_SUBSYS.name_of(raw.into()).is_some() {
        return Value::Enum { raw: raw.into(), set: &nl::NFNL_SUBSYS };
    }
    inet::htons(cx, raw.to_le_bytes(), Value::UInt)
}
