//! Seccomp listeners, pidfds and perf events.

use super::int;
use crate::{Cx, Member, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::{NOTIFICATION, PIDFD_INFO, PIDFD_INFO_MASK};
use stride_syscalls::{Abi, Dir, Len, Ty, table};

/// A system call's number. It has a name on architectures that Stride knows.
pub fn call_number<'a>(cx: &Cx<'a>, raw: u64, arch: &'static str, siblings: Siblings) -> Value<'a> {
    let phase = match siblings {
        Siblings::Struct(_, _, phase) => phase,
        Siblings::Args => Phase::Entry,
    };
    let arch = cx.len(Len::Of(arch), phase, siblings).unwrap_or(0) as u32;
    match Abi::from_audit_arch(arch).and_then(|abi| table(abi).shown(raw)) {
        Some(row) => cx.known(Value::UInt(raw), cx.call_name(row.name)),
        None => Value::UInt(raw),
    }
}

/// A negated error number with its name, or any other number.
pub fn error_number<'a>(raw: u64) -> Value<'a> {
    match int(raw) {
        n @ -4095..=-1 => Value::Errno(n as i32),
        n => Value::Int(n),
    }
}

/// A call that waits for the listener. The kernel wants zeros before it fills in the struct.
pub fn notification<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let size = NOTIFICATION.size(cx.abi());
    let Some(before) = cx.read(Phase::Entry, addr, size) else { return Value::Addr(addr) };
    let after = match cx.failed() {
        true => Value::Addr(addr),
        false => cx.strukt(&NOTIFICATION, Phase::Exit, addr).unwrap_or(Value::Addr(addr)),
    };
    if before.iter().all(|&b| b == 0) {
        return after;
    }
    match cx.strukt(&NOTIFICATION, Phase::Entry, addr) {
        Some(before) => Value::Change(cx.keep(before), cx.keep(after)),
        None => after,
    }
}

/// PIDFD_GET_INFO: what is asked for, and the answer, in a struct that grows.
pub fn pidfd_info<'a>(cx: &Cx<'a>, addr: u64, size: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(asked) = cx.uint(Phase::Entry, addr, 8) else { return Value::Addr(addr) };
    let mask = |raw| Value::Flags { raw, set: &PIDFD_INFO_MASK };
    let mut members = Vec::new_in(cx.arena);
    let there = if cx.failed() { None } else { cx.uint(Phase::Exit, addr, 8) };
    let shown = match there {
        Some(there) if there != asked => Value::Change(cx.keep(mask(asked)), cx.keep(mask(there))),
        _ => mask(asked),
    };
    members.push(Member { name: "mask", value: shown });
    let mut tail = Tail::End;
    if there.is_some()
        && let Some(Value::Struct(answer, end)) = generic::extensible(cx, &PIDFD_INFO, Phase::Exit, addr, size)
    {
        members.extend_from_slice(answer);
        tail = end;
    }
    Value::Struct(members.into_bump_slice(), tail)
}

/// PERF_EVENT_IOC_QUERY_BPF: the room for ids, their number, and the ids.
pub fn perf_programs<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if let Err(value) = generic::follow(cx, addr, Dir::In) {
        return value;
    }
    let Some(room) = cx.uint(Phase::Entry, addr, 4) else { return Value::Addr(addr) };
    let count = if cx.failed() { None } else { cx.uint(Phase::Exit, addr.wrapping_add(4), 4) };
    let room = ("ids_len", Value::UInt(room));
    let Some(count) = count else {
        let members = cx.arena.alloc_slice_copy(&[Member { name: room.0, value: room.1 }]);
        return Value::Struct(members, Tail::More);
    };
    let ids = generic::elements(cx, Phase::Exit, addr.wrapping_add(8), &Ty::UInt, count, false);
    cx.members(&[room, ("prog_cnt", Value::UInt(count)), ("ids", ids)])
}
