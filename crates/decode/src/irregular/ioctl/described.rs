//! Arguments of requests that have no row, and of which the kernel's headers tell the type: the members as the header lays them out.

use super::{Parts, READ, WRITE};
use crate::cx::{le, signed};
use crate::{Cx, Member, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use std::ops::Range;
use stride_event::Phase;
use stride_syscalls::Ty;
use stride_syscalls::ioctl::arguments;
use stride_syscalls::ioctl::told::{Meaning, Pointee, beside, meaning};
use stride_syscalls::uapi::{F, IoctlArg, Layout};

/// A struct has so many members in short.
const MOST_IN_SHORT: usize = 8;
/// An array has at most so many elements.
const MOST_ELEMENTS: usize = 32;
/// Words in the names of members without a meaning. They are shown if they are not zero.
const FILLING: &[&str] = &["pad", "padding", "reserved", "rsvd", "unused", "spare"];
/// Parts of the names of members that are bits or addresses.
const BITS: &[&str] = &["flag", "mask", "addr", "ptr", "caps"];

/// The argument before the call, after the call, or both, by the request's direction. If the number stands for several requests, their arguments are shown in
/// the order of their names.
pub fn described<'a>(cx: &Cx<'a>, raw: u64, parts: Parts) -> Option<Value<'a>> {
    let mut all = Vec::new_in(cx.arena);
    for &(_, dir, ty) in arguments(cx.abi(), cx.arg("op") as u32) {
        all.push(one(cx, raw, dir.into(), parts.size as usize, ty)?);
    }
    match *all.into_bump_slice() {
        [] => None,
        [one] => Some(one),
        ref all => Some(Value::OneOf(all)),
    }
}

/// True if the headers tell what the request's argument leads to.
pub fn is_told(cx: &Cx<'_>) -> bool {
    !arguments(cx.abi(), cx.arg("op") as u32).is_empty()
}

fn one<'a>(cx: &Cx<'a>, raw: u64, dir: u64, size: usize, ty: IoctlArg) -> Option<Value<'a>> {
    let size = match ty {
        IoctlArg::Struct(layout) => layout.size as usize,
        IoctlArg::Numbers { size: one, .. } if size == 0 => one.into(),
        IoctlArg::Numbers { .. } | IoctlArg::Text => size,
    };
    let at = |phase| Some(cx.prefix(phase, raw, size)).filter(|bytes| !bytes.is_empty());
    let before = if dir & WRITE != 0 { at(Phase::Entry) } else { None };
    let after = if dir & READ != 0 && !cx.failed() { at(Phase::Exit) } else { None };
    let sides = Sides::of(before, after)?;
    Some(match ty {
        IoctlArg::Struct(layout) => members(cx, sides, "", 0, layout.fields),
        IoctlArg::Text => sides.shown(cx, |bytes| text(bytes, bytes.len() < size, TextKind::Str)),
        IoctlArg::Numbers { size, signed } => numbers(cx, sides, size.into(), |bytes| number("", bytes, signed)),
    })
}

/// Memory before the call and after it. There may be less than the type has.
#[derive(Clone, Copy)]
struct Sides<'a> {
    before: &'a [u8],
    after: &'a [u8],
}

impl<'a> Sides<'a> {
    /// One of the two stands for the other, if that does not count.
    fn of(before: Option<&'a [u8]>, after: Option<&'a [u8]>) -> Option<Sides<'a>> {
        let one = before.or(after)?;
        Some(Sides { before: one, after: after.unwrap_or(one) })
    }

    fn len(&self) -> usize {
        self.before.len().min(self.after.len())
    }

    fn part(&self, range: Range<usize>) -> Option<Sides<'a>> {
        Some(Sides { before: self.before.get(range.clone())?, after: self.after.get(range)? })
    }

    fn are_zero(&self) -> bool {
        self.before.iter().chain(self.after).all(|&byte| byte == 0)
    }

    /// The value, or both values if the call changed it.
    fn shown(&self, cx: &Cx<'a>, value: impl Fn(&'a [u8]) -> Value<'a>) -> Value<'a> {
        match self.before == self.after {
            true => value(self.before),
            false => Value::Change(cx.keep(value(self.before)), cx.keep(value(self.after))),
        }
    }
}

