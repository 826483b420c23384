//! ioctl(2): the names of requests, and arguments that need code.

pub mod btrfs;
pub mod clock;
pub mod console;
mod described;
pub mod disk;
pub mod files;
pub mod gpio;
pub mod input;
pub mod mapper;
pub mod misc;
pub mod net;
pub mod process;
pub mod scsi;
pub mod tee;
pub mod tty;
pub mod video;
pub mod virtual_machine;

use crate::cx::signed;
use crate::{Cx, Operator, Siblings, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::{FileKind, Phase};
use stride_syscalls::ioctl::input::{ABS, EV};
use stride_syscalls::ioctl::{MNT_NS, NS_TYPES, name};
use stride_syscalls::uapi::{consts as c, consts_i386 as i386};
use stride_syscalls::{Dir, Len, Ty};

/// The parts of a request's number (asm-generic/ioctl.h).
#[derive(Clone, Copy)]
struct Parts {
    dir: u64,
    size: u64,
    kind: u8,
    nr: u8,
}

const WRITE: u64 = 1;
const READ: u64 = 2;

impl Parts {
    fn of(raw: u64) -> Parts {
        Parts { dir: (raw >> 30) & 3, size: (raw >> 16) & 0x3fff, kind: (raw >> 8) as u8, nr: raw as u8 }
    }
}

fn is_terminal(cx: &Cx<'_>) -> bool {
    match cx.call.file_kind {
        Some(kind) => kind == FileKind::Terminal,
        None => cx.resolver.is_terminal(cx.call.tid, cx.arg("fd") as i32),
    }
}

/// `TCGETS`, `EVIOCGNAME(256)`, or `_IOC(_IOC_READ, 0x54, 0x1, 0x4)`.
pub fn request<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let parts = Parts::of(raw);
    let listed = name(cx.abi(), raw as u32).map(|names| match names.rsplit_once(" or ") {
        // Terminals and sound cards share this number.
        Some((_, last)) if last.starts_with("TCSET") && is_terminal(cx) => last,
        _ => names,
    });
    let mut names = Vec::new_in(cx.arena);
    names.extend(sized(cx, parts));
    names.extend(listed.into_iter().flat_map(|names| names.split(" or ")).map(Value::Word));
    let meaning = match *names {
        [] => composed(cx, parts),
        [one] => one,
        _ => Value::OneOf(names.into_bump_slice()),
    };
    cx.known(Value::Hex(raw), meaning)
}

/// `_IOC(direction, type, number, size)`.
fn composed<'a>(cx: &Cx<'a>, parts: Parts) -> Value<'a> {
    let dir = match parts.dir {
        0 => Value::Word("_IOC_NONE"),
        READ => Value::Word("_IOC_READ"),
        WRITE => Value::Word("_IOC_WRITE"),
        _ => Value::Or(&[Value::Word("_IOC_READ"), Value::Word("_IOC_WRITE")]),
    };
    let args = [dir, Value::Hex(u64::from(parts.kind)), Value::Hex(u64::from(parts.nr)), Value::Hex(parts.size)];
    cx.call("_IOC", &args)
}

/// Requests that are macros with arguments. The program chooses the size or the number.
fn sized<'a>(cx: &Cx<'a>, p: Parts) -> Option<Value<'a>> {
    let by_size = |name| Some(cx.call(name, &[Value::UInt(p.size)]));
    let behind = |first, number: u8| Some(cx.binary(Value::Word(first), Operator::Plus, Value::UInt(number.into())));
    let by_number = |name| Some(cx.call(name, &[Value::UInt(p.nr.into())]));
    match (p.dir, p.kind, p.nr) {
        (READ, b'E', 0x06) => by_size("EVIOCGNAME"),
        (READ, b'E', 0x07) => by_size("EVIOCGPHYS"),
        (READ, b'E', 0x08) => by_size("EVIOCGUNIQ"),
        (READ, b'E', 0x09) => by_size("EVIOCGPROP"),
        (READ, b'E', 0x0a) => by_size("EVIOCGMTSLOTS"),
        (READ, b'E', 0x18) => by_size("EVIOCGKEY"),
        (READ, b'E', 0x19) => by_size("EVIOCGLED"),
        (READ, b'E', 0x1a) => by_size("EVIOCGSND"),
        (READ, b'E', 0x1b) => by_size("EVIOCGSW"),
        (READ, b'E', 0x20..=0x3f) => {
            // 0 asks for the kinds of events, so it has no name of a kind.
            let kind =
                if p.nr == 0x20 { Value::UInt(0) } else { Value::Enum { raw: u64::from(p.nr - 0x20), set: &EV } };
            Some(cx.call("EVIOCGBIT", &[kind, Value::UInt(p.size)]))
        }
        (READ, b'E', 0x40..=0x7f) => {
            Some(cx.call("EVIOCGABS", &[Value::Enum { raw: u64::from(p.nr - 0x40), set: &ABS }]))
        }
        (WRITE, b'E', 0xc0..=0xff) => {
            Some(cx.call("EVIOCSABS", &[Value::Enum { raw: u64::from(p.nr - 0xc0), set: &ABS }]))
        }
        (READ, b'H', 0x04) => by_size("HIDIOCGRAWNAME"),
        (READ, b'H', 0x05) => by_size("HIDIOCGRAWPHYS"),
        (READ, b'H', 0x08) => by_size("HIDIOCGRAWUNIQ"),
        (READ, b'H', 0x12) => by_size("HIDIOCGPHYS"),
        (READ | 3, b'H', 0x06) => by_size("HIDIOCSFEATURE"),
        (3, b'H', 0x07) => by_size("HIDIOCGFEATURE"),
        (READ, b'U', 0x2c) => by_size("UI_GET_SYSNAME"),
        (READ, b'j', 0x13) => by_size("JSIOCGNAME"),
        (WRITE, b'k', 0x00) => by_size("SPI_IOC_MESSAGE"),
        // Each protocol has numbers of its own from there on. (Each driver has, too, but those of drivers are as good as unknown.)
        (0, 0x89, 0xe1..=0xef) => behind("SIOCPROTOPRIVATE", p.nr - 0xe0),
        (READ, b'M', _) => by_number("MIXER_READ"),
        (WRITE, b'M', _) => by_number("MIXER_WRITE"),
        _ => None,
    }
}

