//! Names and paths with rules of their own: getcwd(2), memfd_create(2).

use crate::{Cx, Text, TextKind, Value, generic};
use stride_event::Phase;

/// The path that the call returned. The returned length includes the NUL.
pub fn decode<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    let Some(len) = cx.ret().and_then(|n| usize::try_from(n).ok()).filter(|_| addr != 0) else {
        return Value::Addr(addr);
    };
    let bytes = cx.prefix(Phase::Exit, addr, len);
    if bytes.len() < len {
        return Value::Addr(addr);
    }
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(len);
    Value::Text(Text { bytes: &bytes[..end], cut: false, kind: TextKind::Path })
}

/// The name of an anonymous file. The kernel prepends `memfd:`, and the result may be no longer than a file name.
pub fn memfd_name<'a>(cx: &Cx<'a>, addr: u64) -> Value<'a> {
    const NAME_MAX: usize = 255 - b"memfd:".len() + 1;
    if cx.options.text < NAME_MAX || addr == 0 {
        return generic::string(cx, addr, cx.options.text, TextKind::Str);
    }
    let bytes = cx.prefix(Phase::Entry, addr, NAME_MAX);
    match bytes.iter().position(|&b| b == 0) {
        Some(end) => Value::Text(Text { bytes: &bytes[..end], cut: false, kind: TextKind::Str }),
        None if bytes.len() == NAME_MAX => Value::Text(Text { bytes, cut: true, kind: TextKind::Str }),
        None => Value::Addr(addr),
    }
}
