//! Threads that nobody can wake any more.

use super::super::common::plain;
use super::{Hang, Row};
use crate::report::quantity::{PID, THREADS, TID};
use crate::report::statement::{Statement, say};
use stride_event::Tid;

impl Hang {
    /// A process of which all threads wait for another one of them.
    pub fn none_left(&self, follows: bool) -> Option<Statement> {
        let row = self.waits.iter().find(|row| {
            let of_it = || self.waits.iter().filter(|other| other.pid == row.pid);
            follows && of_it().all(|row| row.word.is_some()) && self.of.get(&row.pid) == Some(&of_it().count())
        })?;
        let threads: Vec<&Row> = self.waits.iter().filter(|other| other.pid == row.pid).collect();
        let words: Vec<u64> = threads.iter().filter_map(|row| row.word).collect();
        let ended = self.ended.before(row.pid, &words);
        match (threads.len(), ended) {
            (1, None) => None,
            (1, Some(ended)) => Some(say!(
                "{} ({}) waits in {} without a time limit for another thread to wake it, but no other thread is left: {}.",
                plain(&row.comm),
                TID.id(row.tid),
                row.call,
                ended,
            )),
            (n, ended) => Some(say!(
                "all {} threads of process {} ({}) wait in {} without a time limit, so none is left that could wake another{}.",
                THREADS.of(n as u64),
                PID.id(row.pid),
                plain(&row.comm),
                row.call,
                ended.map_or_else(|| "".into(), |ended| say!("; {}", ended)),
            )),
        }
    }

    /// The thread for which a thread waits, if only that one can end the wait. A process with several threads is none.
    fn waited_for(&self, row: &Row) -> Option<Tid> {
        if row.waits_for.is_some() {
            return row.waits_for;
        }
        let only = |pid: Tid| self.waits.iter().find(|row| row.pid == pid && self.of.get(&pid) == Some(&1));
        if let Some(pid) = row.waits_for_process {
            return only(pid).map(|row| row.tid);
        }
        let mut children = self.waits.iter().filter(|other| row.any_child && other.parent == Some(row.pid));
        let child = children.next().filter(|_| children.next().is_none())?;
        only(child.pid).map(|row| row.tid)
    }

    /// Threads that wait for each other in a circle: each for a lock that the next one holds, or for its end.
    pub fn circle(&self) -> Option<Vec<Tid>> {
        let next = |tid: Tid| self.waited_for(self.waits.iter().find(|row| row.tid == tid)?);
        self.waits.iter().find_map(|row| {
            let mut seen = vec![row.tid];
            let mut at = next(row.tid)?;
            while at != row.tid {
                if seen.contains(&at) {
                    return None;
                }
                seen.push(at);
                at = next(at)?;
            }
            Some(seen)
        })
    }
}
