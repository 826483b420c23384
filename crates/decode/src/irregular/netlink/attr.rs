//! Attributes: a type, a length and a value each. They follow one another, and they nest.

use super::Span;
use crate::irregular::inet;
use crate::{Member, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_syscalls::netlink::{Attrs, NLA_F, Payload};
use stride_syscalls::{Struct, Ty, sets::socket as names, uapi::consts as c};

const HEADER: usize = 4;
/// The bits of a type without its flags.
const TYPE: u64 = 0x3fff;
/// The limit of nesting, because a description may contain itself.
const DEEPEST: u8 = 8;

/// The attributes in a span. `family` is the message's address family.
pub(super) fn list<'a>(span: &Span<'a, '_>, attrs: &Attrs, family: u64) -> Value<'a> {
    nested(span, attrs, family, 0)
}

fn nested<'a>(span: &Span<'a, '_>, attrs: &Attrs, family: u64, depth: u8) -> Value<'a> {
    if span.len < HEADER || depth > DEEPEST {
        return span.hex();
    }
    let cx = span.cx;
    let mut items = Vec::new_in(cx.arena);
    let mut at = 0;
    let mut tail = Tail::End;
    while at < span.len {
        let rest = span.from(at);
        if rest.len < HEADER {
            items.push(rest.hex());
            break;
        }
        let (Some(len), Some(kind)) = (rest.uint(0, 2), rest.uint(2, 2)) else {
            tail = span.unread(at);
            break;
        };
        if cx.abbrev && items.len() >= cx.options.text {
            tail = Tail::More;
            break;
        }
        let header = cx.members(&[("nla_len", Value::UInt(len)), ("nla_type", name(span, attrs, kind))]);
        let inside = rest.first(len as usize).from(HEADER);
        items.push(if inside.len == 0 {
            header
        } else {
            let value = payload(&inside, attrs, kind & TYPE, family, depth);
            Value::Array(cx.values(&[header, value]), Tail::End)
        });
        if (len as usize) < HEADER {
            break;
        }
        at += (len as usize).next_multiple_of(4);
    }
    match *items {
        [] => Value::Addr(span.addr),
        [one] if tail == Tail::End => one,
        _ => Value::Array(items.into_bump_slice(), tail),
    }
}

fn name<'a>(span: &Span<'a, '_>, attrs: &Attrs, kind: u64) -> Value<'a> {
    let raw = kind & TYPE;
    let name = match attrs.names {
        Some(set) => Value::Enum { raw, set },
        None => Value::Hex(raw),
    };
    match kind & !TYPE {
        0 => name,
        flags => Value::Or(span.cx.values(&[Value::Flags { raw: flags, set: &NLA_F }, name])),
    }
}

fn payload<'a>(span: &Span<'a, '_>, attrs: &Attrs, kind: u64, family: u64, depth: u8) -> Value<'a> {
    // The default payload holds only for attributes with a name.
    let default =
        if attrs.names.is_none_or(|set| set.name_of(kind).is_some()) { attrs.default } else { Payload::Bytes };
    let which = attrs.payloads.iter().find(|(k, _)| *k == kind).map_or(default, |(_, p)| *p);
    let cx = span.cx;
    let shown = match which {
        Payload::Bytes => None,
        Payload::Text => Some(span.text()),
        Payload::Nested(inner) => Some(nested(span, inner, family, depth + 1)),
        Payload::Is(ty) => {
            let size = ty.size(cx.abi());
            (span.len >= size).then(|| value(span, &ty, size))
        }
        Payload::Number(ty) => (span.len <= 8).then(|| match span.uint(0, span.len) {
            Some(raw) => generic::held(cx, &ty, raw, Siblings::Args),
            None => Value::Addr(span.addr),
        }),
        Payload::Milliseconds => (span.len <= 8).then(|| match span.uint(0, span.len) {
            Some(0) => Value::UInt(0),
            Some(n) => cx.comment(Value::UInt(n), cx.plain(format_args!("{}.{:03} s", n / 1000, n % 1000))),
            None => Value::Addr(span.addr),
        }),
        Payload::Filter if span.len < 8 => None,
        Payload::Filter => crate::irregular::filter::instructions(
            cx,
            span.phase,
            span.addr,
            span.len as u64 / 8,
            crate::irregular::filter::Runs::OnPackets,
        ),
        Payload::List(ty) => (span.len >= ty.size(cx.abi())).then(|| values(span, ty)),
        Payload::Extensible(s, least) => (span.len >= usize::from(least)).then(|| extensible(span, s)),
        Payload::Address => {
            let size = match family {
                c::AF_INET => 4,
                c::AF_INET6 => 16,
                _ => return span.hex(),
            };
            (span.len >= size).then(|| span.read(0, size).and_then(inet::ip).unwrap_or(Value::Addr(span.addr)))
        }
        Payload::Mac => Some(match span.read(0, span.len.min(255)) {
            Some(bytes) => inet::mac(cx, bytes),
            None => Value::Addr(span.addr),
        }),
        Payload::Via => via(span),
        Payload::NextHops(inner) => next_hops(span, inner, family, depth),
        Payload::SockMemory => Some(sock_memory(span)),
    };
    shown.unwrap_or_else(|| span.hex())
}

fn value<'a>(span: &Span<'a, '_>, ty: &Ty, size: usize) -> Value<'a> {
    generic::inline(span.cx, ty, span.phase, span.addr, size, Siblings::Args).unwrap_or(Value::Addr(span.addr))
}

fn values<'a>(span: &Span<'a, '_>, ty: &Ty) -> Value<'a> {
    let n = span.len / ty.size(span.cx.abi()).max(1);
    generic::elements(span.cx, span.phase, span.addr, ty, n as u64, false)
}

/// The members of a struct, as far as the span goes.
fn extensible<'a>(span: &Span<'a, '_>, s: &'static Struct) -> Value<'a> {
    let cx = span.cx;
    let mut members = Vec::with_capacity_in(s.fields.len(), cx.arena);
    let mut tail = Tail::End;
    for field in s.fields {
        let place = field.place(cx.abi());
        if place.end() > span.len {
            break;
        }
        if field.verbose && cx.abbrev {
            tail = Tail::More;
            continue;
        }
        match generic::member(cx, s, field, span.phase, span.addr) {
            Some(value) => members.push(Member { name: field.name, value }),
            None => return Value::Addr(span.addr),
        }
    }
    Value::Struct(members.into_bump_slice(), tail)
}

