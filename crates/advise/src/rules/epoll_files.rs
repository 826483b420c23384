//! Regular files are given to epoll, which does not take them.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::CALLS;
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const EPOLL_REFUSALS: Threshold = Threshold::count("epoll-refusals", 300, "refusals");

pub const RULE: RuleInfo = RuleInfo {
    id: "epoll-files",
    title: "files given to epoll",
    explanation: "epoll_ctl(2) refuses regular files and directories with EPERM: they are always ready, so there is \
        nothing to wait for. A program or its runtime tries anyway, for each file that it opens.\n\n\
        Every such call could be saved, and so could the fcntl calls right before and after it, which only prepare the file \
        for epoll.\n\n\
        Example: Go's os.Open tries it with each file: opening 30,000 files makes 30,000 calls that fail, each with four fcntl calls around it. A program for which that matters opens the files with unix.Open, or keeps their contents in one archive or index.",
    thresholds: &[EPOLL_REFUSALS],
    make: || Box::new(EpollFiles::default()),
};

const EPERM: u32 = c::EPERM as u32;

#[derive(Default)]
struct EpollFiles {
    files: Bounded<ObjectId, (u64, u64)>,
    calls: u64,
    claims: Claims,
    processes: ProcessCounts,
    /// The fcntl(2) calls of each thread.
    modes: Bounded<Tid, Modes>,
}

/// fcntl(2) calls that make a file non-blocking before it is given to epoll, and that undo this when epoll refuses it.
#[derive(Default)]
struct Modes {
    fd: i32,
    before: Vec<CallKey>,
    /// The number of the thread's latest call that belongs to these.
    call: u64,
    refused: bool,
}

/// Setting the flags takes two calls (get, set), and so does setting them back.
const MODES: usize = 2;

impl Rule for EpollFiles {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Watches) || row.has_effect(Effect::ControlsDescriptor)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let fd = observed.arg("fd") as i32;
        self.modes.forget_ended(observed.tracker, |_| false);
        let Some(modes) = self.modes.entry(observed.call.tid, Modes::default) else { return };
        let call = index.pace(observed.call.tid).calls;
        if modes.fd != fd || modes.call + 1 != call {
            *modes = Modes { fd, ..Modes::default() };
        }
        modes.call = call;
        if !observed.has(Effect::Watches) {
            if !matches!(observed.arg("op"), c::F_GETFL | c::F_SETFL) || modes.before.len() >= MODES {
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

    fn findings(&mut self, _: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let worst = self.files.iter().map(|(file, (calls, line))| (*calls, std::cmp::Reverse(*line), *file)).max();
        let Some((calls, line, file)) = worst.filter(|_| self.calls >= EPOLL_REFUSALS.get()) else { return Vec::new() };
        let evidence = Evidence { line: Some(line.0), ..thing(file, calls, tracker) };
        vec![Candidate {
            sentence: say!(
                "epoll_ctl was called {} times for regular files, such as {}, and failed with EPERM.",
                CALLS.of(self.calls),
                plain(tracker.name(file)),
            ),
            evidence: [evidence].into_iter().chain(self.processes.evidence()).collect(),
            advice: "Do not give regular files to epoll: they are always ready. Go's os.Open does this for \
                every file; unix.Open and unix.Read do not."
                .into(),
            confidence: Confidence::Certain,
            claims: std::mem::take(&mut self.claims).list(),
            estimate: "the epoll_ctl calls that failed, and the fcntl calls that prepared them".into(),
            ..Candidate::default()
        }]
    }
}
