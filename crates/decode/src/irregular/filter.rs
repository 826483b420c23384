//! Programs of the classic Berkeley packet filter (linux/filter.h), which sockets and seccomp(2) run.

use crate::cx::le;
use crate::{Cx, Operator, Tail, Value};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::bpf::*;
use stride_syscalls::sets::prctl::SECCOMP_RET;
use stride_syscalls::structs::sockopt::{SOCK_FILTER, SOCK_FPROG};
use stride_syscalls::uapi::consts as c;

/// The part of the kernel that runs a program. Each has its own names for numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runs {
    /// A socket, on its packets.
    OnPackets,
    /// seccomp(2), on system calls.
    OnCalls,
}

/// `struct sock_fprog` behind the pointer.
pub fn program<'a>(cx: &Cx<'a>, addr: u64, runs: Runs) -> Value<'a> {
    if addr == 0 || !cx.verbose {
        return Value::Addr(addr);
    }
    let member = |name| cx.number(&SOCK_FPROG, name, Phase::Entry, addr);
    let (Some(len), Some(filter)) = (member("len"), member("filter")) else { return Value::Addr(addr) };
    let shown = instructions(cx, Phase::Entry, filter, len, runs).unwrap_or(Value::Addr(filter));
    cx.members(&[("len", Value::UInt(len)), ("filter", shown)])
}

/// `n` instructions. Abbreviated output leaves them out.
pub fn instructions<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, n: u64, runs: Runs) -> Option<Value<'a>> {
    if addr == 0 || cx.abbrev {
        return None;
    }
    let size = SOCK_FILTER.size(cx.abi());
    let mut items = Vec::new_in(cx.arena);
    for i in 0..n {
        // The kernel takes no more instructions than this.
        if i >= c::BPF_MAXINSNS {
            return Some(Value::Array(items.into_bump_slice(), Tail::More));
        }
        let at = addr.wrapping_add(i * size as u64);
        match cx.read(phase, at, size) {
            Some(bytes) => items.push(instruction(cx, bytes, runs)),
            None if i == 0 => return None,
            None => return Some(Value::Array(items.into_bump_slice(), Tail::Unread(at))),
        }
    }
    Some(Value::Array(items.into_bump_slice(), Tail::End))
}

/// One instruction, as the macros that make it.
fn instruction<'a>(cx: &Cx<'a>, bytes: &[u8], runs: Runs) -> Value<'a> {
    let (code, jt, jf, k) = (le(bytes, 0, 2), le(bytes, 2, 1), le(bytes, 3, 1), le(bytes, 4, 4));
    let op = op(cx, code);
    if jt != 0 || jf != 0 {
        return cx.call("BPF_JUMP", &[op, Value::Hex(k), Value::Hex(jt), Value::Hex(jf)]);
    }
    let operand = match runs {
        Runs::OnCalls if code & 7 == c::BPF_RET => verdict(cx, k),
        Runs::OnPackets if code & 7 == c::BPF_LD && code & 0xe0 == c::BPF_ABS => offset(cx, k),
        _ => Value::Hex(k),
    };
    cx.call("BPF_STMT", &[op, operand])
}

/// The fields of the code, which depend on its class.
fn op<'a>(cx: &Cx<'a>, code: u64) -> Value<'a> {
    let mut parts = Vec::new_in(cx.arena);
    let mut left = code;
    let mut field = |mask: u64, set| {
        parts.push(Value::Enum { raw: code & mask, set });
        left &= !mask;
    };
    field(7, &INSN_CLASS);
    match code & 7 {
        c::BPF_LD | c::BPF_LDX => {
            field(0x18, &INSN_SIZE);
            field(0xe0, &INSN_MODE);
        }
        c::BPF_ALU => {
            field(0x08, &INSN_SOURCE);
            field(0xf0, &INSN_ALU);
        }
        c::BPF_JMP => {
            field(0x08, &INSN_SOURCE);
            field(0xf0, &INSN_JUMP);
        }
        c::BPF_RET => field(0x18, &INSN_RETURN),
        c::BPF_MISC => field(0xf8, &INSN_MISC),
        _ => {}
    }
    // In the classes that use the whole low byte, the high byte has no meaning.
    if left & 0xff != 0 || (left != 0 && !matches!(code & 7, c::BPF_LD | c::BPF_LDX | c::BPF_ALU | c::BPF_JMP)) {
        parts.push(cx.comment(Value::Hex(left), Value::Unnamed(&INSN_CLASS)));
    }
    Value::Or(parts.into_bump_slice())
}

/// The verdict on a call: an action and its data.
fn verdict<'a>(cx: &Cx<'a>, k: u64) -> Value<'a> {
    let action = Value::Enum { raw: k & c::SECCOMP_RET_ACTION_FULL, set: &SECCOMP_RET };
    match k & c::SECCOMP_RET_DATA {
        0 => action,
        data => Value::Or(cx.values(&[action, Value::Hex(data)])),
    }
}

/// An offset. A negative one counts from a base outside the packet's data.
fn offset<'a>(cx: &Cx<'a>, k: u64) -> Value<'a> {
    let base = |raw| Value::Enum { raw, set: &OFFSET_BASE };
    let (base, at) = match k {
        0xffff_f000.. => (base(0xffff_f000), Value::Enum { raw: k - 0xffff_f000, set: &ANCILLARY }),
        0xfff0_0000.. => (base(0xfff0_0000), Value::UInt(k - 0xfff0_0000)),
        0xffe0_0000.. => (base(0xffe0_0000), Value::UInt(k - 0xffe0_0000)),
        _ => return Value::Hex(k),
    };
    cx.binary(base, Operator::Plus, at)
}
