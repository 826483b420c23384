//! Parked threads wake each other, and only one of them works at a time.

use super::common::{Bounded, plain};
use crate::finding::{Claim, Confidence, Draft, Evidence, EvidenceKind};
use crate::index::{CallKey, Index, Observed};
use crate::quantity::{LONGEST_WAIT, PID, THREADS, TIMES, WAITED};
use crate::rule::{Rule, RuleInfo};
use crate::statement::say;
use crate::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use stride_event::{Event, Ns, Tid};
use stride_syscalls::Syscall;
use stride_track::{Futex, HandOver, Tracker};

const TURNS: Threshold = Threshold::count("turns", 50, "waits of each thread for the others");
const TURNS_PART: Threshold =
    Threshold::part("turns-part", 0.2, "the part of the run that is saved if the threads work at the same time");
const AT_ONCE: Threshold = Threshold::part(
    "at-once",
    1.5,
    "if more threads than this work at the same time on average, they do not take turns",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "taking-turns",
    title: "threads take turns",
    explanation: "Several threads of a process wait for one another at futexes: each is parked until another of them wakes it, and \
        while one works, the others wait. That is how the locks of Java (synchronized, ReentrantLock), Python and others look: \
        a thread that finds the lock taken is parked at a word of its own, and the thread that gives the lock back wakes it. \
        Work that is handed round in a ring looks the same.\n\n\
        Threads are reported if each waited fifty times for others of them and woke others as often, if hardly more than one \
        of them worked at a time, and if the time in which the busiest of them worked is at least a fifth of the run shorter \
        than the time that all of them took. That is the estimate: the run if they all worked at the same time. Threads that only \
        wait for work that one other thread hands out do not count. Go parks threads that have nothing to run, which tells \
        nothing of its locks, so they do not count either. C's and Rust's mutexes are reported as `lock-contention`.\n\n\
        Example: four Java threads call a slow service while they hold one ReentrantLock. They were parked 450 times, and \
        three of four waited at any moment. With the call outside the lock, the run takes a quarter of the time.",
    thresholds: &[TURNS, TURNS_PART, AT_ONCE],
    make: || Box::new(TakingTurns::default()),
};

#[derive(Default)]
struct TakingTurns {
    /// The process and the name of each thread that used a futex.
    threads: Bounded<Tid, (Tid, Vec<u8>)>,
    /// The futex calls of each thread.
    calls: Bounded<Tid, (CallKey, u64)>,
}

/// A thread of the group: what it waited, and how often it woke others.
#[derive(Default)]
struct Member {
    waits: u64,
    wakes: u64,
    time: Ns,
    longest: Ns,
}

struct TurnGroup {
    pid: Tid,
    members: FxHashMap<Tid, Member>,
    from: Ns,
    to: Ns,
}

