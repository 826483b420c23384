//! Open files from their first descriptor to their last: how tables of descriptors are copied, shared and dropped.

use crate::descriptors::{Descriptors, File, Journal, Unsettled};
use crate::processes::clone::Cloned;
use crate::{FileId, Tracker};
use std::rc::Rc;
use stride_event::{Call, Tid};
use stride_syscalls::uapi::consts::CLONE_FILES;

/// The most descriptors that a child gets from its parent, and the most of all processes if each had as many. The
/// others are looked up.
const MAX_INHERITED: usize = 1 << 14;
const MAX_DESCRIPTORS: usize = 1 << 22;
/// The most descriptors that all children of a run get, and so many more for each open file of the run. A copy takes
/// time, and in a recording a child takes only a few bytes.
const MAX_COPIED: u64 = if cfg!(test) { 1 << 20 } else { 1 << 25 };
const COPIED_PER_FILE: u64 = 256;

impl Tracker {
    /// Files whose last descriptor was closed by the latest event, but not by a call that named it: by an execve, by
    /// the end of a process, by an operation of io_uring, or because its number was reused. (Otherwise see [`crate::Seen::ended`].)
    pub fn gone_files(&self) -> &[FileId] {
        &self.gone_files
    }

    /// The open files of a process. None if it shares its descriptors with another process, which may still close
    /// them.
    pub fn held_files(&self, pid: Tid) -> Vec<FileId> {
        let process = self.processes.get(&pid).filter(|process| !process.descriptors.is_shared());
        process.map(|process| process.descriptors.files()).unwrap_or_default()
    }

    /// Processes whose end was not reported.
    pub fn live_processes(&self) -> impl Iterator<Item = Tid> {
        let over = self.ended.and_then(|tid| self.threads.get(&tid)).map(|thread| thread.pid);
        let live = self.processes.values().filter(move |process| process.threads > 1 || Some(process.pid) != over);
        live.map(|process| process.pid)
    }

    /// These files have one descriptor less.
    pub(crate) fn release(&mut self, files: impl IntoIterator<Item = Rc<File>>) {
        for file in files {
            if Rc::strong_count(&file) == 1 {
                self.gone_files.push(file.id);
            }
        }
    }

    /// The descriptors of a new process.
    pub(crate) fn inherited(&mut self, parent: Tid, child: Tid) -> Option<Descriptors> {
        self.clone_began(parent, child);
        let from = self.threads.get(&parent)?.pid;
        let descriptors = &self.processes.get(&from)?.descriptors;
        let open = descriptors.len();
        if open > MAX_INHERITED
            || open.saturating_mul(self.processes.len()) > MAX_DESCRIPTORS
            || self.copied > MAX_COPIED + COPIED_PER_FILE * u64::from(self.files)
        {
            return None;
        }
        self.copied += open as u64;
        let copy = descriptors.copy();
        if self.partial {
            // The return of the clone(2) may never be seen.
            copy.settle();
        }
        Some(copy)
    }

    /// A clone(2) is under way, and has already made this child.
    pub(crate) fn clone_began(&mut self, parent: Tid, child: Tid) {
        if !self.partial {
            self.unsettled.insert(parent, Unsettled { child, done: None });
        }
    }

    /// A clone(2), fork(2) or vfork(2) returned.
    pub(crate) fn cloned(&mut self, call: &Call) {
        // The child is identified by the thread that made it: the number that the call returned may be of another PID
        // namespace.
        let Some(Unsettled { child, done }) = self.unsettled.remove(&call.tid) else { return };
        let cloned = Cloned::of(call);
        if let Some(thread) = self.threads.get_mut(&child) {
            thread.cleared_at_end = cloned.cleared_at_end();
        }
        let has_own = done.is_some();
        let journal = done.or_else(|| self.processes.get(&child)?.descriptors.settle());
        let parent = self.threads.get(&call.tid).and_then(|thread| self.processes.get(&thread.pid));
        let released = match (journal, parent) {
            (None, _) => return,
            (Some(journal), Some(parent)) if cloned.shares_descriptors() => {
                let mut released = parent.descriptors.apply(journal);
                let shared = parent.descriptors.share();
                if !has_own && let Some(child) = self.processes.get_mut(&child) {
                    released.extend(std::mem::replace(&mut child.descriptors, shared).end());
                }
                released
            }
            (Some(journal), _) => journal.into_files().collect(),
        };
        self.release(released);
    }

    /// From now on, a process has a table of its own, or is gone. Its earlier changes may have been made to its
    /// parent's table.
    pub(crate) fn separate_table(&mut self, pid: Tid) {
        let Some(process) = self.processes.get(&pid) else { return };
        let (Some(journal), made_by) = (process.descriptors.settle(), process.made_by) else { return };
        match made_by.and_then(|thread| self.unsettled.get_mut(&thread)).filter(|made| made.child == pid) {
            Some(made) => made.done = Some(journal),
            None => self.release(journal.into_files()),
        }
    }

    /// A thread is gone. If it was in a clone(2), the call's return will not be seen.
    pub(crate) fn never_returns(&mut self, tid: Tid) {
        let Some(Unsettled { child, done }) = self.unsettled.remove(&tid) else { return };
        let journal = done.or_else(|| self.processes.get(&child)?.descriptors.settle());
        self.release(journal.into_iter().flat_map(Journal::into_files));
    }

    /// unshare(2). If other threads of the process keep the old table, theirs is followed.
    pub(crate) fn unshared(&mut self, pid: Tid, flags: u64) {
        if flags & CLONE_FILES == 0 {
            return;
        }
        self.separate_table(pid);
        if let Some(process) = self.processes.get_mut(&pid).filter(|process| process.threads == 1) {
            process.descriptors.unshare();
        }
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
