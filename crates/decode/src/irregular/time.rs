//! Interrupted sleeps, and times with a date.

use crate::{Cx, Siblings, Value, generic};
use stride_event::Outcome;
use stride_syscalls::Ty;
use stride_syscalls::sets::time::TIMEX_STATE;

/// The time left, which the kernel writes only when a signal interrupts a relative sleep.
pub fn remaining<'a>(cx: &Cx<'a>, shape: &Ty, addr: u64, siblings: Siblings) -> Value<'a> {
    // The kernel's codes for "restart this call": ERESTARTSYS to ERESTART_RESTARTBLOCK.
    let interrupted = matches!(cx.call.outcome, Outcome::Error(512..=514 | 516));
    let absolute = cx.row.args.iter().any(|a| a.name == "flags") && cx.arg("flags") as u32 != 0;
    if interrupted && !absolute { generic::held(cx, shape, addr, siblings) } else { Value::Addr(addr) }
}

/// Seconds since the epoch, with the date.
pub fn moment<'a>(cx: &Cx<'a>, raw: u64) -> Value<'a> {
    let sec = crate::cx::signed(raw, cx.abi().word());
    cx.dated(Value::Int(sec), sec, 0, 0)
}

/// The state of the clock, which adjtimex(2) returns.
pub fn state<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let raw = cx.ret()? as u64;
    TIMEX_STATE.name_of(raw)?;
    Some(Value::Enum { raw, set: &TIMEX_STATE })
}

/// The date that time(2) returns.
pub fn now<'a>(cx: &Cx<'a>) -> Option<Value<'a>> {
    let sec = cx.ret()?;
    (sec != 0).then_some(Value::Time { sec, part: 0, digits: 0 })
}
