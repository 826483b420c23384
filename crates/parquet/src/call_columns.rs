//! A row of the table `calls`.

use crate::cell::{Id, Measure, Name, Number, Text, Time, Word};
use crate::clock::TraceClock;
use crate::table_rows::TableRows;
use crate::tables::{CallRow, Calls};
use std::borrow::Cow;
use stride_event::{Ns, Tid, errno_word};
use stride_syscalls::{Abi, table};
use stride_track::{Seen, Tracker};

/// The name in the row.
#[derive(Clone, Copy)]
pub enum CallName<'a> {
    Syscall(Abi, u64),
    /// An operation of io_uring, which is the same for each ABI.
    Operation(&'a str),
}

/// The facts that a row has besides those that the tracker knows of the thread.
pub struct CallColumns<'a> {
    pub tid: Tid,
    pub began: Ns,
    pub duration: Option<Ns>,
    pub container: Option<&'a str>,
    pub name: CallName<'a>,
    pub seen: Option<&'a Seen>,
    pub bytes: Option<u64>,
    pub outcome: &'a str,
    pub ret: Option<i64>,
    pub errno: Option<u32>,
    /// The arguments as JSON.
    pub args: &'a [u8],
    pub stack_id: Option<i32>,
}

impl CallColumns<'_> {
    pub fn write(&self, tracker: &Tracker, clock: &TraceClock, to: &mut TableRows<Calls>) {
        let thread = tracker.thread(self.tid);
        let process = thread.and_then(|thread| tracker.process(thread.pid));
        let object = self.seen.and_then(|seen| seen.object);
        let (abi, key, name) = match self.name {
            CallName::Syscall(abi, nr) => {
                // A number without a row may be any number, and keys must be small.
                let key = table(abi).get(nr).map(|_| (nr as usize) << 2 | abi as usize);
                (Some(abi), key, table(abi).name(nr))
            }
            CallName::Operation(name) => (None, None, Cow::Borrowed(name)),
        };
        let kind = object.map(|object| tracker.kind(object));
        let errno = self.errno.map(errno_word);
        to.add(CallRow {
            trace_id: Word::trace_id(clock.trace_id.as_bytes()),
            time: Time(clock.micros(self.began)),
            start_ns: Measure(Some(self.began as i64).filter(|at| *at > 0)),
            duration_ns: Measure(self.duration.map(|duration| duration as i64)),
            container: Word::of(self.container.map(str::as_bytes)),
            pid: Id(thread.map(|thread| thread.pid)),
            tid: Id(Some(self.tid)),
            comm: Name::of(thread.map(|thread| &thread.comm[..]).filter(|comm| !comm.is_empty())),
            exe: Name::of_object(process.and_then(|process| process.program), tracker),
            name: Word::keyed(key, Some(name.as_bytes())),
            abi: Word::keyed(abi.map(|abi| abi as usize), abi.map(|abi| abi.name().as_bytes())),
            path: Name::of_object(self.seen.and_then(Seen::about), tracker),
            fd: Id(self.seen.and_then(|seen| seen.fd)),
            fd_kind: Word::keyed(kind.map(|kind| kind as usize), kind.map(|kind| kind.word().as_bytes())),
            peer: Word::of(object.and_then(|object| tracker.peer(object))),
            bytes: Number(self.bytes.map(|bytes| bytes as i64)),
            outcome: Word::of(Some(self.outcome.as_bytes())),
            ret: Number(self.ret),
            errno: Word::of(errno.as_ref().map(|errno| errno.as_bytes())),
            args: Text(Some(self.args)),
            stack_id: Id(self.stack_id),
        });
    }
}
