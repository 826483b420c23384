//! Where the time of each process, thread or kind of request went (`--time-by`).

pub mod parts;
mod slow;

use crate::spelling::quote::shown;
use crate::views::json::Json;
use crate::views::view::{End, RunInfo, UNSEEN_OPERATIONS, View};
use stride_event::quantity::{count, duration, grouped};
use stride_event::{Event, Ns};
use stride_track::{RequestKind, Requests, Spent, TimeOwner, TimeSpent, Tracker};

/// The owners of the times that are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeBy {
    Process,
    Thread,
    Request,
}

impl TimeBy {
    /// All of them.
    pub const ALL: [TimeBy; 3] = [TimeBy::Process, TimeBy::Thread, TimeBy::Request];

    /// The word for it on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            TimeBy::Process => "process",
            TimeBy::Thread => "thread",
            TimeBy::Request => "request",
        }
    }
}

/// So many owners have their lines. One more line has the rest.
const OWNERS: usize = 20;

enum Account {
    Threads(Box<Spent>),
    Requests(Box<Requests>),
}

/// Reports at the end.
pub struct TimeView {
    by: TimeBy,
    account: Account,
    json: bool,
    /// Not all calls are traced.
    partial: bool,
    /// Operations of io_uring.
    operations: bool,
}

impl TimeView {
    /// With `json`, an object for each owner instead of lines.
    pub fn new(by: TimeBy, json: bool, info: &RunInfo) -> TimeView {
        let account = match by {
            TimeBy::Process | TimeBy::Thread => Account::Threads(Box::default()),
            TimeBy::Request => Account::Requests(Box::default()),
        };
        TimeView { by, account, json, partial: info.partial, operations: false }
    }

    fn owners(&mut self, tracker: &Tracker) -> String {
        let Account::Threads(spent) = &mut self.account else { return String::new() };
        let owners = spent.apart(self.by == TimeBy::Thread);
        if self.json {
            let mut out = Vec::new();
            owners.iter().for_each(|(owner, spent)| self.owner_json(owner, spent, tracker, &mut out));
            return String::from_utf8_lossy(&out).into_owned();
        }
        let mut out = format!("Where the time of each {} went:\n", self.by.name());
        let told = if owners.len() > OWNERS { OWNERS - 1 } else { owners.len() };
        for (owner, spent) in &owners[..told] {
            let id = owner.tid.unwrap_or(owner.pid);
            let of = match owner.tid {
                Some(tid) if tid != owner.pid => format!(" of process {}", owner.pid),
                None if spent.threads > 1 => format!(", {} together", count(spent.threads as u64, "thread", "threads")),
                _ => String::new(),
            };
            // The process has no number where there were too many of its name.
            let id = if id == 0 { " (further processes)".into() } else { format!("[{id}]") };
            out += &format!("\n{}{id}{of}, {}:\n", shown(&owner.comm), duration(spent.total));
            parts::largest(spent, Some(&owner.comm), self.partial, tracker, &mut out);
        }
        rest(owners.len() - told, owners[told..].iter().map(|(_, spent)| spent.total).sum(), self.by.name(), &mut out);
        out
    }

    fn owner_json(&self, owner: &TimeOwner, spent: &TimeSpent, tracker: &Tracker, out: &mut Vec<u8>) {
        Json::new(out).line("time_spent", |j| {
            j.key("total_ns").int(spent.total);
            j.key("of").str(self.by.name());
            j.key("pid").int(owner.pid);
            if let Some(tid) = owner.tid {
                j.key("tid").int(tid);
            }
            j.name("comm", &owner.comm);
            if owner.tid.is_none() {
                j.key("threads").int(spent.threads as u64);
            }
            parts::all_parts(spent, tracker, j);
        });
    }

