//! Answers from the tracker, which follows earlier calls: descriptors in a recording that was made without `-y`,
//! and names of threads that the eBPF engine does not stop.

use std::cell::RefCell;
use std::rc::Rc;
use stride_decode::FdInfo;
use stride_event::{Descriptor, FdOf, Question};
use stride_output::shown;
use stride_proc::{LiveSource, ReplaySource, Source};
use stride_track::{ObjectId, ObjectKind, Referent, Tracker};

/// Answers from the recording, with the descriptors that the tracker follows. The recording only says what a descriptor referred to when it was
/// first seen.
pub struct FollowedDescriptors {
    pub recorded: Rc<ReplaySource>,
    /// The tracker has seen the event that is being shown.
    pub tracker: Rc<RefCell<Tracker>>,
}

impl Source for FollowedDescriptors {
    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        self.recorded.answer(question, known)
    }

    fn followed(&self, of: FdOf) -> Option<Option<FdInfo>> {
        let tracker = self.tracker.borrow();
        match tracker.referent(of) {
            Referent::Object(object) => Some(Some(info(&tracker, object))),
            Referent::Nothing => Some(None),
            Referent::Unknown => None,
        }
    }
}

fn info(tracker: &Tracker, object: ObjectId) -> FdInfo {
    let name = tracker.name(object);
    match tracker.kind(object) {
        ObjectKind::Path => match name.strip_suffix(b" (deleted)") {
            Some(path) => FdInfo { path: path.to_vec(), detail: String::new(), deleted: true },
            None => FdInfo { path: name.to_vec(), detail: String::new(), deleted: false },
        },
        // `shown` keeps the detail printable ASCII, whatever bytes a socket's address has.
        _ => {
            let detail = shown(name).replace('→', "->").replace('←', "<-");
            FdInfo { path: Vec::new(), detail, deleted: false }
        }
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
