//! Decodes values by the types of the rows alone.

use crate::cx::{cut, le, signed};
use crate::{
    Cx, FdInfo, FdNote, Labelled, Member, Options, Resolver, Siblings, Tail, Text, TextKind, Value, irregular,
};
use bumpalo::Bump;
use bumpalo::collections::Vec;
use stride_event::{Descriptor, FdOf, Phase, Tid};
use stride_syscalls::sets::time::CLOCKS;
use stride_syscalls::{Dir, Field, Len, Struct, Ty, When, plan, uapi::consts as c};

/// The value of an argument.
pub fn arg<'a>(cx: &Cx<'a>, ty: &Ty, raw: u64) -> Value<'a> {
    match ty {
        Ty::Select(select) => {
            let chosen = cx.row.choose(select, &cx.call.args, cx.abi());
            arg(cx, &chosen, raw)
        }
        ty => held(cx, ty, cut(raw, ty.size(cx.abi()).clamp(1, 8)), Siblings::Args),
    }
}

/// A scalar or pointer in `raw`, which is zero-extended from the width of its type.
pub fn held<'a>(cx: &Cx<'a>, ty: &Ty, raw: u64, siblings: Siblings) -> Value<'a> {
    held_in(cx, ty, raw, ty.size(cx.abi()).clamp(1, 8), siblings)
}

fn held_in<'a>(cx: &Cx<'a>, ty: &Ty, raw: u64, width: usize, siblings: Siblings) -> Value<'a> {
    match *ty {
        Ty::Int | Ty::Long | Ty::I64 => Value::Int(signed(raw, width)),
        Ty::UInt | Ty::ULong | Ty::U64 => Value::UInt(raw),
        Ty::Hex | Ty::HexLong => Value::Hex(raw),
        Ty::Addr => Value::Addr(raw),
        Ty::Fd => fd(cx, signed(raw, width) as i32),
        Ty::DirFd => match signed(raw, width) as i32 {
            AT_FDCWD => fd_cwd(cx),
            n => fd(cx, n),
        },
        Ty::Pid(kind) => {
            let id = signed(raw, width) as i32;
            Value::Pid { id, kind, note: cx.pid_note(id, kind) }
        }
        Ty::Uid | Ty::Gid => {
            // All bits set means "leave as it is".
            if raw == cut(u64::MAX, width) { Value::Int(-1) } else { Value::UInt(raw) }
        }
        Ty::Signal => Value::Signal(signed(raw, width) as i32),
        Ty::Mode => Value::Mode(raw),
        Ty::Perm => Value::Octal(raw),
        Ty::Dev => irregular::dev::decode(cx, raw),
        Ty::Flags(set) => Value::Flags { raw, set: set.of(cx.abi()) },
        Ty::Enum(set) => Value::Enum { raw, set: set.of(cx.abi()) },
        Ty::ClockId => Value::Enum { raw, set: &CLOCKS },
        Ty::Ticks => Value::Ticks(raw),
        Ty::As(width, inner) => {
            let width = width.bytes(cx.abi());
            held_in(cx, inner, cut(raw, width), width, siblings)
        }
        Ty::Path => string(cx, raw, usize::MAX, TextKind::Path),
        Ty::Str => string(cx, raw, cx.options.text, TextKind::Str),
        Ty::Bytes(dir, len) => buffer(cx, raw, dir, len, siblings),
        Ty::Stack(_) => Value::Addr(cx.call.sp),
        Ty::Spread(s) => match follow(cx, raw, Dir::In) {
            Err(value) => value,
            Ok(phase) => strukt(cx, s, phase, raw).unwrap_or(Value::Addr(raw)),
        },
        Ty::Buffer(..) => Value::Addr(raw),
        Ty::Ptr(dir, inner) => match follow(cx, raw, dir) {
            Err(value) => value,
            Ok(phase) => inline(cx, inner, phase, raw, inner.size(cx.abi()), siblings).unwrap_or(Value::Addr(raw)),
        },
        Ty::Array(dir, inner, len) | Ty::Table(dir, inner, len, _) => array(cx, raw, dir, inner, len, siblings),
        Ty::Extensible(dir, s, len, min) => match (follow(cx, raw, dir), cx.len(len, Phase::of(dir), siblings)) {
            (Err(value), _) => value,
            (Ok(phase), Some(size)) if size >= min as u64 => {
                extensible(cx, s, phase, raw, size).unwrap_or(Value::Addr(raw))
            }
            _ => Value::Addr(raw),
        },
        Ty::Turn(before, after) => match follow(cx, raw, Dir::In) {
            Err(value) => value,
            Ok(phase) => match (strukt(cx, before, phase, raw), cx.failed()) {
                (None, _) => Value::Addr(raw),
                (Some(before), true) => before,
                (Some(before), false) => {
                    let after = strukt(cx, after, Phase::Exit, raw).unwrap_or(Value::Addr(raw));
                    Value::Change(cx.keep(before), cx.keep(after))
                }
            },
        },
        Ty::Exchange(s) => match follow(cx, raw, Dir::In) {
            Err(value) => value,
            Ok(phase) => strukt(cx, s, phase, raw).unwrap_or(Value::Addr(raw)),
        },
        Ty::Iovec(dir, len) => irregular::iovec::decode(cx, raw, dir, len, siblings),
        Ty::Sockaddr(dir, len) => irregular::sockaddr::decode(cx, raw, dir, len, siblings),
        Ty::SigSet(dir, len) => irregular::sigset::decode(cx, raw, dir, len, siblings),
        Ty::Custom(which, shape) => irregular::held(cx, which, shape, raw, siblings),
        Ty::Shapes(shapes) => held_in(cx, &shapes[0], raw, width, siblings),
        Ty::Select(_) | Ty::Struct(_) | Ty::CStr | Ty::Items(_) | Ty::Blob(_) => Value::Hex(raw),
        // These are members in memory; see `inline`.
        Ty::Reply(inner) | Ty::NonZero(inner) => held_in(cx, inner, raw, width, siblings),
    }
}

