//! Scheduling: attributes of variable size, sets of CPUs, and the target of a priority.

use crate::{Cx, Member, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::{Outcome, Phase};
use stride_syscalls::sets::sched::POLICY_FLAGS;
use stride_syscalls::{Dir, Ty, structs::sched::ATTR, uapi::consts as c};

/// The first size of the attributes. A size of zero stands for it.
const FIRST: u64 = c::SCHED_ATTR_SIZE_VER0;

/// sched_setattr(2)'s and sched_getattr(2)'s attributes.
pub fn attr<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    let Ty::Buffer(dir, ..) = *shape else { return Value::Addr(addr) };
    if addr == 0 || !cx.verbose || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    if dir == Dir::Out {
        // The kernel fills no room smaller than the first size.
        let room = cx.arg("size");
        return cx
            .uint(Phase::Exit, addr, 4)
            .filter(|_| room >= FIRST)
            .and_then(|size| members(cx, Phase::Exit, addr, size.clamp(FIRST, room), false))
            .unwrap_or(Value::Addr(addr));
    }
    let size_at = |phase| cx.uint(phase, addr, 4);
    let only_size = |size| cx.members(&[("size", Value::UInt(size))]);
    match size_at(Phase::Entry) {
        None => Value::Addr(addr),
        // The kernel refuses this size and returns the one that it knows.
        Some(size @ 1..FIRST) => match size_at(Phase::Exit) {
            Some(known) if known != size && cx.call.outcome == Outcome::Error(c::E2BIG as u32) => {
                Value::Change(cx.keep(only_size(size)), cx.keep(only_size(known)))
            }
            _ => only_size(size),
        },
        Some(size) => {
            let size = if size == 0 { FIRST } else { size };
            members(cx, Phase::Entry, addr, size, true).unwrap_or(Value::Addr(addr))
        }
    }
}

/// The members within `size`. With `asked`, members that the flags make the kernel ignore are left out.
fn members<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, size: u64, asked: bool) -> Option<Value<'a>> {
    let known = ATTR.size(cx.abi()) as u64;
    cx.read(phase, addr, size.min(known) as usize)?;
    let flags = cx.number(&ATTR, "sched_flags", phase, addr)?;
    let policy = cx.number(&ATTR, "sched_policy", phase, addr)?;
    let mut members = Vec::with_capacity_in(ATTR.fields.len(), cx.arena);
    for field in ATTR.fields {
        // The limits of utilisation came together. With a size between, the kernel uses neither.
        let needed = if field.place(cx.abi()).end() as u64 <= FIRST { FIRST } else { c::SCHED_ATTR_SIZE_VER1 };
        if needed > size {
            break;
        }
        if !asked || field.when.holds(&|name| if name == "sched_policy" { policy } else { flags }) {
            members.push(Member { name: field.name, value: generic::member(cx, &ATTR, field, phase, addr)? });
        }
    }
    Some(Value::Struct(members.into_bump_slice(), if size > known { Tail::More } else { Tail::End }))
}

/// The numbers of the CPUs in a set.
pub fn cpus<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let Ty::Buffer(dir, len, most) = *shape else { return Value::Addr(addr) };
    if addr == 0 || !cx.verbose || !cx.filled(dir) {
        return Value::Addr(addr);
    }
    let phase = Phase::of(dir);
    let Some(size) = cx.len(len, phase, siblings) else { return Value::Addr(addr) };
    let Some(mask) = cx.read(phase, addr, size.min(most.into()) as usize) else {
        return if size == 0 { Value::Set(&[]) } else { Value::Addr(addr) };
    };
    let mut cpus = Vec::new_in(cx.arena);
    for (i, &byte) in mask.iter().enumerate() {
        cpus.extend((0..8).filter(|bit| byte & (1 << bit) != 0).map(|bit| Value::UInt((8 * i + bit) as u64)));
    }
    Value::Set(cpus.into_bump_slice())
}

/// The policy that sched_getscheduler(2) returns.
pub fn policy<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let raw = cx.ret()? as u64;
    POLICY_FLAGS.describes(raw).then_some(Value::Flags { raw, set: &POLICY_FLAGS })
}
