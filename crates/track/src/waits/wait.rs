//! The thing that a thread waits for, as far as that is known.

use crate::{Futex, ObjectId, Seen};
use stride_event::{Call, Ns, Tid};

/// One of several descriptors that a thread waits for.
#[derive(Clone, Debug)]
pub struct Watched {
    pub fd: i32,
    pub object: Option<ObjectId>,
    /// As in [`Wait`]. Looked up only for the first few.
    pub others: Vec<(Tid, Vec<u8>)>,
}

/// The thing that a futex(2) waits for, if known. For a thread, also its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A lock, and the thread that holds it.
    Lock(Option<(Tid, Vec<u8>)>),
    /// The end of a thread.
    End(Tid, Vec<u8>),
    Condition,
}

impl Awaited {
    /// The thread that can end the wait.
    pub fn thread(&self) -> Option<Tid> {
        match self {
            Awaited::Lock(holder) => holder.as_ref().map(|(tid, _)| *tid),
            Awaited::End(tid, _) => Some(*tid),
            Awaited::Condition => None,
        }
    }
}

/// A call that a thread is in, and why it lasts, as far as that is known.
#[derive(Clone, Debug)]
pub struct Wait {
    pub seen: Seen,
    pub args: [u64; 6],
    /// The time of its entry. It may be earlier than the event that showed it.
    pub since: Ns,
    /// The processes that have the other end of its pipe or socket: id and name.
    pub others: Vec<(Tid, Vec<u8>)>,
    /// For futex(2).
    pub awaited: Option<Awaited>,
    /// The watched descriptors of poll, select or an epoll instance.
    pub watched: Vec<Watched>,
    /// Its process is being killed, so its return does not end the wait.
    pub(crate) ends_with_process: bool,
    /// The resolver was asked about it.
    pub(crate) asked: bool,
}

impl Wait {
    pub(crate) fn new(seen: Seen, call: &Call) -> Wait {
        Wait {
            seen,
            args: call.args,
            since: call.began(),
            others: Vec::new(),
            awaited: None,
            watched: Vec::new(),
            ends_with_process: false,
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
