//! Values and name lists of extended attributes (xattr(7)).

use crate::{Cx, Siblings, TextKind, Value, generic};
use stride_event::Phase;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Dir, Len, Ty};

/// The size of the program's buffer: the sibling `size`, which is an argument or a member.
fn size(cx: &Cx<'_>, siblings: Siblings) -> Option<u64> {
    cx.len(Len::Of("size"), Phase::Entry, siblings)
}

/// An attribute's value. Many values are strings.
pub fn value<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    let &Ty::Bytes(dir, len) = shape else { return Value::Addr(addr) };
    let size = size(cx, siblings).unwrap_or(0);
    // Without a buffer, the program asked only for the value's length.
    // The kernel refuses to set values of more than `XATTR_SIZE_MAX` bytes. A larger buffer for a value is allowed.
    let refused = if dir == Dir::In { size > c::XATTR_SIZE_MAX } else { cx.failed() || size == 0 };
    if addr == 0 || refused {
        return Value::Addr(addr);
    }
    let phase = Phase::of(dir);
    let Some(len) = cx.len(len, phase, siblings) else { return Value::Addr(addr) };
    generic::bytes(cx, phase, addr, len, TextKind::Terminated)
}

/// Names, each with its NUL.
pub fn list<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    match cx.ret() {
        Some(len) if addr != 0 && size(cx, Siblings::Args) != Some(0) => {
            generic::bytes(cx, Phase::Exit, addr, len.max(0) as u64, TextKind::Bytes)
        }
        _ => Value::Addr(addr),
    }
}
