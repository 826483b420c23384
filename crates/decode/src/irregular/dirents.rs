//! Directory entries: getdents(2), getdents64(2), readdir(2).

use crate::cx::le;
use crate::{Cx, Tail, Text, TextKind, Value};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::paths::DIRENT_TYPE;

/// The layout of a record.
#[derive(Clone, Copy)]
struct Layout {
    /// Width of `d_ino` and `d_off`.
    word: usize,
    /// The place of `d_type`: before the name, or in the last byte of the record.
    type_first: bool,
}

impl Layout {
    fn length_at(self) -> usize {
        2 * self.word
    }

    fn name_at(self) -> usize {
        self.length_at() + if self.type_first { 3 } else { 2 }
    }
}

/// `struct linux_dirent64`: the same on every ABI.
pub fn decode64<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    decode(cx, addr, Layout { word: 8, type_first: true })
}

/// `struct linux_dirent`, made of `long`s. The type is in the last byte, behind the name's NUL.
pub fn decode_long<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    decode(cx, addr, Layout { word: cx.abi().word(), type_first: false })
}

fn decode<'a>(cx: &Cx<'a>, addr: u64, layout: Layout) -> Value<'a> {
    let Some(len) = cx.ret().and_then(|n| usize::try_from(n).ok()) else { return Value::Addr(addr) };
    // At the end of a directory nothing is written.
    if addr == 0 && len != 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let bytes = cx.prefix(Phase::Exit, addr, len);
    if bytes.len() < len {
        return Value::Addr(addr);
    }
    if cx.abbrev {
        let count = records(bytes, layout).count();
        let unit = if count == 1 { "entry" } else { "entries" };
        return cx.comment(Value::Addr(addr), cx.quantity(Value::UInt(count as u64), unit));
    }
    let mut items = Vec::new_in(cx.arena);
    items.extend(records(bytes, layout).map(|record| entry(cx, record, layout)));
    Value::Array(items.into_bump_slice(), Tail::End)
}

/// The records, by their own lengths. An invalid length ends the list.
fn records(mut bytes: &[u8], layout: Layout) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let len = le(bytes, layout.length_at(), 2) as usize;
        if len <= layout.name_at() || len > bytes.len() {
            return None;
        }
        let (record, rest) = bytes.split_at(len);
        bytes = rest;
        Some(record)
    })
}

fn entry<'a>(cx: &Cx<'a>, record: &'a [u8], layout: Layout) -> Value<'a> {
    let w = layout.word;
    let kind_at = if layout.type_first { layout.name_at() - 1 } else { record.len() - 1 };
    let kind = Value::Enum { raw: le(record, kind_at, 1), set: &DIRENT_TYPE };
    let name_end = if layout.type_first { record.len() } else { kind_at };
    let name = name(&record[layout.name_at()..name_end]);
    let head = [
        ("d_ino", Value::UInt(le(record, 0, w))),
        ("d_off", Value::UInt(le(record, w, w))),
        ("d_reclen", Value::UInt(record.len() as u64)),
    ];
    let [ino, off, len] = head;
    if layout.type_first {
        cx.members(&[ino, off, len, ("d_type", kind), ("d_name", name)])
    } else {
        cx.members(&[ino, off, len, ("d_name", name), ("d_type", kind)])
    }
}

/// The name up to its NUL. A name without one ends with its record.
fn name(field: &[u8]) -> Value<'_> {
    let end = field.iter().position(|&b| b == 0);
    Value::Text(Text { bytes: &field[..end.unwrap_or(field.len())], cut: end.is_none(), kind: TextKind::Str })
}

/// `struct old_linux_dirent` of readdir(2): one record, whose `d_namlen` counts the name without its NUL.
pub fn decode_old<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    // Zero means the end of the directory. Nothing was written.
    if addr == 0 || !cx.verbose || cx.ret().is_none_or(|n| n <= 0) {
        return Value::Addr(addr);
    }
    let w = cx.abi().word();
    let bytes = cx.prefix(Phase::Exit, addr, 2 * w + 2 + 256);
    let Some(names) = bytes.get(2 * w + 2..) else { return Value::Addr(addr) };
    let len = le(bytes, 2 * w, 2) as usize;
    let Some(text) = names.get(..len) else { return Value::Addr(addr) };
    cx.members(&[
        ("d_ino", Value::UInt(le(bytes, 0, w))),
        ("d_off", Value::UInt(le(bytes, w, w))),
        ("d_reclen", Value::UInt(len as u64)),
        ("d_name", Value::Text(Text { bytes: text, cut: false, kind: TextKind::Str })),
    ])
}
