//! The sleeps of a program, and whether they are worth telling.

use super::super::common::is_asleep;
use crate::counts::index::{CallKey, Observed};
use crate::thresholds::threshold::Threshold;
use std::collections::BTreeMap;
use std::sync::Arc;
use stride_event::{Interrupt, Ns, Stack, Tid, Waker};
use stride_syscalls::{Syscall, table};

pub const LOST_PART: Threshold =
    Threshold::part("lost-part", 0.3, "the part of the run that passed in sleeps, or without pages");
pub const LOST_SLEEPS: Threshold = Threshold::count("lost-sleeps", 10, "sleeps of threads of one name");
pub const FEW_LOST_SLEEPS: Threshold =
    Threshold::count("few-lost-sleeps", 3, "sleeps that are enough if they take most of the run");
pub const LONG_SLEEP: Threshold =
    Threshold::time("long-lost-sleep", 100_000_000, "so few sleeps have to be this long, on average");
pub const MOSTLY_LOST: Threshold = Threshold::part("mostly-lost", 0.6, "most of the run, for so few sleeps");
pub const SHORTEST_SLEEP: Threshold =
    Threshold::time("lost-sleep", 500_000, "shorter sleeps, on average, are told as busy waiting");

/// A sleep of a thread.
#[derive(Clone, Copy)]
pub struct LostSleep {
    pub key: CallKey,
    pub time: Ns,
    /// It is one of many without another call in between.
    pub in_row: bool,
    /// A wait for any of some descriptors, until its time ran out: so event loops sleep, and the runtimes of Go and Node.js.
    pub is_for_any: bool,
    /// It is made by a call that waits for descriptors, with or without one.
    pub is_wait: bool,
}

/// Waits at futexes until their time ran out: so threads of Java sleep, and Go programs of which all goroutines wait, as some of their stacks show.
#[derive(Clone, Copy, Default)]
pub struct FutexWaits {
    pub calls: u64,
    time: Ns,
    key: Option<CallKey>,
    stacks: u64,
    asleep: u64,
}

impl FutexWaits {
    pub fn of(observed: &Observed<'_>) -> FutexWaits {
        let stack = observed.call.stack.as_ref();
        // (The runtime's own threads sleep, too. They run no code of the program.)
        let runs_script = |stack: &&Arc<Stack>| stack.frames.iter().any(|frame| frame.module.is_none());
        let asleep = stack.is_some_and(|stack| watches_idle_program(stack))
            || stack.filter(runs_script).is_some_and(|stack| is_asleep(stack));
        let (time, key) = (observed.time_waiting(), Some(observed.key));
        FutexWaits { calls: 1, time, key, stacks: stack.is_some().into(), asleep: asleep.into() }
    }

    pub fn are_sleeps(&self) -> bool {
        self.asleep * 2 > self.stacks
    }

    pub fn add(&mut self, other: &FutexWaits) {
        self.calls += other.calls;
        self.time = self.time.saturating_add(other.time);
        self.key = self.key.or(other.key);
        self.stacks += other.stacks;
        self.asleep += other.asleep;
    }
}

/// The thread of Go's runtime that watches over the others waits at a futex if all of them are idle, until the next timer of the program.
fn watches_idle_program(stack: &Stack) -> bool {
    let functions = stack.frames.iter().flat_map(|frame| frame.functions());
    functions.filter_map(|function| function.name).any(|name| name == "runtime.sysmon")
}

/// How often a process waited for any of some descriptors until a traced thread woke it, and until somebody else did.
#[derive(Clone, Copy, Default)]
pub struct Peers {
    traced: u64,
    others: u64,
}

impl Peers {
    /// All that the process takes comes from traced threads, as far as that is known.
    pub fn are_traced(&self) -> bool {
        self.traced > self.others * 10
    }

    /// Notes the waker of a wait for any of some descriptors. (A wait whose time ran out has none.)
    pub fn wait(&mut self, observed: &Observed<'_>) {
        let longest = observed.call.waits.as_ref().and_then(|waits| waits.longest.as_ref());
        match longest.and_then(|sleep| sleep.waker) {
            None | Some(Waker::Interrupt(Interrupt::Timer)) => {}
            Some(Waker::Thread(thread, _)) if observed.tracker.thread(thread.tid).is_some() => self.traced += 1,
            Some(_) => self.others += 1,
        }
    }
}

