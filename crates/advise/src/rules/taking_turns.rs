//! Threads or processes wait for one another, and only one of them works at a time.

use super::common::{Bounded, Claims, plain, process_name, thread_name};
use super::held_calls::HeldCalls;
use super::turn_group::{AT_ONCE, Bond, NONE_WORKS, TURNS, TURNS_OF_MOST, TurnGroup, TurnTaker, groups};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{LONGEST_WAIT, PID, PROCESSES, THREADS, TIMES, WAITED};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Event, Ns, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{Futex, Tracker};

const TURNS_PART: Threshold = Threshold::part(
    "turns-part",
    0.2,
    "the part of the run that is saved if the threads or processes work at the same time",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "taking-turns",
    title: "threads or processes take turns",
    explanation: "Several threads of a process wait for one another at futexes: each is parked until another of them wakes it, and \
        while one works, the others wait. That is how the locks of Java (synchronized, ReentrantLock), Python and others look: \
        a thread that finds the lock taken is parked at a word of its own, and the thread that gives the lock back wakes it. \
        Work that is handed round in a ring looks the same.\n\n\
        The same is reported of processes that wait for one another at a lock of a file (flock, fcntl), at a semaphore (POSIX or System \
        V), or in a ring of pipes, in which each of at least three processes waits for bytes of the one before it. Two processes that \
        ask and answer each other are a client and its server, and do not count.\n\n\
        Threads are reported if on average each waited twenty times for others of them and woke others as often, and none a fifth as \
        often as another; if hardly more than one of them worked at a time, and if the time in which the busiest of them worked is at least a fifth of the run shorter \
        than the time that all of them took. That is the estimate: the run if they all worked at the same time. Threads that only \
        wait for work that one other thread hands out do not count, nor do those that read from a pipe for most of their turns: they take work from the pipe, one at a time. Go parks threads that have nothing to run, which tells \
        nothing of its locks, so they do not count either. C's and Rust's mutexes are reported as `lock-contention`.\n\n\
        Example: four Java threads call a slow service while they hold one ReentrantLock. They were parked 450 times, and \
        three of four waited at any moment. With the call outside the lock, the run takes a quarter of the time.",
    thresholds: &[TURNS, TURNS_OF_MOST, TURNS_PART, AT_ONCE, NONE_WORKS],
    make: || Box::new(TakingTurns::default()),
};

#[derive(Default)]
struct TakingTurns {
    /// The names of threads that used a futex, after their ends.
    threads: Bounded<Tid, Vec<u8>>,
    /// The calls of each thread that wait for a futex or for a turn, or wake others.
    calls: Bounded<(Tid, CallKey), u64>,
    held: HeldCalls,
}

impl Rule for TakingTurns {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if !Futex::is(observed.row) && observed.row.may_wait() != Some(For::Turn) {
            return self.held.call(observed);
        }
        self.held.turn(observed);
        let tid = observed.call.tid;
        self.calls.make_room_of_ended(observed.tracker, |_| false);
        self.threads.make_room_of_ended(observed.tracker, |_| false);
        if let Some(calls) = self.calls.entry((tid, observed.key), || 0) {
            *calls += 1;
        }
        self.threads.entry(tid, Vec::new);
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. }) = *event else {
            return;
        };
        if let Some((thread, comm)) = tracker.thread(tid).zip(self.threads.get_mut(&tid)) {
            comm.clone_from(&thread.comm);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = (index.own_span() as f64 * TURNS_PART.ratio()) as Ns;
        let takes_work = |group: &TurnGroup| self.held.take_work(|tid| group.members.contains_key(&tid));
        let groups =
            groups(index.hand_overs()).into_iter().filter(TurnGroup::takes_turns).filter(|group| !takes_work(group));
        let worst = groups.map(|group| (group.saved(), group)).filter(|(saved, _)| *saved >= least);
        let worst = worst.max_by_key(|(saved, group)| (*saved, Reverse(group.members.keys().min().copied())));
        worst.map(|(saved, group)| self.candidate(saved, &group, index, tracker)).into_iter().collect()
    }
}