/// A value of `size` bytes in captured memory. `None` if it was not captured.
pub fn inline<'a>(cx: &Cx<'a>, ty: &Ty, phase: Phase, addr: u64, size: usize, siblings: Siblings) -> Option<Value<'a>> {
    match *ty {
        Ty::Struct(s) => strukt(cx, s, phase, addr),
        Ty::CStr => {
            let bytes = cx.read(phase, addr, size)?;
            let end = bytes.iter().position(|&b| b == 0);
            // A string without its NUL is cut to the array's size less one byte, the NUL's place.
            Some(Value::Text(Text {
                bytes: &bytes[..end.unwrap_or(size.saturating_sub(1))],
                cut: end.is_none(),
                kind: TextKind::Str,
            }))
        }
        Ty::Items(inner) => {
            let each = inner.size(cx.abi()).max(1);
            let mut items = Vec::new_in(cx.arena);
            for i in 0..size / each {
                if cx.abbrev && i >= cx.options.text {
                    return Some(Value::Array(items.into_bump_slice(), Tail::More));
                }
                items.push(inline(cx, inner, phase, addr.wrapping_add((i * each) as u64), each, siblings)?);
            }
            Some(Value::Array(items.into_bump_slice(), Tail::End))
        }
        Ty::Blob(n) => {
            let size = if size == 0 { n } else { size };
            Some(Value::Text(Text { bytes: cx.read(phase, addr, size)?, cut: false, kind: TextKind::Bytes }))
        }
        Ty::Reply(_) if cx.failed() => Some(Value::Absent),
        Ty::Reply(inner) => inline(cx, inner, Phase::Exit, addr, size, exit_siblings(siblings)),
        Ty::NonZero(inner) => match cx.read(phase, addr, size)?.iter().all(|&b| b == 0) {
            true => Some(Value::Absent),
            false => inline(cx, inner, phase, addr, size, siblings),
        },
        Ty::Custom(which, shape) if shape.is_inline() => {
            irregular::inline(cx, which, shape, phase, addr, size, siblings)
        }
        ref ty => {
            let raw = cx.uint(phase, addr, size.min(8))?;
            Some(held_in(cx, ty, raw, size, siblings))
        }
    }
}

/// The siblings at exit, as the kernel left them.
fn exit_siblings(siblings: Siblings) -> Siblings {
    match siblings {
        Siblings::Struct(s, base, _) => Siblings::Struct(s, base, Phase::Exit),
        Siblings::Args => siblings,
    }
}

