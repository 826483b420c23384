//! `struct file_handle`: name_to_handle_at(2), open_by_handle_at(2).

use crate::cx::{le, signed};
use crate::{Cx, Member, Tail, Text, TextKind, Value};
use bumpalo::collections::Vec;
use stride_event::{Outcome, Phase};
use stride_syscalls::{Dir, Ty};

/// MAX_HANDLE_SZ of the kernel's linux/exportfs.h.
const MAX: usize = 128;
const HEAD: usize = 8;

/// The handle of open_by_handle_at(2) or name_to_handle_at(2). The latter takes the room in `handle_bytes` and returns
/// the size that it needs there.
pub fn decode<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64) -> Value<'a> {
    let made = matches!(shape, Ty::Buffer(dir, ..) if *dir != Dir::In);
    let Some(room) = cx.uint(Phase::Entry, addr, 4).filter(|_| addr != 0 && cx.verbose) else {
        return Value::Addr(addr);
    };
    let mut members = Vec::new_in(cx.arena);
    let mut bytes = Value::UInt(room);
    let phase = if made { Phase::Exit } else { Phase::Entry };
    let filled = !made || !cx.failed();
    // If the room is too small, the kernel returns the size that it needs.
    if filled || cx.call.outcome == Outcome::Error(EOVERFLOW) {
        let Some(size) = cx.uint(phase, addr, 4) else { return Value::Addr(addr) };
        if size != room {
            bytes = Value::Change(cx.keep(bytes), cx.keep(Value::UInt(size)));
        }
    }
    if !filled {
        members.push(Member { name: "handle_bytes", value: bytes });
        return Value::Struct(members.into_bump_slice(), Tail::End);
    }
    let handle = cx.prefix(phase, addr, HEAD + MAX);
    if handle.len() < HEAD {
        return Value::Addr(addr);
    }
    members.push(Member { name: "handle_bytes", value: bytes });
    members.push(Member { name: "handle_type", value: Value::Int(signed(le(handle, 4, 4), 4)) });
    let size = le(handle, 0, 4) as usize;
    let shown = size.min(MAX);
    let value = match handle[HEAD..].get(..shown) {
        Some(data) => Value::Text(Text { bytes: data, cut: size > shown, kind: TextKind::HexBytes }),
        None => Value::Unknown,
    };
    members.push(Member { name: "f_handle", value });
    Value::Struct(members.into_bump_slice(), Tail::End)
}

const EOVERFLOW: u32 = 75;
