//! Consoles, their keyboards and fonts: linux/kd.h, linux/keyboard.h.

use super::int;
use crate::irregular::netlink::value::bits;
use crate::{Cx, Member, Operator, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::console::{
    COMPOSED, COMPOSED_UC, FONT_FLAGS, FONT_OP, FONT_OPS, KEYBOARD_MODE, MODIFIERS, TABLES,
};
use stride_syscalls::ioctl::keyboard_names::{ACTION_KINDS, ACTIONS};
use stride_syscalls::{Dir, Irregular, Ty, Width, uapi::consts as c};

/// The rate of the timer that makes the tones, in Hertz.
const TIMER: u64 = 1_193_182;

/// KIOCSOUND: the timer's count for one wave.
pub fn pitch<'a>(cx: &Cx<'a>, count: u64) -> Value<'a> {
    let sound = match TIMER.checked_div(count) {
        None | Some(0) => Value::Word("off"),
        Some(rate) => cx.quantity(Value::UInt(rate), "Hz"),
    };
    cx.remarked(Value::UInt(count), sound)
}

/// KDMKTONE: milliseconds in the upper half, the timer's count in the lower.
pub fn tone<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let (length, count) = (raw >> 16 & 0xffff, raw & 0xffff);
    let number = match length {
        0 => Value::UInt(count),
        _ => Value::Or(cx.values(&[cx.shifted(Value::UInt(length), 16), Value::UInt(count)])),
    };
    let sound = match TIMER.checked_div(count) {
        Some(rate) if length > 0 => {
            let (rate, length) = (Value::UInt(rate), Value::UInt(length));
            Value::Seq(cx.values(&[cx.quantity(rate, "Hz"), cx.quantity(length, "ms")]))
        }
        _ => Value::Word("off"),
    };
    cx.remarked(number, sound)
}

/// A port of a graphics card, counted from the first one.
pub fn port<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    const FIRST: u64 = 0x3b4;
    const LAST: u64 = 0x3df;
    match raw {
        FIRST..=LAST => {
            let place = cx.binary(Value::Word("GPFIRST"), Operator::Plus, Value::UInt(raw - FIRST));
            cx.remarked(Value::Hex(raw), place)
        }
        _ => Value::Hex(raw),
    }
}

/// A keyboard's mode, which is signed.
pub fn mode<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if KEYBOARD_MODE.name_of(raw).is_some() {
        return Value::Enum { raw, set: &KEYBOARD_MODE };
    }
    cx.remarked(Value::Int(int(raw)), Value::Unnamed(&KEYBOARD_MODE))
}

/// A character.
pub fn character<'a>(raw: u64) -> Value<'a> {
    Value::Char(raw as u8)
}

/// The phase in which the kernel's part of a struct is read, or `None` if there is none.
fn reply(cx: &Cx<'_>, dir: Dir) -> Option<Phase> {
    match dir {
        Dir::In => Some(Phase::Entry),
        _ if cx.failed() => None,
        _ => Some(Phase::Exit),
    }
}

/// `struct kbentry`: the action of a key together with some modifiers.
pub fn entry<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let (Some(table), Some(index)) = (cx.uint(Phase::Entry, addr, 1), cx.uint(Phase::Entry, addr.wrapping_add(1), 1))
    else {
        return Value::Addr(addr);
    };
    let table = match TABLES.name_of(table) {
        Some(_) => Value::Enum { raw: table, set: &TABLES },
        None => bits(cx, table, &Ty::Enum(&MODIFIERS), 0),
    };
    let mut members = Vec::with_capacity_in(3, cx.arena);
    members.push(Member { name: "kb_table", value: table });
    members.push(Member { name: "kb_index", value: Value::UInt(index) });
    if let Some(phase) = reply(cx, dir) {
        let value = match cx.uint(phase, addr.wrapping_add(2), 2) {
            Some(raw) => action(cx, raw),
            None => Value::Unknown,
        };
        members.push(Member { name: "kb_value", value });
    }
    Value::Struct(members.into_bump_slice(), Tail::End)
}

