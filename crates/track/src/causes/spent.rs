//! The activities that each thread spent its time on: computing, calls, and waits for other threads.
//!
//! A thread's time, from the first moment that is known of the thread to the last, is either in a call or between two. If the engine measured waits
//! ([`stride_event::CallWaits`]), both are divided further. All parts add up to the whole.

use crate::causes::path_parts::{ActivityId, SleepingCalls, add, add_call};
use crate::causes::wakers::Wakers;
use crate::file_locks::takes_file_lock;
use crate::{ObjectId, ObjectKind, Seen, Tracker, names_thread};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::AddAssign;
use stride_event::{Call, CallWaits, Event, Ns, Taker, Tid, WaitKind, WaitTimes, Waker, parts_within};
use stride_syscalls::{Abi, Effect, For, Syscall, table};

/// A thing that the time of threads is spent on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Activity {
    /// The time between calls, on a CPU as far as is known.
    Computing,
    /// In a call: on a CPU, if waits were measured.
    InCall(CallOn),
    /// In a call whose waits were not measured, because tracing began or ended during the call.
    Unmeasured(CallOn),
    /// Asleep in a call, and who ended that.
    Asleep(CallOn, WaitKind, Option<Waker>),
    /// Not on a CPU, and not because of a call. Blocked: a page of memory had to come.
    Off(WaitKind),
    /// Stopped by Stride between calls, so that its stack could be read.
    Held,
    /// For a request: the thread that answers it worked for other requests.
    Busy,
    /// For a request: what its thread did is not known any more.
    Unknown,
    /// Everything that came when there was no room for more.
    Other,
}

impl Activity {
    /// The call, if the thread is in one.
    pub fn call(&self) -> Option<&CallOn> {
        match self {
            Activity::InCall(on) | Activity::Unmeasured(on) | Activity::Asleep(on, ..) => Some(on),
            _ => None,
        }
    }
}

/// A syscall, and the thing that it is about, if others have to do something with that thing before the call can go on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallOn {
    pub abi: Abi,
    pub nr: u64,
    pub object: Option<ObjectId>,
}

impl CallOn {
    /// `None` for a number without a call.
    pub fn row(&self) -> Option<&'static Syscall> {
        table(self.abi).get(self.nr).map(|entry| entry.row)
    }

    /// The call waits for its turn with the thing. (Of all that fcntl(2) does, only taking a lock has a thing: [`call_on`].)
    pub fn waits_for_turn(&self) -> bool {
        let of_fcntl = |row: &Syscall| row.has_effect(Effect::ControlsDescriptor) && self.object.is_some();
        self.row().is_some_and(|row| row.may_wait().or(row.waits()) == Some(For::Turn) || of_fcntl(row))
    }
}

/// Threads of one process with one name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Party {
    pub pid: Tid,
    pub comm: Box<[u8]>,
}

/// The time of a thread so far.
#[derive(Default)]
pub(super) struct ThreadTime {
    /// The end of the time that is accounted for.
    until: Option<Ns>,
    pub(super) party: u32,
    /// The call that it is in, and since when.
    in_call: Option<(Ns, ActivityId)>,
    pub(super) spent: Vec<(ActivityId, Ns)>,
    /// The time between calls, and the part of it that was not on a CPU.
    between: Ns,
    /// The part of it in which Stride held the thread.
    held: Ns,
    off: WaitTimes,
    /// Calls that returned.
    pub(super) calls: u64,
}

/// All of these activities.
pub(super) fn whole(parts: &[(ActivityId, Ns)]) -> Vec<(ActivityId, f64)> {
    parts.iter().map(|(id, part)| (*id, *part as f64)).collect()
}

/// Things by number, up to a limit. Further things have the number of the first one.
pub(super) struct Interned<T> {
    ids: FxHashMap<T, u32>,
    pub(super) things: Vec<T>,
}

impl<T: Clone + Eq + Hash> Interned<T> {
    fn new(first: T) -> Interned<T> {
        Interned { ids: FxHashMap::from_iter([(first.clone(), 0)]), things: vec![first] }
    }

    fn knows(&self, thing: &T) -> bool {
        self.ids.contains_key(thing)
    }

