//! io_uring_register(2).

use crate::{Cx, Member, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::uring::*;
use stride_syscalls::structs::uring::*;
use stride_syscalls::{Dir, Len, Struct, Ty, Width, uapi::consts as c};

const USE_REGISTERED: u64 = c::IORING_REGISTER_USE_REGISTERED_RING;

/// The ring: a descriptor, or the index of a registered ring.
pub fn ring<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if cx.arg("opcode") & USE_REGISTERED != 0 { Value::UInt(raw) } else { generic::fd(cx, raw as i32) }
}

pub fn opcode<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let op = Value::Enum { raw: raw & !USE_REGISTERED, set: &URING_REGISTER };
    match raw & USE_REGISTERED {
        0 => op,
        flag => Value::Or(cx.values(&[op, Value::Flags { raw: flag, set: &URING_REGISTER_FLAGS }])),
    }
}

/// A descriptor in a list of updates. One number leaves the slot as it is.
pub fn fd_or_skip<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    match i64::from(raw as u32 as i32) {
        fd if fd == c::IORING_REGISTER_FILES_SKIP as i64 => {
            cx.known(Value::Int(fd), Value::Word("IORING_REGISTER_FILES_SKIP"))
        }
        fd => generic::fd(cx, fd as i32),
    }
}

/// An array of as many elements as an argument says.
pub fn counted<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, count: &str) -> Value<'a> {
    let &Ty::Table(dir, item, ..) = shape else { return Value::Addr(addr) };
    match generic::follow(cx, addr, dir) {
        Err(value) => value,
        Ok(phase) => generic::elements(cx, phase, addr, item, u64::from(cx.arg(count) as u32), false),
    }
}

/// A pointer that the kernel follows only if an argument is within limits.
pub fn with_arg<'a>(
    cx: &Cx<'a>,
    shape: &Ty,
    addr: u64,
    name: &str,
    limits: (u32, u32),
    siblings: Siblings,
) -> Value<'a> {
    if !(limits.0..=limits.1).contains(&(cx.arg(name) as u32)) {
        return Value::Addr(addr);
    }
    generic::held(cx, shape, addr, siblings)
}

/// The operations that the kernel supports: the argument of the program, which should be zeros, and the answer.
pub fn probe<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let room = u64::from(cx.arg("nr_args") as u32);
    let size = URING_PROBE.size(cx.abi()) as u64 + room * URING_PROBE_OP.size(cx.abi()) as u64;
    let Some(passed) = cx.read(Phase::Entry, addr, size as usize) else { return Value::Addr(addr) };
    let before = passed.iter().any(|&b| b != 0).then(|| operations(cx, Phase::Entry, addr, room)).flatten();
    let after = if cx.failed() { None } else { operations(cx, Phase::Exit, addr, room) };
    match (before, after) {
        (Some(before), Some(after)) => Value::Change(cx.keep(before), cx.keep(after)),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => Value::Addr(addr),
    }
}

/// A probe in memory. After the call it says how many operations there are, of which `room` were written.
fn operations<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, room: u64) -> Option<Value<'a>> {
    let Value::Struct(head, _) = cx.strukt(&URING_PROBE, phase, addr)? else { return None };
    let there = if phase == Phase::Entry { room } else { cx.uint(phase, addr.wrapping_add(1), 1)? };
    let first = addr.wrapping_add(URING_PROBE.size(cx.abi()) as u64);
    let ops = match generic::elements(cx, phase, first, &Ty::Struct(&URING_PROBE_OP), there.min(room), false) {
        Value::Array(items, Tail::End) if there > room => Value::Array(items, Tail::More),
        value => value,
    };
    let mut members = Vec::with_capacity_in(head.len() + 1, cx.arena);
    members.extend_from_slice(head);
    members.push(Member { name: "ops", value: ops });
    Some(Value::Struct(members.into_bump_slice(), Tail::End))
}

/// The subject of a restriction. If the subject is unknown, so is the meaning of the next byte.
pub fn limit<'a>(cx: &Cx<'a>, raw: u64, siblings: Siblings) -> Value<'a> {
    let kind = Value::Enum { raw, set: &URING_RESTRICTION };
    let Siblings::Struct(_, base, phase) = siblings else { return kind };
    match cx.uint(phase, base.wrapping_add(2), 1) {
        Some(op) if URING_RESTRICTION.name_of(raw).is_none() => {
            cx.comment(kind, Value::Named("op", cx.keep(Value::Hex(op))))
        }
        _ => kind,
    }
}

/// The most workers of each kind, before and after.
pub fn workers<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let before = limits(cx, Phase::Entry, addr);
    match before {
        Value::Array([_, ..], Tail::End | Tail::More) => {
            let after = if cx.failed() { Value::Addr(addr) } else { limits(cx, Phase::Exit, addr) };
            Value::Change(cx.keep(before), cx.keep(after))
        }
        value => value,
    }
}

