//! A process waits for one child in particular, or for all children of a round, and others have ended meanwhile: their places stay empty.

use super::common::{Bounded, count_stack, makes_child, plain, process};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{CHILDREN, PID, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Call, Event, Ns, Outcome, Stack, Tid};
use stride_syscalls::{Effect, For, Ret, Syscall, uapi::consts as c};
use stride_track::{ObjectId, Process, Tracker, takes_file_lock};

const CHILD_ORDER: Threshold = Threshold::count(
    "child-order",
    3,
    "waits for one child, while others had ended, after which the process started another one",
);
const CHILD_ORDER_PART: Threshold =
    Threshold::part("child-order-part", 0.1, "the part of the run that these waits took after another child had ended");
const ROUNDS: Threshold =
    Threshold::count("rounds", 3, "rounds of children, of which each begins when all of the one before have ended");
const ROUND_PLACES: Threshold =
    Threshold::count("round-places", 3, "children of the largest round: two may have different tasks");
const ROUNDS_PART: Threshold = Threshold::part(
    "rounds-part",
    0.2,
    "the part of the run that is saved if each child starts as soon as a place is free",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "child-order",
    title: "waiting for one child while others have ended",
    explanation: "A process runs some children at a time. When all places are taken, it waits for one child in particular, mostly for the oldest (waitpid(2) with a number, Popen.wait), and starts the next one \
        after that. If others end sooner, their places stay empty until that child ends.\n\n\
        Reported are three waits for a child by its number during which another child ended or had ended, and after which the process waited for no other one before it started the next one, if that took a tenth of the run. \
        The time counts from the first end of another child. The estimate is the empty places' part of all places.\n\n\
        The same is reported of rounds: the process starts some children of one program, waits for all of them (`wait` in a shell, a join of all), and starts the next ones only then. Three rounds are reported, if a fifth of the run could be saved: \
        by as many places as the largest round had, in which the next child starts as soon as one has ended. Rounds of which each needs the results of the one before may stay.\n\n\
        Wait for any child (waitpid(-1, ...), os.wait(), `wait -n` in a shell), and look up which one has ended; or let a pool do that: concurrent.futures, multiprocessing.Pool.imap_unordered, xargs -P, make -j. \
        It is fine to wait in order if nothing is started any more, and what remains is to collect the results.\n\n\
        Example: a build runs four jobs at a time and waits for the oldest. Each tenth job takes 400 ms, and the others 30 ms: 2.0 s. With a wait for any job, 1.15 s.",
    thresholds: &[CHILD_ORDER, CHILD_ORDER_PART, ROUNDS, ROUND_PLACES, ROUNDS_PART],
    make: || Box::new(ChildOrder::default()),
};

#[derive(Default)]
struct ChildOrder {
    parents: Bounded<Tid, Parent>,
}

/// A process with children.
#[derive(Default)]
struct Parent {
    alive: u64,
    /// So many lived at the same time.
    at_most: u64,
    /// The children that have ended and were not waited for, with their ends.
    ended: Vec<(Tid, Ns)>,
    /// The children that were waited for since the latest start.
    since_start: u64,
    /// The latest wait, if other children had ended by then.
    latest: Option<Wait>,
    waits: u64,
    /// The time from the first end of another child to the end of the wait.
    time: Ns,
    /// The time of all empty places.
    empty: Ns,
    /// Other children that had ended.
    others: u64,
    stacks: Vec<(Arc<Stack>, u64)>,
    forks: u64,
    /// The children of the round that live.
    in_round: Vec<Child>,
    round: Round,
    rounds: Rounds,
}

/// A child that lives.
struct Child {
    pid: Tid,
    /// By which fork of its parent it was started, counted from 1.
    fork: u64,
    /// How often it lived on when all children that were started after it had ended.
    alone: u64,
}

/// Children that were started while one of them lived.
#[derive(Default)]
struct Round {
    children: u64,
    began: Ns,
    ended: Ns,
    /// The lives of all of them.
    lives: Ns,
    longest: Ns,
    /// How often they did not get a lock at once: children that wait for each other end no sooner if they start sooner.
    contended: u64,
    program: Option<ObjectId>,
    /// They run different programs.
    differ: bool,
    /// The parent knew of the end of one while others lived, or waited for one in particular. Else it may have had no CPU.
    is_meant: bool,
}

/// Rounds one after the other.
#[derive(Default)]
struct Rounds {
    rounds: u64,
    children: u64,
    time: Ns,
    lives: Ns,
    contended: u64,
    /// The most children of a round, and the longest life.
    places: u64,
    longest: Ns,
    program: Option<ObjectId>,
    stacks: Vec<(Arc<Stack>, u64)>,
}

struct Wait {
    time: Ns,
    empty: Ns,
    others: u64,
    stack: Option<(Arc<Stack>, u64)>,
}

