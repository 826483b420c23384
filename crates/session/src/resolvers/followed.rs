//! Answers from the tracker, which follows earlier calls: descriptors in a recording that was made without `-y`,
//! and names of threads that the eBPF engine does not stop.

use std::cell::RefCell;
use std::rc::Rc;
use stride_decode::{FdInfo, Labelled};
use stride_event::{Descriptor, FdOf, Question, Tid};
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
    live: Rc<LiveSource>,
    /// The tracker has seen the event that is being shown.
    tracker: Rc<RefCell<Tracker>>,
    /// Stride's own name, which the command has until it executes its program.
    own: Option<Vec<u8>>,
}

impl FollowedNames {
    pub fn new(live: Rc<LiveSource>, tracker: Rc<RefCell<Tracker>>) -> FollowedNames {
        let own = live.answer(Question::Comm(std::process::id() as Tid), None);
        FollowedNames { live, tracker, own }
    }
}

impl Source for FollowedNames {
    fn answer(&self, question: Question, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        let name = match question {
            // (The tracker itself asks while it takes in an event.)
            Question::Comm(tid) => {
                let tracker = self.tracker.try_borrow().ok();
                tracker.and_then(|tracker| tracker.thread(tid).map(|thread| thread.comm.clone()))
            }
            _ => None,
        };
        name.filter(|name| !name.is_empty()).or_else(|| self.live.answer(question, known))
    }

    fn comm_at_entry(&self, tid: Tid) -> Option<Vec<u8>> {
        let tracker = self.tracker.borrow();
        match tracker.name_before(tid) {
            Some(_) if tracker.is_launch(tid) => self.own.clone(),
            Some(name) if !name.is_empty() => Some(name.to_vec()),
            _ => self.answer(Question::Comm(tid), None),
        }
    }

    fn context(&self, tid: Tid, of: Labelled<'_>) -> Option<Vec<u8>> {
        self.live.context(tid, of)
    }
}
