//! A thread repeats a call that fails with EAGAIN, instead of waiting.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{CALLS, MOST_IN_A_ROW};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Ordering;
use stride_event::Tid;
use stride_syscalls::{Syscall, Thing, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const EAGAIN_STREAK: Threshold = Threshold::count("eagain-streak", 8, "failures in a row");

pub const RULE: RuleInfo = RuleInfo {
    id: "eagain-spin",
    title: "spinning on EAGAIN",
    explanation: "A descriptor that does not block is read or written although it is not ready; the call fails with \
        EAGAIN and is made again at once, without waiting. The thread burns a processor until the other side moves.\n\n\
        Calls that fail with EAGAIN count from eight in a row on, if the thread makes no other call between them. \
        One EAGAIN before each wait is normal: it tells an event loop that everything has been read.\n\n\
        Example: a client reads its answer from a socket with O_NONBLOCK in a loop until it is there: 40,000 reads \
        in 20 ms. One poll(2) waits as long and uses no CPU.",
    thresholds: &[EAGAIN_STREAK],
    make: || Box::new(EagainSpin::default()),
};

const EAGAIN: u32 = c::EAGAIN as u32;

#[derive(Default)]
struct EagainSpin {
    threads: Bounded<Tid, Streak>,
    things: Bounded<(CallKey, ObjectId), (u64, u64)>,
    processes: ProcessCounts,
    longest: u64,
}

#[derive(Default)]
struct Streak {
    /// The number of the thread's latest call that failed.
    call: u64,
    length: u64,
}

impl Rule for EagainSpin {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.transfer().is_some() || row.makes() == Some(Thing::Connection)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        if observed.errno() != Some(EAGAIN) {
            return;
        }
        let call = index.pace(observed.call.tid).calls;
        self.threads.forget_ended(observed.tracker, |_| false);
        let Some(streak) = self.threads.entry(observed.call.tid, Streak::default) else { return };
        streak.length = if streak.call + 1 == call { streak.length + 1 } else { 1 };
        streak.call = call;
        self.longest = self.longest.max(streak.length);
        // The first failure of a streak is not counted: it tells the program that nothing is there.
        let more = match streak.length.cmp(&EAGAIN_STREAK.get()) {
            Ordering::Less => 0,
            Ordering::Equal => streak.length - 1,
            Ordering::Greater => 1,
        };
        if more == 0 {
            return;
        }
        let at = (observed.key, observed.seen.object.unwrap_or_default());
        if let Some((calls, _)) = self.things.entry(at, || (0, observed.line)) {
            *calls += more;
            self.processes.count_calls(observed.seen.pid, more, observed.tracker);
        }
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let mut claims = Claims::default();
        let mut worst = None;
        for ((key, object), (calls, line)) in self.things.iter() {
            claims.add(*key, *calls);
            worst = worst.max(Some((*calls, std::cmp::Reverse(*line), *object)));
        }
        let Some((calls, line, object)) = worst.filter(|_| !claims.few()) else { return Vec::new() };
        let evidence = Evidence { line: Some(line.0), ..thing(object, calls, tracker) };
        vec![Candidate {
            sentence: say!(
                "{} was not ready (EAGAIN) and was tried again at once {} times, up to {} in a row, \
                without waiting in between.",
                plain(tracker.name(object)),
                CALLS.of(calls),
                MOST_IN_A_ROW.of(self.longest),
            ),
            evidence: [evidence].into_iter().chain(self.processes.evidence()).collect(),
            advice: "Wait with poll(2) or epoll_wait(2) until it is ready, or leave O_NONBLOCK off.".into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "every attempt in such a row but the first".into(),
            ..Candidate::default()
        }]
    }
}
