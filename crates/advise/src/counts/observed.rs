//! A call as rules see it, and the pace of its thread.

use crate::counts::kinds::CallKind;
use crate::counts::tallies::CallKey;
use stride_event::{Call, Ns, Outcome, WaitKind};
use stride_syscalls::{Effect, For, Syscall, uapi::consts as c};
use stride_track::{Seen, Tracker};

/// A call that returned, as rules see it.
pub struct Observed<'a> {
    pub call: &'a Call,
    pub seen: &'a Seen,
    /// The row of the call, which has its effects.
    pub row: &'static Syscall,
    pub kind: CallKind,
    pub key: CallKey,
    pub tracker: &'a Tracker,
    /// The line of the call in the trace.
    pub line: u64,
}

impl Observed<'_> {
    /// The time that the call took. 0 if that is not known.
    pub fn time(&self) -> Ns {
        self.call.took().unwrap_or(0)
    }

    /// The call's time without that in which its thread could have run, but had no CPU. For a call that waits, that is how long it waited.
    pub fn time_waiting(&self) -> Ns {
        self.time().saturating_sub(self.time_without_cpu())
    }

    /// The time in which the thread worked in the call: it neither slept nor was without a CPU, as far as waits are measured.
    pub fn time_working(&self) -> Ns {
        self.time().saturating_sub(self.call.waits.as_ref().map_or(0, |waits| waits.in_call.all()))
    }

    /// The time in the call in which its thread could have run, but had no CPU, as far as waits are measured.
    fn time_without_cpu(&self) -> Ns {
        self.call.waits.as_ref().map_or(0, |waits| {
            waits.in_call.of(WaitKind::Runnable).saturating_add(waits.in_call.of(WaitKind::Throttled))
        })
    }

    /// True if the thread waited in the call for something other than a CPU. `None`: no waits were measured, or there were none.
    pub fn slept(&self) -> Option<bool> {
        self.call.waits.as_ref().map(|waits| waits.in_call.all() > self.time_without_cpu())
    }

    /// True if the call waits, and its time ran out: the timeout of the call, or that of its socket.
    pub fn time_ran_out(&self) -> bool {
        const ETIMEDOUT: u32 = c::ETIMEDOUT as u32;
        const EAGAIN: u32 = c::EAGAIN as u32;
        match self.row.waits().or(self.row.may_wait()) {
            Some(For::Readiness) => self.call.outcome == Outcome::Value(0),
            Some(_) => matches!(self.call.outcome, Outcome::Error(ETIMEDOUT | EAGAIN)),
            None => false,
        }
    }

    pub fn ok(&self) -> bool {
        matches!(self.call.outcome, Outcome::Value(_))
    }

    pub fn errno(&self) -> Option<u32> {
        match self.call.outcome {
            Outcome::Error(errno) => Some(errno),
            _ => None,
        }
    }

    pub fn has(&self, effect: Effect) -> bool {
        self.row.has_effect(effect)
    }

    /// The argument of this name, or 0 if the call shows none. An argument with `When::Never` is only in its register
    /// (`Syscall::held`).
    pub fn arg(&self, name: &str) -> u64 {
        self.call.arg(name).unwrap_or(0)
    }

    /// The upper half of the offset of a call that takes it in two registers. This argument is never shown, so `arg` does not have it.
    pub fn upper_half(&self) -> u64 {
        let at = self.row.args.iter().position(|arg| arg.name == "offset_high");
        at.map_or(0, |at| self.row.held(at, &self.call.args, self.call.abi))
    }

    /// True if the call asks a socket for its error (SO_ERROR): a connection has been made, or has failed.
    pub fn asks_for_error(&self) -> bool {
        (self.arg("level"), self.arg("optname") & 0xffff_ffff) == (c::SOL_SOCKET, c::SO_ERROR)
    }

    /// The flags of the call that opens a file.
    pub fn open_flags(&self) -> u64 {
        self.call.open_flags()
    }
}

/// The number of calls that a thread has made.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Pace {
    pub calls: u64,
    /// The number of these calls that may have waited for something outside: input, a child, a while.
    pub waits: u64,
    /// Those of these waits that were for its turn with a file (flock(2)). They bring no news by themselves.
    pub turns: u64,
    /// The time of the latest return.
    pub at: Ns,
}
