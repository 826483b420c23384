//! The row of an operation of io_uring: its name has a colon, as no system call's name has.

use crate::clock::TraceClock;
use crate::table_rows::TableRows;
use stride_event::{LibraryCall, LibraryPart, OperationFacts, errno_word};
use stride_track::{Seen, Tracker};

/// How an operation ended: the word that its row has.
pub fn outcome(call: &LibraryCall, facts: OperationFacts) -> &'static str {
    match (call.part, call.error()) {
        (LibraryPart::Returned, Some(_)) => "error",
        (LibraryPart::Returned, None) => "ok",
        _ if facts.is_silent() => "silent",
        _ => "unfinished",
    }
}

/// Writes the row. `args` are the arguments as JSON.
pub fn write(
    call: &LibraryCall,
    outcome: &str,
    args: &[u8],
    tracker: &Tracker,
    clock: &TraceClock,
    to: &mut TableRows,
) {
    let thread = tracker.thread(call.tid);
    let process = thread.and_then(|thread| tracker.process(thread.pid));
    let seen = tracker.seen();
    let object = seen.and_then(|seen| seen.object);
    let errno = call.error().map(errno_word);
    to.row()
        .word(Some(clock.trace_id.as_bytes()))
        .number(clock.micros(call.entered))
        .number(Some(call.entered as i64).filter(|at| *at > 0))
        .number(call.duration().map(|duration| duration as i64))
        // Operations come without the container of their thread.
        .word(None)
        .id(thread.map(|thread| thread.pid))
        .id(Some(call.tid))
        .name(thread.map(|thread| &thread.comm[..]).filter(|comm| !comm.is_empty()))
        .name(process.and_then(|process| process.program).map(|program| tracker.name(program)))
        .word(Some(call.function.name.as_bytes()))
        // An operation is the same for each ABI.
        .word(None)
        .name(seen.and_then(Seen::about).map(|object| tracker.name(object)))
        .id(seen.and_then(|seen| seen.fd))
        .word(object.map(|object| tracker.kind(object).word().as_bytes()))
        .word(object.and_then(|object| tracker.peer(object)))
        .number(call.moved().map(|bytes| bytes as i64))
        .word(Some(outcome.as_bytes()))
        .number((outcome == "ok").then_some(i64::from(call.result as i32)))
        .word(errno.as_ref().map(|errno| errno.as_bytes()))
        .text(Some(args))
        .id(None)
        .end();
}
