//! The row of an operation of io_uring: its name has a colon, as no system call's name has.

use crate::call_columns::{CallColumns, CallName};
use crate::clock::TraceClock;
use crate::table_rows::TableRows;
use crate::tables::Calls;
use stride_event::LibraryCall;
use stride_track::Tracker;

/// Writes the row. `args` are the arguments as JSON.
pub fn write(call: &LibraryCall, args: &[u8], tracker: &Tracker, clock: &TraceClock, to: &mut TableRows<Calls>) {
    let outcome = call.outcome();
    CallColumns {
        tid: call.tid,
        began: call.entered,
        duration: call.duration(),
        // Operations come without the container of their thread.
        container: None,
        name: CallName::Operation(&call.function.name),
        seen: tracker.seen(),
        bytes: call.moved(),
        outcome,
        ret: (outcome == "ok").then_some(i64::from(call.result as i32)),
        errno: call.error(),
        args,
        stack_id: None,
        // Operations have no thread of their own that could wait.
        waits: None,
    }
    .write(tracker, clock, to);
}
