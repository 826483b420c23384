//! Those who could end a wait.

use super::ended::waits_forever;
use stride_event::Tid;
use stride_syscalls::For;
use stride_track::{Awaited, Wait};

/// All those who could end a wait.
pub enum Enders {
    Thread(Tid),
    /// Any thread of these. The thread's own process stands for its other threads.
    Processes(Vec<Tid>),
    Children,
}

/// Those who could end a wait, if they are known and nothing else ends it. `locked_by`: the holder of the file lock for which it waits.
pub fn enders(wait: &Wait, locked_by: Option<Tid>) -> Option<Enders> {
    if let Some(tid) = wait.awaited.as_ref().and_then(Awaited::thread) {
        return Some(Enders::Thread(tid));
    }
    if waits_forever(wait) {
        return Some(Enders::Processes(vec![wait.seen.pid]));
    }
    if let Some(pid) = locked_by {
        return Some(Enders::Processes(vec![pid]));
    }
    match wait.child() {
        Some(pid) if pid > 0 => return Some(Enders::Processes(vec![pid])),
        Some(_) => return Some(Enders::Children),
        None => {}
    }
    let row = wait.seen.row?;
    if row.transfer().is_some() {
        return Some(wait.others.iter().map(|(pid, _)| *pid).collect())
            .filter(|_| !wait.others.is_empty())
            .map(Enders::Processes);
    }
    row.waits().filter(|what| *what == For::Readiness)?;
    watched(wait).map(Enders::Processes)
}

/// The one other process that has the other end of the pipe or socket with which the call works, or of all descriptors that it watches.
pub fn the_other_end(wait: &Wait) -> Option<Tid> {
    if let [(pid, _)] = wait.others[..] {
        return Some(pid)
            .filter(|pid| *pid != wait.seen.pid && wait.seen.row.is_some_and(|row| row.transfer().is_some()));
    }
    let mut others = watched(wait)?.into_iter().filter(|pid| *pid != wait.seen.pid);
    let first = others.next()?;
    others.all(|other| other == first).then_some(first)
}

/// The processes that have the other ends of all descriptors that the call watches without a time limit. `None`: one of these ends is not known, so it may be
/// anybody's.
fn watched(wait: &Wait) -> Option<Vec<Tid>> {
    let known = !wait.watched.is_empty() && wait.watched.iter().all(|watched| !watched.others.is_empty());
    let pids = || wait.watched.iter().flat_map(|watched| &watched.others).map(|(pid, _)| *pid).collect();
    (known && wait.has_no_limit()).then(pids)
}
