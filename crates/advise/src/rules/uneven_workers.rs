//! One of several workers has most of the work.

use super::common::{Bounded, family, plain, process, process_name, thread_name};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{Io, io, is_read, is_served};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{OTHERS_LIVED, PID, WORKER_LIVED, WORKERS};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Call, Event, Ns, StartKind, Tid};
use stride_syscalls::{Effect, For, Syscall, Thing};
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
        same time or began within a tenth of the longest life. Threads that one thread has made, that have like names and end by themselves are workers as well. A worker is done when it ends, or when it begins its last wait: for a lock, for its turn, for a pipe, for a client or for any of some descriptors. They are reported if the last one \
        had work for three times as long as the others did on average and waited so for less than half of that time, and if the \
        difference is a tenth of the run. The estimate is the time by which the last worker was done later than the mean of all. If the last worker computed, that is the most: two CPUs at least are taken for granted, and as many as workers at most. Whether \
        work can be moved from one to another, calls do not show.\n\n\
        Example: 120 requests are divided among four processes, 3, 3, 3 and 111 of them. The run takes 2.2 s. With 30 for each, or \
        with a queue from which each takes the next one (multiprocessing.Pool.imap_unordered with chunksize 1), it takes 0.6 s.",
    thresholds: &[UNEVEN_TIMES, UNEVEN_PART],
    make: || Box::new(UnevenWorkers::default()),
};

#[derive(Default)]
struct UnevenWorkers {
    groups: Bounded<Team, Vec<Worker>>,
    /// By thread.
    idle: Bounded<Tid, Idle>,
    /// Threads that end by their own call.
    leaving: Bounded<Tid, ()>,
    /// The thread that made each thread.
    makers: Bounded<Tid, Tid>,
}

/// Workers that may share their work.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Team {
    /// Children of a process with this program.
    Children(Tid, Option<ObjectId>),
    /// Threads of a process that one thread has made, and whose names differ in numbers only.
    Threads { process: Tid, maker: Tid, family: Vec<u8> },
}

impl Team {
    fn pid(&self) -> Tid {
        match self {
            Team::Children(pid, _) | Team::Threads { process: pid, .. } => *pid,
        }
    }
}

/// The waits of a thread for work.
#[derive(Clone, Copy, Default)]
struct Idle {
    all: Ns,
    /// The time in calls that may wait, for whatever.
    in_calls: Ns,
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
    in_calls: Ns,
}

/// More children than this are not a group of workers that started together.
const MAX_WORKERS: usize = 64;

/// Shorter waits do not say that a process has nothing to do.
const WAIT_AT_LEAST: Ns = 1_000_000;

impl Rule for UnevenWorkers {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits().or(row.may_wait()).is_some() || row.makes() == Some(Thing::Connection) || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, time) = (observed.call, observed.time());
        if time < WAIT_AT_LEAST {
            return;
        }
        self.idle.make_room_of_ended(observed.tracker, |_| false);
        let Some(idle) = self.idle.entry(call.tid, Idle::default) else { return };
        idle.in_calls += time;
        if waits_for_work(observed.row, observed.seen, observed.tracker) {
            *idle = Idle { all: idle.all + time, began: call.began(), ended: Some(call.returned), ..*idle };
        }
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let (tid, at) = match *event {
            Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. } => (tid, at),
            Event::Started { tid, process, origin: StartKind::Forked { parent, .. }, .. } if tid != process => {
                self.makers.make_room_of_ended(tracker, |_| false);
                self.makers.entry(tid, || parent);
                return;
            }
            Event::Enter(call) => return self.leaves(call, tracker),
            // A call that the thread will not return from.
            Event::Exit(call) => {
                self.leaves(call, tracker);
                return self.stays(call, index, tracker);
            }
            _ => return,
        };
        let by_itself = self.leaving.remove(&tid).is_some();
        let maker = self.makers.remove(&tid).filter(|_| by_itself);
        let waits = self.idle.remove(&tid);
        let Some((team, comm, began)) = team(tid, maker, tracker) else { return };
        let Some(group) = self.groups.entry(team, Vec::new) else { return };
        let (done, idle) = waits.filter(Idle::waited).map_or((at, 0), |waits| waits.until(at));
        let in_calls = waits.map_or(0, |waits| waits.in_calls);
        if group.len() <= MAX_WORKERS {
            group.push(Worker { pid: tid, comm, began, done, idle, in_calls });
        }
    }

    fn findings(&mut self, index: &Index, _: &Tracker) -> Vec<Candidate> {
        let least = (index.span() as f64 * UNEVEN_PART.ratio()) as Ns;
        let mut uneven: Vec<_> = self
            .groups
            .iter()
            .filter_map(|(team, group)| Some((team, group, saved(group).filter(|saved| saved.at_least >= least)?)))
            .collect();
        uneven.sort_by_key(|(team, _, saved)| (std::cmp::Reverse(saved.at_most), *team));
        let Some((team, group, saved)) = uneven.first() else { return Vec::new() };
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
                "One of {} {} of process {}, {}, had work for {}; the others were done after {} at most.",
                WORKERS.of(group.len() as u64),
                if matches!(team, Team::Threads { .. }) { "threads" } else { "workers" },
                PID.id(team.pid()),
                plain(&match team {
                    Team::Threads { .. } => thread_name(last.pid, &last.comm),
                    Team::Children(..) => process_name(last.pid, &last.comm),
                }),
                WORKER_LIVED.of(last.had_work()),
                OTHERS_LIVED.of(others.map(Worker::had_work).max().unwrap_or(0)),
            ),
            evidence: evidence.take(4).collect(),
            advice:
                "Divide the work into smaller parts, and let each worker take the next part when it is done with one."
                    .into(),
            confidence: Confidence::Possible,
            estimate: "the time by which the last worker was done later than the mean of all".into(),
            more_time: saved.at_least,
            perhaps_more: saved.at_most - saved.at_least,
            // The work may be requests on a connection of each worker.
            unless_told: &["lock-step"],
            ..Candidate::default()
        }]
    }
}

