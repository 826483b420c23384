//! Threads that are held at their stops, and those that go on only after a time (`delay_enter=`, `delay_exit=`). Other threads are served meanwhile.
//!
//! If Stride ends for whatever reason, the kernel lets them go on at once.

use crate::sys;
use crate::threads::Slot;
use crate::tracee::Until;
use nix::errno::Errno;
use std::time::Duration;
use stride_engine_base::signal::Timer;
use stride_event::{Injection, Ns};

/// A stopped thread, to be resumed when its events have been taken.
#[derive(Debug)]
pub struct HeldThread {
    pub slot: Slot,
    pub until: Until,
    pub signal: i32,
    /// The thread waits so long before it goes on.
    pub delay: Option<Ns>,
}

/// The time between ticks after the first one.
const AGAIN: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub struct Delays {
    /// Interrupts the wait for stops. There is one if a rule delays calls.
    timer: Option<Timer>,
    waiting: Vec<(Ns, HeldThread)>,
}

impl Delays {
    /// To be called before the timer is made that fatal signals start.
    pub fn new(rules: &[Injection]) -> Result<Delays, Errno> {
        let delays = rules.iter().any(|rule| rule.delay_enter.is_some() || rule.delay_exit.is_some());
        Ok(Delays { timer: delays.then(Timer::new).transpose()?, waiting: Vec::new() })
    }

    pub fn add(&mut self, thread: HeldThread, delay: Ns) {
        self.waiting.push((sys::now().saturating_add(delay), thread));
        self.rearm();
    }

    /// The thread has been killed, or its slot was given to another one.
    pub fn forget(&mut self, slot: Slot) {
        self.waiting.retain(|(_, thread)| thread.slot != slot);
    }

    /// A thread whose time is over.
    pub fn due(&mut self) -> Option<HeldThread> {
        if self.waiting.is_empty() {
            return None;
        }
        let now = sys::now();
        let due = self.waiting.iter().position(|(at, _)| *at <= now)?;
        let (_, thread) = self.waiting.swap_remove(due);
        self.rearm();
        Some(thread)
    }

    /// All threads, because tracing ends.
    pub fn take(&mut self) -> Vec<HeldThread> {
        std::mem::take(&mut self.waiting).into_iter().map(|(_, thread)| thread).collect()
    }

    /// The timer ticks when the next thread is due. If that tick is lost to a race, others follow.
    fn rearm(&self) {
        let Some(timer) = &self.timer else { return };
        match self.waiting.iter().map(|(at, _)| *at).min() {
            // A time of 0 would stop the timer.
            Some(at) => timer.start_after(Duration::from_nanos(at.saturating_sub(sys::now()).max(1)), AGAIN),
            None => timer.stop(),
        }
    }
}
