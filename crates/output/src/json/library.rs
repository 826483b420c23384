//! A call of a library's function as JSON: one object, when it returns or is known never to.

use super::Json;
use super::event::EventContext;
use stride_decode::{library_args, library_result};
use stride_event::{LibraryCall, LibraryPart};

/// Writes a call that ended. `moment` has the time of its entry.
pub fn library(moment: &EventContext<'_>, call: &LibraryCall, out: &mut Vec<u8>) {
    let outcome = match call.part {
        LibraryPart::Entered => return,
        LibraryPart::Returned => "ok",
        LibraryPart::Passed => "unwatched",
        LibraryPart::Gone => "unfinished",
    };
    Json::new(out).event("library_call", moment, |j| {
        j.name("function", call.function.name.as_bytes());
        j.key("depth").int(call.depth);
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
        j.key("outcome").str(outcome);
        if let Some(value) = library_result(call) {
            j.key("ret").value(&value);
        }
        if let Some(duration) = call.duration() {
            j.key("duration_ns").int(duration);
        }
    });
}