impl UnevenWorkers {
    /// The thread may end itself by this call. (Not every engine tells that such a call does not return.)
    fn leaves(&mut self, call: &Call, tracker: &Tracker) {
        if call.row().is_some_and(|row| row.has_effect(Effect::Exits)) {
            self.leaving.make_room_of_ended(tracker, |()| false);
            self.leaving.entry(call.tid, || ());
        }
    }

    /// The thread does not return from this call.
    fn stays(&mut self, call: &Call, index: &Index, tracker: &Tracker) {
        let waits = |seen: &Seen| seen.row.is_some_and(|row| waits_for_work(row, seen, tracker));
        if tracker.seen().is_some_and(waits)
            && let Some(idle) = self.idle.entry(call.tid, Idle::default)
        {
            // (Not every engine tells when the call was entered.)
            let began = call.entered.unwrap_or(index.pace(call.tid).at);
            *idle = Idle { began, ended: None, ..*idle };
        }
    }
}

/// The team of a thread that ends, its name, and when it began. The first thread of a process stands for the process. `maker`: who made a thread that ends by itself.
fn team(tid: Tid, maker: Option<Tid>, tracker: &Tracker) -> Option<(Team, Vec<u8>, Ns)> {
    if let Some(process) = tracker.process(tid) {
        let parent = process.parent.and_then(|parent| tracker.process(parent))?;
        let is_copy = parent.program == process.program;
        return is_copy.then(|| (Team::Children(parent.pid, process.program), process.comm.clone(), process.started));
    }
    let thread = tracker.thread(tid)?;
    let team = Team::Threads { process: thread.pid, maker: maker?, family: family(&thread.comm).to_vec() };
    Some((team, thread.comm.clone(), thread.started))
}

impl Worker {
    /// It computed for most of that time, and did not wait.
    fn computed(&self) -> bool {
        self.in_calls * 2 < self.had_work()
    }

    /// The time until it was done.
    fn had_work(&self) -> Ns {
        self.done.saturating_sub(self.began)
    }
}

impl Idle {
    /// It waited for work, or does so to its end.
    fn waited(&self) -> bool {
        self.began > 0
    }

    /// The time at which the process was done, and how long it had waited for work until then, if it ended at this time. A wait after which it ends at once was its
    /// last.
    fn until(self, end: Ns) -> (Ns, Ns) {
        let Some(ended) = self.ended else { return (self.began, self.all) };
        let wait = ended.saturating_sub(self.began);
        let is_last = end.saturating_sub(ended) * 10 <= wait;
        if is_last { (self.began, self.all.saturating_sub(wait)) } else { (end, self.all) }
    }
}

/// The worker waits until there is something to do: for a lock or its turn, for any of some descriptors, for somebody who writes to a pipe, or for a client. A
/// wait for the answer of a server is a part of its work.
fn waits_for_work(row: &Syscall, seen: &Seen, tracker: &Tracker) -> bool {
    let is_given = |object| io(object, tracker) == Io::Pipe || is_served(tracker.name(object));
    matches!(row.waits().or(row.may_wait()), Some(For::Lock | For::Turn | For::Readiness))
        || row.makes() == Some(Thing::Connection)
        || is_read(row) && seen.object.is_some_and(is_given)
}

fn longest(group: &[Worker]) -> Option<&Worker> {
    group.iter().max_by_key(|worker| (worker.had_work(), worker.pid))
}

/// The time that an even division would save.
struct Saved {
    at_least: Ns,
    at_most: Ns,
}

/// `None` if the group is no group of workers, or its division is even.
fn saved(group: &[Worker]) -> Option<Saved> {
    let all_began = group.iter().map(|worker| worker.began).max()?;
    let first_done = group.iter().map(|worker| worker.done).min()?;
    let last = longest(group)?;
    let longest = last.had_work();
    // (To start a worker takes time, and some may be done sooner.)
    let first_began = group.iter().map(|worker| worker.began).min()?;
    let together = all_began <= first_done.max(first_began + longest / 10);
    if group.len() < 3 || group.len() > MAX_WORKERS || !together {
        return None;
    }
    let sum: Ns = group.iter().map(Worker::had_work).sum();
    if last.idle * 2 > longest {
        return None;
    }
    let others = (sum - longest) as f64 / (group.len() - 1) as f64;
    let at_most = longest - sum / group.len() as Ns;
    // How many of them can compute at a time depends on the machine.
    let at_least = if last.computed() { longest.saturating_sub(sum / 2) } else { at_most };
    (longest as f64 >= others * UNEVEN_TIMES.ratio()).then_some(Saved { at_least: at_least.min(at_most), at_most })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Workers that began together and had work for so long.
    fn saving(had_work: &[Ns], in_calls: Ns) -> Option<(Ns, Ns)> {
        let worker = |done: &Ns| Worker { pid: 1, comm: Vec::new(), began: 1, done: 1 + done, idle: 0, in_calls };
        let group: Vec<Worker> = had_work.iter().map(worker).collect();
        saved(&group).map(|saved| (saved.at_least, saved.at_most))
    }

    #[test]
    fn computing_needs_a_processor() {
        assert_eq!(saving(&[700, 60, 60, 60], 0), Some((260, 480)));
        assert_eq!(saving(&[700, 60, 60, 60], 600), Some((480, 480)), "whoever waits needs none");
        assert_eq!(saving(&[700, 300, 300, 300], 0), None);
        assert_eq!(saving(&[700, 60], 0), None);
    }
}