fn action<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let (kind, value) = (raw >> 8, raw & 0xff);
    let shown = if let Some(name) = ACTIONS.name_of(raw) {
        Value::Word(name)
    } else {
        let kind = match ACTION_KINDS.name_of(kind) {
            Some(name) => Value::Word(name),
            None => Value::Hex(kind),
        };
        let value = match raw >> 8 {
            c::KT_LATIN | c::KT_META | c::KT_LETTER | c::KT_DEAD2 => Value::CodeChar(value as u8),
            _ => Value::Hex(value),
        };
        cx.call("K", &[kind, value])
    };
    cx.remarked(Value::Hex(raw), shown)
}

/// `struct kbsentry`: the text that a function key types.
pub fn string<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    const LEN: usize = 512;
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(key) = cx.uint(Phase::Entry, addr, 1) else { return Value::Addr(addr) };
    let name = match ACTIONS.name_of(c::KT_FN << 8 | key) {
        Some(name) => cx.known(Value::Hex(key), cx.call("KVAL", &[Value::Word(name)])),
        None => Value::Hex(key),
    };
    let mut members = Vec::with_capacity_in(2, cx.arena);
    members.push(Member { name: "kb_func", value: name });
    if let Some(phase) = reply(cx, dir) {
        members.push(Member { name: "kb_string", value: text(cx, phase, addr.wrapping_add(1), LEN, cx.options.text) });
    }
    Value::Struct(members.into_bump_slice(), Tail::End)
}

/// A text in an array of so many bytes, of which at most `limit` are shown.
fn text<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: usize, limit: usize) -> Value<'a> {
    let bytes = cx.prefix(phase, addr, size);
    match bytes.iter().position(|&b| b == 0) {
        Some(end) => Value::Text(Text { bytes: &bytes[..end.min(limit)], cut: end > limit, kind: TextKind::Str }),
        None if bytes.len() > limit => Value::Text(Text { bytes: &bytes[..limit], cut: true, kind: TextKind::Str }),
        None if bytes.len() == size => Value::Text(Text { bytes, cut: true, kind: TextKind::Str }),
        None => Value::Addr(addr),
    }
}

/// Pairs of characters, and what each composes.
pub fn composed<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, unicode: bool) -> Value<'a> {
    const MOST: u64 = 256;
    let phase = match generic::follow(cx, addr, dir) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    let Some(count) = cx.uint(phase, addr, 4) else { return Value::Addr(addr) };
    let (name, item) =
        if unicode { ("kbdiacruc", Ty::Struct(&COMPOSED_UC)) } else { ("kbdiacr", Ty::Struct(&COMPOSED)) };
    let list = match generic::elements(cx, phase, addr.wrapping_add(4), &item, count.min(MOST), false) {
        Value::Array(items, Tail::End) if count > MOST => Value::Array(items, Tail::More),
        list => list,
    };
    cx.members(&[("kb_cnt", Value::UInt(count)), (name, list)])
}

/// The character of Unicode for each of a font's.
pub fn screen_map<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    const CHARACTER: Ty = Ty::Custom(Irregular::Glyph, &Ty::As(Width::W2, &Ty::Hex));
    match generic::follow(cx, addr, dir) {
        Err(value) => value,
        Ok(phase) => generic::elements(cx, phase, addr, &CHARACTER, c::E_TABSZ, false),
    }
}

/// A character, or a position within the font.
pub fn glyph<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if raw & !c::UNI_DIRECT_MASK != c::UNI_DIRECT_BASE {
        return Value::Hex(raw);
    }
    let place = Value::Hex(raw & c::UNI_DIRECT_MASK);
    cx.known(Value::Hex(raw), cx.binary(Value::Word("UNI_DIRECT_BASE"), Operator::Plus, place))
}

