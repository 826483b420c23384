//! A program asks a server the same thing again and again, sleeps in between, and gets the same answer.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_asked, is_read, is_write, waits_for_any};
use crate::report::finding::{Candidate, Claim, Confidence};
use crate::report::quantity::{LASTED, PACE, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{ObjectId, Tracker};

const ASKED_AGAIN: Threshold =
    Threshold::count("asked-again", 50, "times in a row that a thread slept, asked the same and got the same answer");
const ASKED_PACE: Threshold =
    Threshold::time("asked-pace", 200_000_000, "the longest time between two of these questions, on average");
const ASKED_PART: Threshold = Threshold::part("asked-part", 0.3, "the part of the run for which this went on");

pub const RULE: RuleInfo = RuleInfo {
    id: "asked-again",
    title: "a server asked the same again and again",
    explanation: "A program waits for work, or for something to be done, by asking a server: it sends a question, gets an answer that says no, sleeps, and asks again. It learns of the change half a sleep too late on \
        average, and each question costs both sides a few calls and wakes.\n\n\
        Reported are fifty rounds in a row in which one thread slept, sent as many bytes with the same beginning as before and got as many bytes with the same beginning, if no more than 200 ms lie between two \
        on average, and if they go on for three tenths of the run. Heartbeats are slower.\n\n\
        Let the server say when there is something: a question that waits (BLPOP instead of LPOP, long polling, LISTEN and NOTIFY, a subscription, a queue that pushes), or sleep longer each time.\n\n\
        Example: a worker asks its queue for a job each 5 ms: 640 questions in 3.3 s, each answered with -EMPTY.",
    thresholds: &[ASKED_AGAIN, ASKED_PACE, ASKED_PART],
    make: || Box::new(AskedAgain::default()),
};

/// So many bytes of a question or an answer are compared.
const COMPARED: usize = 16;

/// The size of a message, and its beginning as far as it was captured.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Message {
    size: u64,
    beginning: [u8; COMPARED],
}

#[derive(Default)]
struct AskedAgain {
    threads: Bounded<Tid, Asking>,
    /// Rounds by process and server.
    rounds: Bounded<(Tid, ObjectId), Rounds>,
    processes: ProcessCounts,
}

/// The question that a thread asks over and over.
#[derive(Default)]
struct Asking {
    server: Option<ObjectId>,
    question: Message,
    answer: Message,
    /// The call in which it slept since the answer.
    slept: Option<CallKey>,
    /// This question equals the one before, and the thread slept in between.
    again: bool,
    in_a_row: u64,
    began: Ns,
    claims: Vec<CallKey>,
}

#[derive(Default)]
struct Rounds {
    /// Those of the longest row.
    times: u64,
    lasted: Ns,
    claims: Claims,
}

impl Rule for AskedAgain {
    fn wants(&self, row: &'static Syscall) -> bool {
        is_write(row) || is_read(row) || row.waits() == Some(For::Time) || waits_for_any(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let tid = observed.call.tid;
        // An event loop sleeps in a wait whose time runs out.
        let is_wait = waits_for_any(observed.row);
        if observed.row.waits() == Some(For::Time) || is_wait && observed.call.outcome == Outcome::Value(0) {
            if let Some(asking) = self.threads.get_mut(&tid) {
                asking.slept = Some(observed.key);
            }
            return;
        }
        if is_wait {
            return;
        }
        let Some(server) = observed.seen.object.filter(|object| is_asked(*object, observed.tracker)) else { return };
        let Outcome::Value(size @ 1..) = observed.call.outcome else { return };
        let message = Message::of(observed, size as u64);
        self.threads.forget_ended(observed.tracker, |_| false);
        let Some(asking) = self.threads.entry(tid, Asking::default) else { return };
        if is_write(observed.row) {
            return asking.asks(observed, server, message);
        }
        if asking.server != Some(server) {
            return;
        }
        if asking.again && asking.answer == message {
            asking.in_a_row += 1;
            let (times, lasted) = (asking.in_a_row, observed.call.returned.saturating_sub(asking.began));
            if times >= ASKED_AGAIN.get() {
                self.processes.count(observed.seen.pid, observed.tracker);
            }
            self.rounds.forget_ended(observed.tracker, |rounds| rounds.times >= ASKED_AGAIN.get());
            if let Some(rounds) = self.rounds.entry((observed.seen.pid, server), Rounds::default) {
                (rounds.times, rounds.lasted) = (rounds.times, rounds.lasted).max((times, lasted));
                rounds.claims.add_all(asking.claims.iter().chain([&observed.key]).map(|key| (*key, 1)));
            }
        } else {
            (asking.in_a_row, asking.began) = (0, observed.call.returned);
        }
        asking.answer = message;
        asking.slept = None;
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_span() as f64 * ASKED_PART.ratio();
        let goes_on = |rounds: &Rounds| {
            rounds.times >= ASKED_AGAIN.get() && rounds.pace() <= ASKED_PACE.get() && rounds.lasted as f64 >= least
        };
        let often = self.rounds.iter().filter(|(_, rounds)| goes_on(rounds));
        let Some(((_, server), rounds)) = often.max_by_key(|(key, rounds)| (rounds.lasted, Reverse(**key))) else {
            return Vec::new();
        };
        vec![Candidate {
            sentence: say!(
                "{} was asked the same thing {} times in a row, as far as sizes and first bytes tell, and answered alike; the program slept and asked again, once in {}, for {}.",
                plain(tracker.name(*server)),
                TIMES.of(rounds.times),
                PACE.of(rounds.pace()),
                LASTED.of(rounds.lasted),
            ),
            evidence: [thing(*server, rounds.times, tracker)].into_iter().chain(self.processes.evidence()).collect(),
            advice: "Let the server say when there is something: a question that waits for an answer (BLPOP in place of LPOP, long polling, LISTEN and NOTIFY), or a \
                     subscription. Or sleep longer after each such answer."
                .into(),
            confidence: Confidence::Likely,
            claims: rounds.claims.iter().map(|(key, calls)| Claim { key, calls: calls.saturating_sub(1) }).collect(),
            estimate: "all such questions but the first, with the sleeps before them".into(),
            whole_time: Some(rounds.pace() / 2),
            matters: true,
            instead_of: &["lost-time", "lock-step"],
            ..Candidate::default()
        }]
    }
}

impl Asking {
    fn asks(&mut self, observed: &Observed<'_>, server: ObjectId, question: Message) {
        self.again = self.slept.is_some() && self.server == Some(server) && self.question == question;
        (self.server, self.question) = (Some(server), question);
        self.claims.clear();
        self.claims.extend(self.slept.into_iter().chain([observed.key]));
    }
}

impl Rounds {
    fn pace(&self) -> Ns {
        self.lasted / self.times.max(1)
    }
}

impl Message {
    fn of(observed: &Observed<'_>, size: u64) -> Message {
        let held = match is_write(observed.row) {
            true => observed.call.bytes("buf", COMPARED),
            false => observed.call.answer("buf", COMPARED),
        };
        let mut beginning = [0; COMPARED];
        beginning.iter_mut().zip(held).for_each(|(to, from)| *to = *from);
        Message { size, beginning }
    }
}
