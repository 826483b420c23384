//! Programs of the classic Berkeley packet filter (linux/filter.h), which sockets and seccomp(2) run.

use crate::{Cx, Value, generic};
use stride_event::Phase;
use stride_syscalls::Ty;
use stride_syscalls::structs::sockopt::{SOCK_FILTER, SOCK_FPROG};

/// `struct sock_fprog`, which the pointer leads to.
pub fn program<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let member = |name: &str| {
        let place = SOCK_FPROG.field(name)?.place(cx.abi());
        cx.uint(Phase::Entry, addr + u64::from(place.offset), place.size.into())
    };
    let (Some(len), Some(filter)) = (member("len"), member("filter")) else { return Value::Addr(addr) };
    let shown = if cx.abbrev { None } else { instructions(cx, Phase::Entry, filter, len) };
    cx.members(&[("len", Value::UInt(len)), ("filter", shown.unwrap_or(Value::Addr(filter)))])
}

/// `n` instructions.
pub fn instructions<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, n: u64) -> Option<Value<'a>> {
    if addr == 0 || cx.abbrev {
        return None;
    }
    Some(generic::elements(cx, phase, addr, &Ty::Struct(&SOCK_FILTER), n, false))
}
