//! The descriptors of a process.

mod files;
pub(crate) mod noted;
pub(crate) mod referent;

use crate::{FileId, ObjectId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use stride_event::Tid;

/// Stands for the working directory where calls take a descriptor.
pub const AT_FDCWD: i32 = stride_syscalls::uapi::consts::AT_FDCWD as i32;

/// An open file description.
#[derive(Debug)]
pub struct File {
    pub id: FileId,
    /// A socket gets a better name when it is connected.
    pub object: Cell<ObjectId>,
    /// The peer in the name of the socket is that of a connection that failed.
    pub attempted: Cell<bool>,
    /// The protocol of a socket.
    pub protocol: &'static str,
    /// The number of pieces of a page and more that were moved through a file with a path.
    pub pieces: Cell<u32>,
}

#[derive(Clone, Debug)]
struct Entry {
    file: Rc<File>,
    cloexec: bool,
}

/// Open files by their numbers.
type Numbered = BTreeMap<u32, Rc<File>>;

/// No process has higher descriptors, unless it wants to cause trouble.
const MAX_FD: u32 = 1 << 20;
/// A child's changes of its descriptors are kept until its parent's clone(2) returns. Few children make many before
/// that.
const MAX_JOURNAL: usize = 1 << 12;

/// By number. Few of the numbers up to the highest may be in use, and every child has a copy. The ones that execve(2)
/// closes are kept apart, because neither execve nor close_range(2) may take longer for descriptors that it leaves
/// alone.
#[derive(Clone, Debug, Default)]
struct Entries {
    lasting: Numbered,
    closed_by_exec: Numbered,
    /// Changes while it is unknown whether this is a copy of the parent's table or the parent's own.
    journal: Option<Journal>,
}

/// Changes in their order: a number, and the file that it refers to since then.
#[derive(Clone, Debug, Default)]
pub struct Journal(Vec<(u32, Option<Entry>)>);

impl Journal {
    pub fn into_files(self) -> impl Iterator<Item = Rc<File>> {
        self.0.into_iter().filter_map(|(_, entry)| Some(entry?.file))
    }
}

impl Entries {
    fn copy(&self, journal: Option<Journal>) -> Entries {
        Entries { lasting: self.lasting.clone(), closed_by_exec: self.closed_by_exec.clone(), journal }
    }

    fn put(&mut self, fd: u32, entry: Option<Entry>) -> Option<Rc<File>> {
        if let Some(Journal(changes)) = self.journal.as_mut().filter(|journal| journal.0.len() < MAX_JOURNAL) {
            changes.push((fd, entry.clone()));
        }
        let before = self.lasting.remove(&fd).or_else(|| self.closed_by_exec.remove(&fd));
        if let Some(Entry { file, cloexec }) = entry {
            self.of(cloexec).insert(fd, file);
        }
        before
    }

    fn of(&mut self, cloexec: bool) -> &mut Numbered {
        if cloexec { &mut self.closed_by_exec } else { &mut self.lasting }
    }

    fn get(&self, fd: u32) -> Option<&Rc<File>> {
        self.lasting.get(&fd).or_else(|| self.closed_by_exec.get(&fd))
    }

    fn len(&self) -> usize {
        self.lasting.len() + self.closed_by_exec.len()
    }

    fn set_cloexec(&mut self, fd: u32, cloexec: bool) {
        if let Some(file) = self.of(!cloexec).remove(&fd) {
            self.of(cloexec).insert(fd, file);
        }
    }

    fn remove_all(&mut self, numbers: Vec<u32>) -> Vec<Rc<File>> {
        numbers.into_iter().filter_map(|fd| self.put(fd, None)).collect()
    }
}

/// The numbers of a range that are in use. (A range that ends before it begins is empty, and the map would panic.)
fn within(of: &Numbered, first: u32, last: u32) -> impl Iterator<Item = u32> {
    let range = (first <= last).then(|| of.range(first..=last));
    range.into_iter().flatten().map(|(fd, _)| *fd)
}

/// The kernel's `files_struct`: a process has its own, or shares one with others (`CLONE_FILES`).
#[derive(Debug, Default)]
pub struct Descriptors {
    entries: Rc<RefCell<Entries>>,
}

impl Descriptors {
    /// The table for a child. It keeps a journal until [`Descriptors::settle`] says whether the two are one.
    pub fn copy(&self) -> Descriptors {
        Descriptors { entries: Rc::new(RefCell::new(self.entries.borrow().copy(Some(Journal::default())))) }
    }

    /// The changes since it was made.
    pub fn settle(&self) -> Option<Journal> {
        self.entries.borrow_mut().journal.take()
    }

    /// Repeats a child's changes in the table that turned out to be shared. Returns the files that they replaced.
    pub fn apply(&self, journal: Journal) -> Vec<Rc<File>> {
        let mut entries = self.entries.borrow_mut();
        journal.0.into_iter().filter_map(|(fd, entry)| entries.put(fd, entry)).collect()
    }

    /// From here on the two tables are one.
    pub fn share(&self) -> Descriptors {
        Descriptors { entries: self.entries.clone() }
    }

    pub fn is_shared(&self) -> bool {
        Rc::strong_count(&self.entries) > 1
    }

    /// From here on the table is not shared.
    pub fn unshare(&mut self) {
        if self.is_shared() {
            let copy = self.entries.borrow().copy(None);
            self.entries = Rc::new(RefCell::new(copy));
        }
    }

    pub fn get(&self, fd: i32) -> Option<Rc<File>> {
        self.entries.borrow().get(u32::try_from(fd).ok()?).cloned()
    }

    pub fn files(&self) -> Vec<FileId> {
        let entries = self.entries.borrow();
        entries.lasting.values().chain(entries.closed_by_exec.values()).map(|file| file.id).collect()
    }

    pub fn objects(&self) -> Vec<(i32, ObjectId)> {
        let entries = self.entries.borrow();
        let all = entries.lasting.iter().chain(&entries.closed_by_exec);
        all.map(|(fd, file)| (*fd as i32, file.object.get())).collect()
    }

    pub fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Returns the file that the descriptor referred to before.
    pub fn set(&self, fd: i32, file: Rc<File>, cloexec: bool) -> Option<Rc<File>> {
        let fd = u32::try_from(fd).ok().filter(|fd| *fd < MAX_FD)?;
        self.entries.borrow_mut().put(fd, Some(Entry { file, cloexec }))
    }

    pub fn set_cloexec(&self, fd: i32, cloexec: bool) {
        if let Ok(fd) = u32::try_from(fd) {
            self.entries.borrow_mut().set_cloexec(fd, cloexec);
        }
    }

    pub fn close(&self, fd: i32) -> Option<Rc<File>> {
        self.entries.borrow_mut().put(u32::try_from(fd).ok()?, None)
    }

    pub fn close_range(&self, first: u32, last: u32) -> Vec<Rc<File>> {
        let mut entries = self.entries.borrow_mut();
        let mut numbers: Vec<u32> =
            within(&entries.lasting, first, last).chain(within(&entries.closed_by_exec, first, last)).collect();
        numbers.sort_unstable();
        entries.remove_all(numbers)
    }

    /// close_range(2) with its flag that only sets close-on-exec.
    pub fn mark_range(&self, first: u32, last: u32) {
        let mut entries = self.entries.borrow_mut();
        let numbers: Vec<u32> = within(&entries.lasting, first, last).collect();
        numbers.into_iter().for_each(|fd| entries.set_cloexec(fd, true));
    }

    /// execve(2), after which the table is the process's own. Returns the closed files.
    pub fn exec(&mut self) -> Vec<Rc<File>> {
        self.unshare();
        let mut entries = self.entries.borrow_mut();
        let numbers = entries.closed_by_exec.keys().copied().collect();
        entries.remove_all(numbers)
    }

    /// The end of a process. Returns all files, if the table is not shared.
    pub fn end(self) -> Vec<Rc<File>> {
        match Rc::try_unwrap(self.entries) {
            Ok(entries) => {
                let Entries { lasting, closed_by_exec, .. } = entries.into_inner();
                lasting.into_values().chain(closed_by_exec.into_values()).collect()
            }
            Err(_) => Vec::new(),
        }
    }
}

/// A child whose parent's clone(2) has not returned yet. Both engines report the flags only then: the child may share
/// the parent's descriptors.
pub struct Unsettled {
    pub child: Tid,
    /// The child's changes, if it has a table of its own by now (execve), or has ended.
    pub done: Option<Journal>,
}
