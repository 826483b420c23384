//! What a thread waits for, as far as it can be told.

use crate::{Futex, ObjectId, Seen};
use stride_event::{Call, Ns, Tid};

/// A descriptor among others that a thread waits for.
#[derive(Clone, Debug)]
pub struct Watched {
    pub fd: i32,
    pub object: Option<ObjectId>,
    /// As in [`Wait`]; asked only of the first few.
    pub others: Vec<(Tid, Vec<u8>)>,
}

/// What a futex(2) waits for, where that can be told; of a thread also the name, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A lock, and the thread that has it.
    Lock(Option<(Tid, Vec<u8>)>),
    /// That a thread ends.
    End(Tid, Vec<u8>),
    Condition,
}

impl Awaited {
    /// The thread that can end the waiting.
    pub fn thread(&self) -> Option<Tid> {
        match self {
            Awaited::Lock(holder) => holder.as_ref().map(|(tid, _)| *tid),
            Awaited::End(tid, _) => Some(*tid),
            Awaited::Condition => None,
        }
    }
}

/// A call that a thread is in, and what is known of why it lasts.
#[derive(Clone, Debug)]
pub struct Wait {
    pub seen: Seen,
    pub args: [u64; 6],
    /// When it was entered; that may have been before it was seen to be.
    pub since: Ns,
    /// Who has the other end of its pipe or socket, by id and name.
    pub others: Vec<(Tid, Vec<u8>)>,
    /// Of a futex(2).
    pub awaited: Option<Awaited>,
    /// What it watches, if it is a poll or select, or an epoll instance does.
    pub watched: Vec<Watched>,
    /// If it returns, that is part of the end of its process.
    pub(crate) doomed: bool,
    /// Others were asked about it.
    pub(crate) asked: bool,
}

impl Wait {
    pub(crate) fn new(seen: Seen, call: &Call) -> Wait {
        Wait {
            seen,
            args: call.args,
            since: call.entered,
            others: Vec::new(),
            awaited: None,
            watched: Vec::new(),
            doomed: false,
            asked: false,
        }
    }

    pub(crate) fn futex(&self) -> Option<Futex> {
        self.seen.row.filter(|row| Futex::is(row)).and_then(|_| Futex::of(&self.args))
    }

    pub fn name(&self) -> &'static str {
        self.seen.row.map_or("?", |row| row.name)
    }
}

#[cfg(test)]
#[path = "wait_tests.rs"]
mod tests;
