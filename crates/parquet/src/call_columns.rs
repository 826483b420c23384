//! A row of the table `calls`.

use crate::cell::{IdCell, MeasureCell, NameCell, NumberCell, TextCell, TimeCell, WordCell};
use crate::clock::TraceClock;
use crate::table_rows::TableRows;
use crate::tables::{CallRow, Calls};
use crate::waits::{RowWaits, WaitCells};
use std::borrow::Cow;
use stride_event::{Ns, Tid, WaitKind, errno_word};
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
    /// `None`: they were not measured.
    pub waits: Option<RowWaits<'a>>,
}

impl CallColumns<'_> {
    pub fn write(&self, tracker: &Tracker, clock: &TraceClock, to: &mut TableRows<Calls>) {
        let thread = tracker.thread(self.tid);
        let process = thread.and_then(|thread| tracker.process(thread.pid));
        let object = self.seen.and_then(|seen| seen.object);
        let (syscall, name) = match self.name {
            CallName::Syscall(abi, nr) => (Some((abi, nr)), table(abi).name(nr)),
            CallName::Operation(name) => (None, Cow::Borrowed(name)),
        };
        let abi = syscall.map(|(abi, _)| abi);
        let kind = object.map(|object| tracker.kind(object));
        let errno = self.errno.map(errno_word);
        let waits = WaitCells(self.waits);
        let waker = waits.waker();
        let waker_call = waker.call_name();
        to.add(CallRow {
            trace_id: WordCell::trace_id(clock.trace_id.as_bytes()),
            time: TimeCell(clock.micros(self.began)),
            start_ns: MeasureCell(Some(self.began as i64).filter(|at| *at > 0)),
            duration_ns: MeasureCell(self.duration.map(|duration| duration as i64)),
            container: WordCell::of(self.container.map(str::as_bytes)),
            pid: IdCell(thread.map(|thread| thread.pid)),
            tid: IdCell(Some(self.tid)),
            comm: NameCell::of(thread.map(|thread| &thread.comm[..]).filter(|comm| !comm.is_empty())),
            exe: NameCell::of_object(process.and_then(|process| process.program), tracker),
            name: WordCell::call(syscall, Some(&name)),
            abi: WordCell::keyed(abi.map(|abi| abi as usize), abi.map(|abi| abi.name().as_bytes())),
            path: NameCell::of_object(self.seen.and_then(Seen::subject), tracker),
            fd: IdCell(self.seen.and_then(|seen| seen.fd)),
            fd_kind: WordCell::keyed(kind.map(|kind| kind as usize), kind.map(|kind| kind.word().as_bytes())),
            peer: WordCell::of(object.and_then(|object| tracker.peer(object))),
            bytes: NumberCell(self.bytes.map(|bytes| bytes as i64)),
            outcome: WordCell::of(Some(self.outcome.as_bytes())),
            ret: NumberCell(self.ret),
            errno: WordCell::of(errno.as_ref().map(|errno| errno.as_bytes())),
            args: TextCell(Some(self.args)),
            stack_id: IdCell(self.stack_id),
            blocked_ns: waits.during(WaitKind::Blocked),
            disk_ns: waits.during(WaitKind::Disk),
            stopped_ns: waits.during(WaitKind::Stopped),
            runnable_ns: waits.during(WaitKind::Runnable),
            throttled_ns: waits.during(WaitKind::Throttled),
            before_asleep_ns: waits.before(true),
            before_runnable_ns: waits.before(false),
            wait_cause: waits.cause(),
            waker_kind: waker.kind(),
            waker_tid: waker.tid(),
            waker_pid: waker.pid(),
            waker_comm: waker.comm(),
            waker_call: waker.call(waker_call.as_deref()),
            waker_interrupt: waker.interrupt(),
        });
    }
}
