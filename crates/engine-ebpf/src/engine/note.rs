//! What is to be told, until it is taken.

use super::EbpfEngine;
use stride_event::{Event, Fate, Ns, Origin, Tid};
use stride_syscalls::Abi;

/// An event, without what it borrows.
pub enum Note {
    Started {
        tid: Tid,
        process: Tid,
        origin: Origin,
        at: Ns,
    },
    Exit,
    /// The thread's call is in `threads`.
    Enter {
        tid: Tid,
    },
    Signal {
        tid: Tid,
        ip: u64,
        at: Ns,
    },
    Stopped {
        tid: Tid,
        signal: i32,
        at: Ns,
    },
    Personality {
        tid: Tid,
        abi: Abi,
        at: Ns,
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
        tid: Tid,
        old: Tid,
        at: Ns,
    },
    Lost {
        tid: Tid,
        count: u64,
        at: Ns,
    },
    Detached {
        tid: Tid,
        at: Ns,
    },
    Stranger {
        tid: Tid,
        fate: Fate,
    },
    Idle,
}

impl EbpfEngine {
    pub(super) fn event(&self, note: Note) -> Event<'_> {
        match note {
            Note::Started { tid, process, origin, at } => Event::Started { tid, process, origin, at },
            Note::Exit => Event::Exit(&self.call),
            Note::Enter { tid } => match self.threads.blocked(tid) {
                Some(call) => Event::Enter(call),
                None => Event::Idle,
            },
            Note::Signal { tid, ip, at } => Event::Signal { tid, info: &self.siginfo, ip: Some(ip), at },
            Note::Stopped { tid, signal, at } => Event::Stopped { tid, signal, at },
            Note::Personality { tid, abi, at } => Event::Personality { tid, abi, at },
            Note::Exited { tid, status, at } => Event::Exited { tid, status, at },
            Note::Killed { tid, signal, core, at } => Event::Killed { tid, signal, core, at },
            Note::Superseded { tid, old, at } => Event::Superseded { tid, old, call: self.entered.get(&tid), at },
            Note::Lost { tid, count, at } => Event::Lost { tid, count, at },
            Note::Detached { tid, at } => {
                Event::Detached { tid, call: self.threads.blocked(tid).or_else(|| self.entered.get(&tid)), at }
            }
            Note::Stranger { tid, fate } => Event::Stranger { tid, fate },
            Note::Idle => Event::Idle,
        }
    }
}

/// A thread's end by its status as wait(2) gives it.
pub fn ended(tid: Tid, status: i32, at: Ns) -> Note {
    match status & 0x7f {
        0 => Note::Exited { tid, status: status >> 8 & 0xff, at },
        signal => Note::Killed { tid, signal, core: status & 0x80 != 0, at },
    }
}
