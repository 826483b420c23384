//! Threads or processes that wait for one another in turn.

use crate::thresholds::threshold::Threshold;
use rustc_hash::{FxHashMap, FxHashSet};
use stride_event::{Ns, Tid};
use stride_track::{HandOver, HandOvers, HandedOver, Way};

pub const TURNS: Threshold =
    Threshold::count("turns", 20, "waits of each thread or process for the others, on average");
pub const TURNS_OF_MOST: Threshold = Threshold::part(
    "turns-of-most",
    0.2,
    "threads that wait for others, or wake them, less often than this part of what another does have no part in the turns",
);
pub const AT_ONCE: Threshold = Threshold::part(
    "at-once",
    1.5,
    "if more threads than this work at the same time on average, they do not take turns",
);
pub const NONE_WORKS: Threshold = Threshold::part(
    "none-works",
    0.25,
    "if fewer threads than this work at the same time on average, they only wake each other, and the time goes by until they run",
);

/// A thread of a group: what it waited, and how often it woke others.
pub struct TurnTaker {
    pub pid: Tid,
    pub waits: u64,
    wakes: u64,
    pub time: Ns,
    pub longest: Ns,
    /// The time in which it waited for any thread, if that is known.
    idle: Ns,
    /// The first and the last time that another one woke it, or it woke another one. Before and after this, the thread
    /// may not exist.
    from: Ns,
    to: Ns,
}

impl TurnTaker {
    fn new(pid: Tid, at: Ns) -> TurnTaker {
        TurnTaker { pid, waits: 0, wakes: 0, time: 0, longest: 0, idle: 0, from: at, to: at }
    }

    fn takes_part(&mut self, pair: &HandOver) {
        self.from = self.from.min(pair.first);
        self.to = self.to.max(pair.last);
    }

    /// The time in which it worked, or waited for something else.
    fn worked(&self) -> Ns {
        (self.to - self.from).saturating_sub(self.time.max(self.idle))
    }

    /// Waits for others and wakes of others, whichever are fewer.
    fn turns(&self) -> u64 {
        self.waits.min(self.wakes)
    }
}

/// How the members of a group are bound to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bond {
    /// They are threads of one process.
    Threads,
    /// They are processes that wait for a lock or a semaphore.
    Lock,
    /// They are processes, each of which waits for bytes of the one before it.
    Ring,
}

pub struct TurnGroup {
    pub bond: Bond,
    pub members: FxHashMap<Tid, TurnTaker>,
}

/// Waits of one thread that another one ended.
type Pair = (HandedOver, HandOver);

const SHORT_WAIT: Ns = 100_000;

/// A ring has at least so many processes: two that ask and answer each other are a client and its server.
const SMALLEST_RING: usize = 3;

/// All groups, whether they take turns or not.
pub fn groups(hand_overs: &HandOvers) -> Vec<TurnGroup> {
    let (within, between): (Vec<Pair>, Vec<Pair>) =
        hand_overs.iter().partition(|(between, _)| between.within_process());
    let mut threads: FxHashMap<Tid, Vec<Pair>> = FxHashMap::default();
    for pair in within.into_iter().filter(|(between, _)| between.way == Way::Parked) {
        threads.entry(pair.0.waiter.1).or_default().push(pair);
    }
    let (pipes, others): (Vec<Pair>, Vec<Pair>) =
        between.into_iter().partition(|(between, _)| between.way == Way::Pipe);
    let locks = others.into_iter().filter(|(between, _)| matches!(between.way, Way::Lock | Way::Parked)).collect();
    let threads = threads.into_values().filter_map(|pairs| TurnGroup::of(Bond::Threads, &pairs));
    let mut groups: Vec<TurnGroup> = threads.collect();
    let locks = connected(locks).into_iter().filter_map(|pairs| TurnGroup::of(Bond::Lock, &pairs));
    let rings = rings(&pipes).into_iter().filter_map(|pairs| TurnGroup::of(Bond::Ring, &pairs));
    groups.extend(locks.chain(rings).map(|group| group.without_idle_time(hand_overs)));
    groups
}

