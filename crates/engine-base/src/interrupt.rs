//! What signals do to Stride itself (`-I`).
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

use crate::{process, signal};
use nix::sys::signal::Signal::{self, *};
use stride_event::{Tid, TraceSpec};

const FATAL: [Signal; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM];

/// Put back when dropped.
#[derive(Debug)]
pub struct Dispositions {
    saved: signal::Saved,
}

impl Dispositions {
    pub fn install(spec: &TraceSpec) -> Dispositions {
        let level = match spec.interruptible {
            0 if spec.daemonize > 0 => 4,
            0 => 2,
            level => level,
        };
        let mut saved = Vec::new();
        signal::ignore(&[SIGTTOU, SIGTTIN], &mut saved);
        match level {
            1 => {}
            2 => signal::catch(&FATAL, &mut saved),
            _ => signal::ignore(&FATAL, &mut saved),
        }
        if level >= 4 {
            signal::ignore(&[SIGTSTP], &mut saved);
        }
        Dispositions { saved }
    }

    /// The last fatal signal that arrived.
    pub fn caught(&self) -> Option<i32> {
        signal::caught()
    }
}

impl Drop for Dispositions {
    fn drop(&mut self) {
        signal::restore_signals(&mut self.saved);
    }
}

/// The command gets the signal that ended the tracing, as strace does it; one that is stopped must go on to see it.
pub fn pass_on(command: Tid, signal: i32) {
    process::kill(command, libc::SIGCONT);
    process::kill(command, signal);
}