/// The sleeps of the threads of one family in a process, or in several.
#[derive(Default)]
pub struct Sleeps {
    pub calls: u64,
    time: Ns,
    /// Those that were waits for any of some descriptors.
    pub for_any: u64,
    /// Those of these after which the thread woke another one, which had waited for what it did.
    gave: u64,
    /// Those in long rows.
    in_rows: u64,
    /// Those that were half as long again as the one before, or more: pauses between tries.
    longer: u64,
    latest: Ns,
    pub parked: FutexWaits,
    /// The stacks of those that a thread of the program made.
    pub parked_stacks: Vec<(Arc<Stack>, u64)>,
    /// The process runs a program for its parent, as sleep(1) for a shell.
    pub is_for_parent: bool,
    /// The processes of which these are.
    pub pids: Vec<Tid>,
    pub kinds: BTreeMap<u32, (CallKey, u64)>,
    /// The time of the sleeps of its run-time system after which the program made a call, and of those of them after which that was about a connection which a
    /// client had made: such a sleep stands for work, or sets a pace.
    pub followed: Ns,
    pub for_clients: Ns,
    /// The stacks of those calls.
    pub next: Vec<(Arc<Stack>, u64)>,
}

impl Sleeps {
    /// None as yet.
    pub fn of(is_for_parent: bool) -> Sleeps {
        Sleeps { is_for_parent, ..Sleeps::default() }
    }

    /// `gave`: the thread woke another one after the sleep.
    pub fn count(&mut self, sleep: LostSleep, gave: bool) {
        self.calls += 1;
        self.time = self.time.saturating_add(sleep.time);
        self.longer += u64::from(self.latest > 0 && sleep.time >= self.latest + self.latest / 2);
        self.latest = sleep.time;
        self.in_rows += u64::from(sleep.in_row);
        self.for_any += u64::from(sleep.is_for_any);
        self.gave += u64::from(gave);
        self.made(sleep.key, 1);
    }

    fn made(&mut self, key: CallKey, calls: u64) {
        self.kinds.entry(key.nr).or_insert((key, 0)).1 += calls;
    }

    pub fn add(&mut self, other: &Sleeps) {
        self.calls += other.calls;
        self.time = self.time.saturating_add(other.time);
        self.in_rows += other.in_rows;
        self.for_any += other.for_any;
        self.gave += other.gave;
        self.longer += other.longer;
        self.parked.add(&other.parked);
        self.parked_stacks.extend(other.parked_stacks.iter().cloned());
        other.kinds.values().for_each(|(key, calls)| self.made(*key, *calls));
        self.next.extend(other.next.iter().cloned());
    }

    /// Waits at futexes count, if they are sleeps.
    pub fn add_parked(&mut self) {
        let Some(key) = self.parked.key.filter(|_| self.parked.are_sleeps()) else { return };
        self.calls += self.parked.calls;
        self.time = self.time.saturating_add(self.parked.time);
        self.made(key, self.parked.calls);
    }

    /// The process goes on with its clients after most of that time.
    pub fn serve(&self) -> bool {
        self.for_clients * 2 > self.followed
    }

    /// Some of them are calls of this row.
    pub fn are_calls_of(&self, row: &'static Syscall) -> bool {
        let row_of = |key: &CallKey| table(key.abi).get(key.nr.into()).map(|entry| entry.row);
        self.kinds.values().any(|(key, _)| row_of(key).is_some_and(|known| std::ptr::eq(known, row)))
    }

    /// The time of all of them.
    pub fn total(&self) -> Ns {
        self.time
    }

    /// The length of a sleep, on average.
    pub fn mean(&self) -> Ns {
        self.time / self.calls.max(1)
    }

    /// The part of the run that such sleeps have to take. `None`: they are too few or too short, or have another purpose.
    pub fn least_part(&self, row_is_one_wait: bool) -> Option<f64> {
        let most = |part: u64| part * 2 > self.calls;
        if self.mean() < SHORTEST_SLEEP.get() || row_is_one_wait && most(self.in_rows) || most(self.gave) {
            return None;
        }
        if self.calls >= LOST_SLEEPS.get() {
            return Some(LOST_PART.ratio());
        }
        let enough = self.calls >= FEW_LOST_SLEEPS.get() && self.mean() >= LONG_SLEEP.get() && !most(self.longer);
        enough.then(|| MOSTLY_LOST.ratio())
    }
}
