//! The facts about threads that lines show: names, containers, SELinux contexts, and the latest calls.

use super::TextView;
use stride_decode::Labelled;
use stride_event::{Call, Tid};

impl TextView {
    /// Takes note of a call for leaders with the thread's latest call (`-n`), whether the call is shown or not.
    pub(super) fn note_call(&mut self, call: &Call) {
        if self.layout.leader.number {
            self.last_calls.insert(call.tid, call.nr);
        }
        if let Some(container) = &call.container {
            self.labels.insert(call.tid, container.as_bytes().into());
        } else if !self.options.contexts && !self.labels.is_empty() {
            self.labels.remove(&call.tid);
        }
    }

    /// Takes note of a thread's SELinux context, which it may change. A thread that is gone has none.
    pub(super) fn note_context(&mut self, tid: Tid) {
        if !self.options.contexts {
            return;
        }
        match self.resolver.context(tid, Labelled::Thread) {
            Some(context) => self.labels.insert(tid, context.into()),
            None => self.labels.remove(&tid),
        };
    }

    /// Takes note of a thread's name while it can still be looked up.
    pub(super) fn note_comm(&mut self, tid: Tid) {
        if self.options.pids
            && let Some(comm) = self.resolver.comm(tid)
        {
            self.comms.insert(tid, comm);
        }
    }

    /// The same for the line of a call that has returned, which begins with the name from its entry.
    pub(super) fn note_comm_at_entry(&mut self, tid: Tid) {
        if self.options.pids
            && let Some(comm) = self.resolver.comm_at_entry(tid)
        {
            self.comms.insert(tid, comm);
        }
    }

    pub(super) fn last_call(&self, tid: Tid) -> Option<u64> {
        self.last_calls.get(&tid).copied()
    }
}
