//! One of several workers has most of the work.

use super::common::{Bounded, plain, process, process_name};
use crate::counts::index::Index;
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{OTHERS_LIVED, PID, WORKER_LIVED, WORKERS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Event, Ns, Tid};
use stride_track::{ObjectId, Tracker};

const UNEVEN_TIMES: Threshold =
    Threshold::part("uneven-times", 3.0, "so many times as long as the others on average did the last worker live");
const UNEVEN_PART: Threshold = Threshold::part("uneven-part", 0.1, "the part of the run that an even division saves");

pub const RULE: RuleInfo = RuleInfo {
    id: "uneven-workers",
    title: "one worker does most of the work",
    explanation: "A process starts several workers at the same time, and all but one of them end early. The program takes as \
        long as the slowest worker.\n\n\
        Workers are children of one process that run its program (fork without execve), at least three of which lived at the \
        same time. They are reported if the last one lived three times as long as the others did on average, and the \
        difference is a tenth of the run. The estimate is the time by which the last worker outlived the mean of all. Whether \
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
}

struct Worker {
    pid: Tid,
    comm: Vec<u8>,
    began: Ns,
    ended: Ns,
}

/// More children than this are not a group of workers that started together.
const MAX_WORKERS: usize = 64;

impl Rule for UnevenWorkers {
    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let Event::Exited { tid, at, .. } = *event else { return };
        let Some(process) = tracker.process(tid) else { return };
        let parent = process.parent.and_then(|parent| tracker.process(parent));
        let Some(parent) = parent.filter(|parent| parent.program == process.program) else { return };
        let Some(group) = self.groups.entry((parent.pid, process.program), Vec::new) else { return };
        if group.len() <= MAX_WORKERS {
            group.push(Worker { pid: tid, comm: process.comm.clone(), began: process.started, ended: at });
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
        all.sort_by_key(|worker| (std::cmp::Reverse(worker.lived()), worker.pid));
        let evidence = all.into_iter().map(|worker| {
            let mut evidence = process(worker.pid, &worker.comm, 0);
            evidence.time = Some(worker.lived());
            evidence
        });
        vec![Candidate {
            sentence: say!(
                "One of {} workers of process {}, {}, ran for {}; the others had ended after {} at most.",
                WORKERS.of(group.len() as u64),
                PID.id(*parent),
                plain(&process_name(last.pid, &last.comm)),
                WORKER_LIVED.of(last.lived()),
                OTHERS_LIVED.of(others.map(Worker::lived).max().unwrap_or(0)),
            ),
            evidence: evidence.take(4).collect(),
            advice:
                "Divide the work into smaller parts, and let each worker take the next part when it is done with one."
                    .into(),
            confidence: Confidence::Possible,
            estimate: "the time by which the last worker outlived the mean of all".into(),
            more_time: *saved,
            ..Candidate::default()
        }]
    }
}

impl Worker {
    fn lived(&self) -> Ns {
        self.ended.saturating_sub(self.began)
    }
}

fn longest(group: &[Worker]) -> Option<&Worker> {
    group.iter().max_by_key(|worker| (worker.lived(), worker.pid))
}

/// The time that an even division would save, if the group is one of workers and its division uneven.
fn saved(group: &[Worker]) -> Option<Ns> {
    let all_began = group.iter().map(|worker| worker.began).max()?;
    let first_ended = group.iter().map(|worker| worker.ended).min()?;
    if group.len() < 3 || group.len() > MAX_WORKERS || all_began > first_ended {
        return None;
    }
    let sum: Ns = group.iter().map(Worker::lived).sum();
    let longest = longest(group)?.lived();
    let others = (sum - longest) as f64 / (group.len() - 1) as f64;
    (longest as f64 >= others * UNEVEN_TIMES.ratio()).then(|| longest - sum / group.len() as Ns)
}
