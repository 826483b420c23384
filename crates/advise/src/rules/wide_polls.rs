//! Waits that look at many descriptors each time, of which few are ready.

use super::common::{Claims, ProcessCounts};
use crate::counts::by_thread::LostTime;
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{CALLS, DESCRIPTORS, MEAN_READY, RUN, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Ns, Outcome};
use stride_syscalls::{For, Syscall};
use stride_track::Tracker;

const WIDE_POLLS: Threshold = Threshold::count("wide-polls", 500, "waits for many descriptors");
const WIDE: Threshold = Threshold::count("wide-poll", 64, "a wait for so many descriptors is one for many");
const FEW_READY: Threshold =
    Threshold::part("few-ready", 0.1, "the largest part of the descriptors that is ready, on average");
const WIDE_POLLS_PART: Threshold =
    Threshold::part("wide-polls-part", 0.1, "the part of the run in which the kernel looks at descriptors");

pub const RULE: RuleInfo = RuleInfo {
    id: "wide-polls",
    title: "many descriptors looked at for a few",
    explanation: "poll(2) and select(2) look at each descriptor of their set, at each call, and copy the set in and out. With hundreds of connections of which few have \
        something to say, most of the time goes into looking at the others. epoll(7) remembers the descriptors, and tells those that are ready: its price grows with \
        these only.\n\n\
        Reported are 500 waits, each for 64 descriptors or more, of which a tenth or less was ready on average, if the time in these calls, without that in which they slept or had no CPU, is a tenth of the \
        run. For select(2), all numbers below the largest descriptor count, because the kernel goes through them. Under ptrace, the stops at each call take so long \
        that nothing is reported.\n\n\
        Use epoll(7), or a library for event loops (libuv, libevent, asyncio, selectors.DefaultSelector in Python, mio in Rust). It is fine if the set has few descriptors, or if most are ready.\n\n\
        Example: a server waits for 900 connections with poll(2), and 7 of them are busy: 57% of the time passed in poll. With epoll(7), the same work took a twentieth of the time.",
    thresholds: &[WIDE_POLLS, WIDE, FEW_READY, WIDE_POLLS_PART],
    make: || Box::new(WidePolls::default()),
};

#[derive(Default)]
struct WidePolls {
    waits: u64,
    /// The descriptors of all these waits, and those that were ready.
    descriptors: u64,
    ready: u64,
    time: LostTime,
    claims: Claims,
    processes: ProcessCounts,
}

/// No process has more descriptors.
const MOST_DESCRIPTORS: u64 = 1 << 20;

impl Rule for WidePolls {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits() == Some(For::Readiness) && row.args.iter().any(|arg| arg.name == "nfds")
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (Outcome::Value(ready @ 0..), Some(descriptors)) = (observed.call.outcome, observed.call.arg("nfds"))
        else {
            return;
        };
        if !(WIDE.get()..=MOST_DESCRIPTORS).contains(&descriptors) {
            return;
        }
        self.waits += 1;
        self.descriptors += descriptors;
        self.ready += ready as u64;
        self.time.add(observed.call.tid, observed.time_working());
        self.claims.add(observed.key, 1);
        self.processes.count(observed.seen.pid, observed.tracker);
    }

    fn findings(&mut self, index: &Index, _: &Tracker) -> Vec<Candidate> {
        let time = self.time.on_path(index.path());
        let is_much = time as f64 >= index.own_span() as f64 * WIDE_POLLS_PART.ratio();
        let are_few = self.ready as f64 <= self.descriptors as f64 * FEW_READY.ratio();
        if self.waits < WIDE_POLLS.get() || !is_much || !are_few || index.calls_are_stopped() {
            return Vec::new();
        }
        vec![Candidate {
            sentence: say!(
                "{} waits looked at {} descriptors each, of which {} were ready on average: {} of the run's {} passed in looking.",
                CALLS.of(self.waits),
                DESCRIPTORS.of(self.descriptors / self.waits),
                MEAN_READY.mean(self.ready, self.waits),
                WAITED.of(time),
                RUN.of(index.own_span()),
            ),
            evidence: self.processes.evidence().into_iter().collect(),
            advice: "Wait with epoll(7), which remembers the descriptors and tells only those that are ready, or with a library for event loops that does so.".into(),
            confidence: Confidence::Likely,
            makers: std::mem::take(&mut self.claims).list().into_iter().map(|claim| (claim.key, claim.calls)).collect(),
            perhaps_more: saved(time, self.ready, self.descriptors),
            estimate: "the time in such calls, without the part for descriptors that were ready".into(),
            ..Candidate::default()
        }]
    }
}

fn saved(time: Ns, ready: u64, descriptors: u64) -> Ns {
    (time as f64 * (1.0 - ready as f64 / descriptors as f64)) as Ns
}
