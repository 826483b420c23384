//! Answers from the tracker, which follows earlier calls: descriptors in a recording that was made without `-y`,
//! and names of threads that the eBPF engine does not stop.

use std::cell::RefCell;
use std::rc::Rc;
use stride_decode::FdInfo;
use stride_event::{Descriptor, Question, Tid};
use stride_output::shown;
use stride_proc::{LiveSource, ReplaySource, Source};
use stride_syscalls::{Effect, Syscall};
use stride_track::{ObjectKind, Seen, Tracker};

/// Answers from the recording, and adds the descriptors that the tracker knows.
pub struct Known {
    pub told: Rc<ReplaySource>,
    /// The tracker has seen the event that is being shown.
    pub tracker: Rc<RefCell<Tracker>>,
}

impl Source for Known {
    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        // The recording may say what the descriptor referred to when it was first seen. The calls know it better.
        if let Question::Link(of) = question
            && self.followed(of.tid, of.fd).is_some()
        {
            return None;
        }
        self.told.answer(question, known)
    }

    fn followed(&self, tid: Tid, fd: i32) -> Option<FdInfo> {
        let tracker = self.tracker.borrow();
        // The tracker has already removed a descriptor that the call closed, and added one that it made.
        let seen = tracker.seen().filter(|seen| seen.tid == tid);
        // A descriptor that dup2(2) replaces refers to one file as an argument and to another as the result. This
        // function cannot tell which is asked for, and a wrong name is worse than none.
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
            // `shown` keeps the detail printable ASCII, whatever bytes a socket's address has.
            _ => {
                let detail = shown(name).replace('→', "->").replace('←', "<-");
                FdInfo { path: Vec::new(), detail, deleted: false }
            }
        })
    }
}

/// Answers from /proc, but with the names of threads as the tracker follows them. When a call is shown, its thread may be
/// gone or have another name.
pub struct FollowedNames {
    pub live: Rc<LiveSource>,
    /// The tracker has seen the event that is being shown.
    pub tracker: Rc<RefCell<Tracker>>,
}

impl Source for FollowedNames {
    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        let name = match question {
            Question::Comm(tid) => self.tracker.borrow().thread(tid).map(|thread| thread.comm.clone()),
            _ => None,
        };
        name.filter(|name| !name.is_empty()).or_else(|| self.live.answer(question, known))
    }
}

/// dup2(2) and dup3(2) take the number of the new descriptor as an argument.
fn replaces(seen: &Seen) -> bool {
    let told = |row: &Syscall| row.args.iter().any(|arg| arg.name == "newfd");
    seen.row.is_some_and(|row| row.effects.iter().any(|effect| matches!(effect, Effect::Duplicates(_))) && told(row))
}
