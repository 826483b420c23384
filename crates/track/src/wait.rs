//! What a thread waits for, as far as it can be told.

use crate::{ObjectId, Seen};
use stride_event::{Call, Ns, Tid};

/// A descriptor among others that a thread waits for.
#[derive(Clone, Debug)]
pub struct Watched {
    pub fd: i32,
    pub object: Option<ObjectId>,
    /// As in [`Wait`]; asked only of the first few.
    pub others: Vec<(Tid, Vec<u8>)>,
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
    /// Who has the lock that it waits for.
    pub holder: Option<(Tid, Vec<u8>)>,
    /// What it watches, if it is a poll or select, or an epoll instance does.
    pub watched: Vec<Watched>,
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
            holder: None,
            watched: Vec::new(),
            asked: false,
        }
    }

    pub fn name(&self) -> &'static str {
        self.seen.row.map_or("?", |row| row.name)
    }
}