/// The ended children that are remembered of a process.
const MOST_ENDED: usize = 256;
const MOST_STACKS: usize = 32;
const MOST_IN_ROUND: usize = 512;
/// A child that was alone so often is no part of a round: a server, or another helper, that lives as long as it is needed.
const HELPER: u64 = 3;
/// So many children have to come and go meanwhile.
const LATER: u64 = 2;
/// Children wait for each other if one of so many did not get a lock at once.
const CONTENDED: u64 = 4;
/// A child that ended so shortly before the one that was waited for has left no place empty.
const SHORTEST: Ns = 1_000_000;

impl Rule for ChildOrder {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Forks) || row.waits() == Some(For::Child) || may_lock(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, pid) = (observed.call, observed.seen.pid);
        if observed.has(Effect::Forks) {
            if makes_child(call) {
                self.parents.make_room_of_ended(observed.tracker, |parent| parent.waits >= CHILD_ORDER.get());
                self.parents.entry(pid, Parent::default).into_iter().for_each(|parent| parent.forks(call));
            }
            return;
        }
        if may_lock(observed.row) {
            let parent = observed.tracker.process(pid).and_then(|process| process.parent);
            if let Some(parent) = parent.and_then(|parent| self.parents.get_mut(&parent)) {
                parent.round.contended += u64::from(is_contended(observed));
            }
            return;
        }
        if let Some(parent) = self.parents.get_mut(&pid) {
            parent.waited(observed);
        }
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. }) = *event else { return };
        let Some(child) = tracker.process(tid) else { return };
        if let Some(parent) = child.parent.and_then(|parent| self.parents.get_mut(&parent)) {
            parent.alive = parent.alive.saturating_sub(1);
            if let Some(place) = parent.in_round.iter().position(|in_round| in_round.pid == tid) {
                parent.in_round.swap_remove(place);
                parent.round.ends(child, at);
            }
            if parent.ended.len() < MOST_ENDED {
                parent.ended.push((tid, at));
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_span() as f64 * CHILD_ORDER_PART.ratio();
        let often =
            self.parents.iter().filter(|(_, parent)| parent.waits >= CHILD_ORDER.get() && parent.time as f64 >= least);
        let Some((pid, parent)) = often.max_by_key(|(pid, parent)| (parent.time, Reverse(**pid))) else {
            return self.in_rounds(index, tracker).into_iter().collect();
        };
        let comm = index.comm(*pid, tracker);
        vec![Candidate {
            sentence: say!(
                "{} (pid {}) waited {} times for one child, while {} others had ended: for {} of the run's {}, places for children stayed empty, and it started the next one only afterwards.",
                plain(comm),
                PID.id(*pid),
                TIMES.of(parent.waits),
                CHILDREN.of(parent.others),
                WAITED.of(parent.time),
                RUN.of(index.own_span()),
            ),
            evidence: vec![process(*pid, comm, parent.waits)],
            advice: "Wait for any child (waitpid(-1, ...), os.wait(), `wait -n` in a shell) and see which one has ended, or give the jobs to a pool (concurrent.futures, imap_unordered, xargs -P, make -j)."
                .into(),
            confidence: Confidence::Likely,
            stacks: parent.stacks.clone(),
            perhaps_more: parent.empty / parent.at_most.max(1),
            estimate: "the time of the empty places, divided among all places".into(),
            matters: true,
            unless_told: &["children-in-turn"],
            ..Candidate::default()
        }]
    }
}

impl ChildOrder {
    fn in_rounds(&mut self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        self.parents.iter_mut().for_each(|(_, parent)| parent.rounds.add(std::mem::take(&mut parent.round)));
        let least = index.span() as f64 * ROUNDS_PART.ratio();
        let often = self.parents.iter().filter(|(_, parent)| {
            parent.rounds.rounds >= ROUNDS.get() && parent.rounds.saved() as f64 >= least.max(1.0)
        });
        let (pid, parent) = often.max_by_key(|(pid, parent)| (parent.rounds.saved(), Reverse(**pid)))?;
        let (rounds, comm) = (&parent.rounds, index.comm(*pid, tracker));
        Some(Candidate {
            sentence: say!(
                "{} (pid {}) started {} children in {} rounds, and each round began only when all children of the one before had ended: the rounds took {} of the run's {}.",
                plain(comm),
                PID.id(*pid),
                CHILDREN.of(rounds.children),
                TIMES.of(rounds.rounds),
                WAITED.of(rounds.time),
                RUN.of(index.span()),
            ),
            evidence: vec![process(*pid, comm, rounds.children)],
            advice: "Start the next child as soon as one has ended: wait for any (waitpid(-1, ...), `wait -n` in a shell), or give all jobs to a pool (concurrent.futures, imap_unordered, xargs -P, make -j); begin with \
                     the longest. If a round needs the results of the one before, this is as it must be."
                .into(),
            confidence: Confidence::Possible,
            stacks: rounds.stacks.clone(),
            perhaps_more: (rounds.saved() as f64 * index.untraced_part()) as Ns,
            estimate: "the time of the rounds, but for that of all children in as many places".into(),
            matters: true,
            // These children may sleep.
            instead_of: &["lost-time"],
            unless_told: &["children-in-turn"],
            ..Candidate::default()
        })
    }
}

