//! A call's waits as arguments of its slice (`--waits`).

use super::lane::Packet;
use crate::Brief;
use stride_event::{CallWaits, WaitKind};

pub fn add(begin: &mut Packet<'_>, waits: &CallWaits, brief: &mut Brief) {
    for (kind, time) in waits.in_call.parts() {
        begin.uint(key(kind), time);
    }
    let asleep = waits.before.asleep();
    for (key, time) in [("before_asleep_ns", asleep), ("before_runnable_ns", waits.before.all() - asleep)] {
        if time > 0 {
            begin.uint(key, time);
        }
    }
    if waits.sleeps > 1 {
        begin.uint("sleeps", waits.sleeps.into());
    }
    if let Some(waker) = waits.longest.as_ref().and_then(|longest| longest.waker.as_ref()) {
        begin.text("waker", &brief.waker(waker));
    }
    if let Some(taker) = &waits.taker {
        begin.text("cpu_taken_by", &brief.taker(taker));
    }
}

fn key(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Blocked => "blocked_ns",
        WaitKind::Disk => "disk_ns",
        WaitKind::Stopped => "stopped_ns",
        WaitKind::Runnable => "runnable_ns",
        WaitKind::Throttled => "throttled_ns",
    }
}