/// A struct, member by member.
pub fn strukt<'a>(cx: &Cx<'a>, s: &'static Struct, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let bytes = cx.read(phase, addr, s.size(cx.abi()))?;
    let mut members = Vec::with_capacity_in(s.fields.len(), cx.arena);
    let mut tail = Tail::End;
    for field in s.fields {
        let is_left_out = field.verbose && cx.abbrev;
        // One field that is left out makes the tail, so the conditions of others need no look.
        if is_left_out && tail == Tail::More || !exists(cx, s, field, phase, addr) {
            continue;
        }
        if is_left_out {
            tail = Tail::More;
            continue;
        }
        let value = match plain_number(cx, field, bytes) {
            Some((raw, size)) => held_in(cx, &field.ty, raw, size, Siblings::Struct(s, addr, phase)),
            None => member(cx, s, field, phase, addr)?,
        };
        push_member(&mut members, field.name, value);
    }
    Some(Value::Struct(members.into_bump_slice(), tail))
}

/// The number and the size of a member of the struct that has these bytes, if the member is a plain number there. So most members are found without a
/// search for their memory.
fn plain_number(cx: &Cx<'_>, field: &Field, bytes: &[u8]) -> Option<(u64, usize)> {
    let place = field.place(cx.abi());
    if place.bits.1 != 0 || place.count > 1 || field.ty.is_inline() || matches!(field.ty, Ty::Reply(_) | Ty::NonZero(_))
    {
        return None;
    }
    let size = place.size as usize;
    let number = bytes.get(place.offset as usize..)?.get(..size.min(8))?;
    Some((le(number, 0, size), size))
}

/// True if the struct at `addr` has this member.
fn exists(cx: &Cx<'_>, s: &'static Struct, field: &Field, phase: Phase, addr: u64) -> bool {
    matches!(field.when, When::Always) || field.when.holds(&|name| cx.number(s, name, phase, addr).unwrap_or(0))
}

/// One member of a struct at `addr`.
pub fn member<'a>(cx: &Cx<'a>, s: &'static Struct, field: &Field, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let place = field.place(cx.abi());
    let at = addr.wrapping_add(u64::from(place.offset));
    let size = place.size as usize * (place.count as usize).max(1);
    match place.bits {
        (_, 0) => inline(cx, &field.ty, phase, at, size, Siblings::Struct(s, addr, phase)),
        _ => match (field.ty, scalar(cx, field, phase, addr)?) {
            (Ty::NonZero(_), 0) => Some(Value::Absent),
            (ty, raw) => Some(held(cx, &ty, raw, Siblings::Struct(s, addr, phase))),
        },
    }
}

fn push_member<'a>(members: &mut Vec<'a, Member<'a>>, name: &'static str, value: Value<'a>) {
    if !matches!(value, Value::Absent) {
        members.push(Member { name, value });
    }
}

/// A struct whose size the program gives as `size` bytes: the members within that size, and the bytes behind the last
/// known one.
pub fn extensible<'a>(cx: &Cx<'a>, s: &'static Struct, phase: Phase, addr: u64, size: u64) -> Option<Value<'a>> {
    let known = s.size(cx.abi()) as u64;
    cx.read(phase, addr, size.min(known) as usize)?;
    let mut members = Vec::with_capacity_in(s.fields.len() + 1, cx.arena);
    let mut tail = Tail::End;
    for field in s.fields {
        if !exists(cx, s, field, phase, addr) {
            continue;
        }
        let place = field.place(cx.abi());
        if place.end() as u64 > size {
            // The kernel fills the rest of a number with zeros, if the program gives only its lower bytes.
            let from = u64::from(place.offset);
            if phase == Phase::Entry && from < size && place.bits == (0, 0) && place.count == 1 && !field.ty.is_inline()
            {
                let there = cx.uint(phase, addr.wrapping_add(from), (size - from) as usize)?;
                let siblings = Siblings::Struct(s, addr, phase);
                push_member(&mut members, field.name, held_in(cx, &field.ty, there, place.size.into(), siblings));
            }
            break;
        }
        if field.verbose && cx.abbrev {
            tail = Tail::More;
            continue;
        }
        push_member(&mut members, field.name, member(cx, s, field, phase, addr)?);
    }
    if members.is_empty() {
        return None;
    }
    if tail == Tail::End && size > known {
        let want = usize::try_from(size - known).unwrap_or(usize::MAX).min(plan::MAX_GROWN as usize);
        let rest = cx.prefix(phase, addr.wrapping_add(known), want);
        if rest.len() < want.min(plan::MAX_GROWN as usize - known as usize) {
            tail = Tail::Unknown;
        } else if rest.iter().any(|&b| b != 0) {
            let shown = rest.len().min(cx.options.text);
            let text = Value::Text(Text { bytes: &rest[..shown], cut: shown < rest.len(), kind: TextKind::HexBytes });
            members.push(cx.extra(known, known + rest.len() as u64 - 1, text));
        }
    }
    Some(Value::Struct(members.into_bump_slice(), tail))
}

