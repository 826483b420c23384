//! Says in words for which event, lock, child or time a call waits.

use super::super::common::plain;
use crate::counts::index::Index;
use stride_event::{Doing, Tid};
use stride_syscalls::{Abi, Effect, For, table};
use stride_track::{Awaited, Tracker, Wait, Watched};

/// A process for which a thread waits, as it was at the end of tracing.
pub struct AwaitedProcess {
    pub pid: Tid,
    pub comm: Vec<u8>,
    pub doing: Doing,
}

pub fn awaited_processes(wait: &Wait, index: &Index, tracker: &Tracker) -> Vec<AwaitedProcess> {
    let named = || wait.others.iter().chain(wait.watched.iter().flat_map(|watched| &watched.others));
    let one = |(pid, doing): &(Tid, Doing)| {
        let comm = named().find(|(other, _)| other == pid).map_or(index.comm(*pid, tracker), |(_, comm)| comm);
        AwaitedProcess { pid: *pid, comm: comm.to_vec(), doing: doing.clone() }
    };
    wait.end.others.iter().map(one).collect()
}

/// Says in words for which event, lock, child or time a call waits.
pub fn on(wait: &Wait, index: &Index, tracker: &Tracker) -> String {
    let object = |object| plain(tracker.name(object));
    match wait.seen.row.and_then(|row| row.waits()) {
        Some(For::Lock) => futex(wait),
        Some(For::Child) => match wait.child() {
            Some(pid) if pid > 0 => {
                format!("child {}{}", thread_label(pid, index.comm(pid, tracker)), doing(pid, wait))
            }
            _ => "any child".into(),
        },
        Some(For::Time) => "time".into(),
        Some(For::Signal) => "a signal".into(),
        _ => {
            let Some(fd) = wait.seen.fd else {
                let watched = watched(wait, tracker);
                return if watched.is_empty() { wait.seen.path.map(object).unwrap_or_default() } else { watched };
            };
            let what = wait.seen.object.map(object).unwrap_or_else(|| "?".into());
            let connects = wait.seen.row.is_some_and(|row| row.has_effect(Effect::Connects));
            let still = if connects { ", still being connected" } else { "" };
            let text = format!("fd {fd}: {what}{still}{}{}", unread(fd, wait), other_ends(&wait.others, wait));
            let watched = watched(wait, tracker);
            if watched.is_empty() { text } else { format!("{text}, which watches {watched}") }
        }
    }
}

/// True if the thread was about to exit.
pub fn ends(wait: &Wait) -> bool {
    wait.seen.row.is_some_and(|row| row.has_effect(Effect::Exits))
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
fn other_ends(others: &[(Tid, Vec<u8>)], wait: &Wait) -> String {
    let one = |(pid, comm): &(Tid, Vec<u8>)| format!("{pid} ({}){}", plain(comm), doing(*pid, wait));
    let others: Vec<String> = others.iter().map(one).collect();
    if others.is_empty() { String::new() } else { format!(", other end: {}", others.join(", ")) }
}

/// Bytes that lay unread in a socket and in its other end.
fn unread(fd: i32, wait: &Wait) -> String {
    let Some((_, here, there)) = wait.end.unread.iter().find(|(of, ..)| *of == fd) else { return String::new() };
    let here = (*here > 0).then(|| format!(", {} unread", bytes(*here)));
    let there = (*there > 0).then(|| format!(", {} unread at the other end", bytes(*there)));
    here.into_iter().chain(there).collect()
}

fn bytes(n: u64) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

/// The state and the calls of a process for which a thread waits.
fn doing(pid: Tid, wait: &Wait) -> String {
    let doing = wait.end.others.iter().find(|(of, _)| *of == pid).map(|(_, doing)| doing);
    doing.and_then(|doing| at_work(doing, wait.abi)).map_or(String::new(), |words| format!(", {words}"))
}

/// The state and the calls of a process, in words: "stopped by a signal", "in accept4 and futex".
pub fn at_work(doing: &Doing, abi: Abi) -> Option<String> {
    if doing.is_stopped() {
        return Some("stopped by a signal".into());
    }
    if doing.state == b'Z' {
        return Some("ended".into());
    }
    // (The numbers are those of the machine's own ABI.)
    if abi == Abi::I386 || doing.calls.is_empty() {
        return None;
    }
    let mut names: Vec<_> = doing.calls.iter().map(|nr| table(abi).name((*nr).into())).collect();
    names.sort_unstable();
    names.dedup();
    Some(format!("in {}", names.join(" and ")))
}

/// The first of the descriptors that the call waits for.
fn watched(wait: &Wait, tracker: &Tracker) -> String {
    const FIRST: usize = 8;
    let all = &wait.watched;
    let one = |it: &Watched| {
        let what = it.object.map(|object| plain(tracker.name(object))).unwrap_or_else(|| "?".into());
        format!("fd {}: {what}{}{}", it.fd, unread(it.fd, wait), other_ends(&it.others, wait))
    };
    let mut text = all.iter().take(FIRST).map(one).collect::<Vec<_>>().join("; ");
    if all.len() > FIRST {
        text += &format!("; and {} more", all.len() - FIRST);
    }
    text
}
