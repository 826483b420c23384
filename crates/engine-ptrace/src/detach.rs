//! Lets go of every tracee in the state it was in: running ones run, blocked calls go on, group-stopped ones stay
//! stopped, pending signals are delivered.
//!
//! ptrace detaches from stopped threads only, so running ones are interrupted first. A thread that cannot be stopped
//! (in uninterruptible sleep, or waiting in vfork(2)) is given up after a moment. It is released when Stride exits,
//! and with it the request to stop.

use crate::engine::PtraceEngine;
use crate::sys::{self, Info};
use crate::threads::{CallState, State};
use crate::tracee::Stopped;
use crate::wait::{Report, Status, Stop, Waited, wait};
use stride_engine_base::interrupt::pass_on;
use stride_event::{Ns, Tid};

const PATIENCE: Ns = 1_000_000_000;

impl PtraceEngine {
    /// Detaches from all threads, queueing what happens meanwhile.
    pub(crate) fn release_all(&mut self) {
        if self.kill_on_exit {
            // They are to die with Stride, which is about to happen.
            return;
        }
        for held in std::mem::take(&mut self.held) {
            self.release(held.slot, held.signal);
        }
        for held in self.delays.take() {
            self.release(held.slot, held.signal);
        }
        let mut children = Children::default();
        for parked in std::mem::take(&mut self.parked) {
            children.done.push(parked.tid);
            parked.stopped.detach(0);
        }
        for slot in self.threads.slots() {
            if let State::Running(running) = &self.threads[slot].state {
                let _ = running.interrupt();
            }
        }
        let deadline = sys::now() + PATIENCE;
        let mut pause = 0;
        while !self.threads.is_empty() || !children.awaited.is_empty() {
            match wait(true, self.want_system_time) {
                Ok(Waited::Report(report)) => {
                    pause = 0;
                    self.now = sys::now();
                    self.release_stopped(report, &mut children);
                }
                Ok(Waited::NoChildren) | Err(_) => break,
                Ok(_) if sys::now() >= deadline => break,
                Ok(_) => {
                    // The first look often comes microseconds too early.
                    match pause {
                        0..20 => std::thread::yield_now(),
                        _ => sys::pause_ms(1),
                    }
                    pause += 1;
                }
            }
        }
        for slot in self.threads.slots() {
            self.detached(slot);
        }
        if let (Some(Some(signal)), Some(command)) = (self.stopping, self.command) {
            pass_on(command, signal);
        }
    }

    /// Handles a stop while all threads are let go. The thread can now be released, or is an unknown child.
    fn release_stopped(&mut self, report: Report, children: &mut Children) {
        let tid = report.tid;
        let Status::Stopped(token, stop) = report.status else {
            children.done(tid);
            self.handle(report);
            return;
        };
        let Some(slot) = self.threads.find(tid) else {
            let stopped = Stopped::new(token);
            if let (Stop::Exec, Ok(old)) = (&stop, stopped.event_msg())
                && let Some(slot) = self.threads.find(old as Tid)
            {
                self.threads.rename(slot, tid);
                self.threads[slot].state = State::Stopped(stopped);
                self.release(slot, 0);
            } else {
                children.done(tid);
                stopped.detach(0);
            }
            return;
        };
        let stopped = Stopped::new(token);
        let mut signal = 0;
        match stop {
            Stop::Signal(s) => signal = s,
            Stop::NewChild => {
                if let Ok(child) = stopped.event_msg() {
                    children.awaited(child as Tid);
                }
            }
            // A call that really returned is reported. A call that was only interrupted will be restarted, and counts
            // as in flight.
            Stop::Syscall => {
                if let Ok(Info::Exit { rval, .. }) = stopped.syscall_info()
                    && self.threads[slot].call_state == CallState::Wanted
                    && !(-516..=-512).contains(&rval)
                {
                    self.threads[slot].state = State::Stopped(stopped);
                    self.stopped(slot, stop, report.system_time);
                    self.held.clear();
                    self.release(slot, 0);
                    return;
                }
            }
            _ => {}
        }
        self.threads[slot].state = State::Stopped(stopped);
        self.waits_so_far(slot);
        self.release(slot, signal);
    }
}

/// Children of tracees that the kernel attached to, and whose birth is reported only now. Each stops once by itself,
/// before or after its parent's stop, and is released there.
#[derive(Default)]
struct Children {
    awaited: Vec<Tid>,
    done: Vec<Tid>,
}

impl Children {
    fn awaited(&mut self, tid: Tid) {
        if !self.done.contains(&tid) {
            self.awaited.push(tid);
        }
    }

    fn done(&mut self, tid: Tid) {
        self.awaited.retain(|&c| c != tid);
        self.done.push(tid);
    }
}
