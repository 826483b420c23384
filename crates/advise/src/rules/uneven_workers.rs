//! One of several workers has most of the work.

use super::common::{Bounded, plain, process, process_name};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{Io, io, is_read};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{OTHERS_LIVED, PID, WORKER_LIVED, WORKERS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Event, Ns, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{ObjectId, Seen, Tracker};

const UNEVEN_TIMES: Threshold = Threshold::part(
    "uneven-times",
    3.0,
    "so many times as long as the others on average did the last worker have work",
);
const UNEVEN_PART: Threshold = Threshold::part("uneven-part", 0.1, "the part of the run that an even division saves");

pub const RULE: RuleInfo = RuleInfo {
    id: "uneven-workers",
    title: "one worker does most of the work",
    explanation: "A process starts several workers at the same time, and all but one of them are done early. The program takes as \
        long as the slowest worker.\n\n\
        Workers are children of one process that run its program (fork without execve), at least three of which lived at the \
        same time. A worker is done when it ends, or when it begins its last wait: for a lock, for its turn, for a pipe or for any of some descriptors. They are reported if the last one \
        had work for three times as long as the others did on average and waited so for less than half of that time, and if the \
        difference is a tenth of the run. The estimate is the time by which the last worker was done later than the mean of all. Whether \
        work can be moved from one to another, calls do not show.\n\n\
        Example: 120 requests are divided among four processes, 3, 3, 3 and 111 of them. The run takes 2.2 s. With 30 for each, or \
        with a queue from which each takes the next one (multiprocessing.Pool.imap_unordered with chunksize 1), it takes 0.6 s.",
    thresholds: &[UNEVEN_TIMES, UNEVEN_PART],
    make: || Box::new(UnevenWorkers::default()),
};

#[derive(Default)]
struct UnevenWorkers {
    /// By parent and program.
    groups: Bounded<(Tid, Option<ObjectId>), Vec<Worker>>,
    /// By process.
    idle: Bounded<Tid, Idle>,
}

/// The waits of a process's first thread for work.
#[derive(Clone, Copy, Default)]
struct Idle {
    all: Ns,
    /// The latest one. It lasts if it has no end.
    began: Ns,
    ended: Option<Ns>,
}

struct Worker {
    pid: Tid,
    comm: Vec<u8>,
    began: Ns,
    done: Ns,
    /// The time in which it waited for work until then.
    idle: Ns,
}

/// More children than this are not a group of workers that started together.
const MAX_WORKERS: usize = 64;

/// Shorter waits do not say that a process has nothing to do.
const WAIT_AT_LEAST: Ns = 1_000_000;

impl Rule for UnevenWorkers {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits().or(row.may_wait()).is_some() || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, pid) = (observed.call, observed.seen.pid);
        if call.tid != pid
            || observed.time() < WAIT_AT_LEAST
            || !waits_for_work(observed.row, observed.seen, observed.tracker)
        {
            return;
        }
        self.idle.make_room_of_ended(observed.tracker, |_| false);
        if let Some(idle) = self.idle.entry(pid, Idle::default) {
            *idle = Idle { all: idle.all + observed.time(), began: call.began(), ended: Some(call.returned) };
        }
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let (tid, at) = match *event {
            Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. } => (tid, at),
            // A call that the thread will not return from.
            Event::Exit(call) => {
                let waits = |seen: &Seen| {
                    call.tid == seen.pid && seen.row.is_some_and(|row| waits_for_work(row, seen, tracker))
                };
                if tracker.seen().is_some_and(waits)
                    && let Some(idle) = self.idle.entry(call.tid, Idle::default)
                {
                    // (Not every engine tells when the call was entered.)
                    let began = call.entered.unwrap_or(index.pace(call.tid).at);
                    *idle = Idle { began, ended: None, ..*idle };
                }
                return;
            }
            _ => return,
        };
        let Some(process) = tracker.process(tid) else { return };
        let parent = process.parent.and_then(|parent| tracker.process(parent));
        let Some(parent) = parent.filter(|parent| parent.program == process.program) else { return };
        let Some(group) = self.groups.entry((parent.pid, process.program), Vec::new) else { return };
        let (done, idle) = self.idle.remove(&tid).map_or((at, 0), |idle| idle.until(at));
        if group.len() <= MAX_WORKERS {
            group.push(Worker { pid: tid, comm: process.comm.clone(), began: process.started, done, idle });
        }
    }

    fn findings(&mut self, index: &Index, _: &Tracker) -> Vec<Candidate> {
        let least = (index.span() as f64 * UNEVEN_PART.ratio()) as Ns;
        let mut uneven: Vec<_> = self
            .groups
            .iter()
            .filter_map(|((parent, _), group)| Some((*parent, group, saved(group).filter(|saved| *saved >= least)?)))
            .collect();
        uneven.sort_by_key(|(parent, _, saved)| (std::cmp::Reverse(*saved), *parent));
        let Some((parent, group, saved)) = uneven.first() else { return Vec::new() };
        let Some(last) = longest(group) else { return Vec::new() };
        let others = group.iter().filter(|worker| worker.pid != last.pid);
        let mut all: Vec<&Worker> = group.iter().collect();
        all.sort_by_key(|worker| (std::cmp::Reverse(worker.had_work()), worker.pid));
        let evidence = all.into_iter().map(|worker| {
            let mut evidence = process(worker.pid, &worker.comm, 0);
            evidence.time = Some(worker.had_work());
            evidence
        });
        vec![Candidate {
            sentence: say!(
                "One of {} workers of process {}, {}, had work for {}; the others were done after {} at most.",
                WORKERS.of(group.len() as u64),
                PID.id(*parent),
                plain(&process_name(last.pid, &last.comm)),
                WORKER_LIVED.of(last.had_work()),
                OTHERS_LIVED.of(others.map(Worker::had_work).max().unwrap_or(0)),
            ),
            evidence: evidence.take(4).collect(),
            advice:
                "Divide the work into smaller parts, and let each worker take the next part when it is done with one."
                    .into(),
            confidence: Confidence::Possible,
            estimate: "the time by which the last worker was done later than the mean of all".into(),
            more_time: *saved,
            ..Candidate::default()
        }]
    }
}

