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
    let pids = |others: &[(Tid, Vec<u8>)]| others.iter().map(|(pid, _)| *pid).collect::<Vec<_>>();
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
        return Some(Enders::Processes(pids(&wait.others))).filter(|_| !wait.others.is_empty());
    }
    // A descriptor of which the other end is not known may belong to anybody.
    let known = !wait.watched.is_empty() && wait.watched.iter().all(|watched| !watched.others.is_empty());
    let all = || wait.watched.iter().flat_map(|watched| pids(&watched.others)).collect();
    (row.waits() == Some(For::Readiness) && known && wait.has_no_limit()).then(|| Enders::Processes(all()))
}
