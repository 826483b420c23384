//! What is to be told, until it is taken.

use super::PtraceEngine;
use crate::threads::{Inside, Slot};
use stride_event::{Call, Event, Fate, Ns, Origin, Tid};
use stride_syscalls::Abi;

/// An event to hand out, without what it borrows.
#[derive(Debug)]
pub(crate) enum Note {
    Started {
        tid: Tid,
        process: Tid,
        origin: Origin,
        at: Ns,
    },
    Enter(Slot),
    Exit(Slot),
    /// Its siginfo is in the engine's buffer: at most one is on its way.
    Signal {
        tid: Tid,
        ip: Option<u64>,
        at: Ns,
    },
    Stopped {
        tid: Tid,
        signal: i32,
        at: Ns,
    },
    Ending {
        tid: Tid,
    },
    Exited {
        tid: Tid,
        status: i32,
        at: Ns,
    },
    Killed {
        tid: Tid,
        signal: i32,
        core: bool,
        at: Ns,
    },
    Superseded {
        slot: Slot,
        old: Tid,
        at: Ns,
    },
    Stranger {
        tid: Tid,
        fate: Fate,
    },
    Detached {
        slot: Slot,
        at: Ns,
    },
    Personality {
        tid: Tid,
        abi: Abi,
        at: Ns,
    },
}

impl PtraceEngine {
    pub(super) fn event(&self, note: Note) -> Event<'_> {
        match note {
            Note::Started { tid, process, origin, at } => Event::Started { tid, process, origin, at },
            Note::Enter(slot) => Event::Enter(&self.threads[slot].call),
            Note::Exit(slot) => Event::Exit(&self.threads[slot].call),
            Note::Signal { tid, ip, at } => Event::Signal { tid, info: &self.siginfo, ip, at },
            Note::Stopped { tid, signal, at } => Event::Stopped { tid, signal, at },
            Note::Ending { tid } => Event::Ending { tid },
            Note::Exited { tid, status, at } => Event::Exited { tid, status, at },
            Note::Killed { tid, signal, core, at } => Event::Killed { tid, signal, core, at },
            Note::Superseded { slot, old, at } => {
                Event::Superseded { tid: self.threads[slot].tid, old, call: self.call_in_flight(slot), at }
            }
            Note::Stranger { tid, fate } => Event::Stranger { tid, fate },
            Note::Personality { tid, abi, at } => Event::Personality { tid, abi, at },
            Note::Detached { slot, at } => {
                Event::Detached { tid: self.threads[slot].tid, call: self.call_in_flight(slot), at }
            }
        }
    }

    /// The call a thread is in, if it is one to report.
    fn call_in_flight(&self, slot: Slot) -> Option<&Call> {
        let thread = &self.threads[slot];
        (thread.inside == Inside::Wanted).then_some(&thread.call)
    }
}