impl Worker {
    /// The time until it was done.
    fn had_work(&self) -> Ns {
        self.done.saturating_sub(self.began)
    }
}

impl Idle {
    /// The time at which the process was done, and how long it had waited for work until then, if it ended at this time. A wait after which it ends at once was its
    /// last.
    fn until(self, end: Ns) -> (Ns, Ns) {
        let Some(ended) = self.ended else { return (self.began, self.all) };
        let wait = ended.saturating_sub(self.began);
        let is_last = end.saturating_sub(ended) * 10 <= wait;
        if is_last { (self.began, self.all.saturating_sub(wait)) } else { (end, self.all) }
    }
}

/// The process waits until there is something to do: for a lock or its turn, for any of some descriptors, or for somebody who writes to a pipe. A
/// wait for the answer of a server is a part of its work.
fn waits_for_work(row: &Syscall, seen: &Seen, tracker: &Tracker) -> bool {
    let is_pipe = || seen.object.is_some_and(|object| io(object, tracker) == Io::Pipe);
    matches!(row.waits().or(row.may_wait()), Some(For::Lock | For::Turn | For::Readiness)) || is_read(row) && is_pipe()
}

fn longest(group: &[Worker]) -> Option<&Worker> {
    group.iter().max_by_key(|worker| (worker.had_work(), worker.pid))
}

/// The time that an even division would save, if the group is one of workers and its division uneven.
fn saved(group: &[Worker]) -> Option<Ns> {
    let all_began = group.iter().map(|worker| worker.began).max()?;
    let first_done = group.iter().map(|worker| worker.done).min()?;
    if group.len() < 3 || group.len() > MAX_WORKERS || all_began > first_done {
        return None;
    }
    let sum: Ns = group.iter().map(Worker::had_work).sum();
    let last = longest(group)?;
    let longest = last.had_work();
    if last.idle * 2 > longest {
        return None;
    }
    let others = (sum - longest) as f64 / (group.len() - 1) as f64;
    (longest as f64 >= others * UNEVEN_TIMES.ratio()).then(|| longest - sum / group.len() as Ns)
}
