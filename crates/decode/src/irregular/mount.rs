//! mount(2), fsconfig(2), statmount(2), quotactl(2), swapon(2).

use crate::generic::{self, extensible};
use crate::{Cx, Siblings, Tail, Text, TextKind, Value};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::mount::{MOUNT_FLAGS, MOUNT_MAGIC, QUOTA_CMDS, QUOTA_TYPES, STATMOUNT_MASK, SWAP_FLAGS};
use stride_syscalls::structs::mount::{LISTMOUNT_REQ, LISTNS_REQ, STATMOUNT, STATMOUNT_REQ};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Dir, Len, Set, Struct, Ty};

/// Mount flags, and the magic number that old programs put into their upper half.
pub fn flags<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if raw & c::MS_MGC_MSK != c::MS_MGC_VAL {
        return Value::Flags { raw, set: &MOUNT_FLAGS };
    }
    let magic = Value::Enum { raw: c::MS_MGC_VAL, set: &MOUNT_MAGIC };
    match raw & !c::MS_MGC_MSK {
        0 => magic,
        rest => Value::Or(cx.values(&[magic, Value::Flags { raw: rest, set: &MOUNT_FLAGS }])),
    }
}

/// True if the call reads `data`. The flags decide, because they select the kind of mount call.
fn data_is_read(cx: &Cx<'_>) -> bool {
    let flags = cx.arg("mountflags");
    let flags = if flags & c::MS_MGC_MSK == c::MS_MGC_VAL { flags & !c::MS_MGC_MSK } else { flags };
    // A remount comes before the other kinds. (That of a bind mount ignores the data.)
    flags & c::MS_REMOUNT != 0
        || flags & (c::MS_BIND | c::MS_MOVE | c::MS_SHARED | c::MS_PRIVATE | c::MS_SLAVE | c::MS_UNBINDABLE) == 0
}

pub fn data<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if data_is_read(cx) { generic::string(cx, addr, cx.options.text, TextKind::Str) } else { Value::Addr(addr) }
}

/// The type of the file system. A remount does not read it either.
pub fn fstype<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let flags = cx.arg("mountflags");
    let remount = flags & c::MS_REMOUNT != 0;
    if data_is_read(cx) && !remount {
        generic::string(cx, addr, cx.options.text, TextKind::Str)
    } else {
        Value::Addr(addr)
    }
}

/// The kernel's limit for strings of fsconfig, with the NUL.
const FS_STRING_MAX: usize = 256;

/// A key or string of fsconfig(2).
pub fn fs_string<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let bytes = cx.prefix(Phase::Entry, addr, FS_STRING_MAX);
    if cx.options.text >= FS_STRING_MAX && bytes.len() == FS_STRING_MAX && !bytes.contains(&0) {
        return Value::Text(Text { bytes, cut: true, kind: TextKind::Str });
    }
    generic::string(cx, addr, cx.options.text, TextKind::Str)
}

/// The kernel's limit for a blob.
const FS_BLOB_MAX: u64 = 1 << 20;

/// A binary value of fsconfig(2), `aux` bytes.
pub fn fs_blob<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let len = u64::from(cx.arg("aux") as u32);
    if addr == 0 || len > FS_BLOB_MAX {
        return Value::Addr(addr);
    }
    generic::bytes(cx, Phase::Entry, addr, len, TextKind::HexBytes)
}

/// `SWAP_FLAG_PREFER|42`: flags, and the priority in the low bits.
pub fn swap_flags<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let prio = Value::UInt(raw & c::SWAP_FLAG_PRIO_MASK);
    match raw & !c::SWAP_FLAG_PRIO_MASK {
        0 => prio,
        flags => Value::Or(cx.values(&[Value::Flags { raw: flags, set: &SWAP_FLAGS }, prio])),
    }
}

/// `QCMD(Q_GETQUOTA, USRQUOTA)`.
pub fn quota_op<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let part = |raw: u64, set: &'static Set| match set.name_of(raw) {
        Some(name) => Value::Word(name),
        None => Value::Enum { raw, set },
    };
    cx.macro_call(Value::UInt(raw), "QCMD", &[part(raw >> 8, &QUOTA_CMDS), part(raw & 0xff, &QUOTA_TYPES)])
}

pub fn statmount_req<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    req(cx, &STATMOUNT_REQ, c::MNT_ID_REQ_SIZE_VER0, addr)
}

pub fn listmount_req<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    req(cx, &LISTMOUNT_REQ, c::MNT_ID_REQ_SIZE_VER0, addr)
}

