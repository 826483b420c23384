//! Signal sets, and the stack frames that contain one.

use crate::{Cx, Siblings, Value};
use stride_event::Phase;
use stride_syscalls::sets::signal::{HANDLER, HANDLER32};
use stride_syscalls::structs::signal;
use stride_syscalls::{Dir, Len, Ty, table};

/// The kernel's set has 64 bits in every ABI.
const SIZE: u64 = 8;

/// A signal set behind a pointer.
pub fn decode<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, len: Len, siblings: Siblings) -> Value<'a> {
    let phase = Phase::of(dir);
    if addr == 0 || !cx.verbose || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    // The kernel refuses sets of other sizes, except those of i386's first calls, whose size is fixed.
    let mask = cx
        .len(len, phase, siblings)
        .filter(|&n| n == SIZE || matches!(len, Len::Fixed(_)))
        .and_then(|n| cx.read(phase, addr, n as usize));
    mask.map_or(Value::Addr(addr), Value::SigSet)
}

/// The pending signals, of which a program may ask for the beginning.
pub fn pending<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let &Ty::SigSet(dir, len) = shape else { return Value::Addr(addr) };
    if addr == 0 || !cx.verbose || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    let phase = Phase::of(dir);
    let mask =
        cx.len(len, phase, siblings).filter(|n| (1..=SIZE).contains(n)).and_then(|n| cx.read(phase, addr, n as usize));
    mask.map_or(Value::Addr(addr), Value::SigSet)
}

/// A set in a register, or in a member of one word.
pub fn word<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    Value::SigSet(&cx.bytes(&raw.to_le_bytes())[..cx.abi().word()])
}

/// A signal set in captured memory.
pub fn inline<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: usize) -> Option<Value<'a>> {
    cx.read(phase, addr, size).map(Value::SigSet)
}

/// The mask that sigreturn(2) and rt_sigreturn(2) will restore. It is in the frame at the stack pointer.
pub fn frame<'a>(cx: &Cx<'a>, old: bool) -> Value<'a> {
    let sp = cx.call.sp;
    let read = |at: usize, n: usize| cx.read(Phase::Entry, sp.wrapping_add(at as u64), n);
    let mask = if old {
        let [low, high] = signal::OLD_FRAME_MASK;
        read(low, 4).zip(read(high, 4)).map(|(low, high)| {
            let mut mask = [0; 8];
            mask[..4].copy_from_slice(low);
            mask[4..].copy_from_slice(high);
            cx.bytes(&mask)
        })
    } else {
        read(signal::frame_mask(cx.abi()), SIZE as usize)
    };
    match mask {
        Some(mask) => cx.members(&[("mask", Value::SigSet(mask))]),
        None => Value::Addr(sp),
    }
}

/// A signal's disposition: an address, or a name for special values.
pub fn handler<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let set = if cx.abi().word() == 4 { &HANDLER32 } else { &HANDLER };
    Value::Enum { raw, set }
}

/// The disposition that signal(2) returns, if it has a name.
pub fn previous<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let raw = cx.ret()? as u64;
    HANDLER.name_of(raw)?;
    Some(Value::Enum { raw, set: &HANDLER })
}

/// The mask in a call's return register.
pub fn returned<'a>(cx: &Cx<'a>, title: &'static str) -> Option<Value<'a>> {
    let mask = word(cx, cx.ret()? as u64);
    Some(Value::Titled(title, cx.keep(mask)))
}

/// The call that restart_syscall(2) resumes.
pub fn resumed<'a>(cx: &Cx<'a>) -> Value<'a> {
    Value::Resumes(cx.call.resumes.and_then(|nr| table(cx.abi()).get(nr)).map_or("system call", |e| e.row.name))
}
