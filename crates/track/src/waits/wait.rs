//! The thing that a thread waits for, as far as that is known.

use crate::{Futex, ObjectId, Seen};
use stride_event::{Call, Doing, Ns, Tid};
use stride_syscalls::{Abi, For, Ty};

/// One of several descriptors that a thread waits for.
#[derive(Clone, Debug)]
pub struct Watched {
    pub fd: i32,
    pub object: Option<ObjectId>,
    /// As in [`Wait`]. Looked up only for the first few.
    pub others: Vec<(Tid, Vec<u8>)>,
}

/// How things stood when tracing of a thread ended that had waited for long.
#[derive(Clone, Debug, Default)]
pub struct AtEnd {
    /// The process that made the thread's own, traced or not. 0: not known.
    pub parent: Tid,
    /// The first processes that the thread waited for.
    pub others: Vec<(Tid, Doing)>,
    /// By descriptor: the bytes that lay unread in the first of its sockets, and in their other ends.
    pub unread: Vec<(i32, u64, u64)>,
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
    pub abi: Abi,
    pub args: [u64; 6],
    /// The time of its entry. It may be earlier than the event that showed it.
    pub since: Ns,
    /// The processes that have the other end of its pipe or socket: id and name.
    pub others: Vec<(Tid, Vec<u8>)>,
    /// For futex(2).
    pub awaited: Option<Awaited>,
    /// The watched descriptors of poll, select or an epoll instance.
    pub watched: Vec<Watched>,
    pub end: AtEnd,
    /// Its process is being killed, so its return does not end the wait.
    pub(crate) ends_with_process: bool,
    /// When a signal or a tracer ended the call, if one did. The end of tracing does that, too.
    pub(crate) broken_off: Option<Ns>,
    /// The resolver was asked about it.
    pub(crate) asked: bool,
}

impl Wait {
    pub(crate) fn new(seen: Seen, call: &Call) -> Wait {
        Wait {
            seen,
            abi: call.abi,
            args: call.args,
            since: call.began(),
            others: Vec::new(),
            awaited: None,
            watched: Vec::new(),
            end: AtEnd::default(),
            ends_with_process: false,
            broken_off: None,
            asked: false,
        }
    }

    pub(crate) fn futex(&self) -> Option<Futex> {
        self.seen.row.filter(|row| Futex::is(row)).and_then(|_| Futex::of(&self.args))
    }

    /// The child that the call waits for; 0 and less: one of several. In waitid(2), the kind of id comes before the id.
    pub fn child(&self) -> Option<Tid> {
        let row = self.seen.row.filter(|row| row.waits() == Some(For::Child))?;
        let at = row.args.iter().position(|arg| matches!(arg.name, "pid" | "id"))?;
        self.args.get(at).map(|pid| *pid as Tid)
    }

    /// The call has no time limit, so only an event ends it.
    pub fn has_no_limit(&self) -> bool {
        let args = self.seen.row.map_or(&[][..], |row| row.args);
        let limit = args.iter().zip(self.args).find(|(arg, _)| matches!(arg.name, "timeout" | "tmo_p"));
        limit.is_none_or(|(arg, value)| if matches!(arg.ty, Ty::Int) { (value as i32) < 0 } else { value == 0 })
    }

    pub fn name(&self) -> &'static str {
        self.seen.row.map_or("?", |row| row.name)
    }
}

#[cfg(test)]
#[path = "wait_tests.rs"]
mod tests;
