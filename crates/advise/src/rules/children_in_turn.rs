//! A process starts programs that mostly wait, and waits for the end of each before it starts the next one.

use super::common::{
    Bounded, MOST_FOLLOWED, base_name, count_stack, makes_child, on_path, plain, process, runs_own_program,
};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CHILDREN, MEAN_LIFE, PID, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::ops::AddAssign;
use std::sync::Arc;
use stride_event::{Event, Ns, Stack, Tid};
use stride_syscalls::{Effect, For, Syscall};
use stride_track::{ObjectId, ObjectKind, Tracker};

const IN_TURN: Threshold =
    Threshold::count("children-in-turn", 5, "children that began after the end of the one before");
const IN_TURN_LIFE: Threshold = Threshold::time("child-life", 20_000_000, "shorter children are not looked at");
const IN_TURN_WAITED: Threshold =
    Threshold::part("children-waited", 0.6, "the part of such children's lives that they wait");
const IN_TURN_PART: Threshold =
    Threshold::part("children-part", 0.2, "the part of the run that they wait, without the one that waits longest");

pub const RULE: RuleInfo = RuleInfo {
    id: "children-in-turn",
    title: "programs one after another",
    explanation: "A process starts programs, and waits for the end of each before it starts the next one. They wait themselves for most of their lives: \
        for the network, for a server, or for time to pass. So the computer has nothing to do, and they could wait at the same time.\n\n\
        At least five children of 20 ms or more are reported, each of which began after the end of the one before, if they waited for six tenths of their lives, and if all \
        these waits but the longest child's are a fifth of the run. Their own children count with them. Forks that execute nothing do not count, and neither does sleep(1): a script calls it to let time pass. \
        The estimate is what they waited, without the longest one's waits. Whether the programs need each other's results, calls do not show.\n\n\
        In a shell, start them with & and call `wait`, or use xargs -P; in make, use -j; in Python, start them with subprocess.Popen and wait afterwards, or use a \
        concurrent.futures.ThreadPoolExecutor; in Node.js, Promise.all over promises of spawn; in C, posix_spawn(3) all and then waitpid(2).\n\n\
        Example: a deployment runs ten checks, each of which asks a server and waits 150 ms for the answer: 1.7 s. All at the same time take 0.3 s. Leave that if a server would be \
        asked too much, or if one program needs what the one before has made.",
    thresholds: &[IN_TURN, IN_TURN_LIFE, IN_TURN_WAITED, IN_TURN_PART],
    make: || Box::new(ChildrenInTurn::default()),
};

#[derive(Default)]
struct ChildrenInTurn {
    /// The time that each process waited, and those below it.
    waited: Bounded<Tid, Ns>,
    /// The children of each process that live. A process that has some may wait for what they compute.
    alive: Bounded<Tid, u64>,
    /// By parent.
    rows: Bounded<Tid, Row>,
}

#[derive(Default)]
struct Row {
    in_turn: u64,
    /// Children that began before the end of another one.
    at_once: u64,
    /// The latest end of a child.
    until: Ns,
    lived: Ns,
    waited: Ns,
    longest: Ns,
    programs: Vec<(ObjectId, u64)>,
    pids: Vec<Tid>,
    makers: Vec<(Arc<Stack>, u64)>,
    comm: Vec<u8>,
}

const MOST_LEVELS: usize = 6;
const MOST_PROGRAMS: usize = 16;
const MOST_STACKS: usize = 32;

impl Rule for ChildrenInTurn {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Forks) || row.transfer().is_some() || may_wait_for_others(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, pid) = (observed.call, observed.seen.pid);
        if observed.has(Effect::Forks) {
            if makes_child(call) {
                self.forks(observed);
            }
            return;
        }
        let time = observed.time_waiting();
        if time == 0 || !waits_for_others(observed) || self.alive.get(&pid).is_some_and(|alive| *alive > 0) {
            return;
        }
        let mut next = Some(pid);
        for _ in 0..MOST_LEVELS {
            let Some(process) = next.and_then(|pid| observed.tracker.process(pid)) else { return };
            // (Only a child's waits are asked for.)
            let (Some(pid), Some(parent)) = (next, process.parent) else { return };
            self.waited.make_room_of_ended(observed.tracker, |_| false);
            if let Some(waited) = self.waited.entry(pid, || 0) {
                *waited += time;
            }
            next = Some(parent);
        }
    }

    fn event(&mut self, event: &Event<'_>, index: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. }) = *event else { return };
        let Some(child) = tracker.process(tid) else { return };
        let waited = self.waited.remove(&tid).unwrap_or(0);
        self.alive.remove(&tid);
        let Some(parent) = child.parent else { return };
        if let Some(alive) = self.alive.get_mut(&parent) {
            *alive = alive.saturating_sub(1);
        }
        let lived = at.saturating_sub(child.started);
        let Some(program) = child.program.filter(|program| base_name(tracker.name(*program)) != b"sleep") else {
            return;
        };
        if lived < IN_TURN_LIFE.get() || !runs_own_program(child, parent, tracker) {
            return;
        }
        self.rows.make_room_of_ended(tracker, |row| row.in_turn >= IN_TURN.get());
        let Some(row) = self.rows.entry(parent, Row::default) else { return };
        row.comm = index.comm(parent, tracker).to_vec();
        row.ended(child.started, at, waited.min(lived), program);
        if row.pids.len() < MOST_FOLLOWED {
            row.pids.push(tid);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = (index.own_span() as f64 * IN_TURN_PART.ratio()) as Ns;
        let saved = |row: &Row| {
            let idle = row.waited.saturating_sub(row.longest);
            (idle as f64 * on_path(&row.pids, row.lived, index.path())) as Ns
        };
        let rows = self.rows.iter().filter(|(_, row)| row.is_in_turn()).map(|(pid, row)| (saved(row), *pid, row));
        let worst = rows.filter(|(saved, ..)| *saved >= least).max_by_key(|(saved, pid, _)| (*saved, Reverse(*pid)));
        worst.map(|(saved, pid, row)| candidate(saved, pid, row, tracker)).into_iter().collect()
    }
}

