//! Notices that a program uses io_uring while its operations are not reported (`--io-uring`). A report that counts calls would otherwise
//! pass over them in silence.

use crate::{Counted, Event, Outcome};
use stride_syscalls::{Abi, Effect, table};

/// Notes if operations of io_uring are missing from the report.
#[derive(Clone, Copy, Debug, Default)]
pub struct RingUse {
    /// Operations are reported.
    reported: bool,
    used: bool,
}

impl RingUse {
    /// `reported`: operations are among the events.
    pub fn new(reported: bool) -> RingUse {
        RingUse { reported, used: false }
    }

    /// Takes in the next event.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Exit(call) if !self.is_settled() && matches!(call.outcome, Outcome::Value(_)) => {
                self.used = drives_ring(call.abi, call.nr);
            }
            Event::Library(call) => self.reported |= call.operation.is_some(),
            _ => {}
        }
    }

    /// Calls that the engine counted itself.
    pub fn counted(&mut self, counted: &Counted) {
        if let Some((abi, nr)) = counted.call.filter(|_| !self.is_settled() && counted.errno == 0) {
            self.used = counted.tally.calls > counted.tally.errors && drives_ring(abi, nr);
        }
    }

    fn is_settled(&self) -> bool {
        self.reported || self.used
    }

    /// True if the program uses io_uring, and its operations are not reported.
    pub fn is_unseen(&self) -> bool {
        self.used && !self.reported
    }
}

fn drives_ring(abi: Abi, nr: u64) -> bool {
    table(abi).get(nr).is_some_and(|entry| entry.row.has_effect(Effect::DrivesRing))
}