/// The bytes of a character, in the format that all fonts had once.
const CHARACTER: u64 = 32;

/// PIO_FONTX and GIO_FONTX: the number of characters, their height, and the font.
pub fn font<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let gets = dir != Dir::In;
    let show = |phase: Phase, follow: bool| {
        let (count, height) = (cx.uint(phase, addr, 2)?, cx.uint(phase, addr.wrapping_add(2), 2)?);
        let data = cx.word(phase, addr.wrapping_add(cx.abi().word() as u64))?;
        let data = match data {
            _ if !follow || data == 0 => Value::Addr(data),
            _ if count == 0 => Value::Text(Text { bytes: &[], cut: false, kind: TextKind::HexBytes }),
            _ => generic::bytes(cx, phase, data, count * CHARACTER, TextKind::HexBytes),
        };
        Some(cx.members(&[("charcount", Value::UInt(count)), ("charheight", Value::UInt(height)), ("chardata", data)]))
    };
    let Some(before) = show(Phase::Entry, !gets) else { return Value::Addr(addr) };
    if !gets || cx.failed() {
        return before;
    }
    let after = show(Phase::Exit, true).unwrap_or(Value::Addr(addr));
    Value::Change(cx.keep(before), cx.keep(after))
}

/// KDFONTOP: an operation on the font.
pub fn font_op<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    const NAME: usize = 32;
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let number = |phase, name| cx.number(&FONT_OP, name, phase, addr);
    let (Some(op), Some(flags), Some(data)) =
        (number(Phase::Entry, "op"), number(Phase::Entry, "flags"), number(Phase::Entry, "data"))
    else {
        return Value::Addr(addr);
    };
    let uint = |phase, name| Value::UInt(number(phase, name).unwrap_or(0));
    let bytes = |phase, data: u64| {
        let (width, count) = (number(phase, "width").unwrap_or(0), number(phase, "charcount").unwrap_or(0));
        let len = width.div_ceil(8).saturating_mul(CHARACTER).saturating_mul(count);
        if data == 0 { Value::Addr(0) } else { generic::bytes(cx, phase, data, len, TextKind::HexBytes) }
    };
    let named = ("op", Value::Enum { raw: op, set: &FONT_OPS });
    let size = |phase| ["width", "height"].map(|name| (name, uint(phase, name)));
    match op {
        c::KD_FONT_OP_COPY => cx.members(&[named, ("height", uint(Phase::Entry, "height"))]),
        c::KD_FONT_OP_SET_DEFAULT => {
            let [width, height] = size(Phase::Entry);
            let font = if data == 0 { Value::Addr(0) } else { text(cx, Phase::Entry, data, NAME, NAME - 1) };
            let before = cx.members(&[named, width, height, ("data", font)]);
            if cx.failed() { before } else { Value::Change(cx.keep(before), cx.keep(cx.members(&size(Phase::Exit)))) }
        }
        _ => {
            let [width, height] = size(Phase::Entry);
            let font = if op == c::KD_FONT_OP_SET { bytes(Phase::Entry, data) } else { Value::Addr(data) };
            let before = cx.members(&[
                named,
                ("flags", Value::Flags { raw: flags, set: &FONT_FLAGS }),
                width,
                height,
                ("charcount", uint(Phase::Entry, "charcount")),
                ("data", font),
            ]);
            if cx.failed() || op == c::KD_FONT_OP_SET {
                return before;
            }
            let [width, height] = size(Phase::Exit);
            let data = number(Phase::Exit, "data").unwrap_or(0);
            let font = if op == c::KD_FONT_OP_GET { bytes(Phase::Exit, data) } else { Value::Addr(data) };
            let after = cx.members(&[width, height, ("charcount", uint(Phase::Exit, "charcount")), ("data", font)]);
            Value::Change(cx.keep(before), cx.keep(after))
        }
    }
}
