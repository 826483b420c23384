//! Calls: their entries, returns and other ends.

use super::PtraceEngine;
use crate::inject::GoingOn;
use crate::note::QueuedEvent;
use crate::sys::{self, Entered, Info};
use crate::threads::{CallState, Slot, Startup};
use crate::tracee::Stopped;
use stride_engine_base::restart::is_restart;
use stride_event::{Ns, Outcome, Phase, Tampering};
use stride_syscalls::{Abi, Effect, table};

impl PtraceEngine {
    pub(super) fn at_syscall(&mut self, slot: Slot, system_time: Ns) {
        let thread = &mut self.threads[slot];
        let info = thread.stopped().map_or(Ok(Info::None { ip: 0 }), Stopped::syscall_info);
        let going_on = match info {
            Ok(Info::Entry(entered) | Info::Seccomp(entered)) => self.enter(slot, entered, system_time),
            Ok(Info::Exit { rval, is_error, .. }) => self.leave(slot, rval, is_error, system_time),
            Ok(Info::None { .. }) | Err(_) => GoingOn::default(),
        };
        let tid = self.threads[slot].tid;
        self.affinity.at_stop(tid, self.now);
        self.hold_until(slot, going_on);
    }

    fn enter(&mut self, slot: Slot, entered: Entered, system_time: Ns) -> GoingOn {
        let abi = Abi::from_audit_arch(entered.arch).unwrap_or(Abi::NATIVE);
        let thread = &mut self.threads[slot];
        let (nr, args) =
            self.plans.demultiplexed(thread.tid, abi, abi.cut(entered.nr), entered.args.map(|a| abi.cut(a)));
        match thread.startup {
            Startup::Done | Startup::Execing => {}
            Startup::Before if table(abi).has_effect(nr, Effect::Executes) => thread.startup = Startup::Execing,
            Startup::Before | Startup::Failed => {
                thread.call_state = CallState::Unwanted;
                return GoingOn::default();
            }
        }
        if abi != thread.abi {
            thread.abi = abi;
            self.notes.push_back(QueuedEvent::Personality { tid: thread.tid, abi, at: self.now });
        }
        let previous = std::mem::replace(&mut thread.nr, nr);
        if !self.calls.contains(abi, nr) {
            thread.call_state = CallState::Unwanted;
            return GoingOn::default();
        }
        thread.call_state = CallState::Wanted;
        if self.want_waits {
            thread.waited_before = thread.off_cpu.take(thread.tid).unwrap_or_default().times;
        }
        thread.system_time = system_time;
        let call = &mut thread.call;
        call.abi = abi;
        call.nr = nr;
        call.args = args;
        call.ip = if self.want_ip { entered.ip } else { 0 };
        call.sp = abi.cut(entered.sp);
        call.entered = Some(self.now);
        call.returned = self.now;
        call.held = std::mem::take(&mut thread.held);
        call.system_time = 0;
        call.outcome = Outcome::Pending;
        call.tampering = Tampering::default();
        call.resumes = is_restart(abi, nr).then(|| thread.interrupted.resumed_by(abi, nr).unwrap_or(previous));
        call.blocks.clear();
        call.file_kind = None;
        // Before the call does something to it, as execve(2) and rt_sigreturn(2) do. The command's own execve(2) has none yet.
        call.stack = None;
        call.waits = None;
        if thread.startup == Startup::Done {
            self.stacks.enter(call, thread.process, entered.ip);
        }
        if call.stack.is_some() {
            // The time that the stack took is neither the call's nor the program's.
            call.returned = sys::now();
            call.held += call.returned.saturating_sub(self.now);
            call.entered = Some(call.returned);
        }
        if !self.no_memory {
            self.plans.capture(call, Phase::Entry);
        }
        let mut going_on = GoingOn::default();
        if thread.startup == Startup::Done && !self.injector.is_empty() {
            let no_memory = self.no_memory;
            going_on = self.injector.at_entry(thread, &mut self.plans, |plans, thread| {
                if !no_memory {
                    plans.capture(&mut thread.call, Phase::Entry);
                }
            });
        }
        if self.entries {
            self.notes.push_back(QueuedEvent::Enter(slot));
        }
        going_on
    }

    fn leave(&mut self, slot: Slot, rval: i64, is_error: bool, system_time: Ns) -> GoingOn {
        let thread = &mut self.threads[slot];
        if thread.startup == Startup::Execing {
            thread.startup = if is_error { Startup::Failed } else { Startup::Done };
        }
        let outcome = if is_error { Outcome::Error(-rval as u32) } else { Outcome::Value(rval) };
        thread.interrupted.returned(thread.abi, thread.nr, outcome);
        if std::mem::replace(&mut thread.call_state, CallState::No) != CallState::Wanted {
            return GoingOn::default();
        }
        thread.call.outcome = outcome;
        if self.want_waits {
            thread.take_waits();
        }
        let going_on = self.injector.at_exit(thread, &mut self.plans);
        let call = &mut thread.call;
        call.returned = self.now;
        call.system_time = system_time.saturating_sub(thread.system_time);
        if self.stacks.leave(call, thread.process) {
            thread.held += sys::now().saturating_sub(self.now);
        }
        if !self.no_memory {
            self.plans.capture(call, Phase::Exit);
        }
        self.notes.push_back(QueuedEvent::Exit(slot));
        going_on
    }

    /// Tracing leaves a thread that has stopped, perhaps in a call.
    pub(crate) fn waits_so_far(&mut self, slot: Slot) {
        let thread = &mut self.threads[slot];
        // (After a request to the thread it is off its CPU.)
        if self.want_waits
            && thread.call_state == CallState::Wanted
            && thread.stopped().is_some_and(|stopped| stopped.syscall_info().is_ok())
        {
            thread.off_cpu.stops(self.now);
            thread.take_waits();
        }
    }

    /// The call in flight, if there is one, will not return.
    pub(super) fn end_call(&mut self, slot: Slot) {
        let thread = &mut self.threads[slot];
        if std::mem::replace(&mut thread.call_state, CallState::No) == CallState::Wanted {
            thread.call.returned = self.now;
            thread.call.outcome = Outcome::Gone;
            self.notes.push_back(QueuedEvent::Exit(slot));
        }
    }
}
