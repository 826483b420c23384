//! Threads and processes that wait for one another, however they are entangled.

use super::super::common::plain;
use super::enders::Enders;
use super::verdict::{Verdict, WAKE_OTHERS};
use super::{Hang, Row};
use crate::report::quantity::{PID, PROCESSES, THREADS};
use crate::report::statement::say;
use rustc_hash::FxHashSet;
use stride_event::Tid;

/// A sentence names so many.
const NAMED: usize = 4;

impl Hang {
    /// Threads that only each other could wake: whoever could end one of these waits is in such a wait.
    pub fn knot(&self, follows: bool, lasts: &dyn Fn(&Row) -> bool) -> Option<Verdict> {
        // Otherwise, there may be threads that were not looked at.
        if !follows {
            return None;
        }
        let mut stuck: Vec<&Row> = self.waits.iter().filter(|row| row.enders.is_some() && lasts(row)).collect();
        loop {
            let tids: FxHashSet<Tid> = stuck.iter().map(|row| row.tid).collect();
            let is_whole = |pid: &Tid| self.of.get(pid) == Some(&stuck.iter().filter(|row| row.pid == *pid).count());
            let left: Vec<&Row> = stuck.iter().copied().filter(|row| self.is_stuck(row, &tids, &is_whole)).collect();
            if left.len() == stuck.len() {
                break;
            }
            stuck = left;
        }
        let mut processes: Vec<&Row> = Vec::new();
        for row in &stuck {
            if !processes.iter().any(|other| other.pid == row.pid) {
                processes.push(row);
            }
        }
        let name = |row: &&Row| format!("{} ({})", row.pid, plain(&row.comm));
        let sentence = match processes.len() {
            0 => return None,
            // A thread alone may wait for a signal's handler.
            1 if stuck.len() == 1 => return None,
            1 => {
                let sentence = say!(
                    "{} threads of process {} ({}) wait for one another, so none is left that could end a wait.",
                    THREADS.of(stuck.len() as u64),
                    PID.id(stuck[0].pid),
                    plain(&stuck[0].comm),
                );
                return Some(Verdict { sentence, advice: WAKE_OTHERS });
            }
            n if n <= NAMED => {
                let names = processes.iter().map(name).collect::<Vec<_>>().join(" and ");
                say!("processes {} wait for one another, and nobody else could end these waits: a deadlock.", names)
            }
            n => say!(
                "{} processes wait for one another, and nobody else could end these waits: a deadlock.",
                PROCESSES.of(n as u64)
            ),
        };
        Some(Verdict {
            sentence,
            advice: "Each process must close the ends of pipes and sockets that it does not use, also the copies that fork(2) makes: then a read ends when the last \
                     writer is gone. A process must not wait for the end of a child that waits for it.",
        })
    }

    fn is_stuck(&self, row: &Row, stuck: &FxHashSet<Tid>, is_whole: &dyn Fn(&Tid) -> bool) -> bool {
        match &row.enders {
            None => false,
            Some(Enders::Thread(tid)) => stuck.contains(tid),
            Some(Enders::Processes(pids)) => pids.iter().all(is_whole),
            Some(Enders::Children) => {
                let mut children = self.left.iter().filter(|left| self.parent_of(left) == Some(row.pid)).peekable();
                children.peek().is_some() && children.all(|child| is_whole(&child.pid))
            }
        }
    }

    /// The parent of a thread's process, traced when that began or not.
    fn parent_of(&self, left: &super::Left) -> Option<Tid> {
        left.parent.or_else(|| self.waits.iter().find(|row| row.pid == left.pid)?.parent)
    }
}