/// The pairs of threads that are bound to each other, directly or through others.
fn connected(pairs: Vec<Pair>) -> Vec<Vec<Pair>> {
    let mut first: FxHashMap<Tid, Tid> = FxHashMap::default();
    fn root(first: &mut FxHashMap<Tid, Tid>, mut tid: Tid) -> Tid {
        while let Some(&before) = first.get(&tid).filter(|before| **before != tid) {
            let further = first.get(&before).copied().unwrap_or(before);
            first.insert(tid, further);
            tid = before;
        }
        tid
    }
    for (between, _) in &pairs {
        let (one, other) = (root(&mut first, between.waiter.0), root(&mut first, between.waker.0));
        first.insert(one, other);
    }
    let mut of: FxHashMap<Tid, Vec<Pair>> = FxHashMap::default();
    for pair in pairs {
        of.entry(root(&mut first, pair.0.waiter.0)).or_default().push(pair);
    }
    of.into_values().collect()
}

/// The pairs of each ring of processes: nearly all waits of each process are for the one before it.
fn rings(pairs: &[Pair]) -> Vec<Vec<Pair>> {
    let mut all: FxHashMap<Tid, u64> = FxHashMap::default();
    let mut most: FxHashMap<Tid, Pair> = FxHashMap::default();
    for pair in pairs {
        let waiter = pair.0.waiter.0;
        *all.entry(waiter).or_default() += pair.1.waits;
        let best = most.entry(waiter).or_insert(*pair);
        if (pair.1.waits, pair.0.waker.0) > (best.1.waits, best.0.waker.0) {
            *best = *pair;
        }
    }
    most.retain(|waiter, pair| pair.1.waits * 10 >= all[waiter] * 9);
    let mut rings = Vec::new();
    let mut seen: FxHashSet<Tid> = FxHashSet::default();
    let mut starts: Vec<Tid> = most.keys().copied().collect();
    starts.sort_unstable();
    for start in starts {
        // Each thread is visited once: a way that leads to one seen before is no new ring.
        let (mut tid, mut way) = (start, Vec::new());
        while let Some(pair) = most.get(&tid).filter(|_| seen.insert(tid)) {
            way.push(*pair);
            tid = pair.0.waker.0;
        }
        let from = way.iter().position(|pair| pair.0.waiter.0 == tid);
        rings.extend(from.map(|from| way.split_off(from)).filter(|ring| ring.len() >= SMALLEST_RING));
    }
    rings
}

impl TurnGroup {
    /// Leaves out threads that seldom wait for the others or seldom wake them, compared with the one that does most of
    /// both, until none is left to leave out. How often a thread waits is chance: one that starts late finds fewer
    /// others to wait for.
    fn of(bond: Bond, pairs: &[Pair]) -> Option<TurnGroup> {
        let mut in_it: FxHashSet<Tid> =
            pairs.iter().flat_map(|(between, _)| [between.waiter.0, between.waker.0]).collect();
        loop {
            let is_in =
                |between: &HandedOver| [between.waiter.0, between.waker.0].iter().all(|tid| in_it.contains(tid));
            let mut members: FxHashMap<Tid, TurnTaker> = FxHashMap::default();
            for (HandedOver { waiter, waker, .. }, pair) in pairs.iter().filter(|(between, _)| is_in(between)) {
                let member = members.entry(waiter.0).or_insert_with(|| TurnTaker::new(waiter.1, pair.first));
                member.takes_part(pair);
                member.waits += pair.waits;
                member.time += pair.time;
                member.longest = member.longest.max(pair.longest);
                let waker = members.entry(waker.0).or_insert_with(|| TurnTaker::new(waker.1, pair.first));
                waker.takes_part(pair);
                waker.wakes += pair.waits;
            }
            let most = members.values().map(TurnTaker::turns).max()?;
            members.retain(|_, member| member.turns() as f64 >= most as f64 * TURNS_OF_MOST.ratio());
            if members.len() < 2 {
                return None;
            }
            if members.len() == in_it.len() {
                let turns: u64 = members.values().map(TurnTaker::turns).sum();
                if turns < TURNS.get() * members.len() as u64 {
                    return None;
                }
                return Some(TurnGroup { bond, members });
            }
            in_it = members.into_keys().collect();
        }
    }