    pub(super) fn id(&mut self, thing: T) -> u32 {
        if let Some(&id) = self.ids.get(&thing) {
            return id;
        }
        if self.things.len() >= MAX_THINGS {
            return 0;
        }
        let id = self.things.len() as u32;
        self.ids.insert(thing.clone(), id);
        self.things.push(thing);
        id
    }
}

/// Calls that slept; if that was not measured, all of a kind.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CallCount {
    pub calls: u64,
    /// Those that a signal ended.
    pub interrupted: u64,
}

impl AddAssign for CallCount {
    fn add_assign(&mut self, other: CallCount) {
        self.calls += other.calls;
        self.interrupted += other.interrupted;
    }
}

const MAX_THINGS: usize = 1 << 16;
/// So many processes of one name are told apart.
const MOST_OF_NAME: u32 = if cfg!(test) { 1 << 3 } else { 1 << 10 };
const MAX_THREADS: usize = 1 << 17;

/// The times of all threads.
pub struct Spent {
    /// Those that made a call or ended. (Boxed, because a table has many empty places.)
    pub(super) threads: FxHashMap<Tid, Box<ThreadTime>>,
    pub(super) activities: Interned<(u32, Activity)>,
    /// By activity, of those in calls.
    pub(super) counts: Vec<CallCount>,
    pub(super) parties: Interned<Party>,
    /// The number of parties of each name.
    names: FxHashMap<Box<[u8]>, u32>,
    /// By party, the threads that had the CPU last for which its threads waited.
    pub(super) takers: FxHashMap<(u32, Option<Party>), Ns>,
    pub(super) wakers: Wakers,
    pub(super) sleeping_calls: SleepingCalls,
    /// The engine measured waits.
    pub(super) measured: bool,
}

impl Default for Spent {
    fn default() -> Spent {
        Spent {
            threads: FxHashMap::default(),
            activities: Interned::new((0, Activity::Other)),
            counts: Vec::new(),
            takers: FxHashMap::default(),
            wakers: Wakers::default(),
            sleeping_calls: SleepingCalls::default(),
            parties: Interned::new(Party { pid: 0, comm: Box::default() }),
            names: FxHashMap::default(),
            measured: false,
        }
    }
}

