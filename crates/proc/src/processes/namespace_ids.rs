//! The ids of threads in PID namespaces, as the engine reported them when the threads began.
//!
//! An engine that does not stop threads runs ahead of the trace: when a call is shown, /proc may no longer have its thread,
//! nor the processes that the call names. The ids of an ended process are kept for a while, because its parent
//! waits for it, and because a process group or session goes on under the id of a leader that is gone.

use crate::processes::last_event::ended;
use std::collections::{HashMap, VecDeque};
use stride_event::{Event, Tid};
use stride_syscalls::PidKind;

/// The number by which the kernel knows a namespace.
pub type NamespaceInode = u64;

/// So many ended threads are remembered.
const ENDED: usize = 4096;

#[derive(Default)]
pub struct NamespaceIds {
    threads: HashMap<Tid, ThreadIds>,
    /// The thread that has an id.
    known_as: HashMap<(NamespaceInode, i32), Tid>,
    /// Ended threads, the earliest first, each with its generation.
    ended: VecDeque<(Tid, u64)>,
    /// The number of threads that have begun. It tells threads with the same id apart.
    generations: u64,
}

struct ThreadIds {
    process: Tid,
    generation: u64,
    /// From Stride's own namespace inwards.
    ids: Vec<(NamespaceInode, i32)>,
}

impl NamespaceIds {
    pub fn note(&mut self, event: &Event<'_>) {
        match *event {
            Event::Started { tid, process, .. } => {
                self.forget(tid);
                self.generations += 1;
                self.threads.insert(tid, ThreadIds { process, generation: self.generations, ids: Vec::new() });
            }
            Event::NamespaceId { tid, namespace, id } => {
                let Some(thread) = self.threads.get_mut(&tid) else { return };
                // (A thread that is found while it begins is reported twice.)
                if thread.ids.iter().all(|known| known.0 != namespace) {
                    thread.ids.push((namespace, id));
                }
                self.known_as.insert((namespace, id), tid);
            }
            Event::Superseded { old, .. } => self.forget(old),
            _ => {
                if let Some(thread) = ended(event).and_then(|tid| Some((tid, self.threads.get(&tid)?.generation))) {
                    self.end(thread);
                }
            }
        }
    }

    fn end(&mut self, thread: (Tid, u64)) {
        self.ended.push_back(thread);
        if self.ended.len() > ENDED
            && let Some((tid, generation)) = self.ended.pop_front()
            && self.threads.get(&tid).is_some_and(|ids| ids.generation == generation)
        {
            self.forget(tid);
        }
    }

    fn forget(&mut self, tid: Tid) {
        for known_as in self.threads.remove(&tid).into_iter().flat_map(|ids| ids.ids) {
            // (The id may be another thread's by now.)
            if self.known_as.get(&known_as) == Some(&tid) {
                self.known_as.remove(&known_as);
            }
        }
    }

    /// True if the beginning of the thread that has this id was noted.
    pub fn has(&self, tid: Tid) -> bool {
        self.threads.contains_key(&tid)
    }

    /// A thread's namespace, and the number of namespaces that lie around it, Stride's own included.
    pub fn place(&self, tid: Tid) -> Option<(NamespaceInode, usize)> {
        let ids = &self.threads.get(&tid)?.ids;
        Some((ids.last()?.0, ids.len() - 1))
    }

    /// Stride's id for the thread, process, group or session that has this id in a namespace.
    pub fn outer(&self, namespace: NamespaceInode, id: i32, kind: PidKind) -> Option<Tid> {
        let tid = *self.known_as.get(&(namespace, id))?;
        // Process groups and sessions have the ids of processes.
        let fits = kind == PidKind::Tid || self.threads.get(&tid)?.process == tid;
        fits.then_some(tid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::StartKind;

    const OWN: NamespaceInode = 40;
    const INNER: NamespaceInode = 41;

    fn started(table: &mut NamespaceIds, tid: Tid, process: Tid, ids: &[(NamespaceInode, i32)]) {
        table.note(&Event::Started { tid, process, origin: StartKind::Attached, at: 0 });
        for &(namespace, id) in ids {
            table.note(&Event::NamespaceId { tid, namespace, id });
        }
    }

    #[test]
    fn ids_are_known_until_others_take_them() {
        let mut ids = NamespaceIds::default();
        started(&mut ids, 100, 100, &[(OWN, 100), (INNER, 1)]);
        started(&mut ids, 101, 100, &[(OWN, 101), (INNER, 2)]);
        assert_eq!((ids.place(101), ids.place(102)), (Some((INNER, 1)), None));
        assert_eq!(ids.outer(INNER, 1, PidKind::Sid), Some(100));
        ids.note(&Event::NamespaceId { tid: 101, namespace: INNER, id: 2 });
        assert_eq!(ids.place(101), Some((INNER, 1)));
        // A thread that does not lead its process is no process.
        assert_eq!(ids.outer(INNER, 2, PidKind::Tid), Some(101));
        assert_eq!(ids.outer(INNER, 2, PidKind::Tgid), None);
        ids.note(&Event::Exited { tid: 100, status: 0, at: 0 });
        assert_eq!(ids.outer(INNER, 1, PidKind::Pgid), Some(100));
        // The inner id comes again first, and then the outer one.
        started(&mut ids, 102, 102, &[(OWN, 102), (INNER, 1)]);
        started(&mut ids, 100, 100, &[(OWN, 100)]);
        assert_eq!(ids.outer(INNER, 1, PidKind::Tgid), Some(102));
        assert_eq!(ids.place(100), Some((OWN, 0)));
    }

    #[test]
    fn execve_by_another_thread_takes_the_ids_of_the_first() {
        let mut ids = NamespaceIds::default();
        started(&mut ids, 100, 100, &[(OWN, 100), (INNER, 1)]);
        started(&mut ids, 101, 100, &[(OWN, 101), (INNER, 2)]);
        ids.note(&Event::Superseded { tid: 100, old: 101, call: None, at: 0 });
        assert_eq!((ids.place(100), ids.place(101)), (Some((INNER, 1)), None));
        assert_eq!(ids.outer(INNER, 2, PidKind::Tid), None);
    }

    #[test]
    fn endless_threads_are_not_kept() {
        let mut ids = NamespaceIds::default();
        for i in 0..3 * ENDED as i32 {
            started(&mut ids, i, i, &[(OWN, i), (INNER, i)]);
            ids.note(&Event::Exited { tid: i, status: 0, at: 0 });
        }
        assert!(ids.threads.len() <= ENDED && ids.known_as.len() <= 2 * ENDED);
        // Threads that live are kept.
        started(&mut ids, -1, -1, &[(OWN, -1), (INNER, -1)]);
        for i in 0..2 * ENDED as i32 {
            started(&mut ids, i, i, &[(OWN, i), (INNER, i)]);
            ids.note(&Event::Exited { tid: i, status: 0, at: 0 });
        }
        assert_eq!(ids.outer(INNER, -1, PidKind::Tid), Some(-1));
    }
}
