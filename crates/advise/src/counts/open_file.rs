//! The use of an open file: its transfers, and the other calls about it.

use crate::counts::kinds::{Io, io};
use crate::counts::observed::{Observed, Pace};
use crate::counts::tallies::CallKey;
use crate::thresholds::shared::SMALL_TRANSFER;
use stride_event::Tid;
use stride_syscalls::sets::files::OPEN;
use stride_track::{FileId, ObjectId};

/// Transfers through one file in one direction.
#[derive(Clone, Default, Debug)]
pub struct Transfers {
    pub calls: u64,
    pub bytes: u64,
    /// The largest size that a transfer asked for: the size of the caller's buffer.
    pub buffer: u64,
    /// Transfers that asked for less than a page, but for more than one byte.
    pub small: Small,
    /// Transfers of one byte right after another transfer.
    pub single: u64,
    last: Option<(Tid, Pace)>,
    /// The trace line of one transfer, as an example.
    pub line: u64,
    /// The descriptor of that transfer.
    pub fd: Option<i32>,
    pub key: Option<CallKey>,
    /// The processes that made the transfers. Often they are not the process that opened the file.
    pub by: Makers,
}

/// Processes, and how many calls each made.
#[derive(Clone, Default, Debug)]
pub struct Makers(Vec<(Tid, u64)>);

/// At most this many processes are told apart for one file. Later ones are not counted.
const MAX_MAKERS: usize = 256;

impl Makers {
    pub(super) fn count(&mut self, pid: Tid) {
        // Most often this is the same process as last time.
        match self.0.iter().rposition(|(known, _)| *known == pid) {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < MAX_MAKERS => self.0.push((pid, 1)),
            None => {}
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Tid, u64)> {
        self.0.iter().copied()
    }
}

/// Calls of a few kinds, counted.
#[derive(Clone, Default, Debug)]
pub struct CallCounts(Vec<(CallKey, u64)>);

/// At most this many kinds are told apart for one file. Later ones are not counted.
const MAX_KINDS: usize = 16;

impl CallCounts {
    pub(super) fn count(&mut self, key: CallKey) {
        match self.0.iter().position(|(known, _)| *known == key) {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < MAX_KINDS => self.0.push((key, 1)),
            None => {}
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (CallKey, u64)> {
        self.0.iter().copied()
    }
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Small {
    pub calls: u64,
    pub bytes: u64,
    /// Transfers that moved all that they asked for, so there was more to move.
    pub full: u64,
    pub full_bytes: u64,
    /// Transfers that followed another one by the same thread, without another call in between, or without one that may
    /// wait.
    pub in_a_row: u64,
    /// Transfers that ended with a newline.
    pub lines: u64,
}

impl Transfers {
    pub(super) fn count(&mut self, observed: &Observed<'_>, bytes: u64, pace: Pace, write: bool) {
        let asked = observed.seen.asked.unwrap_or(bytes);
        self.calls += 1;
        self.bytes += bytes;
        self.buffer = self.buffer.max(asked);
        self.line = observed.line;
        self.fd = observed.seen.fd;
        self.key = Some(observed.key);
        self.by.count(observed.seen.pid);
        let by = observed.call.tid;
        let last = self.last.replace((by, pace)).filter(|(tid, _)| *tid == by).map(|(_, pace)| pace);
        let at_once = last.is_some_and(|last| last.calls + 1 == pace.calls);
        let positional = observed.row.transfer().is_some_and(|transfer| transfer.at_offset);
        if asked == 1 && bytes == 1 && !positional {
            // Single bytes of a pipe or a socket may be tokens, if there are other calls between them. Those of a file
            // are none.
            let of_file = || observed.seen.object.is_some_and(|object| io(object, observed.tracker) == Io::File);
            let no_wait = last.is_some_and(|last| last.waits == pace.waits);
            self.single += u64::from(at_once || no_wait && of_file());
        }
        // Programs should not buffer what they write to stderr.
        let wanted = if write { observed.seen.fd != Some(2) && asked > 0 } else { asked > 1 };
        if wanted && !positional && asked < SMALL_TRANSFER.get() {
            let full = bytes == asked;
            self.small.calls += 1;
            self.small.bytes += bytes;
            self.small.full += u64::from(full);
            self.small.full_bytes += if full { bytes } else { 0 };
            self.small.in_a_row += u64::from(at_once || last.is_some_and(|last| last.waits == pace.waits));
            if write {
                let data = observed.call.bytes("buf", asked as usize);
                self.small.lines += u64::from(data.len() as u64 == asked && data.ends_with(b"\n"));
            }
        }
    }
}

/// The use of an open file, from its first descriptor to its last.
#[derive(Clone, Debug)]
pub struct OpenFile {
    pub id: FileId,
    pub object: ObjectId,
    /// The process that opened the file, or the first one seen with it.
    pub pid: Tid,
    /// The call that made the file, if it was seen. `flags` are its flags, if it was an open(2).
    pub made: Option<CallKey>,
    pub flags: u64,
    pub line: u64,
    /// The thread that made the file, and its pace at that time.
    pub opened: (Tid, Pace),
    pub reads: Transfers,
    pub writes: Transfers,
    pub seeks: u64,
    pub syncs: u64,
    /// The calls about it that neither made nor closed it and moved no bytes: fstat, lseek, connect, epoll_ctl.
    pub others: CallCounts,
    /// The call that closed its last descriptor.
    pub closed: Option<CallKey>,
    /// No call closed the last descriptor: it went with a process or an execve.
    pub gone: bool,
}

impl OpenFile {
    pub(super) fn new(id: FileId, object: ObjectId, observed: &Observed<'_>, pace: Pace) -> OpenFile {
        OpenFile {
            id,
            object,
            pid: observed.seen.pid,
            made: None,
            flags: 0,
            line: observed.line,
            opened: (observed.call.tid, pace),
            reads: Transfers::default(),
            writes: Transfers::default(),
            seeks: 0,
            syncs: 0,
            others: CallCounts::default(),
            closed: None,
            gone: false,
        }
    }
}

impl OpenFile {
    /// Tests a flag. Its value depends on the ABI of the call that made the file.
    fn flag(&self, name: &str) -> bool {
        self.made.is_some_and(|made| self.flags & OPEN.of(made.abi).value(name) != 0)
    }

    pub fn is_directory(&self) -> bool {
        self.flag("O_DIRECTORY")
    }

    /// True if transfers bypass the page cache (O_DIRECT).
    pub fn is_direct(&self) -> bool {
        self.flag("O_DIRECT")
    }
}
