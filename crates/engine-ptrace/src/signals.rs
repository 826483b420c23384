//! The effect of signals on Stride itself (`-I`), and the timer behind [`stride_event::Event::Idle`].

use crate::sys;
use nix::errno::Errno;
use std::time::Duration;
use stride_engine_base::Dispositions;
use stride_engine_base::signal::Timer;
use stride_engine_base::ticks;
use stride_event::{Ns, TraceSpec};

/// The time without events after which the caller gets `Event::Idle`.
const QUIET: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct SignalHandling {
    dispositions: Dispositions,
    timer: Timer,
    ticking: bool,
}

impl SignalHandling {
    pub fn install(spec: &TraceSpec) -> Result<SignalHandling, Errno> {
        let timer = Timer::new()?;
        Ok(SignalHandling { dispositions: Dispositions::install(spec), timer, ticking: false })
    }

    /// The fatal signal that arrived first.
    pub fn caught(&self) -> Option<i32> {
        self.dispositions.caught()
    }

    /// Called when an event is handed out: starts the timer if it does not run. It ticks ten times a second, also in
    /// busy times.
    pub fn active(&mut self) {
        if !self.ticking {
            self.ticking = true;
            self.timer.start(QUIET);
        }
    }

    /// True once after each event if no other event has followed for a while, and again and again if the caller awaits a
    /// moment.
    pub fn quiet(&mut self, last_event: Ns) -> bool {
        let quiet = self.ticking && u128::from(sys::now().saturating_sub(last_event)) >= QUIET.as_nanos() * 9 / 10;
        if quiet && !ticks::are_set() {
            self.ticking = false;
            self.timer.stop();
        }
        quiet
    }
}