impl Round {
    fn ends(&mut self, child: &Process, at: Ns) {
        let life = at.saturating_sub(child.started);
        self.differ |= self.ended > 0 && self.program != child.program;
        self.program = child.program;
        self.ended = self.ended.max(at);
        self.lives += life;
        self.longest = self.longest.max(life);
    }
}

impl Rounds {
    fn add(&mut self, round: Round) {
        // One child at a time is no round.
        if round.children < 2 || round.differ || !round.is_meant || round.ended == 0 {
            return;
        }
        if self.program != round.program {
            *self = Rounds { program: round.program, ..Rounds::default() };
        }
        self.rounds += 1;
        self.children += round.children;
        self.time += round.ended.saturating_sub(round.began);
        self.lives += round.lives;
        self.contended += round.contended;
        self.places = self.places.max(round.children);
        self.longest = self.longest.max(round.longest);
    }

    /// The time by which the run would be shorter if no place stayed empty while children wait for their start.
    fn saved(&self) -> Ns {
        if self.places < ROUND_PLACES.get() || self.contended * CONTENDED >= self.children {
            return 0;
        }
        self.time.saturating_sub(self.longest.max(self.lives / self.places.max(1)))
    }
}

impl Parent {
    fn forks(&mut self, call: &Call) {
        self.leave_helpers_out();
        if self.in_round.is_empty() {
            self.rounds.add(std::mem::take(&mut self.round));
            self.round.began = call.began();
        }
        self.forks += 1;
        self.round.children += 1;
        if let Outcome::Value(pid) = call.outcome
            && self.in_round.len() < MOST_IN_ROUND
        {
            self.in_round.push(Child { pid: pid as Tid, fork: self.forks, alone: 0 });
        }
        if let Some(stack) = &call.stack {
            count_stack(&mut self.rounds.stacks, MOST_STACKS, stack, call.stack_calls.into());
        }
        self.alive += 1;
        self.at_most = self.at_most.max(self.alive);
        // Whoever waits for several ones before the next start collects the results of a round.
        let is_only_one = std::mem::take(&mut self.since_start) == 1;
        let Some(wait) = self.latest.take().filter(|_| is_only_one) else { return };
        self.waits += 1;
        self.time += wait.time;
        self.empty += wait.empty;
        self.others += wait.others;
        if let Some((stack, calls)) = &wait.stack {
            count_stack(&mut self.stacks, MOST_STACKS, stack, *calls);
        }
    }

    /// Children that live while others come and go are no part of a round.
    fn leave_helpers_out(&mut self) {
        let Some(latest) = self.in_round.iter().map(|child| child.fork).max() else { return };
        if latest + LATER > self.forks {
            return;
        }
        self.in_round.iter_mut().for_each(|child| child.alone += 1);
        if self.in_round.iter().all(|child| child.alone >= HELPER) {
            self.in_round.clear();
            self.round = Round::default();
        }
    }

    fn waited(&mut self, observed: &Observed<'_>) {
        let call = observed.call;
        let Outcome::Value(value) = call.outcome else { return };
        let asked = asked_for(observed);
        let child = match observed.row.ret {
            Ret::Int => asked,
            _ => Some(value as Tid).filter(|child| *child > 0),
        };
        let Some(child) = child.filter(|_| observed.arg("options") & c::WNOWAIT == 0) else { return };
        let is_for_one = asked == Some(child) && observed.time_waiting() >= SHORTEST;
        self.round.is_meant |= !self.in_round.is_empty() || is_for_one;
        self.ended.retain(|(tid, _)| *tid != child);
        self.since_start += 1;
        let Some(took) = call.took().filter(|_| asked == Some(child)) else { return };
        let (began, returned) = (call.returned.saturating_sub(took), call.returned);
        let empty = || self.ended.iter().map(|(_, at)| returned.saturating_sub(began.max(*at)));
        let time = empty().max().unwrap_or(0);
        if time >= SHORTEST {
            let others = empty().filter(|time| *time >= SHORTEST).count() as u64;
            let stack = call.stack.clone().map(|stack| (stack, call.stack_calls.into()));
            self.latest = Some(Wait { time, empty: empty().sum(), others, stack });
        }
    }
}

fn may_lock(row: &Syscall) -> bool {
    row.may_wait() == Some(For::Turn) || row.has_effect(Effect::ControlsDescriptor)
}

