//! The effect of signals on Stride itself (`-I`).
//!
//! | `-I` | HUP, INT, QUIT, PIPE, TERM | TSTP |
//! |---|---|---|
//! | 1 | as inherited: they kill Stride, and the kernel releases the tracees | as inherited |
//! | 2 | the tracees are detached, then Stride ends | as inherited |
//! | 3 | ignored | as inherited |
//! | 4 | ignored | ignored |
//!
//! TTOU and TTIN are always ignored, so that Stride can write to its terminal from the background. The command is forked before
//! any of this is set up and inherits none of it.
//!
//! A handler notes a signal that ends the tracing, and the engine looks at the note between events. The handler is installed
//! before the engine gets ready, so a signal that comes meanwhile ends the tracing as soon as it has begun. The eBPF engine then
//! detaches its programs, first those that every call runs; the command gets the signal, too, as under strace; and the rest of
//! the ring is shown, with each thread that lives on. While attaching and detaching, the eBPF engine runs at nice -20, where that
//! is allowed: with 8 busy threads on 2 CPUs either took 0.3 to 0.5 s of waiting for its turn, and takes 0.05 s now.
//!
//! The first signal counts, because later ones may follow from it, such as SIGPIPE when the reader of the trace got the same ^C.
//! But a second INT or TERM, at least 0.1 s later, ends Stride at once in the handler, whatever it waits for (see
//! [`crate::signal`]). (timeout(1) sends its signal twice within microseconds.)
//!
//! If Stride is killed, the kernel removes the programs when it closes Stride's descriptors, and the tracees do not notice. A
//! command that still waits at its gate reads the end of the socket and exits without running, because it was to run traced.

use crate::{process, signal};
use nix::sys::signal::Signal::{self, *};
use stride_event::{Interruptible, Tid, TraceSpec};

const FATAL: [Signal; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM];

/// Put back when dropped.
#[derive(Debug)]
pub struct Dispositions {
    saved: signal::Saved,
}

impl Dispositions {
    pub fn install(spec: &TraceSpec) -> Dispositions {
        let mut saved = Vec::new();
        signal::ignore(&[SIGTTOU, SIGTTIN], &mut saved);
        match spec.interruptible {
            Interruptible::Anywhere => {}
            Interruptible::Waiting => signal::catch(&FATAL, &mut saved),
            Interruptible::Never | Interruptible::NeverTstp => signal::ignore(&FATAL, &mut saved),
        }
        if spec.interruptible == Interruptible::NeverTstp {
            signal::ignore(&[SIGTSTP], &mut saved);
        }
        Dispositions { saved }
    }

    /// The fatal signal that arrived first.
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
