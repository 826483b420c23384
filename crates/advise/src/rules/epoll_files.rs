//! Regular files are given to epoll, which does not take them.

use super::common::{Bounded, Claims, Processes, plain, thing};
use crate::finding::{Confidence, Draft, Evidence};
use crate::index::{Index, Observed};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::EPOLL_REFUSALS;
use stride_event::grouped;
use stride_track::{ObjectId, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "epoll-files",
    title: "files given to epoll",
    explanation: "epoll_ctl(2) refuses regular files and directories with EPERM: they are always ready, so there is nothing to wait for. A program \
        or its runtime tries anyway, for each file that it opens.\n\n\
        Every call that fails so could be saved.\n\n\
        Example: Go's os.Open tries it with each file: 30,000 files are 30,000 refusals. A program for which that matters \
        opens them with unix.Open, or looks into an archive or an index instead of 30,000 files.",
    make: || Box::new(EpollFiles::default()),
};

const EPERM: u32 = 1;

#[derive(Default)]
struct EpollFiles {
    files: Bounded<ObjectId, (u64, u64)>,
    calls: u64,
    claims: Claims,
    processes: Processes,
}

impl Rule for EpollFiles {
    fn wants(&self, name: &'static str) -> bool {
        name == "epoll_ctl"
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if observed.errno() != Some(EPERM) {
            return;
        }
        let (pid, tracker) = (observed.seen.pid, observed.tracker);
        self.calls += 1;
        self.claims.add(observed.key, 1);
        self.processes.count(pid, tracker);
        if let Some(file) = tracker.descriptor(observed.call.tid, observed.arg("fd") as i32)
            && let Some((calls, _)) = self.files.entry(file, || (0, observed.line))
        {
            *calls += 1;
        }
    }

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Draft> {
        let worst = self.files.iter().map(|(file, (calls, line))| (*calls, std::cmp::Reverse(*line), *file)).max();
        let Some((calls, line, file)) = worst.filter(|_| self.calls >= EPOLL_REFUSALS) else { return Vec::new() };
        let evidence = Evidence { line: Some(line.0), ..thing(file, calls, tracker) };
        vec![Draft {
            sentence: format!(
                "epoll_ctl was called {} times for regular files, such as {}, and refused them (EPERM).",
                grouped(self.calls),
                plain(tracker.name(file)),
            ),
            evidence: [evidence].into_iter().chain(self.processes.evidence()).collect(),
            advice: "Give epoll only what can be waited for: files are always ready. Go's os.Open does this for every file; unix.Open \
                and unix.Read do not."
                .into(),
            confidence: Confidence::Certain,
            claims: std::mem::take(&mut self.claims).list(),
            estimate: "all that were refused".into(),
            ..Draft::default()
        }]
    }
}
