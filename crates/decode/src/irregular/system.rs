//! The machine: personality(2), kexec_load(2), restart_syscall(2), x86 segments.

use crate::{Cx, Member, Siblings, Tail, Text, TextKind, Value, generic};
use stride_event::Phase;
use stride_syscalls::sets::system::{KEXEC, KEXEC_ARCH, MEMBARRIER, PERSONA, PERSONA_FLAGS};
use stride_syscalls::{Ty, uapi::consts as c};

/// A word with an enumeration in its masked part and flags in the rest.
fn led<'a>(cx: &Cx<'a>, lead: Value<'a>, flags: Value<'a>) -> Value<'a> {
    match flags {
        Value::Flags { raw: 0, .. } => lead,
        _ => Value::Or(cx.values(&[lead, flags])),
    }
}

/// An execution domain with flags. All bits set asks for the current one.
pub fn persona<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    if raw as u32 == u32::MAX {
        return Value::Hex(raw);
    }
    let low = raw & c::PER_MASK;
    // A constant stands for the value only if all its flags are set: 1 alone is not PER_SVR4.
    let whole = PERSONA.items.iter().find(|item| item.value & c::PER_MASK == low && raw & item.value == item.value);
    let domain = match whole {
        Some(item) => Value::Name { raw: low, name: item.name },
        None => Value::Enum { raw: low, set: &PERSONA },
    };
    led(cx, domain, Value::Flags { raw: raw & !c::PER_MASK, set: &PERSONA_FLAGS })
}

pub fn kexec_flags<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let arch = Value::Enum { raw: raw & c::KEXEC_ARCH_MASK, set: &KEXEC_ARCH };
    led(cx, arch, Value::Flags { raw: raw & !c::KEXEC_ARCH_MASK, set: &KEXEC })
}

/// An array or buffer. If its length is outside the kernel's limits, only its address is shown.
pub fn between<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, min: u32, max: u32, siblings: Siblings) -> Value<'a> {
    let len = match shape {
        Ty::Array(dir, _, len) | Ty::Bytes(dir, len) => cx.len(*len, Phase::of(*dir), siblings),
        _ => None,
    };
    match len {
        Some(len) if (u64::from(min)..=u64::from(max)).contains(&len) => generic::held(cx, shape, raw, siblings),
        _ => Value::Addr(raw),
    }
}

/// A value of an enumeration whose numbers are well known.
pub fn numbered<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64) -> Value<'a> {
    let name = match *shape {
        Ty::Enum(set) => set.name_of(raw).map_or(Value::Unnamed(set), Value::Word),
        _ => Value::Unknown,
    };
    cx.comment(Value::Int(i64::from(raw as u32 as i32)), name)
}

/// Random bytes, in hexadecimal.
pub fn hex_bytes(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Text(text) => Value::Text(Text { kind: TextKind::HexBytes, ..text }),
        value => value,
    }
}

/// The one descriptor of modify_ldt(2), or none.
pub fn ldt_entry<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64, siblings: Siblings) -> Value<'a> {
    let whole = match shape {
        Ty::Ptr(_, inner) => inner.size(cx.abi()) as u64,
        _ => 0,
    };
    if cx.arg("bytecount") == whole { generic::held(cx, shape, raw, siblings) } else { Value::Addr(raw) }
}

/// The descriptor as the program filled it in.
pub fn thread_area<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64) -> Value<'a> {
    let value = match shape {
        Ty::Ptr(_, Ty::Struct(s)) if raw != 0 && cx.verbose => cx.strukt(s, Phase::Entry, raw),
        _ => None,
    };
    value.unwrap_or(Value::Addr(raw))
}

/// The descriptor that the kernel returned, or else the number that the program asked for.
pub fn thread_area_out<'a>(cx: &Cx<'a>, shape: &Ty, raw: u64) -> Value<'a> {
    let Ty::Ptr(_, Ty::Struct(s)) = shape else { return Value::Addr(raw) };
    if raw == 0 || !cx.verbose {
        return Value::Addr(raw);
    }
    if !cx.failed() {
        return cx.strukt(s, Phase::Exit, raw).unwrap_or(Value::Addr(raw));
    }
    match (s.fields.first(), cx.uint(Phase::Entry, raw, 4)) {
        (Some(field), Some(number)) => {
            let value = generic::held(cx, &field.ty, number, Siblings::Args);
            let members = cx.arena.alloc_slice_copy(&[Member { name: field.name, value }]);
            Value::Struct(members, Tail::More)
        }
        _ => Value::Addr(raw),
    }
}

/// The entry that the kernel chose.
pub fn thread_area_note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    cx.ret()?;
    let number = cx.uint(Phase::Exit, cx.arg("u_info"), 4)?;
    Some(Value::Named("entry_number", cx.keep(Value::UInt(number))))
}

/// The commands that the kernel knows.
pub fn membarrier_note<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    if cx.arg("cmd") as u32 as u64 != c::MEMBARRIER_CMD_QUERY {
        return None;
    }
    let raw = cx.ret()? as u64;
    (raw != 0).then(|| Value::Styled(cx.keep(Value::Flags { raw, set: &MEMBARRIER })))
}
