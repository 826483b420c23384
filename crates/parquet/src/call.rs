//! The row of a call.

use crate::clock::TraceClock;
use crate::table_rows::TableRows;
use stride_event::{Call, Ns, Outcome, Tid, errno_word};
use stride_syscalls::{Abi, table};
use stride_track::{Seen, Tracker};

/// The facts about a call that its row has.
pub struct TableCall<'a> {
    pub tid: Tid,
    pub abi: Abi,
    pub nr: u64,
    pub entered: Ns,
    /// The call itself, unless its thread went before it returned.
    pub call: Option<&'a Call>,
    /// It will not return.
    pub unfinished: bool,
    /// Without `-e raw`: the arguments by name.
    pub args: &'a [u8],
    pub stack_id: Option<i32>,
}

impl TableCall<'_> {
    pub fn write(&self, tracker: &Tracker, clock: &TraceClock, to: &mut TableRows) {
        let thread = tracker.thread(self.tid);
        let process = thread.and_then(|thread| tracker.process(thread.pid));
        // A call that has not returned is about what it was about when it was entered.
        let returned = tracker.seen().filter(|seen| seen.tid == self.tid && self.call.is_some());
        let seen = returned.or_else(|| tracker.wait(self.tid).map(|wait| &wait.seen));
        let object = seen.and_then(|seen| seen.object);
        let about = seen.and_then(Seen::about);
        let outcome = self.call.map(|call| call.outcome);
        let (word, ret, errno) = match outcome {
            Some(Outcome::Error(errno)) => ("error", None, Some(errno_word(errno))),
            Some(Outcome::Value(value)) if !self.unfinished => ("ok", Some(value), None),
            _ => ("unfinished", None, None),
        };
        let duration = match outcome {
            Some(Outcome::Value(_) | Outcome::Error(_)) => {
                self.call.map(|call| call.returned.saturating_sub(self.entered))
            }
            _ => None,
        };
        to.row()
            .word(Some(clock.trace_id.as_bytes()))
            .number(clock.micros(self.entered))
            .number(Some(self.entered as i64).filter(|at| *at > 0))
            .number(duration.map(|duration| duration as i64))
            .word(self.call.and_then(|call| call.container.as_deref()).map(str::as_bytes))
            .id(thread.map(|thread| thread.pid))
            .id(Some(self.tid))
            .name(thread.map(|thread| &thread.comm[..]).filter(|comm| !comm.is_empty()))
            .name(process.and_then(|process| process.program).map(|program| tracker.name(program)))
            .word(Some(table(self.abi).name(self.nr).as_bytes()))
            .word(Some(self.abi.name().as_bytes()))
            .name(about.map(|object| tracker.name(object)))
            .id(seen.and_then(|seen| seen.fd))
            .word(object.map(|object| tracker.kind(object).word().as_bytes()))
            .word(object.and_then(|object| tracker.peer(object)))
            .number(self.call.and_then(Call::moved).map(|bytes| bytes as i64))
            .word(Some(word.as_bytes()))
            .number(ret)
            .word(errno.as_ref().map(|errno| errno.as_bytes()))
            .text(Some(self.args))
            .id(self.stack_id)
            .end();
    }
}
