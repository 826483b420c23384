//! prctl(2): words of several fields, and the notes on words that options return.

use crate::{Cx, Operator, Prefix, Text, TextKind, Value};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::sets::prctl::*;
use stride_syscalls::{Set, Ty, uapi::consts as c};

/// The note on a returned word.
pub fn note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let raw = cx.abi().cut(cx.ret()? as u64);
    let value = match cx.arg("op") as u32 as u64 {
        c::PR_SVE_SET_VL | c::PR_SVE_GET_VL => vector_length_parts(cx, raw, &SVE)?,
        c::PR_SME_SET_VL | c::PR_SME_GET_VL => vector_length_parts(cx, raw, &SME)?,
        c::PR_GET_TAGGED_ADDR_CTRL => tagged_addr_parts(cx, raw),
        c::PR_RISCV_V_GET_CONTROL => riscv_vector_parts(cx, raw),
        _ => return None,
    };
    Some(Value::Gloss(cx.keep(value)))
}

fn either<'a>(cx: &Cx<'a>, raw: u64, name: Value<'a>) -> Value<'a> {
    Value::Known(cx.keep(Value::Hex(raw)), cx.keep(name))
}

/// A vector length in bytes, with flags above it.
pub fn vector_length<'a>(cx: &Cx<'a>, raw: u64, set: &'static Set) -> Value<'a> {
    match vector_length_parts(cx, raw, set) {
        Some(parts) => either(cx, raw, parts),
        None => Value::Hex(raw),
    }
}

fn vector_length_parts<'a>(cx: &Cx<'a>, raw: u64, set: &'static Set) -> Option<Value<'a>> {
    let flags = raw & !c::PR_SVE_VL_LEN_MASK;
    let length = Value::Hex(raw & c::PR_SVE_VL_LEN_MASK);
    (flags != 0).then(|| Value::Or(cx.values(&[Value::Flags { raw: flags, set }, length])))
}

pub fn tagged_addr<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    either(cx, raw, tagged_addr_parts(cx, raw))
}

fn tagged_addr_parts<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let mut parts = Vec::new_in(cx.arena);
    let enabled = raw & c::PR_TAGGED_ADDR_ENABLE != 0;
    parts.push(flag(cx, "PR_TAGGED_ADDR_ENABLE", enabled));
    parts.push(Value::Enum { raw: raw & c::PR_MTE_TCF_MASK, set: &MTE_TCF });
    let tags = (raw & c::PR_MTE_TAG_MASK) >> c::PR_MTE_TAG_SHIFT;
    if tags != 0 {
        parts.push(cx.binary(Value::Hex(tags), Operator::ShiftLeft, Value::Word("PR_MTE_TAG_SHIFT")));
    }
    let rest = raw & !(c::PR_TAGGED_ADDR_ENABLE | c::PR_MTE_TCF_MASK | c::PR_MTE_TAG_MASK);
    if rest != 0 {
        parts.push(Value::Hex(rest));
    }
    Value::Or(parts.into_bump_slice())
}

/// A flag that is named also if it is not set.
fn flag<'a>(cx: &Cx<'a>, name: &'static str, set: bool) -> Value<'a> {
    let name = Value::Word(name);
    if set { name } else { cx.unary(Prefix::Not, name) }
}

pub fn riscv_vector<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    either(cx, raw, riscv_vector_parts(cx, raw))
}

/// The right of this thread to use vectors, and (shifted) that of the programs that it executes.
fn riscv_vector_parts<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let state = |bits| Value::Enum { raw: bits & 3, set: &RISCV_VECTOR };
    let inherited = raw & c::PR_RISCV_V_VSTATE_CTRL_INHERIT != 0;
    let mut parts = Vec::new_in(cx.arena);
    parts.push(state(raw));
    parts.push(cx.shifted(state(raw >> 2), 2));
    parts.push(flag(cx, "PR_RISCV_V_VSTATE_CTRL_INHERIT", inherited));
    let rest = raw & !c::PR_RISCV_V_VSTATE_CTRL_MASK;
    if rest != 0 {
        parts.push(Value::Hex(rest));
    }
    Value::Or(parts.into_bump_slice())
}

/// `PR_SET_PTRACER`'s pid, which may stand for any process.
pub fn ptracer_pid<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    match raw as u32 as i32 {
        -1 => Value::Known(cx.keep(Value::Int(-1)), cx.keep(Value::Word("PR_SET_PTRACER_ANY"))),
        pid => {
            crate::generic::held(cx, &Ty::Pid(stride_syscalls::PidKind::Tgid), pid as u32 as u64, crate::Siblings::Args)
        }
    }
}

/// A string in a buffer of a fixed size. The kernel reads or writes at most `max` bytes of it.
pub fn c_string<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, max: u8) -> Value<'a> {
    let phase = if shape.needs_exit() { Phase::Exit } else { Phase::Entry };
    if addr == 0 || (phase == Phase::Exit && cx.failed()) {
        return Value::Addr(addr);
    }
    let max = usize::from(max);
    let bytes = cx.prefix(phase, addr, max);
    let text = |bytes: &'a [u8], cut| {
        let shown = bytes.len().min(cx.options.text);
        Value::Text(Text { bytes: &bytes[..shown], cut: cut || shown < bytes.len(), kind: TextKind::Str })
    };
    match bytes.iter().position(|&b| b == 0) {
        Some(end) => text(&bytes[..end], false),
        // More bytes are there than are shown.
        None if bytes.len() >= max || bytes.len() > cx.options.text => text(bytes, true),
        None => Value::Addr(addr),
    }
}
