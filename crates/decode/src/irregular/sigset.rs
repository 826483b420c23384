//! Signal sets.

use crate::{Cx, Scope, Value};
use stride_event::Phase;
use stride_syscalls::{Dir, Len};

pub fn decode<'a>(cx: &Cx<'a>, addr: u64, dir: Dir, len: Len, scope: Scope) -> Value<'a> {
    let phase = Phase::of(dir);
    if addr == 0 || (dir != Dir::In && cx.failed()) {
        return Value::Addr(addr);
    }
    match cx.len(len, phase, scope).and_then(|n| cx.read(phase, addr, n.min(128) as usize)) {
        Some(mask) => Value::SigSet(mask),
        None => Value::Addr(addr),
    }
}
