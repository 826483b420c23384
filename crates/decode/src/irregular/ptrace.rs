//! ptrace(2): offsets in `struct user`, register sets, and the stops of a tracee.

use crate::cx::le;
use crate::{Cx, Member, Operator, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::ptrace::{SYSCALL_INFO, USER, USER_32};
use stride_syscalls::sets::signal::AUDIT_ARCH;
use stride_syscalls::structs::ptrace::{FPREGS, REGS, REGS_32, SECCOMP_METADATA};
use stride_syscalls::{Abi, Ty, table, uapi::consts as c};

/// An offset within `struct user`: its member, and the offset in that.
pub fn user_offset<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let set = match cx.abi() {
        Abi::X86_64 => &USER,
        Abi::I386 => &USER_32,
        _ => return Value::Addr(raw),
    };
    let Some(last) = set.items.last() else { return Value::Addr(raw) };
    let found = set.items.iter().rev().find(|i| i.value <= raw);
    match found {
        Some(item) if raw <= last.value => {
            let name = Value::Word(item.name);
            let name = match raw - item.value {
                0 => name,
                offset => cx.binary(name, Operator::Plus, Value::UInt(offset)),
            };
            Value::Known(cx.keep(Value::Addr(raw)), cx.keep(name))
        }
        _ => Value::Addr(raw),
    }
}

/// `struct iovec`, whose buffer is a register set.
pub fn regset<'a>(cx: &Cx<'a>, addr: u64, set: bool) -> Value<'a> {
    let word = cx.abi().word() as u64;
    let iovec = |phase| Some((cx.word(phase, addr)?, cx.word(phase, addr.wrapping_add(word))?));
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let Some((base, room)) = iovec(Phase::Entry) else { return Value::Addr(addr) };
    let filled = iovec(Phase::Exit).map_or(room, |v| v.1);
    let len = if set { room } else { filled };
    let shown =
        if !set && cx.failed() { None } else { registers(cx, base, len, if set { Phase::Entry } else { Phase::Exit }) };
    let size = match filled == room {
        true => Value::UInt(room),
        false => Value::Change(cx.keep(Value::UInt(room)), cx.keep(Value::UInt(filled))),
    };
    cx.members(&[("iov_base", shown.unwrap_or(Value::Addr(base))), ("iov_len", size)])
}

/// The registers that fit into `len` bytes.
fn registers<'a>(cx: &Cx<'a>, addr: u64, len: u64, phase: Phase) -> Option<Value<'a>> {
    let s = match (cx.arg("addr") as u32 as u64, cx.abi()) {
        (c::NT_PRSTATUS, Abi::X86_64) if len == REGS_32.size(Abi::I386) as u64 => return None,
        (c::NT_PRSTATUS, Abi::X86_64) => &REGS,
        (c::NT_PRSTATUS, Abi::I386) => &REGS_32,
        (c::NT_PRFPREG, Abi::X86_64) => &FPREGS,
        _ => return None,
    };
    let size = s.size(cx.abi()) as u64;
    if len == 0 || !len.is_multiple_of(cx.abi().word() as u64) {
        return None;
    }
    // The kernel limits the length to the size of the set.
    let tail = if len > size { Tail::More } else { Tail::End };
    let len = len.min(size);
    cx.read(phase, addr, len as usize)?;
    let mut members = Vec::new_in(cx.arena);
    for field in s.fields {
        let place = field.place(cx.abi());
        if place.end() as u64 > len {
            // The part of an array that fits.
            let rest = len.saturating_sub(u64::from(place.offset)) as usize;
            if matches!(field.ty, Ty::Items(_)) && rest > 0 {
                let at = addr.wrapping_add(u64::from(place.offset));
                members.push(Member {
                    name: field.name,
                    value: generic::inline(cx, &field.ty, phase, at, rest, Siblings::Args)?,
                });
            }
            break;
        }
        members.push(Member { name: field.name, value: generic::member(cx, s, field, phase, addr)? });
    }
    Some(Value::Struct(members.into_bump_slice(), tail))
}

