//! A thread waits again and again, each wait ends at once, and the thread makes nothing of that.

use super::common::{Bounded, Claims, ProcessCounts};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{Io, io, is_read};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MOST_IN_A_ROW, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{For, Syscall, uapi::consts as c};
use stride_track::Tracker;

const READY_IGNORED: Threshold =
    Threshold::count("ready-ignored", 50, "waits in a row that end at once and are followed by nothing");

pub const RULE: RuleInfo = RuleInfo {
    id: "ready-ignored",
    title: "waits that end at once, for nothing",
    explanation: "poll(2) or epoll_wait(2) returns at once each time, and the thread waits again without doing anything about the descriptor: it calls in a circle and keeps a CPU busy. \
        Two causes are told apart. The other end of a pipe or a socket is gone: waits return POLLHUP or POLLERR from then on, and read(2) returns 0. Or the program \
        waits for POLLOUT although it has nothing to write: there is nearly always room.\n\n\
        Reported are fifty or more such answers in a row, if the thread makes no other call in between: waits that return POLLHUP, POLLERR or POLLNVAL, or nothing but POLLOUT, \
        and reads that return 0 after a wait.\n\n\
        Example: a program waits for jobs in a pipe and for a socket whose other end is gone. Each poll(2) returns POLLHUP: 255,000 calls in 0.7 s, for 30 jobs. With the socket's \
        descriptor out of the set, the program sleeps until a job comes. A FIFO does the same when its writer has gone; opening it with O_RDWR keeps a writer (fifo(7)).",
    thresholds: &[READY_IGNORED],
    make: || Box::new(ReadyIgnored::default()),
};

#[derive(Default)]
struct ReadyIgnored {
    threads: Bounded<Tid, Row>,
    claims: Claims,
    processes: ProcessCounts,
    times: u64,
    time: Ns,
    cost: Ns,
    longest: u64,
    gone: u64,
}

/// Answers that a thread makes nothing of, without another call in between.
#[derive(Default)]
struct Row {
    /// The thread's number of calls at the latest call of the row.
    at: u64,
    began: Ns,
    ended: Ns,
    answers: u64,
    /// Those of them that say that the other end is gone.
    gone: u64,
    /// The time inside the calls.
    cost: Ns,
    /// The calls of each kind.
    calls: Vec<(CallKey, u64)>,
}

/// The number of kinds of calls that are told apart in a row.
const MAX_KINDS: usize = 8;

impl Rule for ReadyIgnored {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits() == Some(For::Readiness) || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let (tid, nth) = (observed.call.tid, index.pace(observed.call.tid).calls);
        let waits = observed.row.waits().is_some();
        let Outcome::Value(ready) = observed.call.outcome else { return };
        let answer = match waits {
            true if ready > 0 => told(observed),
            true => return,
            false if reads_end(observed) => Told::Gone,
            false => return,
        };
        self.threads.forget_ended(observed.tracker, |row| row.answers >= READY_IGNORED.get());
        let Some(row) = self.threads.entry(tid, Row::default) else { return };
        let follows = row.at + 1 == nth;
        let ended = if follows { Row::default() } else { std::mem::take(row) };
        // A read that finds the end begins no row: no wait came before it.
        if follows || waits {
            row.takes(observed, nth, answer);
            if row.answers >= READY_IGNORED.get() {
                self.processes.count(observed.seen.pid, observed.tracker);
            }
        }
        self.ends(ended);
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        self.threads.take().into_values().for_each(|row| self.ends(row));
        if self.times == 0 {
            return Vec::new();
        }
        let (cause, advice) = match self.gone * 2 >= self.times {
            true => (
                "the other end of a descriptor is gone",
                "When read(2) returns 0, or POLLHUP or POLLERR is told, close the descriptor, or take it out of the set: a negative descriptor for poll(2), \
                 EPOLL_CTL_DEL for epoll. (Open a FIFO with O_RDWR, so that it keeps a writer.)",
            ),
            false => (
                "a descriptor could be written to, and the threads wrote nothing",
                "Ask for POLLOUT or EPOLLOUT only while there is something to write that did not fit before, and take it back after that (EPOLL_CTL_MOD, or EPOLLET).",
            ),
        };
        vec![Candidate {
            sentence: say!(
                "For {}, threads called in a circle, in waits that ended at once: {cause}. They heard so {} times, up to {} in a row.",
                WAITED.of(self.time),
                TIMES.of(self.times),
                MOST_IN_A_ROW.of(self.longest)
            ),
            evidence: self.processes.evidence().into_iter().collect(),
            advice: advice.into(),
            confidence: Confidence::Likely,
            claims: std::mem::take(&mut self.claims).list(),
            estimate: "all such calls but the first of a row; nobody waits for them, but they keep a CPU busy".into(),
            more_work: self.cost,
            whole_time: Some(0),
            ..Candidate::default()
        }]
    }
}

impl Row {
    fn takes(&mut self, observed: &Observed<'_>, nth: u64, answer: Told) {
        if self.calls.is_empty() {
            self.began = observed.call.began();
        }
        (self.at, self.ended) = (nth, observed.call.returned);
        self.answers += u64::from(answer != Told::Other);
        self.gone += u64::from(answer == Told::Gone);
        self.cost += observed.time_waiting();
        match self.calls.iter().position(|(key, _)| *key == observed.key) {
            Some(place) => self.calls[place].1 += 1,
            None if self.calls.len() < MAX_KINDS => self.calls.push((observed.key, 1)),
            None => {}
        }
    }
}

impl ReadyIgnored {
    fn ends(&mut self, row: Row) {
        if row.answers < READY_IGNORED.get() {
            return;
        }
        self.times += row.answers;
        self.gone += row.gone;
        self.longest = self.longest.max(row.answers);
        self.time += row.ended.saturating_sub(row.began);
        self.cost += row.cost;
        self.claims.add_all(row.calls.into_iter().map(|(key, calls)| (key, calls - 1)));
    }
}

/// True if the read found that there will be nothing more.
fn reads_end(observed: &Observed<'_>) -> bool {
    let is_stream = |object| matches!(io(object, observed.tracker), Io::Pipe | Io::Socket);
    observed.call.outcome == Outcome::Value(0) && observed.seen.object.is_some_and(is_stream)
}

/// The answer of a wait that did not last until its timeout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// A descriptor has no other end any more, or is closed.
    Gone,
    /// Nothing but room to write.
    Room,
    /// Something else, which the thread may act on. (select(2) does not tell.)
    Other,
}

fn told(observed: &Observed<'_>) -> Told {
    const GONE: u64 = c::POLLHUP | c::POLLERR | c::POLLNVAL;
    const ROOM: u64 = c::POLLOUT | c::POLLWRNORM;
    /// A program may wait for many descriptors.
    const LOOKED_AT: u64 = 64;
    let all = observed.call.told_events(LOOKED_AT).fold(0, |all, events| all | events);
    match all {
        _ if all & GONE != 0 => Told::Gone,
        0 => Told::Other,
        _ if all & !ROOM == 0 => Told::Room,
        _ => Told::Other,
    }
}
