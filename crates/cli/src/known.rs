//! Descriptors of a recording that was made without `-y`: what the calls before told of them, as the tracker followed it.

use std::cell::RefCell;
use std::rc::Rc;
use stride_decode::FdInfo;
use stride_event::{Descriptor, Question, Tid};
use stride_output::shown;
use stride_proc::{ReplaySource, Source};
use stride_syscalls::{Effect, Syscall};
use stride_track::{ObjectKind, Seen, Tracker};

/// Answers what was recorded, and adds what the tracker knows of descriptors.
pub struct Known {
    pub told: Rc<ReplaySource>,
    /// It has taken in the event that is being shown.
    pub tracker: Rc<RefCell<Tracker>>,
}

impl Source for Known {
    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        self.told.answer(question, known)
    }

    fn followed(&self, tid: Tid, fd: i32) -> Option<FdInfo> {
        let tracker = self.tracker.borrow();
        // What the call closed is no longer among the descriptors, and what it made is the newest there.
        let seen = tracker.seen().filter(|seen| seen.tid == tid);
        // A descriptor that dup2(2) replaces is one thing as an argument and another as the result. Which of them is asked for cannot be
        // told here, and a wrong name is worse than none.
        if seen.is_some_and(|seen| seen.made.is_some_and(|made| made.0 == fd) && replaces(seen)) {
            return None;
        }
        let given = seen.and_then(|seen| seen.object.filter(|_| seen.fd == Some(fd)));
        let object = given.or_else(|| tracker.descriptor(tid, fd))?;
        let name = tracker.name(object);
        Some(match tracker.kind(object) {
            ObjectKind::Path => match name.strip_suffix(b" (deleted)") {
                Some(path) => FdInfo { path: path.to_vec(), detail: String::new(), deleted: true },
                None => FdInfo { path: name.to_vec(), detail: String::new(), deleted: false },
            },
            // Whatever a socket's address has in it, the detail is printable ASCII.
            _ => {
                let detail = shown(name).replace('→', "->").replace('←', "<-");
                FdInfo { path: Vec::new(), detail, deleted: false }
            }
        })
    }
}

/// dup2(2) and dup3(2) are told the number of the new descriptor.
fn replaces(seen: &Seen) -> bool {
    let told = |row: &Syscall| row.args.iter().any(|arg| arg.name == "newfd");
    seen.row.is_some_and(|row| row.effects.iter().any(|effect| matches!(effect, Effect::Duplicates(_))) && told(row))
}