/// The members whose names begin so, among these fields. Of a union's members, the first is shown.
fn members<'a>(cx: &Cx<'a>, sides: Sides<'a>, prefix: &str, from: u64, fields: &'static [F]) -> Value<'a> {
    let mut members = Vec::new_in(cx.arena);
    let (mut end, mut tail) = (from, Tail::End);
    for (i, field) in fields.iter().enumerate() {
        let Some(name) = field.name.strip_prefix(prefix).filter(|name| !name.contains('.')) else { continue };
        let begin = u64::from(field.offset) * 8 + u64::from(field.bits.0);
        if begin < end {
            continue;
        }
        if cx.abbrev && members.len() == MOST_IN_SHORT || !cx.has_room() {
            tail = Tail::More;
            break;
        }
        let Some(its) = sides.part(field.offset.into()..field.end()) else {
            tail = Tail::Unknown;
            break;
        };
        end = match field.bits.1 {
            0 => field.end() as u64 * 8,
            width => begin + u64::from(width),
        };
        let is_filling =
            name.split('_').any(|word| FILLING.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())));
        if is_filling && its.are_zero() {
            continue;
        }
        let behind = &fields[i + 1..];
        let inner = behind.first().and_then(|next| next.name.strip_prefix(field.name)?.strip_prefix('.'));
        let value = match inner {
            Some(_) => {
                let prefix = &behind[0].name[..=field.name.len()];
                self::members(cx, sides, prefix, u64::from(field.offset) * 8, behind)
            }
            None => {
                let pointed = match meaning(field) {
                    Some(Meaning::Points(to, count)) => pointed(cx, sides, fields, field, to, count),
                    _ => None,
                };
                pointed.unwrap_or_else(|| member(cx, field, its))
            }
        };
        members.push(Member { name, value });
    }
    Value::Struct(members.into_bump_slice(), tail)
}

/// A member that has no members.
fn member<'a>(cx: &Cx<'a>, field: &F, sides: Sides<'a>) -> Value<'a> {
    let size = usize::from(field.size);
    let raw = |bytes: &[u8]| match field.bits {
        (_, 0) => le(bytes, 0, bytes.len()),
        (from, width) => le(bytes, 0, bytes.len()) >> from & (u64::MAX >> (64 - width.clamp(1, 64))),
    };
    match meaning(field) {
        Some(Meaning::Value(ty)) => return sides.shown(cx, |bytes| valued(cx, ty, raw(bytes), size)),
        Some(Meaning::Structs(layouts)) => return structs(cx, sides, layouts[cx.abi() as usize], true),
        Some(Meaning::Points(..)) => return sides.shown(cx, |bytes| Value::Addr(raw(bytes))),
        None => {}
    }
    let one = |bytes: &'a [u8]| match field.bits {
        _ if field.pointer => Value::Addr(raw(bytes)),
        (_, 0) => number(field.name, bytes, field.signed),
        _ => Value::UInt(raw(bytes)),
    };
    match (size, field.count) {
        (1, 2..) if field.signed => sides.shown(cx, |bytes| text(bytes, false, TextKind::Str)),
        (1 | 2 | 4 | 8, 1) => sides.shown(cx, one),
        (2 | 4 | 8, _) => numbers(cx, sides, size, one),
        // Bytes, or structs in a row. Headers have names in arrays of bytes.
        _ => sides.shown(cx, |bytes| {
            if is_text(bytes) {
                return text(bytes, false, TextKind::Str);
            }
            let shown = bytes.len().min(cx.options.text);
            text(&bytes[..shown], shown < bytes.len(), TextKind::HexBytes)
        }),
    }
}

/// A number that has a type.
fn valued<'a>(cx: &Cx<'a>, ty: &Ty, raw: u64, size: usize) -> Value<'a> {
    // Names of negative numbers have 64 bits.
    let wide = signed(raw, size) as u64;
    let is_negative = matches!(ty, Ty::Enum(set) if set.of(cx.abi()).name_of(wide).is_some());
    generic::held(cx, ty, if is_negative { wide } else { raw }, Siblings::Args)
}

