//! Calls: their entries, their returns, and what ends them otherwise.

use super::{Note, PtraceEngine};
use crate::sys::{Entered, Info};
use crate::threads::{Inside, Slot, Startup};
use crate::tracee::Stopped;
use stride_event::{Ns, Outcome, Phase};
use stride_syscalls::{Abi, uapi::numbers};

impl PtraceEngine {
    pub(super) fn at_syscall(&mut self, slot: Slot, system_time: Ns) {
        let thread = &mut self.threads[slot];
        let info = thread.stopped().map_or(Ok(Info::None { ip: 0 }), Stopped::syscall_info);
        match info {
            Ok(Info::Entry(entered) | Info::Seccomp(entered)) => self.enter(slot, entered, system_time),
            Ok(Info::Exit { rval, is_error, .. }) => self.leave(slot, rval, is_error, system_time),
            Ok(Info::None { .. }) | Err(_) => {}
        }
        let tid = self.threads[slot].tid;
        self.affinity.at_stop(tid, self.now);
        self.hold(slot, 0);
    }

    fn enter(&mut self, slot: Slot, entered: Entered, system_time: Ns) {
        let abi = Abi::from_audit_arch(entered.arch).unwrap_or(Abi::NATIVE);
        let nr = abi.cut(entered.nr);
        let thread = &mut self.threads[slot];
        match thread.startup {
            Startup::Done | Startup::Execing => {}
            Startup::Before if is_execve(abi, nr) => thread.startup = Startup::Execing,
            Startup::Before | Startup::Failed => {
                thread.inside = Inside::Unwanted;
                return;
            }
        }
        if abi != thread.abi {
            thread.abi = abi;
            self.notes.push_back(Note::Personality { tid: thread.tid, abi, at: self.now });
        }
        let previous = std::mem::replace(&mut thread.nr, nr);
        if !self.calls.contains(abi, nr) {
            thread.inside = Inside::Unwanted;
            return;
        }
        thread.inside = Inside::Wanted;
        thread.system_time = system_time;
        let call = &mut thread.call;
        call.abi = abi;
        call.nr = nr;
        call.args = entered.args.map(|a| abi.cut(a));
        call.ip = if self.want_ip { entered.ip } else { 0 };
        call.sp = abi.cut(entered.sp);
        call.entered = self.now;
        call.returned = self.now;
        call.system_time = 0;
        call.outcome = Outcome::Pending;
        call.resumes = if is_restart(abi, nr) { thread.interrupted.or(Some(previous)) } else { None };
        call.blocks.clear();
        if !self.no_memory {
            self.plans.capture(call, Phase::Entry);
        }
        if self.entries {
            self.notes.push_back(Note::Enter(slot));
        }
    }

    fn leave(&mut self, slot: Slot, rval: i64, is_error: bool, system_time: Ns) {
        const ERESTART_RESTARTBLOCK: i64 = 516;
        let thread = &mut self.threads[slot];
        if thread.startup == Startup::Execing {
            thread.startup = if is_error { Startup::Failed } else { Startup::Done };
        }
        if is_error && rval == -ERESTART_RESTARTBLOCK {
            // A call that was itself a resumption leaves what it resumed.
            if !is_restart(thread.abi, thread.nr) {
                thread.interrupted = Some(thread.nr);
            }
        }
        if std::mem::replace(&mut thread.inside, Inside::No) != Inside::Wanted {
            return;
        }
        let call = &mut thread.call;
        call.returned = self.now;
        call.system_time = system_time.saturating_sub(thread.system_time);
        call.outcome = if is_error { Outcome::Error(-rval as u32) } else { Outcome::Value(rval) };
        if !self.no_memory {
            self.plans.capture(call, Phase::Exit);
        }
        self.notes.push_back(Note::Exit(slot));
    }

    /// The call in flight, if there is one, will not return.
    pub(super) fn end_call(&mut self, slot: Slot) {
        let thread = &mut self.threads[slot];
        if std::mem::replace(&mut thread.inside, Inside::No) == Inside::Wanted {
            thread.call.returned = self.now;
            thread.call.outcome = Outcome::Gone;
            self.notes.push_back(Note::Exit(slot));
        }
    }
}

/// The numbers are looked up once per ABI.
struct Numbers {
    execve: u64,
    restart: u64,
}

fn numbers_of(abi: Abi) -> &'static Numbers {
    use std::sync::LazyLock;
    fn of(list: &[(u32, &str)]) -> Numbers {
        let find = |name| list.iter().find(|n| n.1 == name).map_or(u64::MAX - 1, |n| u64::from(n.0));
        Numbers { execve: find("execve"), restart: find("restart_syscall") }
    }
    static ALL: LazyLock<[Numbers; 3]> =
        LazyLock::new(|| [of(numbers::X86_64), of(numbers::I386), of(numbers::AARCH64)]);
    &ALL[abi as usize]
}

fn is_execve(abi: Abi, nr: u64) -> bool {
    numbers_of(abi).execve == nr
}

fn is_restart(abi: Abi, nr: u64) -> bool {
    numbers_of(abi).restart == nr
}
