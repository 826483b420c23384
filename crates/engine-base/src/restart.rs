//! Calls that restart_syscall(2) goes on with.
//!
//! A signal without a handler (SIGSTOP and SIGCONT, or ptrace) interrupts a call that waits for a span of time. The call then returns
//! `ERESTART_RESTARTBLOCK`, which the program never sees: the kernel makes it call restart_syscall(2).

use stride_event::Outcome;
use stride_syscalls::{Abi, Effect, table};

/// Returned by a call that restart_syscall(2) will go on with.
pub const ERESTART_RESTARTBLOCK: u32 = 516;

pub fn is_restart(abi: Abi, nr: u64) -> bool {
    table(abi).has_effect(nr, Effect::Restarts)
}

/// The number of a thread's call that its next restart_syscall(2) will go on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Interrupted(Option<u64>);

impl Interrupted {
    /// For a thread that Stride found after this call was interrupted and before restart_syscall(2).
    pub fn in_call(nr: u64) -> Interrupted {
        Interrupted(Some(nr))
    }

    /// The call that this one goes on with, if this one is a restart_syscall(2) and that call is known.
    pub fn resumed_by(self, abi: Abi, nr: u64) -> Option<u64> {
        self.0.filter(|_| is_restart(abi, nr))
    }

    /// The thread returned from a call.
    pub fn returned(&mut self, abi: Abi, nr: u64, outcome: Outcome) {
        let resumable = outcome == Outcome::Error(ERESTART_RESTARTBLOCK);
        // If this call itself goes on with another and is interrupted, the other one is resumed next.
        if !(resumable && is_restart(abi, nr)) {
            self.0 = resumable.then_some(nr);
        }
    }

    pub fn is_none(self) -> bool {
        self.0.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nr(abi: Abi, name: &str) -> u64 {
        table(abi).by_name(name).next().expect("a known call").nr.into()
    }

    #[test]
    fn a_call_is_resumed_until_it_is_over() {
        for abi in Abi::ALL {
            let (sleep, restart, read) = (nr(abi, "nanosleep"), nr(abi, "restart_syscall"), nr(abi, "read"));
            let again = Outcome::Error(ERESTART_RESTARTBLOCK);
            let mut interrupted = Interrupted::default();
            assert_eq!(interrupted.resumed_by(abi, restart), None);
            interrupted.returned(abi, sleep, again);
            assert_eq!(interrupted.resumed_by(abi, restart), Some(sleep));
            assert_eq!(interrupted.resumed_by(abi, read), None);
            // Interrupted twice.
            interrupted.returned(abi, restart, again);
            assert_eq!(interrupted.resumed_by(abi, restart), Some(sleep));
            interrupted.returned(abi, restart, Outcome::Value(0));
            assert!(interrupted.is_none());
        }
    }
}