/// The elements behind a pointer, as far as they were captured.
fn pointed<'a>(
    cx: &Cx<'a>,
    sides: Sides<'a>,
    fields: &'static [F],
    field: &F,
    to: &'static Pointee,
    count: &str,
) -> Option<Value<'a>> {
    let count = beside(fields, field, count)?;
    let size = to.size(cx.abi());
    let at = |phase, head: &'a [u8]| {
        let number = |field: &F| head.get(field.offset.into()..field.end()).map(|bytes| le(bytes, 0, bytes.len()));
        let all = usize::try_from(number(&count)?).unwrap_or(usize::MAX).saturating_mul(size);
        let there = cx.prefix(phase, number(field)?, all);
        Some((there, there.len() < all)).filter(|(there, _)| there.len() >= size && size > 0)
    };
    let before = at(Phase::Entry, sides.before);
    let after = if cx.failed() { None } else { at(Phase::Exit, sides.after) };
    let cut = after.or(before)?.1;
    // The kernel may have changed the count. Then its answer counts.
    let same = |before: &(&[u8], bool)| after.is_none_or(|after| after.0.len() == before.0.len());
    let sides = Sides::of(before.filter(same).map(|side| side.0), after.map(|side| side.0))?;
    let value = match to {
        Pointee::Structs(layouts) => structs(cx, sides, layouts[cx.abi() as usize], false),
        Pointee::Numbers { size, signed } => numbers(cx, sides, usize::from(*size), |bytes| number("", bytes, *signed)),
        Pointee::Bytes => {
            return Some(sides.shown(cx, |bytes| {
                let shown = bytes.len().min(cx.options.text);
                text(&bytes[..shown], cut || shown < bytes.len(), TextKind::Bytes)
            }));
        }
    };
    Some(match value {
        Value::Array(elements, Tail::End) if cut => Value::Array(elements, Tail::More),
        value => value,
    })
}

/// Structs in a row. Those at the end that are all zeros may be left out.
fn structs<'a>(cx: &Cx<'a>, sides: Sides<'a>, layout: &'static Layout, without_zeros: bool) -> Value<'a> {
    let size = (layout.size as usize).max(1);
    let count = sides.len() / size;
    let part = |i: usize| sides.part(i * size..(i + 1) * size);
    let is_used = |&i: &usize| !without_zeros || part(i).is_some_and(|part| !part.are_zero());
    let used = (0..count).rev().find(is_used).map_or(0, |last| last + 1);
    let most = if cx.abbrev { MOST_IN_SHORT } else { MOST_ELEMENTS };
    let mut all = Vec::new_in(cx.arena);
    for element in (0..used.min(most)).filter_map(part) {
        if !cx.has_room() {
            break;
        }
        all.push(members(cx, element, "", 0, layout.fields));
    }
    let tail = if all.len() < count { Tail::More } else { Tail::End };
    Value::Array(all.into_bump_slice(), tail)
}

/// True if there are characters, and zeros behind them.
fn is_text(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (characters, zeros) = bytes.split_at(end);
    !characters.is_empty()
        && characters.iter().all(|byte| (b' '..=b'~').contains(byte))
        && zeros.iter().all(|&byte| byte == 0)
}

fn text(bytes: &[u8], cut: bool, kind: TextKind) -> Value<'_> {
    let end = bytes.iter().position(|&byte| byte == 0).filter(|_| kind == TextKind::Str);
    Value::Text(Text { bytes: &bytes[..end.unwrap_or(bytes.len())], cut: cut && end.is_none(), kind })
}

/// Numbers in a row.
fn numbers<'a>(cx: &Cx<'a>, sides: Sides<'a>, size: usize, one: impl Fn(&'a [u8]) -> Value<'a>) -> Value<'a> {
    let mut all = Vec::new_in(cx.arena);
    let count = sides.len() / size.max(1);
    let elements = (0..count.min(MOST_ELEMENTS)).filter_map(|i| sides.part(i * size..(i + 1) * size));
    all.extend(elements.map(|element| element.shown(cx, &one)));
    Value::Array(all.into_bump_slice(), if count > MOST_ELEMENTS { Tail::More } else { Tail::End })
}

/// A number in the notation that fits the member's name.
fn number<'a>(name: &str, bytes: &[u8], is_signed: bool) -> Value<'a> {
    let raw = le(bytes, 0, bytes.len());
    let name = name.rsplit('.').next().unwrap_or(name);
    match is_signed {
        _ if BITS.iter().any(|word| name.contains(word)) => Value::Hex(raw),
        true => Value::Int(signed(raw, bytes.len())),
        false => Value::UInt(raw),
    }
}
