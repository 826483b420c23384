//! Virtual CPUs: linux/kvm.h.

use crate::{Cx, Dump, Member, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::ioctl::virtual_machine::{CPUID, EXITS, MEMORY_ACCESS, PORTS, REGISTERS, RUN};
use stride_syscalls::plan::{VCPU, VCPU_ID};
use stride_syscalls::uapi::consts as c;
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

/// The id of the virtual CPU that the call ran, and the address of its state in this phase, if the engine captured
/// them.
fn vcpu(cx: &Cx<'_>, phase: Phase) -> Option<(u64, u64)> {
    let blocks = &cx.call.blocks;
    let of = |op| (0..blocks.len()).filter_map(|i| blocks.get(i)).find(|b| b.0 == op && b.2 == phase).map(|b| b.1);
    Some((of(VCPU_ID)?, of(VCPU)?))
}

/// Why the virtual CPU stopped running.
pub fn exit_reason<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let (_, addr) = vcpu(cx, Phase::Exit)?;
    Some(Value::Enum { raw: cx.number(&RUN, "exit_reason", Phase::Exit, addr)?, set: &EXITS })
}

/// The states of the virtual CPU before and after it ran, if they were captured.
pub fn states<'a>(cx: &Cx<'a>) -> Option<&'a [Dump<'a>]> {
    vcpu(cx, Phase::Entry)?;
    let mut all = Vec::new_in(cx.arena);
    for phase in [Phase::Entry, Phase::Exit] {
        let Some((id, addr)) = vcpu(cx, phase) else { continue };
        if let Some(state) = state(cx, phase, addr) {
            all.push(Dump::Vcpu { id, phase, state });
        }
    }
    Some(all.into_bump_slice())
}

fn state<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let Value::Struct(members, tail) = cx.strukt(&RUN, phase, addr)? else { return None };
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend_from_slice(members);
    let part = match cx.number(&RUN, "exit_reason", phase, addr)? {
        c::KVM_EXIT_IO => Some(("io", ports(cx, phase, addr)?)),
        c::KVM_EXIT_MMIO => Some(("mmio", cx.strukt(&MEMORY_ACCESS, phase, addr)?)),
        _ => None,
    };
    // The part is in a union without a name.
    all.extend(part.map(|part| Member { name: "", value: cx.members(&[part]) }));
    Some(Value::Struct(all.into_bump_slice(), tail))
}

/// An access to I/O ports, with its data.
fn ports<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    let Value::Struct(members, tail) = cx.strukt(&PORTS, phase, addr)? else { return None };
    let value = |name| cx.number(&PORTS, name, phase, addr);
    let len = value("size")?.saturating_mul(value("count")?);
    let data = generic::elements(
        cx,
        phase,
        addr.wrapping_add(value("data_offset")?),
        &Ty::As(stride_syscalls::Width::W1, &Ty::Hex),
        len,
        false,
    );
    let mut all = Vec::with_capacity_in(members.len() + 1, cx.arena);
    all.extend_from_slice(members);
    all.push(Member { name: "data", value: data });
    Some(Value::Struct(all.into_bump_slice(), tail))
}
