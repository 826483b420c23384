//! Attributes: a type, a length and a value each. They follow one another, and they nest.

use super::Span;
use crate::irregular::inet;
use crate::{Member, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_syscalls::netlink::{Attrs, NLA_F, Payload};
use stride_syscalls::{Set, Struct, Ty, sets::socket as names, uapi::consts as c};

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
        if cx.abbrev && items.len() >= cx.options.text || !cx.has_room() {
            tail = Tail::More;
            break;
        }
        let header = cx.members(&[("nla_len", Value::UInt(len)), ("nla_type", name(span, attrs, kind))]);
        let content = rest.first(len as usize).from(HEADER);
        items.push(if content.len == 0 {
            header
        } else {
            let value = payload(&content, &span.first(at), attrs, kind & TYPE, family, depth);
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

/// The content of an attribute. `before` are the attributes in front of this one.
fn payload<'a>(
    span: &Span<'a, '_>,
    before: &Span<'a, '_>,
    attrs: &Attrs,
    kind: u64,
    family: u64,
    depth: u8,
) -> Value<'a> {
    // The default payload holds only for attributes with a name.
    let default =
        if attrs.names.is_none_or(|set| set.name_of(kind).is_some()) { attrs.default } else { Payload::Bytes };
    let which = match attrs.payloads.iter().find(|(k, _)| *k == kind).map_or(default, |(_, p)| *p) {
        Payload::ByKind(named_by, cases, other) => {
            let name = text_before(before, named_by).unwrap_or_default();
            cases.iter().find(|(n, _)| n.as_bytes() == name).map_or(*other, |(_, p)| *p)
        }
        Payload::ByFamily(cases, other) => cases.iter().find(|(f, _)| *f == family).map_or(*other, |(_, p)| *p),
        which => which,
    };
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
            Some(n) => cx.remarked(Value::UInt(n), cx.seconds(n, 3)),
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
        Payload::Indexed(names, ty) => Some(indexed(span, names, ty)),
        Payload::Word => {
            matches!(span.len, 1 | 2 | 4 | 8).then(|| span.uint(0, span.len).map_or(Value::Addr(span.addr), Value::Hex))
        }
        Payload::Headed(ty, inner) => headed(span, ty, |rest| nested(rest, inner, family, depth + 1)),
        Payload::Trailed(ty) => headed(span, ty, Span::hex),
        Payload::Open(s) => open(span, s),
        Payload::Report(s) if span.len < s.size(cx.abi()) => Some(span.plain()),
        Payload::Report(s) => Some(value(span, &Ty::Struct(s), s.size(cx.abi()))),
        Payload::Named(member) => Some(named(span, member)),
        Payload::DiagFilter => super::diag::filter(span),
        // Resolved above.
        Payload::ByKind(..) | Payload::ByFamily(..) => None,
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
    let address = rest.address(raw);
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
        let hop = span.from(at);
        let Some(header) = cx.strukt(s, hop.phase, hop.addr) else {
            if at == 0 {
                return Some(Value::Addr(span.addr));
            }
            return Some(Value::Array(items.into_bump_slice(), span.unread(at)));
        };
        let len = hop.uint(0, 2).unwrap_or(0) as usize;
        let content = hop.first(len).from(SIZE);
        items.push(if content.len > 0 {
            Value::Array(cx.values(&[header, nested(&content, attrs, family, depth + 1)]), Tail::End)
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

/// The number of attributes that are searched for one that says what another one is. A hostile message has thousands.
const MOST_BEFORE: usize = 64;

/// The text of the last attribute of a type.
fn text_before<'a>(span: &Span<'a, '_>, kind: u64) -> Option<&'a [u8]> {
    let (mut at, mut found) = (0, None);
    for _ in 0..MOST_BEFORE {
        if at + HEADER > span.len {
            break;
        }
        let rest = span.from(at);
        let len = rest.uint(0, 2)? as usize;
        if len < HEADER {
            break;
        }
        if rest.uint(2, 2)? & TYPE == kind {
            let content = rest.first(len).from(HEADER);
            found = content.read(0, content.len);
        }
        at += len.next_multiple_of(4);
    }
    found.map(|text| text.split(|&b| b == 0).next().unwrap_or(text))
}

/// A value of fixed size, and what is behind it.
fn headed<'a, 'c>(
    span: &Span<'a, 'c>,
    ty: &Ty,
    show_rest: impl FnOnce(&Span<'a, 'c>) -> Value<'a>,
) -> Option<Value<'a>> {
    let size = ty.size(span.cx.abi());
    if span.len < size {
        return None;
    }
    let head = value(span, ty, size);
    let rest = span.from(size.next_multiple_of(4));
    if rest.len == 0 {
        return Some(head);
    }
    Some(Value::Seq(span.cx.values(&[head, show_rest(&rest)])))
}

/// A struct, and the bytes behind it unless all of them are zero.
fn open<'a>(span: &Span<'a, '_>, s: &'static Struct) -> Option<Value<'a>> {
    let (cx, size) = (span.cx, s.size(span.cx.abi()));
    if span.len < size {
        return None;
    }
    let shown = value(span, &Ty::Struct(s), size);
    let rest = span.from(size);
    match rest.read(0, rest.len) {
        Some(bytes) if bytes.iter().any(|&b| b != 0) => {
            let extra = cx.extra(size as u64, span.len as u64 - 1, rest.hex());
            Some(Value::Seq(cx.values(&[shown, extra.value])))
        }
        _ => Some(shown),
    }
}

/// A struct of nothing but a text, which may end early.
fn named<'a>(span: &Span<'a, '_>, member: &'static str) -> Value<'a> {
    let Some(bytes) = span.read(0, span.len) else { return Value::Addr(span.addr) };
    let end = bytes.iter().position(|&b| b == 0);
    let shown = end.unwrap_or(bytes.len());
    let text = Text { bytes: &bytes[..shown], cut: end.is_none(), kind: TextKind::Str };
    span.cx.members(&[(member, Value::Text(text))])
}

/// Values with their indices: `[[SK_MEMINFO_RMEM_ALLOC]=0, …]`.
fn indexed<'a>(span: &Span<'a, '_>, names: &'static Set, ty: &Ty) -> Value<'a> {
    let (cx, size) = (span.cx, ty.size(span.cx.abi()).max(1));
    let mut items = Vec::new_in(cx.arena);
    for i in 0..span.len / size {
        let Some(raw) = span.uint(size * i, size) else {
            if i == 0 {
                return Value::Addr(span.addr);
            }
            return Value::Array(items.into_bump_slice(), span.unread(size * i));
        };
        let index = Value::Enum { raw: i as u64, set: names };
        let number = generic::held(cx, ty, raw, Siblings::Args);
        items.push(cx.indexed(index, number));
    }
    if items.is_empty() { span.hex() } else { Value::Array(items.into_bump_slice(), Tail::End) }
}
