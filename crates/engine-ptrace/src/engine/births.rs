//! Threads that come, and children of others. The kernel tells of a birth in the parent's stop, and the child stops by itself: either may be
//! seen first, and the former need not come at all.

use super::PtraceEngine;
use crate::note::QueuedEvent;
use crate::threads::{Parked, State, Tracee};
use crate::tracee::{Running, StopToken, Stopped};
use crate::wait::Stop;
use stride_engine_base::process;
use stride_event::{Fate, Ns, Origin, Tid};
use stride_syscalls::Abi;

impl PtraceEngine {
    /// A thread with an id not known yet: a child before its parent's event, or an exec by a thread whose leader is not traced.
    pub(super) fn stopped_unknown(&mut self, tid: Tid, token: StopToken, stop: Stop, system_time: Ns) {
        let stopped = Stopped::new(token);
        if let (Stop::Exec, Ok(old)) = (&stop, stopped.event_msg())
            && let Some(slot) = self.threads.find(old as Tid)
        {
            self.threads.rename(slot, tid);
            self.threads[slot].state = State::Stopped(stopped);
            self.superseded(slot, old as Tid);
            self.stopped(slot, stop, system_time);
            return;
        }
        if self.follow {
            self.parked.push(Parked { tid, stopped, stop });
        } else {
            // CLONE_PTRACE: the kernel took it for one more tracee.
            stopped.detach(0);
            self.notes.push_back(QueuedEvent::Stranger { tid, fate: Fate::Detached });
        }
    }

    /// Takes on a child of a traced thread, whether it was seen already or not.
    pub(super) fn adopt(&mut self, tid: Tid, parent: Tid, abi: Abi) {
        if self.threads.find(tid).is_some() {
            return;
        }
        let at = self.now;
        let process = process::group_of(tid);
        self.notes.push_back(QueuedEvent::Started { tid, process, origin: Origin::Forked { parent }, at });
        if let Some(i) = self.stillborn.iter().position(|s| s.0 == tid) {
            self.notes.push_back(self.stillborn.swap_remove(i).1);
            return;
        }
        let mut thread = Tracee::new(tid, State::Running(Running::born(tid)));
        thread.abi = abi;
        let slot = self.threads.insert(thread);
        if let Some(i) = self.parked.iter().position(|p| p.tid == tid) {
            let parked = self.parked.swap_remove(i);
            self.threads[slot].state = State::Stopped(parked.stopped);
            self.stopped(slot, parked.stop, 0);
        }
    }

    /// A child of Stride's that is no tracee is gone: made by a tracee (CLONE_PARENT), or there before Stride was executed.
    pub(super) fn stranger(&mut self, tid: Tid, note: &QueuedEvent) {
        let fate = if matches!(note, QueuedEvent::Exited { .. }) { Fate::Exited } else { Fate::Killed };
        self.notes.push_back(QueuedEvent::Stranger { tid, fate });
    }

    /// It is quiet: no event tells of the birth of these children.
    pub(super) fn settle(&mut self) {
        self.adopt_parked(self.command.unwrap_or_default());
        for (tid, note) in std::mem::take(&mut self.stillborn) {
            self.stranger(tid, &note);
        }
    }

    /// Takes on children of whose birth no event tells.
    pub(super) fn adopt_parked(&mut self, parent: Tid) {
        for parked in std::mem::take(&mut self.parked) {
            let (child, parent) = (parked.tid, parent_of(parked.tid).unwrap_or(parent));
            self.parked.push(parked);
            self.adopt(child, parent, Abi::NATIVE);
        }
    }
}

/// Whose child a thread is, or which group's: where the kernel's event did not tell.
fn parent_of(tid: Tid) -> Option<Tid> {
    let status = std::fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name))?.trim().parse::<Tid>().ok();
    match field("Tgid:")? {
        tgid if tgid != tid => Some(tgid),
        _ => field("PPid:"),
    }
}