/// A member's number, zero-extended.
pub fn scalar(cx: &Cx<'_>, field: &Field, phase: Phase, base: u64) -> Option<u64> {
    let place = field.place(cx.abi());
    let at = base.wrapping_add(u64::from(place.offset));
    match place.bits {
        (_, 0) => cx.uint(phase, at, (place.size as usize).min(8)),
        (shift, width) => {
            let raw = cx.uint(phase, at, (shift as usize + width as usize).div_ceil(8))?;
            Some((raw >> shift) & ((1 << width) - 1))
        }
    }
}

/// The phase in which to read behind a pointer, or the value that is shown if it is not followed.
pub fn follow<'a>(cx: &Cx<'a>, raw: u64, dir: Dir) -> Result<Phase, Value<'a>> {
    if raw == 0 || !cx.verbose || !cx.filled(dir) {
        return Err(Value::Addr(raw));
    }
    Ok(Phase::of(dir))
}

/// A NUL-terminated string.
pub fn string<'a>(cx: &Cx<'a>, addr: u64, limit: usize, kind: TextKind) -> Value<'a> {
    if addr == 0 {
        return Value::Addr(0);
    }
    let bytes = cx.prefix(Phase::Entry, addr, limit.saturating_add(1));
    match bytes.iter().position(|&b| b == 0) {
        Some(end) if end <= limit => Value::Text(Text { bytes: &bytes[..end], cut: false, kind }),
        _ if bytes.len() > limit => Value::Text(Text { bytes: &bytes[..limit], cut: true, kind }),
        // No path is longer than this.
        _ if kind == TextKind::Path && bytes.len() >= 4096 => {
            Value::Text(Text { bytes: &bytes[..4095], cut: true, kind })
        }
        _ => Value::Addr(addr),
    }
}

fn buffer<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, len: Len, siblings: Siblings) -> Value<'a> {
    if addr == 0 || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    let phase = Phase::of(dir);
    match cx.len(len, phase, siblings) {
        Some(n) => bytes(cx, phase, addr, n, TextKind::Bytes),
        None => Value::Addr(addr),
    }
}

/// `len` bytes, cut to the limit of `-s`.
pub fn bytes<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, len: u64, kind: TextKind) -> Value<'a> {
    if len == 0 {
        return Value::Text(Text { bytes: &[], cut: false, kind });
    }
    // One more byte than is shown must have been captured, to show that the string is cut.
    let want = usize::try_from(len).unwrap_or(usize::MAX).min(cx.options.text.saturating_add(1));
    match cx.read(phase, addr, want) {
        Some(bytes) => {
            let shown = want.min(cx.options.text);
            Value::Text(Text { bytes: &bytes[..shown], cut: shown < want, kind })
        }
        None => Value::Addr(addr),
    }
}

pub fn array<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, inner: &Ty, len: Len, siblings: Siblings) -> Value<'a> {
    let phase = match follow(cx, addr, dir) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    if let Len::Fixed(n) = len
        && cx.read(phase, addr, n * inner.size(cx.abi())).is_none()
    {
        // The pair is read as a whole or not at all.
        return Value::Addr(addr);
    }
    match cx.len(len, phase, siblings) {
        Some(n) => elements(cx, phase, addr, inner, n, matches!(len, Len::UntilZero)),
        None => Value::Addr(addr),
    }
}

/// True if so many elements of this size are more than fits into 64 bits of addresses. No such array exists, and the
/// kernel reads none of it.
pub fn is_endless(n: u64, size: u64) -> bool {
    n.checked_mul(size).is_none()
}

