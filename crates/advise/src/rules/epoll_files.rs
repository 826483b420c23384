//! Regular files are given to epoll, which does not take them.

use super::common::{Bounded, Claims, Processes, plain, thing};
use crate::finding::{Confidence, Draft, Evidence};
use crate::index::{CallKey, Index, Observed};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::EPOLL_REFUSALS;
use stride_event::{Tid, grouped};
use stride_track::{ObjectId, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "epoll-files",
    title: "files given to epoll",
    explanation: "epoll_ctl(2) refuses regular files and directories with EPERM: they are always ready, so there is nothing to wait for. A program \
        or its runtime tries anyway, for each file that it opens.\n\n\
        Every call that fails so could be saved, and the fcntl calls right before and after it that only make the file fit for epoll.\n\n\
        Example: Go's os.Open tries it with each file: 30,000 files are 30,000 refusals, each between four calls of fcntl. A program for which that matters \
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
    /// By each thread.
    modes: Bounded<Tid, Modes>,
}

/// fcntl(2) calls that make a file not wait, before it is given to epoll, and take that back when it is refused.
#[derive(Default)]
struct Modes {
    fd: i32,
    before: Vec<CallKey>,
    /// Of the thread's latest call that belongs to it.
    call: u64,
    refused: bool,
}

/// Getting and setting the flags, each way.
const MODES: usize = 2;
const F_GETFL: u64 = 3;
const F_SETFL: u64 = 4;

impl Rule for EpollFiles {
    fn wants(&self, name: &'static str) -> bool {
        matches!(name, "epoll_ctl" | "fcntl" | "fcntl64")
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let fd = observed.arg("fd") as i32;
        let Some(modes) = self.modes.entry(observed.call.tid, Modes::default) else { return };
        let call = index.pace(observed.call.tid).calls;
        if modes.fd != fd || modes.call + 1 != call {
            *modes = Modes { fd, ..Modes::default() };
        }
        modes.call = call;
        if observed.name != "epoll_ctl" {
            if !matches!(observed.call.args[1], F_GETFL | F_SETFL) || modes.before.len() >= MODES {
                *modes = Modes::default();
            } else {
                modes.before.push(observed.key);
                if modes.refused {
                    self.claims.add(observed.key, 1);
                }
            }
            return;
        }
        if observed.errno() != Some(EPERM) {
            return;
        }
        modes.refused = true;
        for key in modes.before.drain(..) {
            self.claims.add(key, 1);
        }
        let (pid, tracker) = (observed.seen.pid, observed.tracker);
        self.calls += 1;
        self.claims.add(observed.key, 1);
        self.processes.count(pid, tracker);
        if let Some(file) = tracker.descriptor(observed.call.tid, fd)
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
            estimate: "all that were refused, and fcntl calls for them".into(),
            ..Draft::default()
        }]
    }
}
