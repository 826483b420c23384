//! bpf(2)'s `union bpf_attr` (linux/bpf.h). Programs pass the part that they know. The kernel assumes zeros for the
//! rest.

use crate::cx::{cut, le};
use crate::{Cx, Member, Siblings, Tail, Text, TextKind, Value, generic};
use bumpalo::collections::Vec;
use stride_event::{FileKind, Phase};
use stride_syscalls::sets::bpf::{INSN_ALU, INSN_CLASS_EXTENDED, INSN_JUMP, INSN_MODE, INSN_SIZE, INSN_SOURCE};
use stride_syscalls::structs::bpf::{BTF_INFO, INFO, LINK_INFO, MAP_INFO, PROG_INFO};
use stride_syscalls::{Field, Irregular, Struct, Ty, plan, uapi::consts as c};

/// Members that were added along with another one.
const WITH: &[(&str, &str)] =
    &[("core_relo_cnt", "core_relos"), ("core_relo_rec_size", "core_relos"), ("ctx_out", "ctx_in")];

/// The union as a command uses it. Members in the first `base` bytes are always shown, others only within the program's
/// size. `within` names the struct that contains them.
pub fn attr<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, within: &'static str, base: u16) -> Value<'a> {
    let Ty::Extensible(_, s, ..) = *shape else { return Value::Addr(addr) };
    let size = cx.arg("size") as u32 as u64;
    if addr == 0 || !cx.verbose || size == 0 || size > u64::from(plan::MAX_GROWN) {
        return Value::Addr(addr);
    }
    let reach = s.fields.iter().map(|f| end(cx, f)).max().unwrap_or(0);
    let Some(bytes) = cx.read(Phase::Entry, addr, size.min(reach) as usize) else { return Value::Addr(addr) };
    let mut members = Vec::with_capacity_in(s.fields.len() + 1, cx.arena);
    // The first bytes are the command's, also where a member is not shown because of another one.
    let mut known = u64::from(base);
    for field in s.fields {
        if !field.when.holds(&|name: &str| number(cx, s, bytes, name)) {
            continue;
        }
        known = known.max(end(cx, field));
        let name = field.name.split_once('#').map_or(field.name, |(_, word)| word);
        if let Ty::Struct(inner) = field.ty {
            if size > u64::from(base) {
                members.push(Member { name, value: part(cx, inner, bytes, addr, size) });
            }
            continue;
        }
        let first = WITH.iter().find(|(of, _)| *of == name).and_then(|(_, with)| s.field(with)).unwrap_or(field);
        let at = u64::from(first.place(cx.abi()).offset);
        if at >= size && at >= u64::from(base) {
            continue;
        }
        match member(cx, s, field, bytes, addr) {
            Value::Absent => {}
            value => members.push(Member { name, value }),
        }
    }
    if !within.is_empty() {
        let value = Value::Struct(members.into_bump_slice(), Tail::End);
        members = Vec::from_iter_in([Member { name: within, value }], cx.arena);
    }
    let mut tail = Tail::End;
    if size > known {
        // Bytes behind the known members. Zeros have no meaning.
        let Some(extra) = cx.read(Phase::Entry, addr.wrapping_add(known), (size - known) as usize) else {
            return Value::Addr(addr);
        };
        let silent = extra.iter().all(|&b| b == 0);
        if !silent && cx.abbrev {
            tail = Tail::More;
        } else if !silent {
            let value = Value::Text(Text { bytes: extra, cut: false, kind: TextKind::HexBytes });
            let place = Value::Place { unit: "bytes", from: known, to: size - 1, content: None };
            members.push(Member { name: "extra_data", value: cx.comment(value, place) });
        }
    }
    Value::Struct(members.into_bump_slice(), tail)
}

/// The end of a member, or of the last member of a struct within.
fn end(cx: &Cx<'_>, field: &Field) -> u64 {
    match field.ty {
        Ty::Struct(inner) => inner.fields.iter().map(|f| end(cx, f)).max().unwrap_or(0),
        _ => field.place(cx.abi()).end() as u64,
    }
}

/// A struct within the union, whose members are placed as the union's are. A program that knows the struct may not know
/// its last member, a descriptor.
fn part<'a>(cx: &Cx<'a>, s: &'static Struct, bytes: &'a [u8], addr: u64, size: u64) -> Value<'a> {
    let mut members = Vec::with_capacity_in(s.fields.len(), cx.arena);
    for field in s.fields {
        let unknown = field.name == "path_fd" && u64::from(field.place(cx.abi()).offset) >= size;
        if !unknown && field.when.holds(&|name: &str| number(cx, s, bytes, name)) {
            members.push(Member { name: field.name, value: member(cx, s, field, bytes, addr) });
        }
    }
    Value::Struct(members.into_bump_slice(), Tail::End)
}

fn number(cx: &Cx<'_>, s: &Struct, bytes: &[u8], name: &str) -> u64 {
    s.field(name).map_or(0, |f| {
        let place = f.place(cx.abi());
        le(bytes, place.offset.into(), place.size.into())
    })
}

