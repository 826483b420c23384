//! Virtual CPUs: linux/kvm.h.

use crate::{Cx, Member, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_syscalls::ioctl::virtual_machine::{CPUID, REGISTERS};
use stride_syscalls::{Dir, Ty};

/// `struct kvm_cpuid2`: a number of entries, and the entries, each of which is long.
pub fn cpuid<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    let phase = match generic::follow(cx, addr, dir) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    let Some(count) = cx.uint(phase, addr, 4) else { return Value::Addr(addr) };
    let entries = match count {
        0 => Value::Array(&[], Tail::End),
        _ if cx.abbrev => Value::Array(&[], Tail::More),
        _ => generic::elements(cx, phase, addr.wrapping_add(8), &Ty::Struct(&CPUID), count, false),
    };
    cx.members(&[("nent", Value::UInt(count)), ("entries", entries)])
}

/// The registers. Without `-v` only those with a purpose of their own are shown.
pub fn registers<'a>(cx: &Cx<'a>, addr: u64, dir: Dir) -> Value<'a> {
    const FEW: [&str; 5] = ["rax", "rsp", "rbp", "rip", "rflags"];
    let phase = match generic::follow(cx, addr, dir) {
        Err(value) => return value,
        Ok(phase) => phase,
    };
    let whole = cx.strukt(&REGISTERS, phase, addr).unwrap_or(Value::Addr(addr));
    let (Value::Struct(all, tail), true) = (whole, cx.abbrev) else { return whole };
    let mut members: Vec<'a, Member<'a>> = Vec::new_in(cx.arena);
    for member in all {
        if FEW.contains(&member.name) {
            members.push(*member);
        } else if members.last().is_some_and(|last| !last.is_left_out()) {
            members.push(Member::LEFT_OUT);
        }
    }
    Value::Struct(members.into_bump_slice(), tail)
}