impl Spent {
    /// Handles an event that the tracker has taken in. ([`crate::Causes`] hands on what it needs of each event itself.)
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        match *event {
            Event::Started { tid, at, .. } => self.begins(tid, at, tracker),
            Event::Enter(call) => {
                if let Some(wait) = tracker.wait(call.tid) {
                    self.entered(call, &wait.seen, tracker);
                }
            }
            Event::Exit(call) => {
                if let Some(seen) = tracker.seen() {
                    self.returned(call, seen, tracker);
                }
            }
            Event::Detached { tid, call, at } => self.detached(tid, call, at, tracker),
            Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. } => self.ends(tid, at, None, tracker),
            _ => {}
        }
    }

    /// A thread begins. It may have an id that another one had.
    pub fn begins(&mut self, tid: Tid, at: Ns, tracker: &Tracker) {
        let party = self.threads.contains_key(&tid).then(|| self.party(tid, tracker));
        if let Some((time, party)) = self.threads.get_mut(&tid).zip(party) {
            (time.until, time.in_call, time.party) = (known(at), None, party);
        }
    }

    /// The party of a thread, whose entry is made if there is none yet. `None`: there is no room for the thread.
    fn party_of(&mut self, tid: Tid, tracker: &Tracker) -> Option<u32> {
        if let Some(time) = self.threads.get(&tid) {
            return Some(time.party);
        }
        if self.threads.len() >= MAX_THREADS {
            return None;
        }
        let party = self.party(tid, tracker);
        let until = tracker.thread(tid).and_then(|thread| known(thread.started));
        self.threads.insert(tid, Box::new(ThreadTime { until, party, ..ThreadTime::default() }));
        Some(party)
    }

    pub(super) fn party(&mut self, tid: Tid, tracker: &Tracker) -> u32 {
        let thread = tracker.thread(tid);
        let party = thread.map(|thread| Party { pid: thread.pid, comm: thread.comm.as_slice().into() });
        let party = party.unwrap_or(Party { pid: tid, comm: Box::default() });
        if self.parties.knows(&party) {
            return self.parties.id(party);
        }
        // A shell may start a program ten thousand times. There is no room to tell of each, so the time of further ones is that of their name.
        let of_name = self.names.entry(party.comm.clone()).or_default();
        *of_name = of_name.saturating_add(1);
        let is_further = *of_name > MOST_OF_NAME;
        self.parties.id(if is_further { Party { pid: 0, ..party } } else { party })
    }

    /// A call has returned. Returns the activity of a thread that waits in the call.
    pub fn returned(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) -> ActivityId {
        let on = call_on(call, seen, tracker);
        let (from, to) = (call.began(), call.returned);
        let Some(party) = self.party_of(call.tid, tracker) else { return 0 };
        let followed_on = self.threads.get(&call.tid).is_some_and(|time| time.calls > 0);
        let in_call = self.activities.id((party, in_call(call, on, followed_on, tracker)));
        let (parts, asleep) = self.off_cpu(party, on, call);
        self.count(in_call, call);
        let Some(time) = self.threads.get_mut(&call.tid) else { return 0 };
        time.between += from.saturating_sub(time.until.unwrap_or(from));
        time.held = time.held.saturating_add(call.held);
        time.off += call.waits.as_deref().map(|waits| waits.before).unwrap_or_default();
        let since = time.until.unwrap_or(from).max(from);
        add_call(&mut time.spent, in_call, to.saturating_sub(since), &parts);
        if let Some(asleep) = asleep {
            self.sleeping_calls.note(asleep, in_call, to.saturating_sub(since), &parts);
        }
        time.until = Some(to.max(since));
        time.in_call = None;
        time.calls += 1;
        if seen.row.is_some_and(names_thread) {
            self.renamed(call.tid, tracker);
        }
        asleep.unwrap_or(in_call)
    }

    /// The activities of a call's thread while it is off its CPUs, with their times, and the one that is a sleep for something else than a disk.
    pub(super) fn off_cpu(
        &mut self,
        party: u32,
        on: CallOn,
        call: &Call,
    ) -> (Vec<(ActivityId, Ns)>, Option<ActivityId>) {
        let waits = call.waits.as_deref();
        self.measured |= waits.is_some();
        if let Some(waits) = waits {
            self.note_taker(party, waits);
        }
        let (mut parts, mut asleep) = (Vec::new(), None);
        for (kind, time) in waits.into_iter().flat_map(|waits| waits.in_call.parts()) {
            let waker = waits.and_then(|waits| waits.longest).filter(|longest| longest.kind == kind);
            let waker = waker.and_then(|longest| longest.waker).map(|waker| self.wakers.note(party, waker));
            let activity = if kind.is_sleep() { Activity::Asleep(on, kind, waker) } else { Activity::Off(kind) };
            let id = self.activities.id((party, activity));
            if kind == WaitKind::Blocked {
                asleep = Some(id);
            }
            if kind.is_sleep() {
                self.count(id, call);
            }
            parts.push((id, time));
        }
        (parts, asleep)
    }

    fn note_taker(&mut self, party: u32, waits: &CallWaits) {
        let runnable = |times: &WaitTimes| times.of(WaitKind::Runnable);
        for (time, taker) in [(runnable(&waits.in_call), waits.taker), (runnable(&waits.before), waits.taker_before)] {
            let taker = taker.and_then(|taker| match taker {
                Taker::Thread(thread) => Some(Party { pid: thread.process, comm: thread.name().into() }),
                Taker::Hidden => None,
            });
            let key = (party, taker);
            if time > 0 && (self.takers.len() < MAX_THINGS || self.takers.contains_key(&key)) {
                *self.takers.entry(key).or_default() += time;
            }
        }
    }

    pub(super) fn count(&mut self, id: ActivityId, call: &Call) {
        let place = id as usize;
        if self.counts.len() <= place {
            self.counts.resize(place + 1, CallCount::default());
        }
        self.counts[place].calls += 1;
        // (The result of a call that never waits may be any number.)
        let waits = || table(call.abi).get(call.nr).is_some_and(|it| it.row.may_wait().or(it.row.waits()).is_some());
        self.counts[place].interrupted += u64::from(call.outcome.is_interruption() && waits());
    }

    /// The thread may have another name. The time that it computed before stays with the old one.
    fn renamed(&mut self, tid: Tid, tracker: &Tracker) {
        let party = self.party(tid, tracker);
        if self.threads.get(&tid).is_some_and(|time| time.party != party) {
            self.settle(tid);
            self.threads.entry(tid).and_modify(|time| time.party = party);
        }
    }

    /// A call begins that may last.
    pub fn entered(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) {
        let Some(party) = self.party_of(call.tid, tracker) else { return };
        let on = call_on(call, seen, tracker);
        // It may never return.
        let activity = if call.waits.is_some() { Activity::InCall(on) } else { Activity::Unmeasured(on) };
        let id = self.activities.id((party, activity));
        if let Some(time) = self.threads.get_mut(&call.tid) {
            let from = time.until.unwrap_or(call.began()).max(call.began());
            time.in_call = Some((from, id));
        }
    }

    /// Tracing leaves a thread, which may be in a call.
    pub fn detached(&mut self, tid: Tid, call: Option<&Call>, at: Ns, tracker: &Tracker) {
        // (The call may be told only now.)
        if let Some((call, wait)) = call.zip(tracker.wait(tid)) {
            self.entered(call, &wait.seen, tracker);
        }
        self.ends(tid, at, call, tracker);
    }

    /// Nothing more will be known of a thread. `left`: the call that it is in, if tracing ends.
    pub fn ends(&mut self, tid: Tid, at: Ns, left: Option<&Call>, tracker: &Tracker) {
        self.party_of(tid, tracker);
        let waits = left.and_then(|call| call.waits.as_deref());
        let entered = self.threads.get(&tid).and_then(|time| time.in_call);
        let parts = match entered.map(|(_, id)| self.activities.things[id as usize]) {
            Some((party, Activity::InCall(on) | Activity::Unmeasured(on))) => {
                left.map_or(Vec::new(), |call| self.off_cpu(party, on, call).0)
            }
            _ => Vec::new(),
        };
        let Some(time) = self.threads.get_mut(&tid) else { return };
        let Some(until) = time.until.take() else { return };
        time.held = time.held.saturating_add(left.map_or(0, |call| call.held));
        time.off += waits.map(|waits| waits.before).unwrap_or_default();
        match time.in_call.take() {
            Some((from, id)) => {
                time.between += from.saturating_sub(until);
                add_call(&mut time.spent, id, at.saturating_sub(from), &parts);
            }
            None => time.between += at.saturating_sub(until),
        }
        self.settle(tid);
    }

    /// Adds the time between calls to the thread's activities.
    pub(super) fn settle(&mut self, tid: Tid) {
        let Some(time) = self.threads.get_mut(&tid) else { return };
        let (party, mut rest) = (time.party, std::mem::take(&mut time.between));
        let (held, off) = (std::mem::take(&mut time.held).min(rest), std::mem::take(&mut time.off));
        rest -= held;
        let mut spend = |activity, part| {
            if part > 0 {
                add(&mut time.spent, self.activities.id((party, activity)), part);
            }
        };
        spend(Activity::Held, held);
        parts_within(&mut rest, off.parts()).for_each(|(kind, part)| spend(Activity::Off(kind), part));
        spend(Activity::Computing, rest);
    }
}

