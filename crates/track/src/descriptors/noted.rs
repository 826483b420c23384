//! Questions about descriptors, and their answers.

use crate::ObjectId;
use std::cell::{Cell, RefCell};
use stride_event::FdOf;

/// The referent of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Referent {
    Object(ObjectId),
    /// It refers to nothing, or to something that no call named.
    Nothing,
    /// Descriptors are not followed, because filters leave out calls.
    Unknown,
}

impl Referent {
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Referent::Object(object) => Some(object),
            Referent::Nothing | Referent::Unknown => None,
        }
    }
}

/// In a copy of a tracker: the answers about descriptors for the latest event. Otherwise: the questions with their answers, while they are noted.
#[derive(Default)]
pub struct NotedReferents {
    all: RefCell<Vec<(FdOf, Referent)>>,
    by: Cell<NotedBy>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum NotedBy {
    #[default]
    Nobody,
    /// The tracker is a copy, which was told the answers.
    Copy,
    /// Questions are noted.
    Tracker,
}

impl NotedReferents {
    /// From here on, these are the answers for a copy.
    pub fn begin_copy(&mut self) {
        self.by.set(NotedBy::Copy);
    }

    pub fn clear(&mut self) {
        self.all.get_mut().clear();
    }

    pub fn add(&mut self, of: FdOf, referent: Referent) {
        self.all.get_mut().push((of, referent));
    }

    /// The answer, in a copy that was told one.
    pub fn told(&self, of: FdOf) -> Option<Referent> {
        if self.by.get() != NotedBy::Copy {
            return None;
        }
        self.all.borrow().iter().find(|(about, _)| *about == of).map(|(_, referent)| *referent)
    }

    /// Notes a question, if somebody wants to know.
    pub fn asked(&self, of: FdOf, referent: Referent) {
        if self.by.get() == NotedBy::Tracker {
            self.all.borrow_mut().push((of, referent));
        }
    }

    /// Notes the questions that `ask` asks.
    pub fn during(&self, noted: &mut Vec<(FdOf, Referent)>, ask: impl FnOnce()) {
        self.by.set(NotedBy::Tracker);
        ask();
        self.by.set(NotedBy::Nobody);
        noted.append(&mut self.all.borrow_mut());
    }
}