/// `struct rtvia`.
fn via<'a>(span: &Span<'a, '_>) -> Option<Value<'a>> {
    if span.len < 2 {
        return None;
    }
    let cx = span.cx;
    let Some(raw) = span.uint(0, 2) else { return Some(Value::Addr(span.addr)) };
    let family = Value::Enum { raw, set: &names::FAMILY };
    let rest = span.from(2);
    if rest.len == 0 {
        return Some(cx.members(&[("rtvia_family", family)]));
    }
    let size = match raw {
        c::AF_INET => 4,
        c::AF_INET6 => 16,
        _ => usize::MAX,
    };
    let address = if rest.len < size {
        rest.hex()
    } else {
        rest.read(0, size).and_then(inet::ip).unwrap_or(Value::Addr(rest.addr))
    };
    Some(cx.members(&[("rtvia_family", family), ("rtvia_addr", address)]))
}

/// `struct rtnexthop`s. Each is followed by its attributes.
fn next_hops<'a>(span: &Span<'a, '_>, attrs: &Attrs, family: u64, depth: u8) -> Option<Value<'a>> {
    const SIZE: usize = 8;
    let s = stride_syscalls::netlink::NEXT_HOP;
    let cx = span.cx;
    let mut items = Vec::new_in(cx.arena);
    let mut at = 0;
    while span.len - at >= SIZE {
        let here = span.from(at);
        let Some(header) = cx.strukt(s, here.phase, here.addr) else {
            if at == 0 {
                return Some(Value::Addr(span.addr));
            }
            return Some(Value::Array(items.into_bump_slice(), span.unread(at)));
        };
        let len = here.uint(0, 2).unwrap_or(0) as usize;
        let inside = here.first(len).from(SIZE);
        items.push(if inside.len > 0 {
            Value::Array(cx.values(&[header, nested(&inside, attrs, family, depth + 1)]), Tail::End)
        } else {
            header
        });
        if len < SIZE {
            break;
        }
        at = (at + len.next_multiple_of(4)).min(span.len);
    }
    match *items {
        [] => None,
        // A single hop with its attributes is shown without the list.
        [one @ Value::Array(..)] => Some(one),
        _ => Some(Value::Array(items.into_bump_slice(), Tail::End)),
    }
}

/// Counters with their indices: `[[SK_MEMINFO_RMEM_ALLOC]=0, …]`.
fn sock_memory<'a>(span: &Span<'a, '_>) -> Value<'a> {
    let cx = span.cx;
    let mut items = Vec::new_in(cx.arena);
    for i in 0..span.len / 4 {
        let Some(n) = span.uint(4 * i, 4) else {
            if i == 0 {
                return Value::Addr(span.addr);
            }
            return Value::Array(items.into_bump_slice(), span.unread(4 * i));
        };
        let index = Value::Enum { raw: i as u64, set: stride_syscalls::netlink::SK_MEMORY };
        items.push(Value::Glue(cx.values(&[Value::Ascii("["), index, Value::Ascii("]="), Value::UInt(n)])));
    }
    if items.is_empty() { span.hex() } else { Value::Array(items.into_bump_slice(), Tail::End) }
}
