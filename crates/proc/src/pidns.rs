//! `--decode-pids=pidns`: translates ids of another PID namespace to Stride's ids.
//!
//! The kernel lists the ids of each thread in all its namespaces, beginning with the outermost that /proc knows. To
//! translate an inner id, the translator searches for the thread that has it. The thread that was found last time is tried
//! first.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{metadata, read_dir, read_to_string};
use std::os::unix::fs::MetadataExt;
use stride_event::Tid;
use stride_syscalls::PidKind;

/// A namespace's inode number.
type Namespace = u64;

#[derive(Default)]
pub struct Translator {
    /// The thread that was found for an inner id.
    known: RefCell<HashMap<(Namespace, PidKind, i32), Tid>>,
    /// The last known place of each thread. A thread may be gone when its ids are needed.
    seen: RefCell<HashMap<Tid, (Namespace, usize)>>,
}

impl Translator {
    /// Stride's id for the thread that `tid` calls `id`. `None` if `tid` is in Stride's namespace or its
    /// namespace is unknown, `Some(None)` if no such thread is found.
    pub fn outer(&self, tid: Tid, id: i32, kind: PidKind) -> Option<Option<i32>> {
        let (namespace, depth) = self.place(tid)?;
        if namespace == self::namespace("self")? {
            return None;
        }
        let has = |candidate: Tid| {
            let ids = ids(candidate, kind)?;
            // A candidate at the same depth is in this namespace or in a sibling.
            let here = ids.len() > depth + 1 || self::namespace(&candidate.to_string()) == Some(namespace);
            (ids.get(depth) == Some(&id) && here).then(|| ids[0])
        };
        let key = (namespace, kind, id);
        let known = self.known.borrow().get(&key).copied();
        let found = known.and_then(has).map(|outer| (known.unwrap_or(outer), outer));
        let found = found.or_else(|| {
            let mut all = std::iter::once(tid).chain(tasks(kind));
            all.find_map(|candidate| Some((candidate, has(candidate)?)))
        });
        if let Some((who, _)) = found {
            self.known.borrow_mut().insert(key, who);
        }
        Some(found.map(|(_, outer)| outer))
    }

    /// A thread's namespace, and its depth below the namespace of /proc.
    fn place(&self, tid: Tid) -> Option<(Namespace, usize)> {
        let look = || Some((namespace(&tid.to_string())?, ids(tid, PidKind::Tid)?.len().checked_sub(1)?));
        let mut seen = self.seen.borrow_mut();
        if let Some(place) = look() {
            seen.insert(tid, place);
        }
        seen.get(&tid).copied()
    }
}

fn namespace(who: &str) -> Option<Namespace> {
    Some(metadata(format!("/proc/{who}/ns/pid")).ok()?.ino())
}

/// A thread's ids of a kind, from the outermost namespace inwards.
fn ids(tid: Tid, kind: PidKind) -> Option<Vec<i32>> {
    let field = match kind {
        PidKind::Tid => "NSpid:",
        PidKind::Tgid => "NStgid:",
        PidKind::Pgid => "NSpgid:",
        PidKind::Sid => "NSsid:",
    };
    let status = read_to_string(format!("/proc/{tid}/status")).ok()?;
    let ids = status.lines().find_map(|line| line.strip_prefix(field))?;
    ids.split_whitespace().map(|id| id.parse().ok()).collect()
}

/// All processes. For ids of threads, all threads.
fn tasks(kind: PidKind) -> impl Iterator<Item = Tid> {
    let numbers = |dir: String| {
        let entries = read_dir(dir).into_iter().flatten();
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<Tid>().ok())
    };
    numbers("/proc".to_owned()).flat_map(move |pid| {
        let threads = (kind == PidKind::Tid).then(|| numbers(format!("/proc/{pid}/task")));
        let leader = (kind != PidKind::Tid).then_some(pid);
        leader.into_iter().chain(threads.into_iter().flatten())
    })
}
