//! Which threads form a process. Its first thread is told to be gone when all the others are, as wait(2) does it: its end is the
//! process's, or never comes, if another thread calls execve and takes its place.

use std::collections::{BTreeMap, HashMap};
use stride_event::Tid;

#[derive(Default)]
pub struct Groups {
    /// The process of each thread that is not its first.
    process: HashMap<Tid, Tid>,
    /// How many such threads a process has.
    others: HashMap<Tid, usize>,
    /// First threads that were gone before others, with their status.
    ended: BTreeMap<Tid, i32>,
}

impl Groups {
    pub fn joins(&mut self, tid: Tid, process: Tid) {
        if tid != process && self.process.insert(tid, process).is_none() {
            *self.others.entry(process).or_default() += 1;
        }
    }

    /// A first thread is gone. True: its end is kept, as there are others.
    pub fn keeps(&mut self, tid: Tid, status: i32) -> bool {
        let keeps = self.others.contains_key(&tid);
        if keeps {
            self.ended.insert(tid, status);
        }
        keeps
    }

    /// A thread is gone, or not traced any more. Gives the first thread and its status if its end may be told now.
    pub fn leaves(&mut self, tid: Tid) -> Option<(Tid, i32)> {
        let process = self.process.remove(&tid)?;
        let left = self.others.get_mut(&process)?;
        *left -= 1;
        if *left > 0 {
            return None;
        }
        self.others.remove(&process);
        self.ended.remove_entry(&process)
    }

    /// Thread `old`, the last, takes the place of the first.
    pub fn takes_over(&mut self, old: Tid, tid: Tid) {
        self.ended.remove(&tid);
        self.leaves(old);
    }

    /// What is still kept when all is over: some other thread's end was not seen.
    pub fn pop(&mut self) -> Option<(Tid, i32)> {
        self.ended.pop_first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thread_ends_last() {
        let mut groups = Groups::default();
        groups.joins(1, 1);
        assert!(!groups.keeps(1, 0), "it is alone");
        groups.joins(3, 2);
        groups.joins(4, 2);
        assert!(groups.keeps(2, 42));
        assert_eq!(groups.leaves(4), None);
        assert_eq!(groups.leaves(4), None);
        assert_eq!(groups.leaves(3), Some((2, 42)));
        assert!(!groups.keeps(2, 0));
    }

    #[test]
    fn it_does_not_end_where_another_takes_its_place() {
        let mut groups = Groups::default();
        groups.joins(3, 2);
        assert!(groups.keeps(2, 42));
        groups.takes_over(3, 2);
        assert_eq!(groups.pop(), None);
        assert!(!groups.keeps(2, 0));
    }
}