/// The argument of a request without a row, whether or not it has a name: what the kernel's headers tell of its type, or else a number, or with `-v` the bytes
/// that it may point at.
pub fn unknown<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64) -> Value<'a> {
    let parts = Parts::of(cx.arg("op"));
    let most = if let Ty::Buffer(_, _, most) = *shape { u64::from(most) } else { 0 };
    let bytes = |phase| match generic::bytes(cx, phase, raw, parts.size.min(most), TextKind::HexBytes) {
        Value::Text(text) => Some(Value::Text(Text { cut: text.cut || parts.size > most, ..text })),
        _ => None,
    };
    if parts.kind == b'E' && sized(cx, parts).is_some() {
        return input::sized(cx, raw, parts.nr, parts.size);
    }
    // The struct of these requests grows, and with it the request's number.
    if parts.dir == READ
        && parts.kind == 0xb7
        && (0x0a..=0x0c).contains(&parts.nr)
        && parts.size >= c::MNT_NS_INFO_SIZE_VER0
    {
        return match generic::follow(cx, raw, Dir::Out) {
            Err(value) => value,
            Ok(phase) => cx.strukt(&MNT_NS, phase, raw).unwrap_or(Value::Addr(raw)),
        };
    }
    // Likewise.
    if parts.dir == (READ | WRITE) && parts.kind == 0xff && parts.nr == 0x0b && parts.size >= c::PIDFD_INFO_SIZE_VER0 {
        return process::pidfd_info(cx, raw, parts.size);
    }
    // The device mapper goes by the size that its structs hold, so a request's number says nothing about bytes.
    if parts.kind == c::DM_IOCTL as u8 {
        return Value::Hex(raw);
    }
    // The number of an old request says nothing of its argument, and the headers say that it is an address.
    if raw == 0 && parts.dir == 0 && described::is_told(cx) {
        return Value::Addr(raw);
    }
    if !cx.verbose || raw == 0 {
        return Value::Hex(raw);
    }
    if let Some(value) = described::described(cx, raw, parts) {
        return value;
    }
    if cx.abbrev || parts.size == 0 {
        return Value::Hex(raw);
    }
    let before = if parts.dir == READ { None } else { bytes(Phase::Entry) };
    let after = if parts.dir == WRITE { None } else { bytes(Phase::Exit) };
    match (before, after) {
        (Some(before), Some(after)) => Value::Change(cx.keep(before), cx.keep(after)),
        (Some(value), None) | (None, Some(value)) => value,
        (None, None) => Value::Hex(raw),
    }
}

/// The meaning of a returned number.
pub fn note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let ret = cx.ret()?;
    match cx.arg("op") & 0xffff_ffff {
        c::NS_GET_NSTYPE => Some(Value::Enum { raw: ret as u64, set: &NS_TYPES }),
        c::KVM_RUN => virtual_machine::exit_reason(cx),
        c::VIDIOC_CREATE_BUFS | i386::VIDIOC_CREATE_BUFS => video::created(cx),
        _ => None,
    }
}

/// The value of a sibling that is a count.
pub fn count(cx: &Cx<'_>, name: &'static str, phase: Phase, siblings: Siblings) -> u64 {
    cx.len(Len::Of(name), phase, siblings).unwrap_or(0)
}

/// A byte array. A member is the number of bytes in use.
pub fn counted<'a>(
    cx: &Cx<'a>,
    phase: Phase,
    addr: u64,
    size: usize,
    member: &'static str,
    hex: bool,
    siblings: Siblings,
) -> Option<Value<'a>> {
    let len = count(cx, member, phase, siblings).min(size as u64);
    let bytes = cx.read(phase, addr, len as usize)?;
    let kind = if hex { TextKind::HexBytes } else { TextKind::Bytes };
    Some(Value::Text(Text { bytes, cut: false, kind }))
}

/// The first elements of an array member: as many as are in use.
pub fn first_items<'a>(
    cx: &Cx<'a>,
    shape: &Ty,
    phase: Phase,
    addr: u64,
    size: usize,
    used: u64,
    siblings: Siblings,
) -> Option<Value<'a>> {
    let &Ty::Items(item) = shape else { return None };
    let used = usize::try_from(used).unwrap_or(usize::MAX);
    let size = used.saturating_mul(item.size(cx.abi()).max(1)).min(size);
    generic::inline(cx, shape, phase, addr, size, siblings)
}

/// A text of `len` bytes in a byte array of `size`, up to its NUL if there is one.
pub fn text<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: usize, len: usize) -> Option<Value<'a>> {
    let len = len.saturating_add(1).min(size);
    let bytes = cx.read(phase, addr, len)?;
    let end = bytes.iter().position(|&b| b == 0);
    let shown = end.unwrap_or(len - 1);
    Some(Value::Text(Text { bytes: &bytes[..shown], cut: end.is_none(), kind: TextKind::Str }))
}

/// A signed number of 32 bits.
fn int(raw: u64) -> i64 {
    signed(raw, 4)
}
