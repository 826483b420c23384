//! Input devices: linux/input.h.

use crate::cx::signed;
use crate::{Cx, Member, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::input::{ABS, ABS_MT, EV, FF, KEY, LED, MSC, PROP, REL, REP, SND, SW};
use stride_syscalls::{Dir, Set, Ty};

/// A scan code and its key.
pub fn keycode<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, _siblings: Siblings) -> Value<'a> {
    let &Ty::Array(dir, _, _) = shape else { return Value::Addr(addr) };
    let phase = match generic::follow(cx, addr, dir) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    match (cx.uint(phase, addr, 4), cx.uint(phase, addr.wrapping_add(4), 4)) {
        (Some(scan), Some(key)) => {
            Value::Array(cx.values(&[Value::UInt(scan), Value::Enum { raw: key, set: &KEY }]), Tail::End)
        }
        _ => Value::Addr(addr),
    }
}

/// The memory of a request whose size the program chooses: a name, an axis, or bits that stand for codes.
pub fn sized<'a>(cx: &Cx<'a>, addr: u64, nr: u8, size: u64) -> Value<'a> {
    let dir = if nr >= 0xc0 { Dir::In } else { Dir::Out };
    let phase = match generic::follow(cx, addr, dir) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    match nr {
        0x0a => return slots(cx, addr, size),
        0x40..=0x7f | 0xc0.. => return axis(cx, phase, addr, size),
        _ => {}
    }
    // The kernel returns how many bytes it has written.
    let len = cx.ret().unwrap_or(0).max(0) as u64;
    let set = match nr {
        0x06..=0x08 => return name(cx, addr, len),
        0x09 => &PROP,
        0x18 => &KEY,
        0x19 => &LED,
        0x1a => &SND,
        0x1b => &SW,
        0x20 => &EV,
        0x21 => &KEY,
        0x22 => &REL,
        0x23 => &ABS,
        0x24 => &MSC,
        0x25 => &SW,
        0x31 => &LED,
        0x32 => &SND,
        0x34 => &REP,
        0x35 => &FF,
        _ => return Value::Addr(addr),
    };
    bits(cx, addr, len, set)
}

/// EVIOCGMTSLOTS: a code, and its value for each slot.
fn slots<'a>(cx: &Cx<'a>, addr: u64, size: u64) -> Value<'a> {
    let values = (size / 4).saturating_sub(1) as usize;
    let read = |index: usize| cx.uint(Phase::Exit, addr.wrapping_add(4 * index as u64), 4);
    let Some(code) = read(0) else { return Value::Addr(addr) };
    let shown = if cx.abbrev { values.min(cx.options.text) } else { values };
    let mut items = Vec::new_in(cx.arena);
    for index in 1..=shown {
        let Some(value) = read(index) else { return Value::Addr(addr) };
        items.push(Value::Int(signed(value, 4)));
    }
    let tail = if shown < values { Tail::More } else { Tail::End };
    let values = Value::Array(items.into_bump_slice(), tail);
    cx.members(&[("code", Value::Enum { raw: code, set: &ABS_MT }), ("values", values)])
}

/// EVIOCGABS and EVIOCSABS with a struct of another size than today's: the members that older kernels had, or more than are known.
/// The kernel reads and writes none behind those that it knows.
fn axis<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: u64) -> Value<'a> {
    const NAMES: [&str; 6] = ["value", "minimum", "maximum", "fuzz", "flat", "resolution"];
    /// The first version of the struct ended before the resolution.
    const LEAST: u64 = 20;
    let known = NAMES.len().min(size as usize / 4);
    if size < LEAST || cx.read(phase, addr, 4 * known).is_none() {
        return Value::Addr(addr);
    }
    let shown = if cx.abbrev { 2 } else { known };
    let mut members = Vec::new_in(cx.arena);
    for (i, name) in NAMES.into_iter().take(shown).enumerate() {
        let Some(value) = cx.uint(phase, addr.wrapping_add(4 * i as u64), 4) else { return Value::Addr(addr) };
        members.push(Member { name, value: Value::UInt(value) });
    }
    let whole = 4 * shown as u64 == size;
    Value::Struct(members.into_bump_slice(), if whole { Tail::End } else { Tail::More })
}

fn name<'a>(cx: &Cx<'a>, addr: u64, len: u64) -> Value<'a> {
    let Some(bytes) = cx.read(Phase::Exit, addr, (len as usize).min(1024)) else { return Value::Addr(addr) };
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let shown = end.min(cx.options.text);
    Value::Text(Text { bytes: &bytes[..shown], cut: shown < end, kind: TextKind::Str })
}

/// The names of the bits that are set. Without `-v` only a few are shown.
fn bits<'a>(cx: &Cx<'a>, addr: u64, len: u64, set: &'static Set) -> Value<'a> {
    const FEW: usize = 4;
    let bytes = cx.prefix(Phase::Exit, addr, len as usize);
    if bytes.is_empty() {
        return Value::Addr(addr);
    }
    let mut items = Vec::new_in(cx.arena);
    let on = (0..bytes.len() * 8).filter(|i| bytes[i / 8] & (1 << (i % 8)) != 0);
    for (n, bit) in on.enumerate() {
        if cx.abbrev && n >= FEW {
            items.push(Value::LeftOut);
            break;
        }
        items.push(Value::Enum { raw: bit as u64, set });
    }
    let names = Value::Set(items.into_bump_slice());
    let word = cx.abi().word();
    // Words beyond the last code that exists are of no interest.
    let codes = set.items.iter().map(|item| item.value + 1).max().unwrap_or(0);
    let words = bytes.len().min((codes as usize).div_ceil(8)).div_ceil(word) as u64;
    let words = generic::elements(cx, Phase::Exit, addr, &Ty::HexLong, words, false);
    Value::Bitmap(cx.keep(names), cx.keep(words))
}
