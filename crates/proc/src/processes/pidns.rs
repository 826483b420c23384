//! `--decode-pids=pidns`: translates ids of another PID namespace to Stride's ids.
//!
//! If the engine reported the ids of threads, these are looked at first ([`NamespaceIds`]). Otherwise the kernel lists the ids of each
//! thread in all its namespaces, beginning with that of /proc, which is Stride's or one above it. To translate an inner id, the
//! translator searches for the thread that has it. The thread that was found last time is tried first.

use crate::processes::namespace_ids::{NamespaceIds, NamespaceInode};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::metadata;
use std::os::unix::fs::MetadataExt;
use stride_engine_base::procfs;
use stride_event::{Event, StartKind, Tid};
use stride_syscalls::PidKind;

/// The number by which /proc knows a thread.
type Number = i32;

#[derive(Default)]
pub struct Translator {
    assigned: RefCell<NamespaceIds>,
    /// Stride's own namespace, which it never leaves. `None`: /proc does not say.
    own: OnceCell<Option<NamespaceInode>>,
    /// The thread that was found for an inner id.
    known: RefCell<HashMap<(NamespaceInode, PidKind, i32), Number>>,
    /// The last known place of each thread. A thread may be gone when its ids are needed.
    seen: RefCell<HashMap<Tid, (NamespaceInode, usize)>>,
}

impl Translator {
    /// Notes the ids that an event reports.
    pub fn note(&self, event: &Event<'_>) {
        self.assigned.borrow_mut().note(event);
        if let Event::Started { tid, origin, .. } = *event {
            self.seen.borrow_mut().remove(&tid);
            // The command waits, so /proc has it.
            if origin == StartKind::Spawned {
                self.place(tid);
            }
        }
    }

    /// Stride's id for the thread that `tid` calls `id`. `None` if `tid` is in Stride's namespace or its
    /// namespace is unknown, `Some(None)` if no such thread is found.
    pub fn outer(&self, tid: Tid, id: i32, kind: PidKind) -> Option<Option<i32>> {
        let (namespace, depth) = self.place(tid)?;
        if Some(namespace) == *self.own.get_or_init(|| self::namespace("self")) {
            return None;
        }
        if let Some(outer) = self.assigned.borrow().outer(namespace, id, kind) {
            return Some(Some(outer));
        }
        let has = |candidate: Number| {
            let ids = ids(candidate, kind)?;
            // A candidate at the same depth is in this namespace or in a sibling.
            let here = ids.len() > depth + 1 || self::namespace(&candidate.to_string()) == Some(namespace);
            let is_it = ids.get(depth) == Some(&id) && here;
            ids.get(procfs::level()).copied().filter(|_| is_it)
        };
        let key = (namespace, kind, id);
        let known = self.known.borrow().get(&key).copied();
        let found = known.and_then(has).map(|outer| (known.unwrap_or(outer), outer));
        let found = found.or_else(|| {
            let mut all = std::iter::once(procfs::number(tid)).chain(tasks(kind));
            all.find_map(|candidate| Some((candidate, has(candidate)?)))
        });
        if let Some((who, _)) = found {
            self.known.borrow_mut().insert(key, who);
        }
        Some(found.map(|(_, outer)| outer))
    }

    /// A thread's namespace, and its depth below the namespace of /proc.
    fn place(&self, tid: Tid) -> Option<(NamespaceInode, usize)> {
        let assigned = self.assigned.borrow();
        if let Some((namespace, depth)) = assigned.place(tid) {
            return Some((namespace, procfs::level() + depth));
        }
        let mut seen = self.seen.borrow_mut();
        // A thread never leaves its namespace. If its beginning was not noted, its id may be another thread's by now.
        if let Some(&place) = seen.get(&tid).filter(|_| assigned.has(tid)) {
            return Some(place);
        }
        let number = procfs::number(tid);
        let look = || Some((namespace(&number.to_string())?, ids(number, PidKind::Tid)?.len().checked_sub(1)?));
        if let Some(place) = look() {
            seen.insert(tid, place);
        }
        seen.get(&tid).copied()
    }
}

fn namespace(who: &str) -> Option<NamespaceInode> {
    Some(metadata(format!("/proc/{who}/ns/pid")).ok()?.ino())
}

/// A thread's ids of a kind, from the namespace of /proc inwards.
fn ids(number: Number, kind: PidKind) -> Option<Vec<i32>> {
    let field = match kind {
        PidKind::Tid => "NSpid:",
        PidKind::Tgid => "NStgid:",
        PidKind::Pgid => "NSpgid:",
        PidKind::Sid => "NSsid:",
    };
    let status = procfs::text(format!("/proc/{number}/status"))?;
    Some(procfs::ids(&status, field).collect())
}

/// All processes. For ids of threads, all threads.
fn tasks(kind: PidKind) -> impl Iterator<Item = Number> {
    procfs::listed("/proc").flat_map(move |pid| {
        let threads = (kind == PidKind::Tid).then(|| procfs::listed(&format!("/proc/{pid}/task")));
        let leader = (kind != PidKind::Tid).then_some(pid);
        leader.into_iter().chain(threads.into_iter().flatten())
    })
}
