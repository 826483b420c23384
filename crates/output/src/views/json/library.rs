//! A call of a library's function as JSON: one object, when it returns or is known never to. Likewise an operation of
//! io_uring, for each of its completions.

use super::Json;
use super::event::EventContext;
use stride_decode::{Value, library_args, library_result};
use stride_event::{LibraryCall, LibraryPart, OperationFacts};
use stride_syscalls::operation::PREFIX;
use stride_syscalls::sets::uring::{CQE_FLAGS, IOSQE};

/// Writes a call that ended. `moment` has the time of its entry.
pub fn library(moment: &EventContext<'_>, call: &LibraryCall, out: &mut Vec<u8>) {
    if let Some(facts) = call.operation {
        return operation(moment, call, facts, out);
    }
    let outcome = match call.part {
        LibraryPart::Entered => return,
        LibraryPart::Returned => "ok",
        LibraryPart::Passed => "unwatched",
        LibraryPart::Gone => "unfinished",
    };
    Json::new(out).event("library_call", moment, |j| {
        j.name("function", call.function.name.as_bytes());
        j.key("depth").int(call.depth);
        args(call, j);
        j.key("outcome").str(outcome);
        if let Some(value) = library_result(call) {
            j.key("ret").value(&value);
        }
        if let Some(duration) = call.duration() {
            j.key("duration_ns").int(duration);
        }
    });
}

/// Writes the arguments of an operation as an object, as those of a call are.
pub fn operation_args(call: &LibraryCall, out: &mut Vec<u8>) {
    Json::new(out).object(|j| {
        for (name, value) in library_args(call) {
            j.key(name).value(&value);
        }
    });
}

fn args(call: &LibraryCall, j: &mut Json<'_>) {
    j.key("args").array(|j| {
        for (name, value) in library_args(call) {
            j.object(|j| {
                if !name.is_empty() {
                    j.name("name", name.as_bytes());
                }
                j.key("value").value(&value);
            });
        }
    });
}

fn operation(moment: &EventContext<'_>, call: &LibraryCall, facts: OperationFacts, out: &mut Vec<u8>) {
    let name = call.function.name.strip_prefix(PREFIX).unwrap_or(&call.function.name);
    Json::new(out).event("io_uring", moment, |j| {
        j.name("operation", name.as_bytes());
        args(call, j);
        j.key("submitter").str(if facts.polled { "sqpoll" } else { "io_uring_enter" });
        j.key("user_data").hex(facts.user_data);
        if facts.flags != 0 {
            j.key("flags").value(&Value::Flags { raw: facts.flags.into(), set: &IOSQE });
        }
        j.key("outcome").str(call.outcome());
        match (call.error(), library_result(call)) {
            (Some(errno), _) => j.key("error").errno(errno),
            (None, Some(value)) => j.key("ret").value(&value),
            (None, None) => {}
        }
        if call.part == LibraryPart::Returned {
            if facts.cqe_flags & 0xffff != 0 {
                let flags = Value::Flags { raw: u64::from(facts.cqe_flags & 0xffff), set: &CQE_FLAGS };
                j.key("completion_flags").value(&flags);
            }
            j.key("more").bool(facts.has_more());
        }
        if let Some(duration) = call.duration() {
            j.key("duration_ns").int(duration);
        }
    });
}
