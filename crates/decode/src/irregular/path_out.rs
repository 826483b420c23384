//! Paths that the kernel writes: getcwd(2).

use crate::{Cx, Text, TextKind, Value};
use stride_event::Phase;

/// As many bytes as the call returned, the NUL among them.
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