/// Others have the lock that the call asks for.
fn is_contended(observed: &Observed<'_>) -> bool {
    let asks = observed.row.may_wait() == Some(For::Turn) || takes_file_lock(observed.call, observed.row) == Some(true);
    asks && (observed.errno() == Some(c::EAGAIN as u32) || observed.time_waiting() >= SHORTEST)
}

/// The child that the call waits for, if only one will do.
fn asked_for(observed: &Observed<'_>) -> Option<Tid> {
    let asked = match observed.call.arg("idtype") {
        None => observed.arg("pid"),
        Some(c::P_PID) => observed.arg("id"),
        Some(_) => return None,
    };
    Some(asked as Tid).filter(|asked| *asked > 0)
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, forked, lasting, spawned};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;

    /// Starts a long child and a short one, four times. The short one ends after 10 ms, and the long one after 50.
    fn rounds(waits: impl Fn(Tid, Tid) -> Vec<(Tid, Tid)>) -> String {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        let mut now = MS;
        for round in 0..4 {
            let (long, short) = (100 + 2 * round, 101 + 2 * round);
            for child in [long, short] {
                run.show(Event::Exit(&lasting(call(MAIN, "fork", &[], Outcome::Value(child.into())), now, 1_000)));
                run.show(forked(MAIN, child, child, now));
            }
            run.show(exited(short, now + 10 * MS));
            run.show(exited(long, now + 50 * MS));
            for (asked, child) in waits(long, short) {
                let until = now + if child == long { 50 } else { 10 } * MS;
                let wait = call(MAIN, "wait4", &[asked as u64, 0, 0, 0], Outcome::Value(child.into()));
                run.show(Event::Exit(&lasting(wait, now, until - now)));
            }
            now += 51 * MS;
        }
        run.show(exited(MAIN, now));
        let findings = run.findings().reported;
        findings.into_iter().find(|finding| finding.id == "child-order").map_or_else(String::new, |it| it.sentence)
    }

    #[test]
    fn a_place_stays_empty() {
        const FOR_ONE: &str = "for one child";
        assert!(rounds(|long, _| vec![(long, long)]).contains(FOR_ONE));
        // Any child will do.
        assert!(!rounds(|long, short| vec![(-1, short), (-1, long)]).contains(FOR_ONE));
        // All of them end before the next round begins.
        assert!(!rounds(|long, short| vec![(long, long), (short, short)]).contains(FOR_ONE));
    }
    /// Rounds of three children that live so long, in milliseconds. Each round begins when the one before has ended, or each child as soon as one has.
    fn in_rounds(lives: &[[Ns; 3]]) -> Vec<&'static str> {
        in_rounds_beside(&[], lives)
    }

    /// The same, while these children live from the beginning to the end.
    fn in_rounds_beside(helpers: &[Tid], lives: &[[Ns; 3]]) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        for helper in helpers {
            let fork = call(MAIN, "fork", &[], Outcome::Value((*helper).into()));
            run.show(Event::Exit(&lasting(fork, 0, 1_000)));
            run.show(forked(MAIN, *helper, *helper, 0));
        }
        let (mut now, mut child) = (MS, 100);
        for round in lives {
            let mut round = *round;
            round.sort_unstable();
            for i in 0..3 {
                let fork = call(MAIN, "fork", &[], Outcome::Value((child + i).into()));
                run.show(Event::Exit(&lasting(fork, now, 1_000)));
                run.show(forked(MAIN, child + i, child + i, now));
            }
            for (i, life) in (0..).zip(round) {
                run.show(exited(child + i, now + life * MS));
                let wait = call(MAIN, "wait4", &[u64::MAX, 0, 0, 0], Outcome::Value((child + i).into()));
                run.show(Event::Exit(&lasting(wait, now, life * MS)));
            }
            now += (round[2] + 1) * MS;
            child += 3;
        }
        helpers.iter().for_each(|helper| run.show(exited(*helper, now)));
        run.show(exited(MAIN, now));
        run.finding_ids()
    }

    #[test]
    fn rounds_leave_places_empty() {
        assert_eq!(in_rounds(&[[10, 10, 200]; 4]), ["child-order"]);
        assert!(!in_rounds(&[[200, 200, 200]; 4]).contains(&"child-order"));
        assert!(!in_rounds(&[[10, 10, 200]; 2]).contains(&"child-order"));
    }

    /// A script starts a server, and then batches of clients.
    #[test]
    fn a_server_is_no_part_of_a_round() {
        assert_eq!(in_rounds_beside(&[50], &[[10, 10, 200]; 6]), ["child-order"]);
        assert_eq!(in_rounds_beside(&[50, 51], &[[10, 10, 200]; 6]), ["child-order"]);
        assert!(!in_rounds_beside(&[50], &[[200, 200, 200]; 6]).contains(&"child-order"));
    }
}
