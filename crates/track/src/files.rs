//! Open files from their first descriptor to their last: where tables of descriptors are copied, shared and given up.

use crate::clone::Cloned;
use crate::descriptors::{Descriptors, File, Journal, Unsettled};
use crate::{FileId, Tracker};
use std::rc::Rc;
use stride_event::{Call, Tid};
use stride_syscalls::uapi::consts::CLONE_FILES;

/// Descriptors that a child gets from its parent, and those of all processes if each had as many. What goes beyond is asked for.
const MAX_INHERITED: usize = 1 << 14;
const MAX_DESCRIPTORS: usize = 1 << 22;
/// Descriptors that all children of a run get from their parents, and so many more for each open file of the run: a copy takes time,
/// and a recording has a child in a few bytes.
const MAX_COPIED: u64 = if cfg!(test) { 1 << 20 } else { 1 << 25 };
const COPIED_PER_FILE: u64 = 256;

impl Tracker {
    /// Files whose last descriptor went with the latest event, but not by a call that named it: by an execve, by the end of a
    /// process, when its number was taken over. (For those see [`crate::Seen::ended`].)
    pub fn gone_files(&self) -> &[FileId] {
        &self.gone_files
    }

    /// The files that a process has open. None, if it shares its descriptors with another process, which may yet close them.
    pub fn held_files(&self, pid: Tid) -> Vec<FileId> {
        let process = self.processes.get(&pid).filter(|process| !process.descriptors.is_shared());
        process.map(|process| process.descriptors.files()).unwrap_or_default()
    }

    /// Processes whose end was not told.
    pub fn live_processes(&self) -> impl Iterator<Item = Tid> {
        let over = self.ended.and_then(|tid| self.threads.get(&tid)).map(|thread| thread.pid);
        let live = self.processes.values().filter(move |process| process.threads > 1 || Some(process.pid) != over);
        live.map(|process| process.pid)
    }

    /// These have one descriptor less.
    pub(crate) fn release(&mut self, files: impl IntoIterator<Item = Rc<File>>) {
        for file in files {
            if Rc::strong_count(&file) == 1 {
                self.gone_files.push(file.id);
            }
        }
    }

    /// The descriptors that a new process begins with.
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
            // No clone(2) may be seen to return.
            copy.settle();
        }
        Some(copy)
    }

    /// A clone(2) is under way, and has made this already.
    pub(crate) fn clone_began(&mut self, parent: Tid, child: Tid) {
        if !self.partial {
            self.unsettled.insert(parent, Unsettled { child, done: None });
        }
    }

    /// A clone(2), fork(2) or vfork(2) returned.
    pub(crate) fn cloned(&mut self, call: &Call) {
        // The child is known by the thread that made it: the number that this was told may be of another PID namespace.
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

    /// A process has a table of its own from now on, or is gone. What it did until then may have been done to its parent's.
    pub(crate) fn parted(&mut self, pid: Tid) {
        let Some(process) = self.processes.get(&pid) else { return };
        let (Some(journal), made_by) = (process.descriptors.settle(), process.made_by) else { return };
        match made_by.and_then(|thread| self.unsettled.get_mut(&thread)).filter(|made| made.child == pid) {
            Some(made) => made.done = Some(journal),
            None => self.release(journal.into_files()),
        }
    }

    /// A thread is gone. If it was in a clone(2), that will not be seen to return.
    pub(crate) fn never_returns(&mut self, tid: Tid) {
        let Some(Unsettled { child, done }) = self.unsettled.remove(&tid) else { return };
        let journal = done.or_else(|| self.processes.get(&child)?.descriptors.settle());
        self.release(journal.into_iter().flat_map(Journal::into_files));
    }

    /// unshare(2). Where other threads of the process keep the old table, theirs is the one that is followed.
    pub(crate) fn unshared(&mut self, pid: Tid, flags: u64) {
        if flags & CLONE_FILES == 0 {
            return;
        }
        self.parted(pid);
        if let Some(process) = self.processes.get_mut(&pid).filter(|process| process.threads == 1) {
            process.descriptors.unshare();
        }
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