/// `n` elements from `addr` on, or those before a zero word.
pub fn elements<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, inner: &Ty, n: u64, until_zero: bool) -> Value<'a> {
    let size = inner.size(cx.abi()).max(1);
    if !until_zero && is_endless(n, size as u64) {
        return Value::Addr(addr);
    }
    let limit = if cx.abbrev { cx.options.text as u64 } else { u64::MAX };
    let mut items = Vec::new_in(cx.arena);
    let mut i = 0;
    while i < n {
        let at = addr.wrapping_add(i.wrapping_mul(size as u64));
        if until_zero && cx.word(phase, at) == Some(0) {
            break;
        }
        if i >= limit || !cx.has_room() {
            // One element more than is shown was captured, to tell brevity from the end of the array's memory.
            let tail = if cx.read(phase, at, size).is_some() { Tail::More } else { Tail::Unread(at) };
            return Value::Array(items.into_bump_slice(), tail);
        }
        match inline(cx, inner, phase, at, size, Siblings::Args) {
            Some(value) => items.push(value),
            None if i == 0 => return Value::Addr(addr),
            None => return Value::Array(items.into_bump_slice(), Tail::Unread(at)),
        }
        i += 1;
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}

const AT_FDCWD: i32 = c::AT_FDCWD as i32;

/// A descriptor, with its referent under `-y`.
pub fn fd<'a>(cx: &Cx<'a>, fd: i32) -> Value<'a> {
    // AT_FDCWD stands for the working directory only where a directory descriptor is expected.
    if fd == AT_FDCWD {
        return Value::Int(fd.into());
    }
    known_fd(cx, fd, false, cx.call.given(fd).or_else(|| cx.call.made(fd)))
}

/// A descriptor that the call made.
pub fn new_fd<'a>(cx: &Cx<'a>, fd: i32) -> Value<'a> {
    known_fd(cx, fd, true, cx.call.made(fd))
}

/// A descriptor of another process, for the file of which the call made a descriptor of its own.
pub fn fd_of_file<'a>(cx: &Cx<'a>, fd: i32, made: &Descriptor) -> Value<'a> {
    let look = || cx.resolver.fd(FdOf { tid: cx.call.tid, fd: made.fd, made: true }, Some(made));
    Value::Fd { fd, foreign: true, note: if cx.options.fds { fd_note(cx.arena, look()) } else { None } }
}

/// A descriptor of another process.
pub fn fd_of<'a>(cx: &Cx<'a>, tid: Tid, fd: i32) -> Value<'a> {
    match fd_seen_from(cx.arena, cx.options, cx.resolver, tid, fd) {
        Value::Fd { fd, note, .. } => Value::Fd { fd, foreign: true, note },
        value => value,
    }
}

/// A descriptor outside a call: a signal may carry one.
pub fn fd_seen_from<'a>(arena: &'a Bump, options: &Options, resolver: &dyn Resolver, tid: Tid, fd: i32) -> Value<'a> {
    let look = || resolver.fd(FdOf { tid, fd, made: false }, None);
    Value::Fd { fd, foreign: false, note: if fd >= 0 && options.fds { fd_note(arena, look()) } else { None } }
}

fn fd_cwd<'a>(cx: &Cx<'a>) -> Value<'a> {
    known_fd(cx, AT_FDCWD, false, cx.call.given(AT_FDCWD))
}

fn known_fd<'a>(cx: &Cx<'a>, fd: i32, made: bool, known: Option<&Descriptor>) -> Value<'a> {
    let look = || cx.resolver.fd(FdOf { tid: cx.call.tid, fd, made }, known);
    let exists = fd >= 0 || fd == AT_FDCWD;
    let note = if exists && cx.options.fds { fd_note(cx.arena, look()) } else { None };
    let value = Value::Fd { fd, foreign: false, note };
    // (strace shows none for the working directory.)
    if fd >= 0 { cx.labelled(value, Labelled::Fd(fd)) } else { value }
}

fn fd_note<'a>(arena: &'a Bump, info: Option<FdInfo>) -> Option<&'a FdNote<'a>> {
    let info = info?;
    let (path, detail) = (arena.alloc_slice_copy(&info.path), arena.alloc_str(&info.detail));
    Some(arena.alloc(FdNote { path, detail, deleted: info.deleted }))
}