    /// A process that waits for bytes of another one while it holds a lock does not work. For threads of one process
    /// this is not asked: they wait for each other in many ways.
    fn without_idle_time(mut self, hand_overs: &HandOvers) -> TurnGroup {
        for (between, pair) in hand_overs.iter() {
            if let Some(member) = self.members.get_mut(&between.waiter.0) {
                member.idle += pair.time;
            }
        }
        self
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
        self.members.values().map(TurnTaker::worked)
    }

    /// Two processes that wait for each other this shortly hand pieces of work to and fro, as by two semaphores, rather than want one lock.
    fn is_pair(&self) -> bool {
        let waits: u64 = self.members.values().map(|member| member.waits).sum();
        let time: Ns = self.members.values().map(|member| member.time).sum();
        self.bond == Bond::Lock && self.members.len() == 2 && time < waits * SHORT_WAIT
    }

    pub fn takes_turns(&self) -> bool {
        if self.is_pair() {
            return false;
        }
        let at_once = self.worked().sum::<Ns>() as f64 / self.lasted().max(1) as f64;
        (NONE_WORKS.ratio()..=AT_ONCE.ratio()).contains(&at_once)
    }

    /// The time that is saved if all work at the same time: the busiest one remains, and so does the time in which none has work.
    pub fn saved(&self) -> Ns {
        let all: Ns = self.worked().sum();
        self.lasted().min(all).saturating_sub(self.worked().max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ns = 1_000_000;

    fn pair(waiter: Tid, waker: Tid, waits: u64, time: Ns, first: Ns, last: Ns) -> Pair {
        let longest = time / waits.max(1);
        let between = HandedOver { waiter: (waiter, 7), waker: (waker, 7), way: Way::Parked };
        (between, HandOver { waits, time: time * MS, longest, first: first * MS, last: last * MS })
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
        let group = TurnGroup::of(Bond::Threads, &pairs).unwrap();
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
        assert!(!TurnGroup::of(Bond::Threads, &pairs).unwrap().takes_turns());
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
        let group = TurnGroup::of(Bond::Threads, &pairs).unwrap();
        assert_eq!((group.lasted(), group.saved()), (20 * MS, 15 * MS));
        let few = pairs.map(|(between, pair)| (between, HandOver { waits: 15, ..pair }));
        assert!(TurnGroup::of(Bond::Threads, &few).is_none());
    }

    #[test]
    fn a_ring_is_no_pipeline_and_no_server() {
        let ring = [(1, 3), (2, 1), (3, 2)].map(|(waiter, waker)| pair(waiter, waker, 60, 100, 0, 150));
        let further = pair(9, 1, 60, 100, 0, 150);
        let found = rings(&[&ring[..], &[further]].concat());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].len(), 3);
        let pipeline = [(2, 1), (1, 2), (3, 2), (2, 3)].map(|(waiter, waker)| pair(waiter, waker, 60, 5, 0, 10));
        assert!(rings(&pipeline).is_empty());
        let server = [(1, 2), (2, 1)].map(|(waiter, waker)| pair(waiter, waker, 60, 5, 0, 10));
        assert!(rings(&server).is_empty());
    }

    #[test]
    fn two_processes_with_short_waits_hand_work_to_and_fro() {
        let takes_turns = |processes: &[(Tid, Tid)], time| {
            let pairs: Vec<Pair> = processes.iter().map(|&(a, b)| pair(a, b, 100, time, 0, time * 2)).collect();
            TurnGroup::of(Bond::Lock, &pairs).is_some_and(|group| group.takes_turns())
        };
        assert!(takes_turns(&[(1, 2), (2, 1)], 50));
        assert!(!takes_turns(&[(1, 2), (2, 1)], 5));
        assert!(takes_turns(&[(1, 2), (2, 3), (3, 1)], 5));
    }

    #[test]
    fn those_of_one_lock_are_one_group() {
        let pairs = [(1, 2), (2, 3), (3, 1), (7, 8), (8, 7)].map(|(a, b)| pair(a, b, 60, 5, 0, 10));
        let mut sizes: Vec<usize> = connected(pairs.to_vec()).iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [2, 3]);
    }
}
