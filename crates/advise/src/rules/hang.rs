//! Why it hangs: what each thread is in when tracing ends.

use super::common::plain;
use crate::finding::{Confidence, Draft, Table};
use crate::index::Index;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::{HANG, HANG_ROWS};
use stride_event::{Event, Ns, Tid};
use stride_track::{Thread, Tracker, Wait, Watched};

pub const RULE: RuleInfo = RuleInfo {
    id: "hang",
    title: "waiting",
    explanation: "When tracing ends while threads are in a call (Stride was told to stop, or the program was killed), a table shows \
        for each thread which call it is in, since when, and on what: the file, pipe or socket and who has its other end on this \
        machine, the lock and who holds it, what an epoll instance watches, which child is waited for. It is shown if at \
        least one thread has been in its call for a second.\n\n\
        The holder of a lock is read from the lock itself: that works for the mutexes of glibc and musl, not for every lock there \
        is. An idle server waits, too: a finding is a fact to look at, not a mistake.\n\n\
        Example: a program hangs. stride -f -p PID --advise, and Ctrl-C after a while, shows two threads in futex, each waiting for \
        a lock that the other holds: a deadlock. Or a parent in wait4 for a child that reads from a pipe of which the parent \
        itself has the other end: it forgot to close it.",
    make: || Box::new(Hang::default()),
};

#[derive(Default)]
struct Hang {
    waits: Vec<Row>,
    more: usize,
}

struct Row {
    tid: Tid,
    pid: Tid,
    comm: Vec<u8>,
    call: &'static str,
    /// `None`: from before tracing began.
    lasted: Option<Ns>,
    on: String,
    holder: Option<Tid>,
}

impl Rule for Hang {
    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let (Event::Detached { tid, at, .. } | Event::Killed { tid, at, .. }) = *event else { return };
        let (Some(wait), Some(thread)) = (tracker.wait(tid), tracker.thread(tid)) else { return };
        if matches!(wait.name(), "exit" | "exit_group") {
            return;
        }
        if self.waits.len() >= HANG_ROWS {
            self.more += 1;
            return;
        }
        // It may be looking again and again.
        let since = thread.idle_since.map_or(wait.since, |idle| idle.min(wait.since));
        self.waits.push(Row {
            tid,
            pid: thread.pid,
            comm: thread.comm.clone(),
            call: wait.name(),
            lasted: (!was_there(since, thread)).then(|| at.saturating_sub(since)),
            on: on(wait, tracker),
            holder: wait.holder.as_ref().map(|(tid, _)| *tid),
        });
    }

    fn findings(&mut self, index: &Index, _: &Tracker) -> Vec<Draft> {
        let lasts = |row: &&Row| row.lasted.unwrap_or(index.span().max(HANG)) >= HANG;
        let lasting = self.waits.iter().filter(lasts).count();
        if lasting == 0 {
            return Vec::new();
        }
        let all = self.waits.len() + self.more;
        let circle = self.circle();
        let sentence = match &circle {
            Some(tids) => format!(
                "threads {} wait for locks that they hold among themselves: a deadlock.",
                tids.iter().map(|tid| tid.to_string()).collect::<Vec<_>>().join(" and ")
            ),
            None if all == 1 => "its only thread was in one call when tracing ended, and had been for a while.".into(),
            None => format!("{lasting} of {all} threads had been in one call for a second or more when tracing ended."),
        };
        vec![Draft {
            sentence,
            evidence: Vec::new(),
            advice: match circle {
                Some(_) => "Take locks in the same order everywhere.".into(),
                None => "See whether who has the other end, or holds the lock, still can and will act; an idle server waits \
                    like this, too."
                    .into(),
            },
            confidence: if circle.is_some() { Confidence::Likely } else { Confidence::Possible },
            claims: Vec::new(),
            estimate: String::new(),
            more_time: 0,
            matters: true,
        }]
    }

    fn table(&self) -> Option<Table> {
        let rows = self.waits.iter().map(|row| {
            let since = match row.lasted {
                Some(ns) => format!("{}.{:03} s", ns / 1_000_000_000, ns / 1_000_000 % 1000),
                None => "before tracing".into(),
            };
            let who = format!("{} {}", row.tid, plain(&row.comm));
            let who = if row.tid == row.pid { who } else { format!("{who} (of {})", row.pid) };
            vec![who, row.call.to_owned(), since, row.on.clone()]
        });
        let mut rows: Vec<Vec<String>> = rows.collect();
        if self.more > 0 {
            rows.push(vec![format!("and {} more", self.more), String::new(), String::new(), String::new()]);
        }
        Some(Table { heads: vec!["thread", "call", "since", "on"], rows })
    }
}

