//! Arguments of System V IPC.

use crate::{Cx, Operator, TextKind, Value, generic};
use stride_event::Phase;
use stride_syscalls::{Dir, Set, Ty, sets::ipc as sets, uapi::consts as c};

/// Permissions in the low nine bits, flags above: `IPC_CREAT|0600`.
pub fn flags<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let flags = raw & !0o777;
    let mode = Value::Octal(raw & 0o777);
    if flags == 0 { mode } else { Value::Or(cx.values(&[named(flags, &sets::IPC_GET), mode])) }
}

/// The names of flags, or the bare number if no flag has a name. A comment would say nothing new.
fn named<'a>(raw: u64, set: &'static Set) -> Value<'a> {
    if set.items.iter().any(|i| raw & i.mask == i.value) { Value::Flags { raw, set } } else { Value::Hex(raw) }
}

/// shmget(2)'s flags, which include the logarithm of a page size.
pub fn shm_flags<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let page = raw >> c::SHM_HUGE_SHIFT & c::SHM_HUGE_MASK;
    let flags = raw & !0o777 & !(c::SHM_HUGE_MASK << c::SHM_HUGE_SHIFT);
    let mut parts = bumpalo::collections::Vec::with_capacity_in(3, cx.arena);
    if flags != 0 {
        parts.push(named(flags, &sets::SHM_GET));
    }
    if page != 0 {
        let shift = cx.known(Value::UInt(c::SHM_HUGE_SHIFT), Value::Word("SHM_HUGE_SHIFT"));
        parts.push(cx.binary(Value::UInt(page), Operator::ShiftLeft, shift));
    }
    parts.push(Value::Octal(raw & 0o777));
    Value::Or(parts.into_bump_slice())
}

/// A key: `IPC_PRIVATE` or a number.
pub fn key<'a>(raw: u64) -> Value<'a> {
    if raw == c::IPC_PRIVATE { Value::Enum { raw, set: &sets::IPC_KEY } } else { Value::Hex(raw) }
}

/// An operation, with the bit that selects the newer structs.
pub fn op<'a>(cx: &Cx<'a>, raw: u64, names: &Ty) -> Value<'a> {
    let Ty::Enum(set) = *names else { return Value::Hex(raw) };
    let op = Value::Enum { raw: raw & !c::IPC_64, set };
    if raw & c::IPC_64 == 0 {
        return op;
    }
    Value::Or(cx.values(&[Value::Name { raw: c::IPC_64, name: "IPC_64" }, op]))
}

/// A call of ipc(2). Its upper half is the version.
pub fn call<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let (version, call) = (raw >> 16 & 0xffff, raw & 0xffff);
    let call = Value::Enum { raw: call, set: &sets::IPC_CALL };
    if version == 0 {
        return call;
    }
    Value::Or(cx.values(&[cx.shifted(Value::UInt(version), 16), call]))
}

/// `struct msgbuf`: a type, and `msgsz` bytes, or as many as were received.
pub fn message<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    if addr == 0 || !cx.verbose || (dir != Dir::In && cx.failed()) {
        return Value::Addr(addr);
    }
    let phase = Phase::of(dir);
    let Some(mtype) = cx.word(phase, addr) else { return Value::Addr(addr) };
    let word = cx.abi().word();
    let len = if dir == Dir::In { cx.arg("msgsz") } else { cx.ret().unwrap_or(0).max(0) as u64 };
    let text = generic::bytes(cx, phase, addr.wrapping_add(word as u64), len, TextKind::Bytes);
    cx.members(&[("mtype", Value::Int(crate::cx::signed(mtype, word))), ("mtext", text)])
}
