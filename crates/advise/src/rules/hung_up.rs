//! A thread waits again and again for a descriptor whose other end is gone, and each wait ends at once.

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

const HUNG_UP: Threshold = Threshold::count("hung-up", 50, "times in a row that a thread hears that an end is gone");

pub const RULE: RuleInfo = RuleInfo {
    id: "hung-up",
    title: "waiting for a descriptor whose other end is gone",
    explanation: "The other end of a pipe or a socket is gone. From then on, poll(2) and epoll_wait(2) return at once each time, with POLLHUP or POLLERR, and \
        read(2) returns 0. A program that does not close the descriptor, or does not take it out of the set, calls in a circle and keeps a CPU busy.\n\n\
        Reported are fifty or more such answers in a row, if the thread makes no other call in between: waits that return POLLHUP, POLLERR or POLLNVAL, \
        and reads that return 0 after a wait.\n\n\
        Example: a daemon reads jobs from a FIFO. The first writer closes it, and from then on each poll(2) returns POLLHUP: 255,000 calls in 0.6 s. \
        Opening the FIFO with O_RDWR keeps one writer, and the daemon sleeps until a job comes (fifo(7)).",
    thresholds: &[HUNG_UP],
    make: || Box::new(HungUp::default()),
};

#[derive(Default)]
struct HungUp {
    threads: Bounded<Tid, Row>,
    claims: Claims,
    processes: ProcessCounts,
    times: u64,
    time: Ns,
    cost: Ns,
    longest: u64,
}

/// Such answers without another call in between.
#[derive(Default)]
struct Row {
    /// The thread's number of calls at the latest call of the row.
    at: u64,
    began: Ns,
    ended: Ns,
    answers: u64,
    /// The time inside the calls.
    cost: Ns,
    /// The calls of each kind.
    calls: Vec<(CallKey, u64)>,
}

/// The number of kinds of calls that are told apart in a row.
const MAX_KINDS: usize = 8;

impl Rule for HungUp {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits() == Some(For::Readiness) || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let (tid, nth) = (observed.call.tid, index.pace(observed.call.tid).calls);
        let waits = observed.row.waits().is_some();
        let Outcome::Value(ready) = observed.call.outcome else { return };
        let is_answer = if waits { ready > 0 && has_hung_up(observed) } else { reads_end(observed) };
        // A wait that ends because of something else may be followed by a read that finds the end.
        if !(is_answer || waits && ready > 0) {
            return;
        }
        self.threads.forget_ended(observed.tracker, |row| row.answers >= HUNG_UP.get());
        let Some(row) = self.threads.entry(tid, Row::default) else { return };
        let follows = row.at + 1 == nth;
        let ended = if follows { Row::default() } else { std::mem::take(row) };
        // A read that finds the end begins no row: no wait came before it.
        if follows || waits {
            row.takes(observed, nth, is_answer);
            if row.answers >= HUNG_UP.get() {
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
        vec![Candidate {
            sentence: say!(
                "For {}, threads waited for a descriptor whose other end is gone, and heard so at once each time: {} times, up to {} in a row.",
                WAITED.of(self.time),
                TIMES.of(self.times),
                MOST_IN_A_ROW.of(self.longest)
            ),
            evidence: self.processes.evidence().into_iter().collect(),
            advice: "When read(2) returns 0, or POLLHUP or POLLERR is told, close the descriptor, or take it out of the set: a negative descriptor for \
                     poll(2), EPOLL_CTL_DEL for epoll. (Open a FIFO with O_RDWR, so that it keeps a writer.)"
                .into(),
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
    fn takes(&mut self, observed: &Observed<'_>, nth: u64, is_answer: bool) {
        if self.calls.is_empty() {
            self.began = observed.call.began();
        }
        (self.at, self.ended) = (nth, observed.call.returned);
        self.answers += u64::from(is_answer);
        self.cost += observed.time_waiting();
        match self.calls.iter().position(|(key, _)| *key == observed.key) {
            Some(place) => self.calls[place].1 += 1,
            None if self.calls.len() < MAX_KINDS => self.calls.push((observed.key, 1)),
            None => {}
        }
    }
}

impl HungUp {
    fn ends(&mut self, row: Row) {
        if row.answers < HUNG_UP.get() {
            return;
        }
        self.times += row.answers;
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

/// True if one of the first descriptors has no other end any more, or is closed. (select(2) does not tell.)
fn has_hung_up(observed: &Observed<'_>) -> bool {
    const GONE: u64 = c::POLLHUP | c::POLLERR | c::POLLNVAL;
    /// A program may wait for many descriptors.
    const LOOKED_AT: u64 = 64;
    observed.call.told_events(LOOKED_AT).any(|events| events & GONE != 0)
}
