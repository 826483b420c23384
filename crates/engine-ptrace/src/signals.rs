//! What signals do to Stride itself (`-I`), and the timer behind [`stride_event::Event::Idle`].
//!
//! | `-I` | HUP, INT, QUIT, PIPE, TERM | TSTP |
//! |---|---|---|
//! | 1 | as inherited: they kill Stride, and the kernel releases the tracees | as inherited |
//! | 2 | the tracees are detached, then Stride ends | as inherited |
//! | 3 | ignored | as inherited |
//! | 4 | ignored | ignored |
//!
//! TTOU and TTIN are always ignored, so that Stride can write to its terminal from the background. The command is forked before any of
//! this is set up and inherits none of it.

use crate::sys::{self, Timer};
use nix::errno::Errno;
use nix::sys::signal::Signal::{self, *};
use std::time::Duration;
use stride_event::Ns;

const FATAL: [Signal; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM];
/// How long nothing must happen before the caller is told.
const QUIET: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct Signals {
    saved: Vec<(Signal, nix::sys::signal::SigAction)>,
    timer: Timer,
    ticking: bool,
}

impl Signals {
    pub fn install(level: u8) -> Result<Signals, Errno> {
        let timer = Timer::new()?;
        let mut saved = Vec::new();
        sys::ignore(&[SIGTTOU, SIGTTIN], &mut saved);
        match level {
            1 => {}
            2 => sys::catch(&FATAL, &mut saved),
            _ => sys::ignore(&FATAL, &mut saved),
        }
        if level >= 4 {
            sys::ignore(&[SIGTSTP], &mut saved);
        }
        Ok(Signals { saved, timer, ticking: false })
    }

    /// The last fatal signal that arrived.
    pub fn caught(&self) -> Option<i32> {
        sys::caught()
    }

    /// An event is handed out: begin to look out for quiet, unless that is going on. The ticks go on through busy times, at ten a second.
    pub fn active(&mut self) {
        if !self.ticking {
            self.ticking = true;
            self.timer.start(QUIET);
        }
    }

    /// Whether it is quiet by now, told once.
    pub fn quiet(&mut self, last_event: Ns) -> bool {
        let quiet = self.ticking && u128::from(sys::now().saturating_sub(last_event)) >= QUIET.as_nanos() * 9 / 10;
        if quiet {
            self.ticking = false;
            self.timer.stop();
        }
        quiet
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        sys::restore_signals(&mut self.saved);
    }
}
