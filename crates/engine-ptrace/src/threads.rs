//! The traced threads.

use crate::injected::ThreadInjections;
use crate::off_cpu::{WaitAccount, WaitsBetweenStops};
use crate::tracee::{Running, Stopped};
use crate::wait::Stop;
use std::collections::HashMap;
use stride_engine_base::Interrupted;
use stride_event::{Call, CallWaits, Ns, Sleep, Tid, WaitKind, WaitTimes};
use stride_syscalls::Abi;

#[derive(Debug)]
pub enum State {
    Running(Running),
    Stopped(Stopped),
    /// Gone or detached. The record stays until its last event was taken.
    Gone,
}

/// The state of a thread: inside a call or not. Each stop tells that itself; stops are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallState {
    No,
    /// In a call that is reported.
    Wanted,
    /// In a call that is not reported.
    Unwanted,
}

/// The progress of the command's start. Nothing before its execve(2) is shown, and nothing after a failed one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Startup {
    Before,
    Execing,
    Failed,
    Done,
}

#[derive(Debug)]
pub struct Tracee {
    pub tid: Tid,
    /// The id of its thread group.
    pub process: Tid,
    pub state: State,
    /// The call that the thread is in, or was in last. Reused from call to call.
    pub call: Call,
    pub call_state: CallState,
    pub startup: Startup,
    /// The ABI of its latest call.
    pub abi: Abi,
    /// The number of its latest call, reported or not.
    pub nr: u64,
    /// The call that restart_syscall(2) will resume.
    pub interrupted: Interrupted,
    /// The next stop is its first.
    pub new: bool,
    /// The number of generations of processes that lie between it and the command, or the process that was attached to.
    pub depth: u32,
    /// It is below the depth that is traced. It is let go at its first stop, and no event tells of it.
    pub too_deep: bool,
    /// CPU time in the kernel when the call was entered.
    pub system_time: u64,
    /// How its calls are changed.
    pub injections: ThreadInjections,
    /// Its waits, if they are wanted, and those before its call.
    pub off_cpu: WaitAccount,
    pub waited_before: WaitTimes,
    /// The time since its last reported call for which it stood still because its stack was read.
    pub held: Ns,
}

impl Tracee {
    pub fn new(tid: Tid, process: Tid, state: State) -> Tracee {
        Tracee {
            tid,
            process,
            state,
            call: Call { tid, ..Call::default() },
            call_state: CallState::No,
            startup: Startup::Done,
            abi: Abi::NATIVE,
            nr: u64::MAX,
            interrupted: Interrupted::default(),
            new: true,
            depth: 0,
            too_deep: false,
            system_time: 0,
            injections: ThreadInjections::default(),
            off_cpu: WaitAccount::default(),
            waited_before: WaitTimes::default(),
            held: 0,
        }
    }

    /// The waits in the call until this stop.
    pub fn take_waits(&mut self) {
        let Some(WaitsBetweenStops { times, sleeps }) = self.off_cpu.take(self.tid) else { return };
        let time = times.of(WaitKind::Blocked);
        // The longest of several is not known, nor is any waker.
        let longest = (sleeps == 1).then_some(Sleep { time, kind: WaitKind::Blocked, waker: None });
        let waits = CallWaits {
            in_call: times,
            before: std::mem::take(&mut self.waited_before),
            sleeps,
            longest,
            taker: None,
            taker_before: None,
        };
        self.call.waits = (waits != CallWaits::default()).then(|| Box::new(waits));
    }

    /// Takes the stopped state, to resume or detach the thread.
    pub fn take_stopped(&mut self) -> Option<Stopped> {
        match std::mem::replace(&mut self.state, State::Gone) {
            State::Stopped(stopped) => Some(stopped),
            other => {
                self.state = other;
                None
            }
        }
    }

    pub fn stopped(&self) -> Option<&Stopped> {
        match &self.state {
            State::Stopped(stopped) => Some(stopped),
            _ => None,
        }
    }
}

/// A thread that was seen before the event that names its parent.
#[derive(Debug)]
pub struct Parked {
    pub tid: Tid,
    pub stopped: Stopped,
    pub stop: Stop,
}

/// Position of a thread in [`Tracees`], valid until the thread is removed.
pub type Slot = usize;

#[derive(Debug, Default)]
pub struct Tracees {
    slots: Vec<Option<Box<Tracee>>>,
    free: Vec<Slot>,
    by_tid: HashMap<Tid, Slot>,
    /// The thread found last. It is usually the next one, too.
    last: (Tid, Slot),
}

impl Tracees {
    pub fn find(&mut self, tid: Tid) -> Option<Slot> {
        if self.last.0 == tid {
            return Some(self.last.1);
        }
        let slot = *self.by_tid.get(&tid)?;
        self.last = (tid, slot);
        Some(slot)
    }

    pub fn insert(&mut self, thread: Tracee) -> Slot {
        let tid = thread.tid;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[slot] = Some(Box::new(thread));
        self.by_tid.insert(tid, slot);
        slot
    }

    /// Forgets the thread's id, because the kernel may reuse it. The record stays readable.
    pub fn unlink(&mut self, slot: Slot) {
        let tid = self[slot].tid;
        if self.by_tid.get(&tid) == Some(&slot) {
            self.by_tid.remove(&tid);
        }
        self.last = (0, 0);
    }

    /// Drops the record of an unlinked thread.
    pub fn remove(&mut self, slot: Slot) {
        if self.slots[slot].take().is_some() {
            self.free.push(slot);
        }
    }

    /// Gives a thread another id (exec made it the thread group leader).
    pub fn rename(&mut self, slot: Slot, tid: Tid) {
        self.unlink(slot);
        self[slot].tid = tid;
        self[slot].call.tid = tid;
        self.by_tid.insert(tid, slot);
    }

    /// No thread is traced any more.
    pub fn is_empty(&self) -> bool {
        self.by_tid.is_empty()
    }

    pub fn slots(&self) -> Vec<Slot> {
        let mut all: Vec<Slot> = self.by_tid.values().copied().collect();
        all.sort_unstable();
        all
    }
}

impl std::ops::Index<Slot> for Tracees {
    type Output = Tracee;

    fn index(&self, slot: Slot) -> &Tracee {
        self.slots[slot].as_ref().expect("slots are used only between insert and remove")
    }
}

impl std::ops::IndexMut<Slot> for Tracees {
    fn index_mut(&mut self, slot: Slot) -> &mut Tracee {
        self.slots[slot].as_mut().expect("slots are used only between insert and remove")
    }
}