fn limits<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Value<'a> {
    let Value::Array(numbers, tail) =
        generic::elements(cx, phase, addr, &Ty::UInt, u64::from(cx.arg("nr_args") as u32), false)
    else {
        return Value::Addr(addr);
    };
    let kind = |i: usize| Value::Enum { raw: i as u64, set: &URING_WORKERS };
    let named = |(i, number): (usize, &Value<'a>)| cx.indexed(kind(i), *number);
    Value::Array(cx.arena.alloc_slice_fill_iter(numbers.iter().enumerate().map(named)), tail)
}

const IS_COMMAND: &[u64] = &[c::IORING_OP_URING_CMD, c::IORING_OP_URING_CMD128];
/// Entries of twice the size.
const IS_LONG: &[u64] = &[c::IORING_OP_NOP128, c::IORING_OP_URING_CMD128];

/// A submitted entry.
pub fn entry<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if cx.arg("nr_args") as u32 != 1 {
        return Value::Addr(addr);
    }
    let phase = match generic::follow(cx, addr, Dir::In) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    let Some(Value::Struct(members, tail)) = cx.strukt(&URING_SQE, phase, addr) else { return Value::Addr(addr) };
    if !cx.uint(phase, addr, 1).is_some_and(|op| IS_LONG.contains(&op)) {
        return Value::Struct(members, tail);
    }
    let size = URING_SQE.size(cx.abi()) as u64;
    let command = generic::elements(cx, phase, addr.wrapping_add(size), &Ty::As(Width::W1, &Ty::Hex), size, false);
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend_from_slice(members);
    all.push(Member { name: "cmd", value: command });
    Value::Struct(all.into_bump_slice(), tail)
}

/// An entry's offset. A command for a socket has its number there.
pub fn offset<'a>(cx: &Cx<'a>, raw: u64, siblings: Siblings) -> Value<'a> {
    let member = |name| match siblings {
        Siblings::Struct(_, _, phase) => cx.len(Len::Of(name), phase, siblings),
        Siblings::Args => None,
    };
    let command = member("opcode").is_some_and(|op| IS_COMMAND.contains(&op));
    match member("fd") {
        Some(fd) if command && is_socket(generic::fd(cx, fd as i32)) => Value::Enum { raw, set: &SOCKET_OP },
        _ => Value::Hex(raw),
    }
}

/// True if a descriptor is known to be a socket. (Without `-y` nothing is known.)
fn is_socket(fd: Value<'_>) -> bool {
    match fd {
        Value::Fd { note: Some(note), .. } => {
            note.path.starts_with(b"socket:[") || note.path.is_empty() && !note.detail.is_empty()
        }
        _ => false,
    }
}

/// So many queries of a chain are shown.
const QUERIES: usize = 32;

/// A chain of queries, each within the one before.
pub fn query<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if cx.arg("nr_args") as u32 != 0 || addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    // The answer of the kernel, if there is one.
    let phase = if cx.failed() { Phase::Entry } else { Phase::Exit };
    let mut at = addr;
    let mut queries = Vec::new_in(cx.arena);
    while queries.len() < QUERIES
        && let Some(Value::Struct(head, _)) = cx.strukt(&URING_QUERY_HEAD, phase, at)
    {
        queries.push((head, at));
        at = cx.uint(phase, at, 8).unwrap_or(0);
    }
    // From the last one to the first, because each contains the next.
    let cut = queries.len() == QUERIES && at != 0;
    let mut next = if cut { cx.comment(Value::Addr(at), Value::LeftOut) } else { Value::Addr(at) };
    for &(head, at) in queries.iter().rev() {
        let mut members = Vec::with_capacity_in(head.len() + 2, cx.arena);
        members.extend_from_slice(head);
        if let Some(value) = answer(cx, phase, at) {
            // Machines find it under a name of its own, because the address has this one.
            members.push(Member { name: "", value: Value::Named("query_data", cx.keep(value)) });
        }
        members.push(Member { name: "next_entry", value: next });
        next = Value::Struct(members.into_bump_slice(), Tail::End);
    }
    next
}

/// The subject of a query and its answer.
fn answer<'a>(cx: &Cx<'a>, phase: Phase, query: u64) -> Option<Value<'a>> {
    let member = |name| cx.number(&URING_QUERY_HEAD, name, phase, query);
    let addr = member("query_data").filter(|&addr| addr != 0)?;
    let layout: Option<&'static Struct> = match URING_QUERIES.name_of(member("query_op")?) {
        Some("IO_URING_QUERY_OPCODES") => Some(&URING_QUERY_OPCODES),
        Some("IO_URING_QUERY_ZCRX") => Some(&URING_QUERY_ZCRX),
        Some("IO_URING_QUERY_ZCRX_EVENT") => Some(&URING_QUERY_ZCRX_EVENT),
        Some("IO_URING_QUERY_SCQ") => Some(&URING_QUERY_SCQ),
        _ => None,
    };
    let shown = layout.and_then(|s| generic::extensible(cx, s, phase, addr, member("size")?));
    Some(shown.unwrap_or(Value::Addr(addr)))
}
