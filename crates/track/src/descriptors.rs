//! The descriptors of a process.

use crate::{FileId, ObjectId};
use std::cell::Cell;
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
const MAX_FD: usize = 1 << 20;

#[derive(Clone, Debug, Default)]
pub struct Descriptors {
    entries: Vec<Option<Entry>>,
}

impl Descriptors {
    pub fn get(&self, fd: i32) -> Option<&Rc<File>> {
        let entry = self.entries.get(usize::try_from(fd).ok()?)?.as_ref()?;
        Some(&entry.file)
    }

    /// The answer is what the descriptor referred to before.
    pub fn set(&mut self, fd: i32, file: Rc<File>, cloexec: bool) -> Option<Rc<File>> {
        let at = usize::try_from(fd).ok().filter(|fd| *fd < MAX_FD)?;
        if self.entries.len() <= at {
            self.entries.resize(at + 1, None);
        }
        Some(self.entries[at].replace(Entry { file, cloexec })?.file)
    }

    pub fn set_cloexec(&mut self, fd: i32, cloexec: bool) {
        if let Some(Some(entry)) = usize::try_from(fd).ok().and_then(|fd| self.entries.get_mut(fd)) {
            entry.cloexec = cloexec;
        }
    }

    pub fn close(&mut self, fd: i32) -> Option<Rc<File>> {
        Some(self.entries.get_mut(usize::try_from(fd).ok()?)?.take()?.file)
    }

    /// close_range(2), or its flag that only marks them.
    pub fn close_range(&mut self, first: u32, last: u32, mark: bool) {
        let end = (last as usize).saturating_add(1).min(self.entries.len());
        for entry in self.entries.get_mut(first as usize..end).unwrap_or_default() {
            match entry {
                Some(entry) if mark => entry.cloexec = true,
                entry => *entry = None,
            }
        }
    }

    pub fn exec(&mut self) {
        for entry in &mut self.entries {
            entry.take_if(|entry| entry.cloexec);
        }
    }
}
