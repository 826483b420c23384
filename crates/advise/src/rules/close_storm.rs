//! A program closes descriptors that are not open.

use super::common::{Claims, ProcessCounts, closes_nothing};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{CALLS, HIGHEST_FD};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_syscalls::{Effect, Syscall};
use stride_track::Tracker;

const USELESS_CLOSES: Threshold = Threshold::count("useless-closes", 200, "descriptors that were not open");

pub const RULE: RuleInfo = RuleInfo {
    id: "close-storm",
    title: "closing what is not open",
    explanation: "close(2) fails with EBADF again and again: a program closes every descriptor it might have, up to the limit, mostly \
        after fork(2) and before execve(2). With a limit of a million descriptors that is a million calls.\n\n\
        Every close(2) that failed with EBADF could be saved.\n\n\
        Example: a daemon closes descriptors 3 to 1,048,575 before each child. close_range(3, ~0U, 0) is one call (Linux 5.9, \
        glibc 2.34; closefrom(3) does the same), and with O_CLOEXEC none is needed.",
    thresholds: &[USELESS_CLOSES],
    make: || Box::new(CloseStorm::default()),
};

#[derive(Default)]
struct CloseStorm {
    highest: u64,
    claims: Claims,
    processes: ProcessCounts,
}

impl Rule for CloseStorm {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Closes)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if closes_nothing(observed) {
            self.highest = self.highest.max(observed.arg("fd") & 0x7fff_ffff);
            self.claims.add(observed.key, 1);
            self.processes.count(observed.seen.pid, observed.tracker);
        }
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        let calls = self.claims.total();
        if calls < USELESS_CLOSES.get() {
            return Vec::new();
        }
        vec![Candidate {
            sentence: say!(
                "close was called {} times for descriptors that were not open (EBADF), up to number {}.",
                CALLS.of(calls),
                HIGHEST_FD.of(self.highest)
            ),
            evidence: self.processes.evidence().into_iter().collect(),
            advice: "Open descriptors with O_CLOEXEC, or close all at once with close_range(2) or closefrom(3).".into(),
            confidence: Confidence::Certain,
            claims: std::mem::take(&mut self.claims).list(),
            estimate: "every close that failed".into(),
            ..Candidate::default()
        }]
    }
}
