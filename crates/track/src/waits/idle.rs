//! Idle threads: those whose calls make no progress.

use crate::Thread;
use crate::subject::shape::{Idle, Shape};
use stride_event::{Call, Ns, Outcome};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, Flow};

const EAGAIN: Outcome = Outcome::Error(c::EAGAIN as u32);
/// A call that waited so long was made to wait. A shorter one may be a check by a program that has other work.
const LONG: Ns = 100_000_000;
/// Between two such waits, a waiting program looks at most so many times without waiting.
const LOOKS: u8 = 8;

impl Thread {
    /// Handles a call that returned.
    pub(crate) fn step(&mut self, call: &Call, shape: &Shape) {
        let idle = is_idle(shape, call.outcome);
        let lasted = call.took().is_some_and(|took| took >= LONG);
        match shape.idle {
            // It read the clock, or slept.
            Idle::Always => {}
            _ if idle && watches_nothing(call) => {}
            _ if idle && lasted => self.timed_out = LOOKS,
            _ if idle => self.timed_out = self.timed_out.saturating_sub(1),
            // A progress meter goes on while nothing else does.
            Idle::No if self.timed_out > 0 && only_outputs(shape) => return,
            _ => self.timed_out = 0,
        }
        self.idle_since = idle.then(|| self.idle_since.unwrap_or(call.began()));
    }
}

/// True if a call made no progress for its thread.
fn is_idle(shape: &Shape, outcome: Outcome) -> bool {
    match shape.idle {
        Idle::No => outcome == EAGAIN,
        Idle::IfZero => outcome == Outcome::Value(0) || outcome.is_error(),
        Idle::Always => true,
    }
}

/// A poll(2) or select(2) without descriptors is a sleep.
fn watches_nothing(call: &Call) -> bool {
    call.arg("nfds") == Some(0)
}

/// True if a call only does output.
fn only_outputs(shape: &Shape) -> bool {
    let writes = shape.row.transfer().is_some_and(|transfer| transfer.flow == Flow::Out && !transfer.at_offset);
    writes || shape.row.has_effect(Effect::ControlsDevice)
}