impl Rule for TakingTurns {
    fn wants(&self, row: &'static Syscall) -> bool {
        Futex::is(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (tid, pid) = (observed.call.tid, observed.seen.pid);
        if let Some((_, calls)) = self.calls.entry(tid, || (observed.key, 0)) {
            *calls += 1;
        }
        self.threads.entry(tid, || (pid, Vec::new()));
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        let (Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. }) = *event else {
            return;
        };
        if let Some((thread, (_, comm))) = tracker.thread(tid).zip(self.threads.get_mut(&tid)) {
            comm.clone_from(&thread.comm);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft> {
        let least = (index.span() as f64 * TURNS_PART.ratio()) as Ns;
        let groups = self.groups(index).into_iter().filter(TurnGroup::takes_turns);
        let worst = groups.map(|group| (group.saved(), group)).filter(|(saved, _)| *saved >= least);
        let Some((saved, group)) = worst.max_by_key(|(saved, group)| (*saved, Reverse(group.pid))) else {
            return Vec::new();
        };
        let waits: u64 = group.members.values().map(|member| member.waits).sum();
        let time: Ns = group.members.values().map(|member| member.time).sum();
        let longest = group.members.values().map(|member| member.longest).max().unwrap_or(0);
        let mut members: Vec<(&Tid, &Member)> = group.members.iter().collect();
        members.sort_by_key(|(tid, member)| (Reverse(member.time), **tid));
        let evidence = members.iter().map(|(tid, member)| {
            let alive = tracker.thread(**tid).map(|thread| &thread.comm);
            let comm = alive.or_else(|| self.threads.get(tid).map(|(_, comm)| comm));
            let name = match comm.map_or(&b""[..], |comm| comm) {
                [] => format!("thread {tid}").into_bytes(),
                comm => [comm, format!(" (thread {tid})").as_bytes()].concat(),
            };
            Evidence { time: Some(member.time), ..Evidence::new(EvidenceKind::Process, name, member.waits) }
        });
        let claims = members.iter().filter_map(|(tid, _)| self.calls.get(*tid));
        vec![Draft {
            sentence: say!(
                "{} threads of {} (pid {}) took turns, as threads do at a lock: they were parked {} times until another of them woke them, {} in all and {} \
                 at most, and hardly more than one of them worked at a time.",
                THREADS.of(members.len() as u64),
                plain(index.comm(group.pid, tracker)),
                PID.id(group.pid),
                TIMES.of(waits),
                WAITED.of(time),
                LONGEST_WAIT.of(longest),
            ),
            evidence: evidence.take(4).collect(),
            advice: "If they wait for a lock: hold it for a shorter time, without slow calls, or use several locks, or data of each \
                     thread's own that is merged at the end. If they hand work round, let one thread do all steps of one item."
                .into(),
            confidence: Confidence::Possible,
            claims: claims.map(|(key, calls)| Claim { key: *key, calls: *calls }).collect(),
            estimate: "the futex calls of these threads, and the time until the busiest of them had ended if all worked at once"
                .into(),
            whole_time: Some(saved),
            ..Draft::default()
        }]
    }
}

impl TakingTurns {
    /// Threads of one process that wait for each other and wake each other.
    fn groups(&self, index: &Index) -> Vec<TurnGroup> {
        let process = |tid: Tid| self.threads.get(&tid).map(|(pid, _)| *pid);
        let mut pairs: FxHashMap<Tid, Vec<(Tid, Tid, HandOver)>> = FxHashMap::default();
        for (waiter, waker, pair) in index.hand_overs().iter() {
            let Some(pid) = process(waiter).filter(|pid| process(waker) == Some(*pid)) else { continue };
            pairs.entry(pid).or_default().push((waiter, waker, pair));
        }
        pairs.into_iter().filter_map(|(pid, pairs)| TurnGroup::of(pid, &pairs)).collect()
    }
}

impl TurnGroup {
    /// Leaves out threads that seldom wait for the others or seldom wake them, until none is left to leave out.
    fn of(pid: Tid, pairs: &[(Tid, Tid, HandOver)]) -> Option<TurnGroup> {
        let mut in_it: FxHashSet<Tid> = pairs.iter().flat_map(|(waiter, waker, _)| [*waiter, *waker]).collect();
        loop {
            let among = || pairs.iter().filter(|(waiter, waker, _)| in_it.contains(waiter) && in_it.contains(waker));
            let mut members: FxHashMap<Tid, Member> = FxHashMap::default();
            for (waiter, waker, pair) in among() {
                let member = members.entry(*waiter).or_default();
                member.waits += pair.waits;
                member.time += pair.time;
                member.longest = member.longest.max(pair.longest);
                members.entry(*waker).or_default().wakes += pair.waits;
            }
            let least = TURNS.get();
            members.retain(|_, member| member.waits >= least && member.wakes >= least);
            if members.len() < 2 {
                return None;
            }
            if members.len() == in_it.len() {
                let from = among().map(|(.., pair)| pair.first).min()?;
                let to = among().map(|(.., pair)| pair.last).max()?;
                return Some(TurnGroup { pid, members, from, to });
            }
            in_it = members.into_keys().collect();
        }
    }

    /// From the first time that one of them woke another to the last.
    fn lasted(&self) -> Ns {
        self.to - self.from
    }

    /// The time in which each of them worked, or waited for something else.
    fn worked(&self) -> impl Iterator<Item = Ns> {
        self.members.values().map(|member| self.lasted().saturating_sub(member.time))
    }

    fn takes_turns(&self) -> bool {
        self.worked().sum::<Ns>() as f64 <= self.lasted() as f64 * AT_ONCE.ratio()
    }

    /// The time that is saved if all work at the same time: the busiest one remains.
    fn saved(&self) -> Ns {
        self.lasted() - self.worked().max().unwrap_or(0)
    }
}