/// A member whose end may lie beyond the program's size.
fn member<'a>(cx: &Cx<'a>, s: &'static Struct, field: &Field, bytes: &'a [u8], addr: u64) -> Value<'a> {
    let place = field.place(cx.abi());
    let from = usize::from(place.offset);
    if let Ty::CStr = field.ty {
        let name = bytes.get(from..).unwrap_or(&[]);
        // The kernel requires the NUL within the member.
        let name = &name[..name.len().min(usize::from(place.count))];
        let room = name.len().saturating_sub(1);
        return match name.iter().position(|&b| b == 0) {
            Some(end) => Value::Text(Text { bytes: &name[..end], cut: false, kind: TextKind::Str }),
            None => Value::Text(Text { bytes: &name[..room], cut: !name.is_empty(), kind: TextKind::Str }),
        };
    }
    // An array without elements is empty, wherever it is and whether or not the call failed.
    if let Ty::Custom(Irregular::Filled(count, _), _) = field.ty
        && number(cx, s, bytes, count) == 0
        && le(bytes, from, place.size.into()) != 0
    {
        return Value::Array(&[], Tail::End);
    }
    if let Ty::Reply(inner) = field.ty
        && let Some(raw) = cx.uint(Phase::Exit, addr.wrapping_add(from as u64), place.size.into())
    {
        return generic::held(cx, inner, raw, Siblings::Args);
    }
    // The rest of a pointer of which the program passes a part is unknown.
    if place.end() > bytes.len() && field.ty.is_pointer() {
        return Value::Addr(le(bytes, from, place.size.into()));
    }
    if place.end() <= bytes.len()
        && !matches!(field.ty, Ty::Reply(_))
        && let Some(value) = generic::member(cx, s, field, Phase::Entry, addr)
    {
        return value;
    }
    let width = field.ty.size(cx.abi()).min(usize::from(place.size)).max(1);
    let raw = cut(le(bytes, from, place.size.into()), if field.ty.is_pointer() { place.size.into() } else { width });
    generic::held(cx, &field.ty, raw, Siblings::Args)
}

/// The operation of an eBPF instruction.
pub fn code<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let field = |mask: u64, set| Value::Enum { raw: raw & mask, set };
    let class = field(7, &INSN_CLASS_EXTENDED);
    match raw & 7 {
        c::BPF_LD | c::BPF_LDX | c::BPF_ST | c::BPF_STX => {
            Value::Or(cx.values(&[class, field(0x18, &INSN_SIZE), field(0xe0, &INSN_MODE)]))
        }
        c::BPF_ALU | c::BPF_ALU64 => Value::Or(cx.values(&[class, field(8, &INSN_SOURCE), field(0xf0, &INSN_ALU)])),
        _ => Value::Or(cx.values(&[class, field(8, &INSN_SOURCE), field(0xf0, &INSN_JUMP)])),
    }
}

/// The verifier's log, as far as the buffer held it.
pub fn log<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    match generic::held(cx, shape, addr, siblings) {
        Value::Text(text) => {
            let end = text.bytes.iter().position(|&b| b == 0);
            let bytes = &text.bytes[..end.unwrap_or(text.bytes.len())];
            let cut = end.is_none() && !bytes.is_empty();
            Value::Text(Text { bytes, cut, kind: TextKind::Str })
        }
        value => value,
    }
}

/// A kernel version as `KERNEL_VERSION(6, 1, 0)`.
pub fn kernel_version<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let parts = [Value::UInt(raw >> 16), Value::UInt(raw >> 8 & 0xff), Value::UInt(raw & 0xff)];
    cx.macro_call(Value::Hex(raw), "KERNEL_VERSION", &parts)
}

/// The map that an iterator goes over.
pub fn iterated_map<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let map = [Member { name: "map_fd", value: generic::held(cx, &Ty::Fd, raw, Siblings::Args) }];
    let map = Value::Struct(cx.arena.alloc_slice_copy(&map), Tail::End);
    Value::Struct(cx.arena.alloc_slice_copy(&[Member { name: "map", value: map }]), Tail::End)
}

/// The kernel's facts about an object: with `-v`, a struct of the object's kind.
pub fn info<'a>(cx: &Cx<'a>, addr: u64, siblings: Siblings) -> Value<'a> {
    let Siblings::Struct(_, base, _) = siblings else { return Value::Addr(addr) };
    if addr == 0 || cx.abbrev || !cx.verbose {
        return Value::Addr(addr);
    }
    // After a failure the program's own bytes are shown.
    let phase = if cx.failed() { Phase::Entry } else { Phase::Exit };
    let member = |name| cx.number(&INFO, name, phase, base);
    let shown = || {
        let fd = member("bpf_fd")? as i32;
        let asked = || FileKind::of_path(&cx.resolver.path(cx.call.tid, fd, cx.call.given(fd))?);
        let answer: &'static Struct = match cx.call.file_kind.or_else(asked)? {
            FileKind::BpfMap => &MAP_INFO,
            FileKind::BpfProgram => &PROG_INFO,
            FileKind::BpfTypes => &BTF_INFO,
            FileKind::BpfLink => &LINK_INFO,
            FileKind::Other | FileKind::Terminal | FileKind::Netlink(_) => return None,
        };
        generic::extensible(cx, answer, phase, addr, member("info_len")?)
    };
    shown().unwrap_or(Value::Addr(addr))
}

/// An array that the kernel filled in, as far as there was room.
pub fn filled<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, count: &str, shift: u8, siblings: Siblings) -> Value<'a> {
    let (&Ty::Array(dir, item, _), Siblings::Struct(s, base, _)) = (shape, siblings) else { return Value::Addr(addr) };
    let at = |phase| cx.number(s, count, phase, base);
    match (generic::follow(cx, addr, dir), at(Phase::Entry), at(Phase::Exit)) {
        (Err(value), ..) => value,
        (Ok(phase), Some(room), Some(there)) => {
            generic::elements(cx, phase, addr, item, room.min(there) >> shift, false)
        }
        _ => Value::Addr(addr),
    }
}

/// A NUMA node, or none.
pub fn numa_node<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let node = Value::UInt(raw);
    if raw == u64::from(u32::MAX) { cx.comment(node, Value::Word("NUMA_NO_NODE")) } else { node }
}
