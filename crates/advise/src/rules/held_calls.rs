//! The calls that threads make while they have what they waited for: a lock, or their turn.

use super::common::{Bounded, count_stack};
use crate::counts::index::{CallKey, Observed};
use crate::counts::kinds::is_read;
use crate::report::quantity::{HELD, HELD_IN_CALL};
use crate::report::statement::{Statement, say};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use stride_event::{Ns, Stack, Tid};
use stride_syscalls::{Abi, table};
use stride_track::{CallOn, Futex, ObjectKind, TimeShare};

/// A shorter wait is none.
const WAITED_AT_LEAST: Ns = 10_000;

#[derive(Default)]
pub struct HeldCalls {
    threads: Bounded<Tid, Held>,
    /// The threads whose turn it is. (Some of them may have ended.)
    holders: usize,
}

/// A thread's turns.
#[derive(Default)]
struct Held {
    /// When the present one began.
    since: Option<Ns>,
    time: Ns,
    /// The part of that in reads of pipes.
    from_pipes: Ns,
    calls: BTreeMap<(Abi, u32), CallsHeld>,
}

/// Calls of one kind.
#[derive(Default)]
struct CallsHeld {
    time: Ns,
    stacks: Vec<(Arc<Stack>, u64)>,
}

const MOST_STACKS: usize = 16;

/// The call in which most of the time of the turns passed.
pub struct HeldIn {
    pub key: CallKey,
    time: Ns,
    /// The time of all turns.
    of: Ns,
    pub stacks: Vec<(Arc<Stack>, u64)>,
}

impl HeldCalls {
    /// A call that waits for a lock or a turn, or gives one back. If it waited, a turn begins when it returns; the turn before is over.
    pub fn turn(&mut self, observed: &Observed<'_>) {
        let call = observed.call;
        self.threads.make_room_of_ended(observed.tracker, |held| held.time > 0);
        let Some(held) = self.threads.entry(call.tid, Held::default) else { return };
        if let Some(since) = held.since.take() {
            held.time += call.began().saturating_sub(since);
            self.holders -= 1;
        }
        let has_it = observed.time_waiting() >= WAITED_AT_LEAST && !observed.time_ran_out();
        held.since = has_it.then_some(call.returned);
        self.holders += usize::from(has_it);
    }

    /// Any other call.
    pub fn call(&mut self, observed: &Observed<'_>) {
        if self.holders == 0 {
            return;
        }
        let held = self.threads.get_mut(&observed.call.tid);
        if let Some(held) = held.filter(|held| held.since.is_some()) {
            let (time, is_pipe) = (observed.time(), |object| observed.tracker.kind(object) == ObjectKind::Pipe);
            if is_read(observed.row) && observed.seen.object.is_some_and(is_pipe) {
                held.from_pipes += time;
            }
            let calls = held.calls.entry((observed.key.abi, observed.key.nr)).or_default();
            calls.time += time;
            if let Some(stack) = &observed.call.stack {
                count_stack(&mut calls.stacks, MOST_STACKS, stack, observed.call.stack_calls.into());
            }
        }
    }

    fn turns_of(&self, is_of: &impl Fn(Tid) -> bool) -> impl Iterator<Item = &Held> {
        self.threads.iter().filter(|(tid, _)| is_of(**tid)).map(|(_, held)| held)
    }

    /// True if these threads read from pipes for more than half of their turns. They take work from there, one at a time, and wait for the one that writes.
    pub fn take_work(&self, is_of: impl Fn(Tid) -> bool) -> bool {
        let sum = |time: fn(&Held) -> Ns| self.turns_of(&is_of).map(time).sum::<Ns>();
        sum(|held| held.from_pipes) * 2 > sum(|held| held.time)
    }

    /// The call that took most of these threads' turns, if it took half of their time.
    pub fn most(&self, is_of: impl Fn(Tid) -> bool) -> Option<HeldIn> {
        let mut all = 0;
        let mut times: BTreeMap<(Abi, u32), Ns> = BTreeMap::new();
        let threads = || self.turns_of(&is_of);
        for held in threads() {
            all += held.time;
            held.calls.iter().for_each(|(key, calls)| *times.entry(*key).or_default() += calls.time);
        }
        let (of, time) = times.into_iter().max_by_key(|(of, time)| (*time, Reverse(*of)))?;
        let stacks = threads().filter_map(|held| held.calls.get(&of)).flat_map(|calls| calls.stacks.iter().cloned());
        let key = CallKey { abi: of.0, nr: of.1, object: None };
        (time * 2 >= all && time > 0).then(|| HeldIn { key, time: time.min(all), of: all, stacks: stacks.collect() })
    }
}

impl HeldIn {
    pub fn name(&self) -> String {
        table(self.key.abi).name(self.key.nr.into()).into_owned()
    }

    /// A clause that tells it.
    pub fn clause(&self, while_they: &'static str) -> Statement {
        say!(
            "; while {while_they}, they were in {} for {} of {}",
            self.name(),
            HELD_IN_CALL.of(self.time),
            HELD.of(self.of),
        )
    }
}

/// A thread waits for this one, and others wait at a futex for that thread: a service is asked with a lock.
pub fn is_behind_lock(share: &TimeShare) -> bool {
    let waits = |on: &CallOn| on.row().is_some_and(Futex::is);
    let mut awaited = share.awaited_by.iter();
    awaited.next().is_some_and(|(_, on)| !waits(on)) && awaited.any(|(_, on)| waits(on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_track::{Activity, CallCount, Who};

    fn share(awaited: &[&str]) -> TimeShare {
        let who = Who { comm: b"p"[..].into(), pid: Some(7) };
        let on = |name: &&str| CallOn {
            abi: Abi::X86_64,
            nr: stride_test_support::calls::number(Abi::X86_64, name),
            object: None,
        };
        TimeShare {
            time: 1,
            activity: Activity::Computing,
            who: who.clone(),
            calls: CallCount::default(),
            awaited_by: awaited.iter().map(|name| (who.clone(), on(name))).collect(),
            cpu_taken_by: None,
            kept_by_strangers: 0,
        }
    }

    #[test]
    fn a_service_is_asked_with_a_lock() {
        assert!(is_behind_lock(&share(&["read", "futex"])));
        // The thread itself has the lock, or nobody waits for the one that asks.
        assert!(!is_behind_lock(&share(&["futex"])));
        assert!(!is_behind_lock(&share(&["read", "wait4"])));
    }
}