impl Hang {
    /// Threads that wait for each other's locks.
    fn circle(&self) -> Option<Vec<Tid>> {
        let holder = |tid: Tid| self.waits.iter().find(|row| row.tid == tid)?.holder;
        self.waits.iter().find_map(|row| {
            let mut seen = vec![row.tid];
            let mut at = holder(row.tid)?;
            while at != row.tid {
                if seen.contains(&at) {
                    return None;
                }
                seen.push(at);
                at = holder(at)?;
            }
            Some(seen)
        })
    }
}

/// Whether the call had begun when the thread was attached to: an engine sees it at its first look.
fn was_there(since: Ns, thread: &Thread) -> bool {
    const FIRST_LOOK: Ns = 100_000_000;
    thread.attached && since < thread.started + FIRST_LOOK
}

/// On what a call waits, in words.
fn on(wait: &Wait, tracker: &Tracker) -> String {
    let named = |tid: Tid| {
        let comm = tracker.thread(tid).map(|thread| format!(" ({})", plain(&thread.comm)));
        format!("{tid}{}", comm.unwrap_or_default())
    };
    let object = |object| plain(tracker.name(object));
    match wait.name() {
        "futex" => match wait.holder {
            Some((tid, ref comm)) if comm.is_empty() => format!("lock {:#x}, held by {tid}", wait.args[0]),
            Some((tid, ref comm)) => format!("lock {:#x}, held by {tid} ({})", wait.args[0], plain(comm)),
            None => format!("{:#x}, a lock or condition", wait.args[0]),
        },
        "wait4" | "waitid" | "waitpid" => match wait.args[if wait.name() == "waitid" { 1 } else { 0 }] as i32 {
            pid if pid > 0 => format!("child {}", named(pid)),
            _ => "any child".into(),
        },
        name if name.contains("nanosleep") => "time".into(),
        "pause" | "rt_sigsuspend" | "rt_sigtimedwait" => "a signal".into(),
        _ => {
            let Some(fd) = wait.seen.fd else {
                let watched = watched(&wait.watched, tracker);
                return if watched.is_empty() { wait.seen.path.map(object).unwrap_or_default() } else { watched };
            };
            let what = wait.seen.object.map(object).unwrap_or_else(|| "?".into());
            let text = format!("fd {fd}: {what}{}", ends(&wait.others));
            let watched = watched(&wait.watched, tracker);
            if watched.is_empty() { text } else { format!("{text}, which watches {watched}") }
        }
    }
}

/// Who has the other end.
fn ends(others: &[(Tid, Vec<u8>)]) -> String {
    let others: Vec<String> = others.iter().map(|(pid, comm)| format!("{pid} ({})", plain(comm))).collect();
    if others.is_empty() { String::new() } else { format!(", other end: {}", others.join(", ")) }
}

/// The first of the descriptors that are waited for.
fn watched(all: &[Watched], tracker: &Tracker) -> String {
    const FIRST: usize = 8;
    let one = |it: &Watched| {
        let what = it.object.map(|object| plain(tracker.name(object))).unwrap_or_else(|| "?".into());
        format!("fd {}: {what}{}", it.fd, ends(&it.others))
    };
    let mut text = all.iter().take(FIRST).map(one).collect::<Vec<_>>().join("; ");
    if all.len() > FIRST {
        text += &format!("; and {} more", all.len() - FIRST);
    }
    text
}