impl TakingTurns {
    fn candidate(&self, saved: Ns, group: &TurnGroup, index: &Index, tracker: &Tracker) -> Candidate {
        let waits: u64 = group.members.values().map(|member| member.waits).sum();
        let time: Ns = group.members.values().map(|member| member.time).sum();
        let longest = group.members.values().map(|member| member.longest).max().unwrap_or(0);
        let mut members: Vec<(&Tid, &TurnTaker)> = group.members.iter().collect();
        members.sort_by_key(|(tid, member)| (Reverse(member.time), **tid));
        let evidence = members.iter().map(|(tid, member)| {
            let name = match group.bond {
                Bond::Threads => self.thread_name(**tid, tracker),
                Bond::Lock | Bond::Ring => process_name(member.pid, index.comm(member.pid, tracker)),
            };
            Evidence { time: Some(member.time), ..Evidence::new(EvidenceKind::Process, name, member.waits) }
        });
        let calls = self.calls.iter().filter(|((tid, _), _)| group.members.contains_key(tid));
        let mut claims = Claims::default();
        calls.filter(|_| group.bond != Bond::Ring).for_each(|((_, key), calls)| claims.add(*key, *calls));
        let (who, how, advice) = description(group, index, tracker);
        let held_in = self.held.most(|tid| group.bond != Bond::Ring && group.members.contains_key(&tid));
        Candidate {
            sentence: say!(
                "{} took turns, {how} {} times until another of them woke them, {} in all and {} at most, and hardly more than \
                 one of them worked at a time{}.",
                who,
                TIMES.of(waits),
                WAITED.of(time),
                LONGEST_WAIT.of(longest),
                held_in.as_ref().map_or(Statement::default(), |held| held.clause("it was their turn")),
            ),
            evidence: evidence.take(4).collect(),
            advice: match &held_in {
                Some(held) => format!("Call {} when the lock has been given back, or once for what several of them have brought. {advice}", held.name()),
                None => advice.into(),
            },
            confidence: Confidence::Possible,
            claims: claims.list(),
            stacks: held_in.into_iter().flat_map(|held| held.stacks).collect(),
            estimate: match group.bond {
                Bond::Ring => "the time until the busiest of them had ended if all worked at once",
                Bond::Threads => {
                    "the futex calls of these threads, and the time until the busiest of them had ended if all worked at once"
                }
                Bond::Lock => {
                    "the calls that take and give back, and the time until the busiest of them had ended if all worked at once"
                }
            }
            .into(),
            whole_time: Some(saved),
            ..Candidate::default()
        }
    }

    fn thread_name(&self, tid: Tid, tracker: &Tracker) -> Vec<u8> {
        let alive = tracker.thread(tid).map(|thread| &thread.comm);
        thread_name(tid, alive.or_else(|| self.threads.get(&tid)).map_or(&b""[..], |comm| comm))
    }
}

/// The members of a group, how they waited, and the advice.
fn description(group: &TurnGroup, index: &Index, tracker: &Tracker) -> (Statement, &'static str, &'static str) {
    let n = group.members.len() as u64;
    let pid = group.members.values().map(|member| member.pid).min().unwrap_or(0);
    let comm = plain(index.comm(pid, tracker));
    match group.bond {
        Bond::Threads => (
            say!("{} threads of {comm} (pid {})", THREADS.of(n), PID.id(pid)),
            "as threads do at a lock: they were parked",
            "If they wait for a lock: hold it for a shorter time, without slow calls, or use several locks, or data of each \
             thread's own that is merged at the end. If they hand work round, let one thread do all steps of one item.",
        ),
        Bond::Lock => (
            say!("{} processes, such as {comm} (pid {}),", PROCESSES.of(n), PID.id(pid)),
            "as processes do at a lock: they waited",
            "Hold the lock for a shorter time, without slow calls, or use several locks, each for a part of the data, or files of \
             each process's own that are merged at the end.",
        ),
        Bond::Ring => (
            say!("{} processes, such as {comm} (pid {}),", PROCESSES.of(n), PID.id(pid)),
            "in a ring of pipes: they waited",
            "Let each process take the next piece of work when it has done one, instead of waiting for its turn.",
        ),
    }
}
