//! `struct open_how` of openat2(2).

use crate::{Cx, Siblings, Value};
use stride_event::Phase;
use stride_syscalls::Len;

/// `mode`. It is shown if the call may create a file, or if the program sets it nevertheless.
pub fn mode<'a>(cx: &Cx<'a>, phase: Phase, addr: u64, siblings: Siblings) -> Option<Value<'a>> {
    const CREATES: u64 = 0o100 | 0o20000000;
    let raw = cx.uint(phase, addr, 8)?;
    let creates = cx.len(Len::Of("flags"), phase, siblings).is_some_and(|flags| flags & CREATES != 0);
    Some(if raw != 0 || creates { Value::Octal(raw) } else { Value::Absent })
}
