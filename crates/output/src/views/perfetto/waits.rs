//! A call's waits (`--waits`): as arguments of its slice, and as slices on a track of their own.

use super::global;
use super::lane::Packet;
use crate::Brief;
use stride_event::{Call, CallWaits, Ns, WaitKind, parts_within};

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

/// The track with the waits of a thread.
#[derive(Clone, Copy)]
pub struct WaitTrack {
    pub track: u64,
    /// The end of the thread's latest call.
    pub until: Ns,
}

/// Shorter waits are left out.
const LEAST: Ns = 1_000;

impl WaitTrack {
    /// Writes the waits before and in a call that lasted until this time. Sums are known and not the moments, so they stand in the order that a single wait has:
    /// first asleep, then without a CPU.
    pub fn add(&mut self, call: &Call, waits: &CallWaits, until: Ns, out: &mut Vec<u8>) {
        let entered = call.began().max(self.until);
        let until = until.max(entered);
        let before = entered - waits.before.all().min(entered - self.until);
        for (from, to, waits) in [(before, entered, waits.before), (entered, until, waits.in_call)] {
            let (mut at, mut left) = (from, to - from);
            for (kind, time) in parts_within(&mut left, waits.parts()) {
                if time >= LEAST {
                    global::wait(out, self.track, kind.name(), at, at + time);
                }
                at += time;
            }
        }
        self.until = until;
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
