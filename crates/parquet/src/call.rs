//! The row of a call.

use crate::call_columns::{CallColumns, CallName};
use crate::clock::TraceClock;
use crate::table_rows::TableRows;
use crate::tables::Calls;
use crate::waits::RowWaits;
use stride_event::{Call, Ns, Outcome, Tid};
use stride_syscalls::Abi;
use stride_track::{Cause, Seen, Tracker};

/// The facts about a call that its row has.
pub struct TableCall<'a> {
    pub tid: Tid,
    pub abi: Abi,
    pub nr: u64,
    /// The earliest moment that is known of the call.
    pub began: Ns,
    /// The time until the call returned, if its entry was seen.
    pub duration: Option<Ns>,
    /// The call itself, unless its thread went before it returned.
    pub call: Option<&'a Call>,
    /// The call when tracing ended, if it had not returned by then.
    pub left: Option<&'a Call>,
    /// It will not return.
    pub unfinished: bool,
    /// Without `-e raw`: the arguments by name.
    pub args: &'a [u8],
    pub stack_id: Option<i32>,
    /// Waits were measured.
    pub waits: bool,
}

impl TableCall<'_> {
    pub fn write(&self, tracker: &Tracker, clock: &TraceClock, to: &mut TableRows<Calls>) {
        // A call that has not returned is about what it was about when it was entered.
        let returned = tracker.seen().filter(|seen| seen.tid == self.tid && self.call.is_some());
        let seen = returned.or_else(|| tracker.wait(self.tid).map(|wait| &wait.seen));
        let outcome = self.call.map(|call| call.outcome);
        let (word, ret, errno) = match outcome {
            Some(Outcome::Error(errno)) => ("error", None, Some(errno)),
            Some(Outcome::Value(value)) if !self.unfinished => ("ok", Some(value), None),
            _ => ("unfinished", None, None),
        };
        let duration = match outcome {
            Some(Outcome::Value(_) | Outcome::Error(_)) => self.duration,
            _ => None,
        };
        CallColumns {
            tid: self.tid,
            began: self.began,
            duration,
            container: self.call.and_then(|call| call.container.as_deref()),
            name: CallName::Syscall(self.abi, self.nr),
            seen,
            bytes: self.call.and_then(Call::moved),
            outcome: word,
            ret,
            errno,
            args: self.args,
            stack_id: self.stack_id,
            waits: self.waits(duration, seen, tracker),
        }
        .write(tracker, clock, to);
    }

    /// A call whose entry was not seen, or that has not returned, is measured in part only. So it has waits if there were any, but it is not known that there
    /// were none.
    fn waits(&self, duration: Option<Ns>, seen: Option<&Seen>, tracker: &Tracker) -> Option<RowWaits<'_>> {
        let call = self.call.or(self.left).filter(|_| self.waits)?;
        let Some(found) = call.waits.as_deref() else { return duration.map(|_| RowWaits::new(None, None)) };
        Some(RowWaits::new(Some(found), seen.and_then(|seen| Cause::of(call, seen, tracker)).map(Cause::name)))
    }
}
