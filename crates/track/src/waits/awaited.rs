//! The lock, condition or thread that a thread in futex(2) waits for.

use crate::{Awaited, Futex, Thread, Tracker, Wait};
use stride_decode::Resolver;
use stride_event::Tid;

impl Tracker {
    /// A call is entered that may be a pthread_join(3). It is one if the kernel clears its word at the other thread's
    /// end. That is checked now, because when the process is killed, the other thread may be gone first.
    pub(crate) fn joins(&mut self, wait: &mut Wait) {
        let Some(joined) = wait.futex().and_then(|_| Futex::may_join(&wait.args)) else { return };
        let other = self.threads.get_mut(&joined).filter(|other| other.pid == wait.seen.pid);
        if let Some(other) = other.filter(|other| other.cleared_at_end == Some(wait.args[0])) {
            other.joined_by = Some(wait.seen.tid);
            wait.awaited = Some(Awaited::End(joined, other.comm.clone()));
        }
    }

    /// A thread is killed, and its process with it. A join that returns because of that is part of the end of the process.
    pub(crate) fn mark_join_of(&mut self, tid: Tid) {
        let by = self.threads.get(&tid).and_then(|thread| thread.joined_by);
        if let Some(wait) = by.and_then(|by| self.waits.get_mut(&by)) {
            wait.ends_with_process |= matches!(wait.awaited, Some(Awaited::End(joined, _)) if joined == tid);
        }
    }

    /// A thread is gone. The thread that joins it keeps its name.
    pub(crate) fn keep_name_for_joiner(&mut self, thread: &Thread) {
        let wait = thread.joined_by.and_then(|by| self.waits.get_mut(&by));
        if let Some(Awaited::End(tid, comm)) = wait.and_then(|wait| wait.awaited.as_mut())
            && *tid == thread.tid
        {
            comm.clone_from(&thread.comm);
        }
    }

    /// The thing or thread that a thread waits for. The resolver is asked where the calls do not say it.
    pub(crate) fn awaited(&self, wait: &Wait, resolver: &dyn Resolver) -> Option<Awaited> {
        let (tid, addr) = (wait.seen.tid, wait.args[0]);
        let comm = |tid| self.threads.get(&tid).map(|thread| thread.comm.clone()).or_else(|| resolver.comm(tid));
        let named = |tid: Tid| (tid, comm(tid).unwrap_or_default());
        if let Some(Awaited::End(joined, kept)) = &wait.awaited {
            let comm = self.threads.get(joined).map(|thread| thread.comm.clone());
            return Some(Awaited::End(*joined, comm.unwrap_or_else(|| kept.clone())));
        }
        if let Some(joined) = Futex::may_join(&wait.args) {
            let other = self.threads.get(&joined).filter(|other| other.pid == wait.seen.pid);
            // Another word is cleared at that thread's end.
            if other.is_some_and(|other| other.cleared_at_end.is_some()) {
                return None;
            }
            // The thread existed before tracing. If the word holds its id, this is a join and not a lock.
            // Otherwise it may be a lock that processes share.
            if let Some(joined) = resolver.lock_holder(tid, addr).filter(|holder| *holder == joined) {
                let (joined, comm) = named(joined);
                return Some(Awaited::End(joined, comm));
            }
        }
        match wait.futex()? {
            Futex::Condition => Some(Awaited::Condition),
            Futex::Lock => Some(Awaited::Lock(resolver.lock_holder(tid, addr).map(named))),
            operation if operation.may_be_lock() => {
                resolver.lock_holder(tid, addr).map(|holder| Awaited::Lock(Some(named(holder))))
            }
            _ => None,
        }
    }
}
