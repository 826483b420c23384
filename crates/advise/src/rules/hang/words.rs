//! Says in words for which event, lock, child or time a call waits.

use super::super::common::plain;
use crate::counts::index::Index;
use stride_event::Tid;
use stride_syscalls::{Effect, For};
use stride_track::{Awaited, Tracker, Wait, Watched};

/// The one other process that has the other end of the pipe or socket with which the call works.
pub fn the_other_end(wait: &Wait) -> Option<Tid> {
    match &wait.others[..] {
        [(pid, _)] if *pid != wait.seen.pid && wait.seen.row?.transfer().is_some() => Some(*pid),
        _ => None,
    }
}

/// Says in words for which event, lock, child or time a call waits.
pub fn on(wait: &Wait, index: &Index, tracker: &Tracker) -> String {
    let object = |object| plain(tracker.name(object));
    match wait.seen.row.and_then(|row| row.waits()) {
        Some(For::Lock) => futex(wait),
        Some(For::Child) => match child(wait) {
            Some(pid) if pid > 0 => format!("child {}", thread_label(pid, index.comm(pid, tracker))),
            _ => "any child".into(),
        },
        Some(For::Time) => "time".into(),
        Some(For::Signal) => "a signal".into(),
        _ => {
            let Some(fd) = wait.seen.fd else {
                let watched = watched(&wait.watched, tracker);
                return if watched.is_empty() { wait.seen.path.map(object).unwrap_or_default() } else { watched };
            };
            let what = wait.seen.object.map(object).unwrap_or_else(|| "?".into());
            let text = format!("fd {fd}: {what}{}", other_ends(&wait.others));
            let watched = watched(&wait.watched, tracker);
            if watched.is_empty() { text } else { format!("{text}, which watches {watched}") }
        }
    }
}

/// True if the thread was about to exit.
pub fn ends(wait: &Wait) -> bool {
    wait.seen.row.is_some_and(|row| row.has_effect(Effect::Exits))
}

/// The child that the call waits for. In waitid(2), the kind of id comes before the id.
pub fn child(wait: &Wait) -> Option<Tid> {
    let row = wait.seen.row.filter(|row| row.waits() == Some(For::Child))?;
    let at = row.args.iter().position(|arg| matches!(arg.name, "pid" | "id"))?;
    wait.args.get(at).map(|pid| *pid as Tid)
}

/// A thread or a process with its name, if that is known.
pub fn thread_label(tid: Tid, comm: &[u8]) -> String {
    match comm {
        [] => format!("{tid}"),
        comm => format!("{tid} ({})", plain(comm)),
    }
}

/// How a futex is used (join, lock, condition variable), as far as the events show.
fn futex(wait: &Wait) -> String {
    let at = wait.args[0];
    match &wait.awaited {
        Some(Awaited::Lock(Some((tid, comm)))) => format!("lock {at:#x}, held by {}", thread_label(*tid, comm)),
        Some(Awaited::Lock(None)) => format!("lock {at:#x}"),
        Some(Awaited::End(tid, comm)) => format!("the end of thread {}", thread_label(*tid, comm)),
        Some(Awaited::Condition) => format!("condition variable {at:#x}"),
        None => format!("futex {at:#x}"),
    }
}

/// The processes that hold the other end.
fn other_ends(others: &[(Tid, Vec<u8>)]) -> String {
    let others: Vec<String> = others.iter().map(|(pid, comm)| format!("{pid} ({})", plain(comm))).collect();
    if others.is_empty() { String::new() } else { format!(", other end: {}", others.join(", ")) }
}

/// The first of the descriptors that the call waits for.
fn watched(all: &[Watched], tracker: &Tracker) -> String {
    const FIRST: usize = 8;
    let one = |it: &Watched| {
        let what = it.object.map(|object| plain(tracker.name(object))).unwrap_or_else(|| "?".into());
        format!("fd {}: {what}{}", it.fd, other_ends(&it.others))
    };
    let mut text = all.iter().take(FIRST).map(one).collect::<Vec<_>>().join("; ");
    if all.len() > FIRST {
        text += &format!("; and {} more", all.len() - FIRST);
    }
    text
}