    fn requests(&mut self, tracker: &Tracker) -> String {
        let Account::Requests(requests) = &mut self.account else { return String::new() };
        let (kinds, measured) = (requests.kinds(tracker), requests.measured());
        let spent = |kind: &RequestKind| TimeSpent {
            total: kind.total,
            measured,
            shares: kind.shares.clone(),
            ..TimeSpent::default()
        };
        if self.json {
            let mut out = Vec::new();
            kinds.iter().for_each(|kind| kind_json(kind, &spent(kind), tracker, &mut out));
            return String::from_utf8_lossy(&out).into_owned();
        }
        if kinds.is_empty() {
            let why = if self.partial { "; filters may have left out the calls about connections" } else { "" };
            return format!("No request was seen: nothing came on a connection to a traced program{why}.\n");
        }
        let mut out = "Where the time of requests went:\n".to_owned();
        let told = if kinds.len() > OWNERS { OWNERS - 1 } else { kinds.len() };
        for kind in &kinds[..told] {
            out += &heading(kind, tracker);
            if kind.total > 0 {
                let spent = spent(kind);
                parts::largest(&spent, Some(&kind.comm), self.partial, tracker, &mut out);
                if let Some(slow) = &kind.slow {
                    slow::lines(slow, kind, |share| parts::doing(share, &spent, self.partial, tracker), &mut out);
                }
            }
        }
        rest(kinds.len() - told, kinds[told..].iter().map(|kind| kind.total).sum(), "kind", &mut out);
        out
    }
}

/// `server on TCP 0.0.0.0:80 ← clients: 1,000 requests, half within 120 µs, 99% within 1.20 ms, the longest 3.00 ms, 180 ms in all:`.
fn heading(kind: &RequestKind, tracker: &Tracker) -> String {
    let mut out = format!("\n{} on {}: ", shown(&kind.comm), shown(tracker.name(kind.object)));
    let unanswered = count(kind.unanswered, "request", "requests");
    if kind.answered == 0 {
        return out + &format!("{unanswered}, and no answer\n");
    }
    let [half, most] = quantiles(kind);
    out += &match kind.answered {
        1 => format!("1 request, {}", duration(kind.total)),
        n => format!(
            "{} requests, half within {}, 99% within {}, the longest {}, {} in all",
            grouped(n),
            duration(half),
            duration(most),
            duration(kind.longest.took),
            duration(kind.total)
        ),
    };
    if kind.unanswered > 0 {
        out += &format!(" ({unanswered} without an answer)");
    }
    out + ":\n"
}

/// The median and the 99th percentile. The middle of a bucket may lie beyond the longest.
fn quantiles(kind: &RequestKind) -> [Ns; 2] {
    [0.5, 0.99].map(|part| kind.durations.quantile(part).min(kind.longest.took))
}

fn kind_json(kind: &RequestKind, spent: &TimeSpent, tracker: &Tracker, out: &mut Vec<u8>) {
    let [half, most] = quantiles(kind);
    Json::new(out).line("time_spent", |j| {
        j.key("total_ns").int(spent.total);
        j.key("of").str(TimeBy::Request.name());
        j.name("comm", &kind.comm);
        j.name("object", tracker.name(kind.object));
        j.key("requests").int(kind.answered);
        j.key("unanswered").int(kind.unanswered);
        if kind.answered > 0 {
            j.key("p50_ns").int(half);
            j.key("p99_ns").int(most);
            j.key("max_ns").int(kind.longest.took);
            j.key("longest").object(|j| {
                j.key("since_ns").int(kind.longest.since);
                j.key("tid").int(kind.longest.receiver);
            });
        }
        parts::all_parts(spent, tracker, j);
        if let Some(slow) = &kind.slow {
            slow::json(slow, tracker, j);
        }
    });
}

fn rest(owners: usize, time: Ns, what: &str, out: &mut String) {
    let many = if what == "process" { "processes".to_owned() } else { format!("{what}s") };
    if owners > 0 {
        *out += &format!(
            "\n{}, {} together\n",
            count(owners as u64, &format!("more {what}"), &format!("more {many}")),
            duration(time)
        );
    }
}

impl View for TimeView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.operations |= matches!(event, Event::Library(call) if call.operation.is_some());
        match &mut self.account {
            Account::Threads(spent) => spent.event(event, tracker),
            Account::Requests(requests) => requests.event(event, tracker),
        }
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        match self.by {
            TimeBy::Process | TimeBy::Thread => self.owners(end.tracker),
            TimeBy::Request => self.requests(end.tracker),
        }
    }

    /// Says that requests lack the operations of io_uring, if there were some.
    fn take_remark(&mut self) -> Option<String> {
        let unseen = self.by == TimeBy::Request && std::mem::take(&mut self.operations);
        unseen.then(|| UNSEEN_OPERATIONS.to_owned())
    }
}

#[cfg(test)]
mod tests;
