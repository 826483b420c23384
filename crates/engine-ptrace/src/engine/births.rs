//! New threads, and children of others. The kernel reports a birth by the parent's stop, and the child stops by
//! itself. Either may come first, and the parent's may never come.

use super::PtraceEngine;
use crate::injected::ThreadInjections;
use crate::note::QueuedEvent;
use crate::threads::{Parked, State, Tracee};
use crate::tracee::{Running, StopToken, Stopped};
use crate::wait::Stop;
use stride_engine_base::procfs;
use stride_event::{Fate, Ns, StartKind, Tid};
use stride_syscalls::Abi;

impl PtraceEngine {
    /// A thread with an unknown id: a child whose parent's event has not come, or an exec by a thread whose leader is
    /// not traced.
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
            // CLONE_PTRACE: the kernel made it one more tracee.
            stopped.detach(0);
            self.notes.push_back(QueuedEvent::Stranger { tid, fate: Fate::Detached });
        }
    }

    /// Takes on a child of a traced thread, whether the child was seen already or not.
    pub(super) fn adopt(&mut self, tid: Tid, parent: Tid, abi: Abi) {
        if self.threads.find(tid).is_some() {
            return;
        }
        let at = self.now;
        let process = procfs::group_of(tid);
        let depth = self.depth_below(parent, process);
        let too_deep = depth > self.max_depth;
        if !too_deep {
            self.notes.push_back(QueuedEvent::Started { tid, process, origin: StartKind::Forked { parent }, at });
        }
        let key = match self.threads.find(parent) {
            Some(slot) => self.threads[slot].injections.next_child(),
            None => self.injector.next_root(),
        };
        if let Some(i) = self.stillborn.iter().position(|s| s.0 == tid) {
            let (_, ending) = self.stillborn.swap_remove(i);
            self.notes.extend((!too_deep).then_some(ending));
            return;
        }
        let mut thread = Tracee::new(tid, process, State::Running(Running::born(tid)));
        thread.abi = abi;
        thread.depth = depth;
        thread.too_deep = too_deep;
        thread.injections = ThreadInjections::new(key);
        let slot = self.threads.insert(thread);
        if let Some(i) = self.parked.iter().position(|p| p.tid == tid) {
            let parked = self.parked.swap_remove(i);
            self.threads[slot].state = State::Stopped(parked.stopped);
            self.stopped(slot, parked.stop, 0);
        }
    }

    /// The depth of a child that is in this process.
    fn depth_below(&mut self, parent: Tid, process: Tid) -> u32 {
        self.threads.find(parent).map_or(0, |slot| {
            let parent = &self.threads[slot];
            parent.depth + u32::from(parent.process != process)
        })
    }

    /// A child of Stride's that is not traced is gone. A tracee made it (CLONE_PARENT), or it existed before Stride
    /// was executed.
    pub(super) fn stranger(&mut self, tid: Tid, note: &QueuedEvent) {
        let fate = if matches!(note, QueuedEvent::Exited { .. }) { Fate::Exited } else { Fate::Killed };
        self.notes.push_back(QueuedEvent::Stranger { tid, fate });
    }

    /// It is quiet, so no event will report the birth of these children.
    pub(super) fn settle(&mut self) {
        self.adopt_parked(self.command.unwrap_or_default());
        for (tid, note) in std::mem::take(&mut self.stillborn) {
            self.stranger(tid, &note);
        }
    }

    /// Takes on children whose birth no event reports.
    pub(super) fn adopt_parked(&mut self, parent: Tid) {
        for parked in std::mem::take(&mut self.parked) {
            let (child, parent) = (parked.tid, parent_of(parked.tid).unwrap_or(parent));
            self.parked.push(parked);
            self.adopt(child, parent, Abi::NATIVE);
        }
    }
}

/// The parent of a thread, or its thread group: for threads whose parent the kernel's event did not name.
fn parent_of(tid: Tid) -> Option<Tid> {
    match procfs::process(tid)? {
        tgid if tgid != tid => Some(tgid),
        _ => procfs::parent(tid),
    }
}
