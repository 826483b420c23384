//! Families of generic netlink. The kernel numbers them when they are registered: genetlink(7), linux/genetlink.h.

use super::Span;
use crate::cx::le;
use crate::{Cx, Designation, Value};
use stride_syscalls::netlink::GENERIC_FAMILY;
use stride_syscalls::uapi::consts as c;

/// The most bytes of a family's name, with its NUL.
const GENL_NAMSIZ: usize = 16;
/// `struct genlmsghdr`.
const GENERIC_HEADER: usize = 4;
/// `struct nlattr`.
const ATTRIBUTE: usize = 4;

/// The type of a message: its family.
pub(super) fn kind<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    match cx.resolver.generic_family(raw as u16).filter(|name| !name.is_empty()) {
        Some(name) => {
            let name = cx.bytes(&name[..name.len().min(GENL_NAMSIZ)]);
            cx.known(Value::Hex(raw), Value::Designation(Designation::Family(name)))
        }
        None => cx.comment(Value::Hex(raw), Value::Unnamed(&GENERIC_FAMILY)),
    }
}

/// Takes note of the family that a message of the kernel's own family tells of. The messages that follow may be of that
/// family, and a recording may not have its name.
pub(super) fn meet(span: &Span<'_, '_>) {
    if span.uint(0, 1) != Some(c::CTRL_CMD_NEWFAMILY) {
        return;
    }
    let (mut id, mut name) = (None, None);
    let mut rest = span.from(GENERIC_HEADER);
    while rest.len >= ATTRIBUTE
        && let Some(head) = rest.read(0, ATTRIBUTE)
    {
        let (len, kind) = (le(head, 0, 2) as usize, le(head, 2, 2));
        if !(ATTRIBUTE..=rest.len).contains(&len) {
            break;
        }
        let value = rest.first(len).from(ATTRIBUTE);
        match kind {
            c::CTRL_ATTR_FAMILY_ID if value.len >= 2 => id = value.uint(0, 2),
            c::CTRL_ATTR_FAMILY_NAME => name = value.read(0, value.len.min(GENL_NAMSIZ)),
            _ => {}
        }
        rest = rest.from(len.next_multiple_of(4));
    }
    if let (Some(id), Some(name)) = (id, name) {
        let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
        span.cx.resolver.met_generic_family(id as u16, &name[..end]);
    }
}
