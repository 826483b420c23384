//! Threads that nobody can wake any more.

use super::super::common::plain;
use super::verdict::{Verdict, WAKE_OTHERS};
use super::{Hang, Row};
use crate::report::quantity::{PID, THREADS, TID};
use crate::report::statement::say;
use stride_event::Tid;

impl Hang {
    /// A process of which all threads wait for another one of them.
    pub fn none_left(&self, follows: bool) -> Option<Verdict> {
        let row = self.waits.iter().find(|row| {
            let of_it = || self.waits.iter().filter(|other| other.pid == row.pid);
            follows && of_it().all(|row| row.word.is_some()) && self.of.get(&row.pid) == Some(&of_it().count())
        })?;
        let threads: Vec<&Row> = self.waits.iter().filter(|other| other.pid == row.pid).collect();
        let words: Vec<u64> = threads.iter().filter_map(|row| row.word).collect();
        let ended = self.ended.before(row.pid, &words);
        let sentence = match (threads.len(), ended) {
            (1, None) => return None,
            (1, Some(ended)) => say!(
                "{} ({}) waits in {} without a time limit for another thread to wake it, but no other thread is left: {}.",
                plain(&row.comm),
                TID.id(row.tid),
                row.call,
                ended,
            ),
            (n, ended) => say!(
                "all {} threads of process {} ({}) wait in {} without a time limit, so none is left that could wake another{}.",
                THREADS.of(n as u64),
                PID.id(row.pid),
                plain(&row.comm),
                row.call,
                ended.map_or_else(|| "".into(), |ended| say!("; {}", ended)),
            ),
        };
        Some(Verdict { sentence, advice: WAKE_OTHERS })
    }

    /// The thread of a process that does not wait for another one of it, if all the rest do, as those of a language's runtime.
    fn the_one_that_acts(&self, pid: Tid) -> Option<&Row> {
        let of_it = || self.waits.iter().filter(|row| row.pid == pid);
        if self.of.get(&pid) != Some(&of_it().count()) {
            return None;
        }
        let mut acting = of_it().filter(|row| row.word.is_none() || self.of.get(&pid) == Some(&1));
        acting.next().filter(|_| acting.next().is_none())
    }

    /// The thread for which a thread waits, if only that one can end the wait.
    fn waited_for(&self, row: &Row) -> Option<Tid> {
        if row.waits_for.is_some() {
            return row.waits_for;
        }
        let only = |pid: Tid| self.the_one_that_acts(pid);
        if let Some(pid) = row.waits_for_process {
            return only(pid).map(|row| row.tid);
        }
        let mut children = self.waits.iter().filter(|other| row.any_child && other.parent == Some(row.pid));
        let child = children.next().filter(|_| children.next().is_none())?;
        only(child.pid).map(|row| row.tid)
    }

    /// Threads that wait for each other in a circle, and have for long: each for a lock that the next one holds, for its end, or for what it sends.
    pub fn circle(&self, lasts: &dyn Fn(&Row) -> bool) -> Option<Vec<Tid>> {
        let next = |tid: Tid| self.waited_for(self.waits.iter().find(|row| row.tid == tid).filter(|row| lasts(row))?);
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
