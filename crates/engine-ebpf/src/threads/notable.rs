//! What is unusual about threads: calls that are shown while they last, calls to be resumed, an ABI other than the
//! machine's. Most threads have none of these, and then a record costs no more than finding that out.

use rustc_hash::FxHashMap;
use stride_engine_base::Interrupted;
use stride_engine_base::restart::ERESTART_RESTARTBLOCK;
use stride_event::{Call, Outcome, Tid};
use stride_syscalls::Abi;

#[derive(Default)]
pub struct NotableThreads {
    of_note: FxHashMap<Tid, Thread>,
}

struct Thread {
    abi: Abi,
    blocked: Option<Box<Call>>,
    interrupted: Interrupted,
}

impl Default for Thread {
    fn default() -> Thread {
        Thread { abi: Abi::NATIVE, blocked: None, interrupted: Interrupted::default() }
    }
}

impl NotableThreads {
    /// The thread makes a call of this ABI. Tells whether its last one had another ABI.
    pub fn changes_abi(&mut self, tid: Tid, abi: Abi) -> bool {
        // Others may be of note all the time: threads that wait for work.
        if abi == Abi::NATIVE && !self.of_note.contains_key(&tid) {
            return false;
        }
        let thread = self.of_note.entry(tid).or_default();
        let changes = std::mem::replace(&mut thread.abi, abi) != abi;
        self.tidy(tid);
        changes
    }

    /// A thread begins with the ABI of the call that made it.
    pub fn starts(&mut self, tid: Tid, abi: Abi) {
        if abi != Abi::NATIVE {
            self.of_note.insert(tid, Thread { abi, ..Thread::default() });
        }
    }

    /// The call is shown although it has not returned.
    pub fn blocks(&mut self, mut call: Call) {
        let thread = self.of_note.entry(call.tid).or_default();
        thread.resume(&mut call);
        thread.blocked = Some(Box::new(call));
    }

    /// The unfinished call of this thread that was shown.
    pub fn blocked(&self, tid: Tid) -> Option<&Call> {
        self.of_note.get(&tid)?.blocked.as_deref()
    }

    pub fn blocked_mut(&mut self, tid: Tid) -> Option<&mut Call> {
        self.of_note.get_mut(&tid)?.blocked.as_deref_mut()
    }

    pub fn take_blocked(&mut self, tid: Tid) -> Option<Call> {
        let call = self.of_note.get_mut(&tid)?.blocked.take()?;
        self.tidy(tid);
        Some(*call)
    }

    /// A call returned, or never will.
    #[inline]
    pub fn returned(&mut self, call: &mut Call) {
        if self.of_note.contains_key(&call.tid) || call.outcome == Outcome::Error(ERESTART_RESTARTBLOCK) {
            self.note_return(call);
        }
    }

    fn note_return(&mut self, call: &mut Call) {
        let thread = self.of_note.entry(call.tid).or_default();
        thread.blocked = None;
        thread.resume(call);
        thread.interrupted.returned(call.abi, call.nr, call.outcome);
        self.tidy(call.tid);
    }

    /// Thread `old` goes on as `tid`. The call of `tid` has ended.
    pub fn renamed(&mut self, old: Tid, tid: Tid) {
        self.of_note.remove(&tid);
        if let Some(mut thread) = self.of_note.remove(&old) {
            thread.blocked.iter_mut().for_each(|call| call.tid = tid);
            self.of_note.insert(tid, thread);
        }
    }

    pub fn gone(&mut self, tid: Tid) {
        self.of_note.remove(&tid);
    }

    /// Forgets a thread that is ordinary again.
    fn tidy(&mut self, tid: Tid) {
        let ordinary = |t: &Thread| t.abi == Abi::NATIVE && t.blocked.is_none() && t.interrupted.is_none();
        if self.of_note.get(&tid).is_some_and(ordinary) {
            self.of_note.remove(&tid);
        }
    }
}

impl Thread {
    /// Sets the call that a restart_syscall(2) resumes.
    fn resume(&self, call: &mut Call) {
        call.resumes = self.interrupted.resumed_by(call.abi, call.nr);
    }
}