/// The activity of a thread that does not sleep in a call. `followed_on`: it made a call before.
pub(super) fn in_call(call: &Call, on: CallOn, followed_on: bool, tracker: &Tracker) -> Activity {
    // A thread that was attached to may have been asleep, which was not measured.
    let attached = || tracker.thread(call.tid).is_some_and(|thread| thread.attached);
    let known = call.waits.is_some() || followed_on || !attached();
    if known { Activity::InCall(on) } else { Activity::Unmeasured(on) }
}

/// The thing is named only if others have to do something with it before the call can go on: pipes and sockets, and files for whose locks the call waits.
pub(super) fn call_on(call: &Call, seen: &Seen, tracker: &Tracker) -> CallOn {
    let needs_others = |object: ObjectId, row: &Syscall| {
        row.may_wait().is_some()
            || row.transfer().is_some() && tracker.kind(object) != ObjectKind::Path
            || takes_file_lock(call, row) == Some(true)
    };
    let object = seen.object.filter(|&object| seen.row.is_some_and(|row| needs_others(object, row)));
    CallOn { abi: call.abi, nr: call.nr, object: object.map(|object| tracker.group(object)) }
}

/// A time, unless it is that of a start that Stride did not see.
fn known(at: Ns) -> Option<Ns> {
    (at > 0).then_some(at)
}

#[cfg(test)]
#[path = "spent_tests.rs"]
mod tests;
