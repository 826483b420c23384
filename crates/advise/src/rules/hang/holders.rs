//! The processes that hold file locks, and those that were the last to hold an end of a pipe: what a hang is about.

use super::super::common::{Bounded, plain};
use crate::counts::index::{Observed, OpenFile};
use rustc_hash::FxHashSet;
use stride_event::{Event, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::{FileId, ObjectId, Tracker, Wait, takes_file_lock};

#[derive(Default)]
pub struct Holders {
    /// By the open file that has the lock.
    locks: Bounded<FileId, (Tid, ObjectId)>,
    /// Processes that ended while they had this end of a pipe, and how.
    ended: Bounded<FileId, (Tid, String)>,
    /// Processes that were detached or killed.
    left: FxHashSet<Tid>,
}

const MAX_LEFT: usize = 1 << 17;

pub fn is_file_lock(row: &Syscall) -> bool {
    row.has_effect(Effect::LocksFile)
}

impl Holders {
    /// A lock was taken or given back.
    pub fn locked(&mut self, observed: &Observed<'_>) {
        let (Some(file), Some(object)) = (observed.seen.file, observed.seen.object) else { return };
        if !observed.ok() {
            return;
        }
        self.locks.remove(&file);
        if takes_file_lock(observed.call, observed.row) == Some(true) {
            self.locks.entry(file, || (observed.seen.pid, object));
        }
    }

    pub fn closed(&mut self, file: &OpenFile) {
        // A process that was detached or killed held its locks until then, which is what the others waited for.
        let held = |(pid, _): &(Tid, ObjectId)| file.gone && self.left.contains(pid);
        if !self.locks.get(&file.id).is_some_and(held) {
            self.locks.remove(&file.id);
        }
    }

    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        if let Event::Detached { tid, .. } | Event::Killed { tid, .. } = *event
            && self.left.len() < MAX_LEFT
        {
            self.left.insert(tid);
        }
        let (tid, how) = match *event {
            Event::Exited { tid, .. } => (tid, "ended".to_owned()),
            Event::Killed { tid, signal, .. } => (tid, format!("was killed by signal {signal}")),
            _ => return,
        };
        let Some(pid) = tracker.thread(tid).map(|thread| thread.pid) else { return };
        let Some(process) = tracker.process(pid).filter(|process| process.threads == 1) else { return };
        let ends = tracker.held_files(pid).into_iter().filter(|file| tracker.other_end(*file).is_some());
        for file in ends {
            let label = || (pid, format!("{} {how}", plain(&process.comm)));
            self.ended.remove(&file);
            self.ended.entry(file, label);
        }
    }

    /// The process that has the file lock for which a thread waits. A lock that the thread's own process has in another
    /// open file counts, too.
    pub fn of_lock(&self, wait: &Wait) -> Option<Tid> {
        let (file, object) = wait.seen.file.zip(wait.seen.object)?;
        wait.seen.row.filter(|row| is_file_lock(row))?;
        let holds = |(id, (_, locked)): &(&FileId, &(Tid, ObjectId))| **id != file && *locked == object;
        self.locks.iter().find(holds).map(|(_, (pid, _))| *pid)
    }

    /// The last other process that had the other end of the pipe for which a thread waits.
    pub fn last_of_pipe(&self, wait: &Wait, tracker: &Tracker) -> Option<(Tid, &str)> {
        let end = tracker.other_end(wait.seen.file?)?;
        self.ended.get(&end).map(|(pid, how)| (*pid, how.as_str()))
    }
}
