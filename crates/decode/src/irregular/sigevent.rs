//! `struct sigevent` (timer_create(2), mq_notify(2)): the kind of notification.

use crate::{Cx, Member, Tail, Value};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::{structs::time::SIGEVENT, uapi::consts as c};

pub fn inline<'a>(cx: &Cx<'a>, phase: Phase, addr: u64) -> Option<Value<'a>> {
    // The struct is larger than its used members, so the memory behind them may be missing.
    let raw = |name| cx.number(&SIGEVENT, name, phase, addr);
    let mut members = Vec::with_capacity_in(5, cx.arena);
    let value = raw("sigev_value")?;
    if value != 0 {
        let sigval = cx.members(&[("sival_int", Value::Int((value as i32).into())), ("sival_ptr", Value::Addr(value))]);
        members.push(Member { name: "sigev_value", value: sigval });
    }
    let notify = raw("sigev_notify")?;
    let signo = raw("sigev_signo")?;
    let sends = matches!(notify, c::SIGEV_SIGNAL | c::SIGEV_THREAD | c::SIGEV_THREAD_ID);
    members.push(Member {
        name: "sigev_signo",
        value: if sends { Value::Signal(signo as i32) } else { Value::UInt(signo) },
    });
    let wanted: &[&str] = match notify {
        c::SIGEV_THREAD => &["sigev_notify", "sigev_notify_function", "sigev_notify_attributes"],
        c::SIGEV_THREAD_ID => &["sigev_notify", "sigev_notify_thread_id"],
        _ => &["sigev_notify"],
    };
    for name in wanted {
        let field = SIGEVENT.field(name)?;
        members.push(Member { name: field.name, value: crate::generic::member(cx, &SIGEVENT, field, phase, addr)? });
    }
    Some(Value::Struct(members.into_bump_slice(), Tail::End))
}