/// The call waits for time to pass, for a descriptor, or for another end.
fn may_wait_for_others(row: &Syscall) -> bool {
    matches!(row.waits().or(row.may_wait()), Some(For::Time | For::Readiness | For::Peer))
}

/// Bytes of a pipe may be those of a program that computes.
fn waits_for_others(observed: &Observed<'_>) -> bool {
    let is_socket = |object| observed.tracker.kind(object) == ObjectKind::Socket;
    may_wait_for_others(observed.row) || observed.seen.object.is_some_and(is_socket)
}

impl ChildrenInTurn {
    fn forks(&mut self, observed: &Observed<'_>) {
        let pid = observed.seen.pid;
        self.alive.make_room_of_ended(observed.tracker, |_| false);
        if let Some(alive) = self.alive.entry(pid, || 0) {
            *alive += 1;
        }
        let Some(stack) = &observed.call.stack else { return };
        self.rows.make_room_of_ended(observed.tracker, |row| row.in_turn >= IN_TURN.get());
        let Some(row) = self.rows.entry(pid, Row::default) else { return };
        count_stack(&mut row.makers, MOST_STACKS, stack, observed.call.stack_calls.into());
    }
}

impl Row {
    fn ended(&mut self, began: Ns, at: Ns, waited: Ns, program: ObjectId) {
        let in_turn = began >= self.until;
        (if in_turn { &mut self.in_turn } else { &mut self.at_once }).add_assign(1);
        self.until = self.until.max(at);
        self.lived += at.saturating_sub(began);
        self.waited += waited;
        self.longest = self.longest.max(waited);
        if let Some((_, children)) = self.programs.iter_mut().find(|(known, _)| *known == program) {
            *children += 1;
        } else if self.programs.len() < MOST_PROGRAMS {
            self.programs.push((program, 1));
        }
    }

    fn is_in_turn(&self) -> bool {
        self.in_turn >= IN_TURN.get()
            && self.at_once * 4 <= self.in_turn
            && self.waited as f64 >= self.lived as f64 * IN_TURN_WAITED.ratio()
    }
}

fn candidate(saved: Ns, pid: Tid, row: &Row, tracker: &Tracker) -> Candidate {
    let mut programs = row.programs.clone();
    programs.sort_by_key(|(program, children)| (Reverse(*children), *program));
    let such_as =
        programs.first().map_or(String::new(), |(program, _)| format!(" such as {}", plain(tracker.name(*program))));
    let evidence = programs
        .iter()
        .map(|(program, children)| Evidence::new(EvidenceKind::Program, tracker.name(*program).to_vec(), *children));
    let children = row.in_turn + row.at_once;
    Candidate {
        sentence: say!(
            "{} (pid {}) ran {} programs{such_as}, each after the end of the one before. They lived for {} on average, and waited for {} in all.",
            plain(&row.comm),
            PID.id(pid),
            CHILDREN.of(children),
            MEAN_LIFE.of(row.lived / children.max(1)),
            WAITED.of(row.waited),
        ),
        evidence: evidence.take(3).chain([process(pid, &row.comm, children)]).collect(),
        advice: "If they do not need each other's results, start them at the same time and wait for all afterwards: in a shell with & and wait or xargs -P, in Python with subprocess.Popen \
                 or a ThreadPoolExecutor, in Node.js with Promise.all, in make with -j."
            .into(),
        confidence: Confidence::Possible,
        stacks: row.makers.clone(),
        perhaps_more: saved,
        estimate: "what they waited, but for the longest one".into(),
        matters: true,
        unless_told: &["polling", "retries", "slow-start"],
        ..Candidate::default()
    }
}