/// A request, which begins with its size. All kernels want at least so much.
fn req<'a>(cx: &Cx<'a>, s: &'static Struct, least: u64, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(size) = cx.uint(Phase::Entry, addr, 4) else { return Value::Addr(addr) };
    let only_size = |tail| {
        Value::Struct(cx.arena.alloc_slice_copy(&[crate::Member { name: "size", value: Value::UInt(size) }]), tail)
    };
    if size < least {
        return only_size(Tail::End);
    }
    extensible(cx, s, Phase::Entry, addr, size).unwrap_or_else(|| only_size(Tail::Unknown))
}

pub fn listns_req<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    const LEAST: u64 = 32;
    req(cx, &LISTNS_REQ, LEAST, addr)
}

/// The result of listmount(2) or listns(2). If there is no room, the result is empty, whether the call failed or not.
pub fn ids<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, room: &str) -> Value<'a> {
    let &Ty::Array(dir, item, _) = shape else { return Value::Addr(addr) };
    let room = cx.arg(room);
    if addr != 0 && cx.verbose && room == 0 {
        return Value::Array(&[], Tail::End);
    }
    match generic::follow(cx, addr, dir) {
        Err(value) => value,
        Ok(phase) => generic::elements(cx, phase, addr, item, room.min(cx.ret().unwrap_or(0).max(0) as u64), false),
    }
}

/// The result of statmount(2): the part of the struct that fits into the buffer.
pub fn statmount<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    match generic::follow(cx, addr, Dir::Out) {
        Err(value) => value,
        Ok(phase) => cx.strukt(&STATMOUNT, phase, addr).or_else(|| beginning(cx, addr)).unwrap_or(Value::Addr(addr)),
    }
}

/// The size and the mask, if the buffer has no room for more. What does not fit is zero.
fn beginning<'a>(cx: &Cx<'a>, addr: u64) -> Option<Value<'a>> {
    let room = cx.arg("bufsize");
    if room >= STATMOUNT.size(cx.abi()) as u64 {
        return None;
    }
    cx.read(Phase::Exit, addr, room as usize)?;
    let size = Value::UInt(cx.uint(Phase::Exit, addr, 4)?);
    let mask = cx.number(&STATMOUNT, "mask", Phase::Exit, addr).unwrap_or(0);
    Some(cx.members(&[("size", size), ("mask", Value::Flags { raw: mask, set: &STATMOUNT_MASK })]))
}

/// The end of the strings of a `struct statmount` at `base`.
fn strings<'a>(cx: &Cx<'a>, base: u64) -> &'a [u8] {
    let head = STATMOUNT.size(cx.abi());
    let size = cx.uint(Phase::Exit, base, 4).unwrap_or(0) as usize;
    cx.prefix(Phase::Exit, base.wrapping_add(head as u64), size.saturating_sub(head))
}

/// A string, and the bytes that it takes. Of a string without its NUL, the last byte is not shown, as in the arrays of
/// structs.
fn text<'a>(cx: &Cx<'a>, bytes: &'a [u8]) -> (Value<'a>, usize) {
    let end = bytes.iter().position(|&b| b == 0);
    let len = end.unwrap_or(bytes.len().saturating_sub(1));
    let shown = len.min(cx.options.text);
    let value = Text { bytes: &bytes[..shown], cut: shown < len || end.is_none(), kind: TextKind::Str };
    (Value::Text(value), end.map_or(bytes.len(), |e| e + 1))
}

/// A string of a `struct statmount`, by its offset.
pub fn statmount_str<'a>(cx: &Cx<'a>, offset: u64, siblings: Siblings) -> Value<'a> {
    let Siblings::Struct(_, base, _) = siblings else { return Value::Hex(offset) };
    match strings(cx, base).get(offset as usize..) {
        Some(bytes) if !bytes.is_empty() => text(cx, bytes).0,
        _ => Value::Hex(offset),
    }
}

/// Several strings, one after another. The sibling `count` is their number.
pub fn statmount_strs<'a>(cx: &Cx<'a>, offset: u64, count: &'static str, siblings: Siblings) -> Value<'a> {
    let Siblings::Struct(_, base, _) = siblings else { return Value::Hex(offset) };
    let count = cx.len(Len::Of(count), Phase::Exit, siblings).unwrap_or(0);
    let Some(mut bytes) = strings(cx, base).get(offset as usize..).filter(|b| !b.is_empty()) else {
        return Value::Hex(offset);
    };
    let mut items = Vec::new_in(cx.arena);
    for i in 0..count {
        if bytes.is_empty() {
            return Value::Array(items.into_bump_slice(), Tail::Unknown);
        }
        if cx.abbrev && i >= cx.options.text as u64 {
            return Value::Array(items.into_bump_slice(), Tail::More);
        }
        let (value, next) = text(cx, bytes);
        items.push(value);
        bytes = &bytes[next..];
    }
    Value::Array(items.into_bump_slice(), Tail::End)
}
