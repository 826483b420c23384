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

const TURNS: Threshold = Threshold::count("turns", 50, "waits of each thread for the others, on average");
const TURNS_OF_MOST: Threshold = Threshold::part(
    "turns-of-most",
    0.2,
    "threads that wait for others, or wake them, less often than this part of what another does have no part in the turns",
);
const TURNS_PART: Threshold =
    Threshold::part("turns-part", 0.2, "the part of the run that is saved if the threads work at the same time");
const AT_ONCE: Threshold = Threshold::part(
    "at-once",
    1.5,
    "if more threads than this work at the same time on average, they do not take turns",
);

const NONE_WORKS: Threshold = Threshold::part(
    "none-works",
    0.25,
    "if fewer threads than this work at the same time on average, they only wake each other, and the time goes by until they run",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "taking-turns",
    title: "threads take turns",
    explanation: "Several threads of a process wait for one another at futexes: each is parked until another of them wakes it, and \
        while one works, the others wait. That is how the locks of Java (synchronized, ReentrantLock), Python and others look: \
        a thread that finds the lock taken is parked at a word of its own, and the thread that gives the lock back wakes it. \
        Work that is handed round in a ring looks the same.\n\n\
        Threads are reported if on average each waited fifty times for others of them and woke others as often, and none a fifth as \
        often as another; if hardly more than one of them worked at a time, and if the time in which the busiest of them worked is at least a fifth of the run shorter \
        than the time that all of them took. That is the estimate: the run if they all worked at the same time. Threads that only \
        wait for work that one other thread hands out do not count. Go parks threads that have nothing to run, which tells \
        nothing of its locks, so they do not count either. C's and Rust's mutexes are reported as `lock-contention`.\n\n\
        Example: four Java threads call a slow service while they hold one ReentrantLock. They were parked 450 times, and \
        three of four waited at any moment. With the call outside the lock, the run takes a quarter of the time.",
    thresholds: &[TURNS, TURNS_OF_MOST, TURNS_PART, AT_ONCE, NONE_WORKS],
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
struct Member {
    waits: u64,
    wakes: u64,
    time: Ns,
    longest: Ns,
    /// The first and the last time that another one woke it, or it woke another one. Before and after this, the thread may not exist.
    from: Ns,
    to: Ns,
}

impl Member {
    fn new(at: Ns) -> Member {
        Member { waits: 0, wakes: 0, time: 0, longest: 0, from: at, to: at }
    }

    fn takes_part(&mut self, pair: &HandOver) {
        self.from = self.from.min(pair.first);
        self.to = self.to.max(pair.last);
    }

    /// The time in which it worked, or waited for something else.
    fn worked(&self) -> Ns {
        (self.to - self.from).saturating_sub(self.time)
    }

    /// Waits for others and wakes of others, whichever are fewer.
    fn turns(&self) -> u64 {
        self.waits.min(self.wakes)
    }
}

struct TurnGroup {
    pid: Tid,
    members: FxHashMap<Tid, Member>,
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
    /// Leaves out threads that seldom wait for the others or seldom wake them, compared with the one that does most of both, until none
    /// is left to leave out. How often a thread waits is chance: one that starts late finds fewer others to wait for.
    fn of(pid: Tid, pairs: &[(Tid, Tid, HandOver)]) -> Option<TurnGroup> {
        let mut in_it: FxHashSet<Tid> = pairs.iter().flat_map(|(waiter, waker, _)| [*waiter, *waker]).collect();
        loop {
            let among = || pairs.iter().filter(|(waiter, waker, _)| in_it.contains(waiter) && in_it.contains(waker));
            let mut members: FxHashMap<Tid, Member> = FxHashMap::default();
            for (waiter, waker, pair) in among() {
                let member = members.entry(*waiter).or_insert_with(|| Member::new(pair.first));
                member.takes_part(pair);
                member.waits += pair.waits;
                member.time += pair.time;
                member.longest = member.longest.max(pair.longest);
                let waker = members.entry(*waker).or_insert_with(|| Member::new(pair.first));
                waker.takes_part(pair);
                waker.wakes += pair.waits;
            }
            let most = members.values().map(Member::turns).max()?;
            members.retain(|_, member| member.turns() as f64 >= most as f64 * TURNS_OF_MOST.ratio());
            if members.len() < 2 {
                return None;
            }
            if members.len() == in_it.len() {
                let turns: u64 = members.values().map(Member::turns).sum();
                if turns < TURNS.get() * members.len() as u64 {
                    return None;
                }
                return Some(TurnGroup { pid, members });
            }
            in_it = members.into_keys().collect();
        }
    }

    /// The time in which any of them took part.
    fn lasted(&self) -> Ns {
        let mut spans: Vec<(Ns, Ns)> = self.members.values().map(|member| (member.from, member.to)).collect();
        spans.sort_unstable();
        let (mut lasted, mut until) = (0, 0);
        for (from, to) in spans {
            lasted += to.saturating_sub(from.max(until));
            until = until.max(to);
        }
        lasted
    }

    /// The time in which each of them worked.
    fn worked(&self) -> impl Iterator<Item = Ns> {
        self.members.values().map(Member::worked)
    }

    fn takes_turns(&self) -> bool {
        let at_once = self.worked().sum::<Ns>() as f64 / self.lasted().max(1) as f64;
        (NONE_WORKS.ratio()..=AT_ONCE.ratio()).contains(&at_once)
    }

    /// The time that is saved if all work at the same time: the busiest one remains.
    fn saved(&self) -> Ns {
        self.lasted().saturating_sub(self.worked().max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ns = 1_000_000;

    fn pair(waiter: Tid, waker: Tid, waits: u64, time: Ns, first: Ns, last: Ns) -> (Tid, Tid, HandOver) {
        let longest = time / waits.max(1);
        (waiter, waker, HandOver { waits, time: time * MS, longest, first: first * MS, last: last * MS })
    }

    /// Four threads of Java with one ReentrantLock. One of them found it free most times, another one started late.
    #[test]
    fn threads_of_one_lock_may_wait_seldom() {
        let pairs = [
            pair(1, 4, 65, 436, 0, 1800),
            pair(4, 1, 34, 223, 0, 1800),
            pair(2, 1, 52, 978, 300, 1960),
            pair(1, 3, 100, 925, 100, 800),
            pair(4, 2, 100, 1278, 300, 1960),
            pair(3, 4, 31, 654, 0, 700),
            // Garbage collection, which the threads start.
            pair(9, 1, 34, 900, 0, 1900),
        ];
        let group = TurnGroup::of(7, &pairs).unwrap();
        let mut members: Vec<Tid> = group.members.keys().copied().collect();
        members.sort_unstable();
        assert_eq!(members, [1, 2, 3, 4]);
        assert_eq!(group.lasted(), 1960 * MS);
        assert!(group.takes_turns());
        assert!(group.saved() > 980 * MS, "{}", group.saved());
    }

    /// Two threads send each other a token: no lock is held while one of them works.
    #[test]
    fn threads_that_only_wake_each_other_take_no_turns() {
        let pairs = [pair(1, 2, 270, 98, 0, 100), pair(2, 1, 270, 97, 0, 100)];
        assert!(!TurnGroup::of(7, &pairs).unwrap().takes_turns());
    }

    /// Two pairs of threads at different times: what the threads do in between is unknown.
    #[test]
    fn only_the_time_of_turns_counts() {
        let pairs = [
            pair(1, 2, 60, 5, 0, 10),
            pair(2, 1, 60, 5, 0, 10),
            pair(3, 4, 60, 5, 90, 100),
            pair(4, 3, 60, 5, 90, 100),
        ];
        let group = TurnGroup::of(7, &pairs).unwrap();
        assert_eq!((group.lasted(), group.saved()), (20 * MS, 15 * MS));
        let few = pairs.map(|(waiter, waker, pair)| (waiter, waker, HandOver { waits: 40, ..pair }));
        assert!(TurnGroup::of(7, &few).is_none());
    }
}