/// `struct seccomp_metadata`: the index of a filter, and its flags.
pub fn seccomp_metadata<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose || cx.arg("addr") < 8 {
        return Value::Addr(addr);
    }
    let Some(offset) = cx.uint(Phase::Entry, addr, 8) else { return Value::Addr(addr) };
    let mut members = Vec::new_in(cx.arena);
    members.push(Member { name: "filter_off", value: Value::UInt(offset) });
    let written = cx.ret().unwrap_or(0);
    let size = SECCOMP_METADATA.size(cx.abi()) as i64;
    if written >= size
        && let Some(field) = SECCOMP_METADATA.field("flags")
        && let Some(value) = generic::member(cx, &SECCOMP_METADATA, field, Phase::Exit, addr)
    {
        members.push(Member { name: field.name, value });
    }
    // A part of the flags is not shown.
    let tail = match written {
        _ if written > size => Tail::More,
        _ if written > 8 && written < size => Tail::Unknown,
        _ => Tail::End,
    };
    Value::Struct(members.into_bump_slice(), tail)
}

/// `struct ptrace_syscall_info`, as far as the kernel filled it in.
pub fn syscall_info<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    let out = shape.needs_exit();
    let phase = if out { Phase::Exit } else { Phase::Entry };
    let size = if out { cx.ret().unwrap_or(0).max(0) as u64 } else { u64::MAX };
    let size = size.min(cx.arg("addr")).min(88) as usize;
    if addr == 0 || !cx.verbose || size == 0 {
        return Value::Addr(addr);
    }
    let Some(info) = cx.read(phase, addr, size) else { return Value::Addr(addr) };
    let mut members = Vec::new_in(cx.arena);
    let mut push = |name, value| members.push(Member { name, value });
    let op = u64::from(info[0]);
    push("op", Value::Enum { raw: op, set: &SYSCALL_INFO });
    for (name, at, width) in [("reserved", 1, 1), ("flags", 2, 2)] {
        let raw = le(info, at, width);
        if size > at && raw != 0 {
            push(name, Value::Hex(raw));
        }
    }
    let arch = le(info, 4, 4);
    if size >= 8 {
        push("arch", Value::Enum { raw: arch, set: &AUDIT_ARCH });
    }
    if size >= 16 {
        push("instruction_pointer", Value::Addr(le(info, 8, 8)));
    }
    if size >= 24 {
        push("stack_pointer", Value::Addr(le(info, 16, 8)));
    }
    if size >= 32 {
        match op {
            c::PTRACE_SYSCALL_INFO_ENTRY => push("entry", entered(cx, info, arch as u32, false)),
            c::PTRACE_SYSCALL_INFO_SECCOMP => push("seccomp", entered(cx, info, arch as u32, true)),
            c::PTRACE_SYSCALL_INFO_EXIT => push("exit", left(cx, info)),
            _ => {}
        }
    }
    Value::Struct(members.into_bump_slice(), Tail::End)
}

/// The call and its arguments, and the seccomp filter's data.
fn entered<'a>(cx: &Cx<'a>, info: &[u8], arch: u32, filtered: bool) -> Value<'a> {
    let mut members = Vec::new_in(cx.arena);
    let nr = le(info, 24, 8);
    let row = Abi::from_audit_arch(arch).and_then(|abi| table(abi).shown(nr));
    let value = match row {
        Some(row) => cx.known(Value::UInt(nr), cx.call_name(row.name)),
        None => Value::UInt(nr),
    };
    members.push(Member { name: "nr", value });
    if info.len() >= 40 {
        let count = ((info.len() - 32) / 8).min(6);
        let args = cx.arena.alloc_slice_fill_with(count, |i| Value::Hex(le(info, 32 + 8 * i, 8)));
        members.push(Member { name: "args", value: Value::Array(args, Tail::End) });
    }
    if filtered && info.len() >= 84 {
        members.push(Member { name: "ret_data", value: Value::UInt(le(info, 80, 4)) });
    }
    Value::Struct(members.into_bump_slice(), Tail::End)
}

/// The call's return value.
fn left<'a>(cx: &Cx<'a>, info: &[u8]) -> Value<'a> {
    let rval = le(info, 24, 8) as i64;
    let error = info.get(32).copied();
    let value = match error {
        Some(1..) => i32::try_from(rval).map_or(Value::Int(rval), Value::Errno),
        _ => Value::Int(rval),
    };
    match error {
        None => cx.members(&[("rval", value)]),
        Some(e) => cx.members(&[("rval", value), ("is_error", Value::UInt(e.into()))]),
    }
}
