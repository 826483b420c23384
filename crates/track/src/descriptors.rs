//! The descriptors of a process.

use crate::{FileId, ObjectId};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An open file description.
#[derive(Debug)]
pub struct File {
    pub id: FileId,
    /// A socket gets a better name when it is connected.
    pub object: Cell<ObjectId>,
    /// Of a socket.
    pub protocol: &'static str,
}

#[derive(Clone, Debug)]
struct Entry {
    file: Rc<File>,
    cloexec: bool,
}

/// No process has descriptors beyond this number, unless it means to be a nuisance.
const MAX_FD: u32 = 1 << 20;

/// By number. Few of the numbers up to the highest may be in use, and every child has a copy.
#[derive(Clone, Debug, Default)]
pub struct Descriptors {
    entries: BTreeMap<u32, Entry>,
}

impl Descriptors {
    pub fn get(&self, fd: i32) -> Option<&Rc<File>> {
        Some(&self.entries.get(&u32::try_from(fd).ok()?)?.file)
    }

    /// The answer is what the descriptor referred to before.
    pub fn set(&mut self, fd: i32, file: Rc<File>, cloexec: bool) -> Option<Rc<File>> {
        let fd = u32::try_from(fd).ok().filter(|fd| *fd < MAX_FD)?;
        Some(self.entries.insert(fd, Entry { file, cloexec })?.file)
    }

    pub fn set_cloexec(&mut self, fd: i32, cloexec: bool) {
        if let Some(entry) = u32::try_from(fd).ok().and_then(|fd| self.entries.get_mut(&fd)) {
            entry.cloexec = cloexec;
        }
    }

    pub fn close(&mut self, fd: i32) -> Option<Rc<File>> {
        Some(self.entries.remove(&u32::try_from(fd).ok()?)?.file)
    }

    /// close_range(2), or its flag that only marks them.
    pub fn close_range(&mut self, first: u32, last: u32, mark: bool) {
        if mark {
            // (A range that ends before it begins has nothing in it; the map would not have it.)
            let range = (first <= last).then(|| self.entries.range_mut(first..=last));
            range.into_iter().flatten().for_each(|(_, entry)| entry.cloexec = true);
        } else {
            self.entries.retain(|fd, _| !(first..=last).contains(fd));
        }
    }

    pub fn exec(&mut self) {
        self.entries.retain(|_, entry| !entry.cloexec);
    }
}
