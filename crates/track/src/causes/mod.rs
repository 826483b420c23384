//! The calls of other threads that end a thread's waits: wait4 and exit, a pipe's read and write, futex wait and wake, a lock's taker and
//! the one that gave it back.
//!
//! Calls come in the order of their returns, and the call that wakes a thread often returns after the woken one. So a
//! wait without a cause is kept until the next action that may be it.

pub(crate) mod apart;
pub(crate) mod chains;
pub(crate) mod critical_path;
pub(crate) mod ended_wait;
pub(crate) mod families;
pub(crate) mod hand_over;
pub(crate) mod path_parts;
pub(crate) mod requests;
pub(crate) mod shares;
pub(crate) mod spent;
mod wakers;

use crate::causes::critical_path::{CriticalPath, Timelines};
use crate::causes::ended_wait::EndedWait;
use crate::causes::hand_over::{HandOvers, HandedOver, Way};
use crate::causes::path_parts::ActivityId;
use crate::causes::shares::TimeSpent;
use crate::causes::spent::Spent;
use crate::file_locks::takes_file_lock;
use crate::{FileId, Futex, ObjectId, ObjectKind, Seen, Tracker};
use rustc_hash::FxHashMap;
use stride_event::{Call, Event, Interrupt, NamedThread, Ns, Outcome, StartKind, Tid, Waker};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, For, Syscall};

/// Something that one thread does and another waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Channel {
    /// Bytes moved through this open file, or its last descriptor was closed.
    Moved(FileId),
    /// A futex word was changed. The process is 0 where processes share the memory.
    Word(Tid, u64),
    /// A child of this process ended.
    Children(Tid),
    /// This thread ended, and the kernel cleared its word, for which a thread of the process may wait.
    Cleared(Tid, u64),
    /// The child of vfork(2) executed its program, or ended.
    Released(Tid),
    /// A process locked this file, or gave its lock back: flock(2).
    Locked(ObjectId),
    /// A process changed the semaphores of this System V id.
    Semaphores(u64),
}

/// A call that ends waits, or a call that waits.
#[derive(Clone, Copy)]
struct Interval {
    tid: Tid,
    pid: Tid,
    from: Ns,
    to: Ns,
    /// The thing that a thread waits for, if another thread hands that thing over.
    way: Option<Way>,
    /// The activity that the time of a waiting thread counts as.
    activity: ActivityId,
    /// The thing that ended a wait, if that is known without another event.
    woken: Option<Woken>,
}

/// The thing that ended a wait, as the engine measured, or as the call says.
#[derive(Clone, Copy)]
enum Woken {
    /// A thread, its process, and when.
    Thread(Tid, Tid, Ns),
    Timer,
}

impl Interval {
    fn of(call: &Call, seen: &Seen) -> Interval {
        Interval { from: call.began(), ..Interval::at(call.tid, seen.pid, call.returned) }
    }

    fn at(tid: Tid, pid: Tid, at: Ns) -> Interval {
        Interval { tid, pid, from: at, to: at, way: None, activity: 0, woken: None }
    }

    /// True if this action of another thread began during the wait.
    fn ends(&self, wait: &Interval) -> bool {
        self.tid != wait.tid && (wait.from..=wait.to).contains(&self.from)
    }
}

#[derive(Default)]
struct State {
    latest: Option<Interval>,
    /// Waits that have ended, and the latest action that may have ended each. A later one may be seen only now.
    waiting: Vec<(Interval, Option<Interval>)>,
}

/// So many channels are followed at once; beyond that, all start anew.
const MAX_CHANNELS: usize = 1 << 17;
/// Threads that were woken at one channel and whose waker is not known yet.
const MAX_WAITING: usize = 16;
/// Calls that may wait for something unknown did wait if they took so long.
const LONG: Ns = 50_000;
/// A program that has learned from poll(2) that a descriptor is ready uses it within so many calls.
const USES_WITHIN: u8 = 4;

#[derive(Default)]
pub struct Causes {
    channels: FxHashMap<Channel, State>,
    ended_waits: EndedWaits,
    /// The wait of a thread for descriptors that are ready now, and how many calls it may make until it uses one.
    ready: FxHashMap<Tid, (Interval, u8)>,
    /// The thread that ends its process, and when it began to, by process.
    exiting: FxHashMap<Tid, (Tid, Ns)>,
    /// The call of each thread that did not return.
    cut: FxHashMap<Tid, Interval>,
    /// The thread whose end was the event before: its files go with the next event.
    ended: Option<Interval>,
}

impl Causes {
    /// Handles an event that the tracker has taken in.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        if let Some(ended) = self.ended.take() {
            tracker.gone_files().iter().for_each(|file| self.note_action(Channel::Moved(*file), ended));
        }
        match *event {
            Event::Started { tid, origin, at, .. } => {
                let parent = if let StartKind::Forked { parent } = origin { Some(parent) } else { None };
                self.ended_waits.timelines.begins(tid, parent, at);
                self.ended_waits.spent.event(event, tracker);
            }
            Event::Enter(_) | Event::Detached { .. } => self.ended_waits.spent.event(event, tracker),
            Event::Exit(call) => {
                if let Some(seen) = tracker.seen() {
                    self.returned(call, seen, tracker);
                }
            }
            Event::Exited { tid, at, .. } => self.ends(tid, at, false, tracker),
            Event::Killed { tid, at, .. } => self.ends(tid, at, true, tracker),
            _ => {}
        }
    }

    /// The threads that the run waited for, as far as the events show them.
    pub fn critical_path(&mut self) -> CriticalPath {
        for (_, state) in std::mem::take(&mut self.channels) {
            state.waiting.into_iter().for_each(|(wait, by)| self.ended_waits.add(wait, by));
        }
        self.ended_waits.timelines.critical_path()
    }

    /// Where the time went. Complete after [`Causes::critical_path`], whose result `path` is.
    pub fn spent(&mut self, path: &CriticalPath) -> TimeSpent {
        self.ended_waits.spent.report(path.is_of_run().then_some(path))
    }

    /// How parked threads woke each other. Complete after [`Causes::critical_path`].
    pub fn hand_overs(&self) -> &HandOvers {
        &self.ended_waits.hand_overs
    }

    fn returned(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) {
        let activity = self.ended_waits.spent.returned(call, seen, tracker);
        let Some(row) = seen.row else { return };
        if row.has_effect(Effect::Exits) && self.exiting.len() < MAX_CHANNELS {
            self.exiting.insert(seen.pid, (call.tid, call.began()));
        }
        if matches!(call.outcome, Outcome::Gone | Outcome::Pending) {
            if self.cut.len() < MAX_CHANNELS {
                self.cut.insert(call.tid, Interval { activity, ..Interval::of(call, seen) });
            }
        } else {
            self.ended_waits.timelines.seen(call.tid, call.returned);
        }
        let Outcome::Value(value) = call.outcome else {
            // The time of the wait ran out: the thread has slept.
            if row.waits() == Some(For::Lock) && call.outcome == Outcome::Error(c::ETIMEDOUT as u32) {
                let slept = Interval { activity, woken: Some(Woken::Timer), ..Interval::of(call, seen) };
                self.ended_waits.add(slept, None);
            }
            return;
        };
        // (A child that was killed wakes its parent, too, but the sender of the signal is the cause. The events tell that.)
        let of_child = matches!(row.waits(), Some(For::Child | For::Signal));
        let woken = if of_child { None } else { self.ended_waits.woken(call) };
        let mut now = Interval { activity, woken, ..Interval::of(call, seen) };
        if let Some((wait, calls)) = self.ready.get_mut(&call.tid) {
            *calls -= 1;
            if seen.bytes.is_some() && woken.is_none() {
                (now.from, now.activity) = (wait.from, wait.activity);
            }
            if *calls == 0 || seen.bytes.is_some() {
                self.ready.remove(&call.tid);
            }
        }
        if seen.bytes.is_some() {
            self.moved(now, Interval::of(call, seen), seen, tracker);
            return;
        }
        if row.has_effect(Effect::Executes) {
            self.note_action(Channel::Released(call.tid), now);
        } else if row.has_effect(Effect::Forks) {
            // The parent waits only in vfork(2): otherwise it returns before its child executes anything.
            self.note_wait(Channel::Released(value as Tid), now);
        }
        match row.waits() {
            Some(For::Lock) if row.has_effect(Effect::Wakes) => self.futex(call, value, seen, now),
            Some(For::Child | For::Signal) => self.note_wait(Channel::Children(seen.pid), now),
            // (A measured wait needs no other event that tells of its cause.)
            Some(For::Readiness) if value > 0 && woken.is_none() => {
                self.ended_waits.add(now, None);
                // A program with an event loop learns of its child's end through a descriptor.
                let ended = self.channels.get(&Channel::Children(seen.pid)).and_then(|state| state.latest);
                if ended.is_some_and(|end| end.ends(&now)) {
                    self.note_wait(Channel::Children(seen.pid), now);
                } else if self.ready.len() < MAX_CHANNELS {
                    self.ready.insert(call.tid, (now, USES_WITHIN));
                }
            }
            _ if row.may_wait() == Some(For::Peer) => self.ended_waits.add(now, None),
            _ if row.may_wait() == Some(For::Turn) || row.has_effect(Effect::ControlsDescriptor) => {
                self.turn(call, row, seen, now);
            }
            Some(For::Time) => {
                self.ended_waits.add(Interval { woken: woken.or(Some(Woken::Timer)), ..now }, None);
            }
            Some(For::Readiness) if woken.is_some() => {
                self.ended_waits.add(Interval { way: Some(Way::Readiness), ..now }, None);
            }
            _ if woken.is_some() => self.ended_waits.add(now, None),
            _ => {}
        }
        // No thread waits for bytes of a file with a path.
        let of_path = || seen.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Path);
        // Its locks go with it.
        if let Some(locked) = seen.ended.and(seen.object).map(Channel::Locked)
            && self.channels.contains_key(&locked)
        {
            self.note_action(locked, now);
        }
        if let Some(file) = seen.ended.filter(|_| !(row.has_effect(Effect::Closes) && of_path())) {
            self.note_action(Channel::Moved(file), now);
        }
    }

    /// Bytes moved through a pipe or the like, of which this thread has one end.
    fn moved(&mut self, wait: Interval, action: Interval, seen: &Seen, tracker: &Tracker) {
        let Some((file, object)) = seen.file.zip(seen.object) else { return };
        let kind = tracker.kind(object);
        let other = match kind {
            ObjectKind::Pipe | ObjectKind::Socket => tracker.other_end(file),
            // An eventfd(2) is both ends.
            ObjectKind::Anonymous => Some(file),
            _ => return,
        };
        let Some(other) = other else { return self.ended_waits.add(wait, None) };
        let way = match kind {
            ObjectKind::Pipe => Some(Way::Pipe),
            ObjectKind::Anonymous => Some(Way::Counter),
            _ => None,
        };
        self.note_wait(Channel::Moved(other), Interval { way, ..wait });
        self.note_action(Channel::Moved(file), action);
    }

    fn futex(&mut self, call: &Call, value: i64, seen: &Seen, now: Interval) {
        let (args, word) = (&call.args, call.args[0]);
        let pid = if Futex::is_private(args) { seen.pid } else { 0 };
        match Futex::of(args) {
            Some(Futex::Wake) if value > 0 || args[1] & c::FUTEX_UNLOCK_PI == c::FUTEX_UNLOCK_PI => {
                self.note_action(Channel::Word(pid, word), now);
            }
            Some(Futex::Wake) | None => {}
            Some(_) if Futex::may_join(args).is_some() => self.note_wait(Channel::Cleared(seen.pid, word), now),
            Some(operation) => {
                let way = operation.parks(args).then_some(Way::Parked);
                self.note_wait(Channel::Word(pid, word), Interval { way, ..now });
            }
        }
    }

    /// Locks of files, and System V semaphores.
    fn turn(&mut self, call: &Call, row: &Syscall, seen: &Seen, now: Interval) {
        let Some((channel, turn)) = Turn::of(call, row, seen) else { return };
        let now = Interval { way: Some(Way::Lock), ..now };
        match turn {
            // (Only one thread is woken for a semaphore.)
            Turn::Takes if matches!(channel, Channel::Semaphores(_)) && now.woken.is_some() => {
                self.ended_waits.add(now, None);
            }
            Turn::Takes => self.note_wait(channel, now),
            Turn::GivesBack => self.note_action(channel, now),
        }
    }

    fn ends(&mut self, tid: Tid, at: Ns, killed: bool, tracker: &Tracker) {
        self.ended_waits.timelines.seen(tid, at);
        self.ended_waits.spent.ends(tid, at, None, tracker);
        self.ready.remove(&tid);
        let cut = self.cut.remove(&tid);
        let Some(thread) = tracker.thread(tid) else { return };
        let pid = thread.pid;
        // The thread that ends the process also ends the waits of the others.
        if let Some(cut) = cut
            && let Some(&(by, began)) = self.exiting.get(&pid)
        {
            let (wait, action) = (Interval { to: at, ..cut }, Interval::at(by, pid, began));
            if action.ends(&wait) {
                self.ended_waits.add(wait, Some(action));
            }
        }
        if let Some(word) = thread.cleared_at_end {
            self.note_action(Channel::Cleared(pid, word), Interval::at(tid, pid, at));
        }
        let Some(process) = tracker.process(pid).filter(|process| process.threads <= 1) else { return };
        // Other threads of the process end because this one ends the process.
        let by = self.exiting.remove(&pid).map_or(tid, |(by, _)| by);
        let end = Interval::at(by, pid, at);
        self.ended_waits.timelines.seen(by, at);
        self.note_action(Channel::Released(pid), end);
        match process.parent {
            // The sender of the signal ended the parent's wait, not the killed process.
            Some(_) if killed => {}
            Some(parent) => self.note_action(Channel::Children(parent), end),
            None => self.ended_waits.timelines.root_ended(by, at),
        }
        self.ended = Some(end);
    }

    fn state(&mut self, channel: Channel) -> &mut State {
        if self.channels.len() >= MAX_CHANNELS && !self.channels.contains_key(&channel) {
            self.channels.clear();
        }
        self.channels.entry(channel).or_default()
    }

    fn note_action(&mut self, channel: Channel, action: Interval) {
        let state = self.state(channel);
        state.latest = Some(action);
        for (wait, before) in std::mem::take(&mut state.waiting) {
            self.ended_waits.add(wait, if action.ends(&wait) { Some(action) } else { before });
        }
    }

    fn note_wait(&mut self, channel: Channel, wait: Interval) {
        if wait.woken.is_some() && wait.way != Some(Way::Lock) {
            return self.ended_waits.add(wait, None);
        }
        let state = self.state(channel);
        let action = state.latest.filter(|action| action.ends(&wait));
        if state.waiting.len() < MAX_WAITING {
            state.waiting.push((wait, action));
        } else {
            self.ended_waits.add(wait, action);
        }
    }
}

/// A call's part in handing over a thing that one process has at a time.
enum Turn {
    Takes,
    GivesBack,
}

impl Turn {
    fn of(call: &Call, row: &Syscall, seen: &Seen) -> Option<(Channel, Turn)> {
        let of = |gives_back| if gives_back { Turn::GivesBack } else { Turn::Takes };
        if let Some(takes) = takes_file_lock(call, row) {
            return Some((seen.file.and(seen.object).map(Channel::Locked)?, of(!takes)));
        }
        // Each operation of semop(2): the semaphore's number, what is added to it, and flags.
        let first: [u8; 4] = call.bytes("sops", 4).try_into().ok()?;
        let added = i16::from_ne_bytes([first[2], first[3]]);
        Some((Channel::Semaphores(call.arg("semid")?), of(added > 0)))
    }
}

/// Waits of which it is known who ended them.
#[derive(Default)]
struct EndedWaits {
    timelines: Timelines,
    hand_overs: HandOvers,
    spent: Spent,
}

impl EndedWaits {
    /// The traced thread, or the timer, that ended the longest sleep in a call, if the engine measured that.
    fn woken(&self, call: &Call) -> Option<Woken> {
        match call.woken_by()? {
            (Waker::Thread(NamedThread { tid, process, .. }, _), at) => {
                (tid != call.tid && self.timelines.knows(tid)).then_some(Woken::Thread(tid, process, at))
            }
            (Waker::Interrupt(Interrupt::Timer), _) => Some(Woken::Timer),
            (Waker::Interrupt(_) | Waker::Hidden, _) => None,
        }
    }

    fn add(&mut self, wait: Interval, by: Option<Interval>) {
        let by = match wait.woken {
            // A lock is had after the last unlock. Whoever ended the longest sleep may have waited for the lock, too.
            _ if wait.way == Some(Way::Lock) && by.is_some() => by,
            Some(Woken::Thread(tid, pid, at)) => Some(Interval::at(tid, pid, at)),
            Some(Woken::Timer) => None,
            None => by,
        };
        if by.is_none() && wait.to - wait.from < LONG {
            return;
        }
        let ended_by = by.map(|action| (action.tid, action.from));
        let ended = EndedWait { from: wait.from, to: wait.to, activity: wait.activity, by: ended_by };
        self.timelines.waited(wait.tid, ended);
        let Some(action) = by else { return };
        if let Some(way) = wait.way {
            let (waiter, waker) = ((wait.tid, wait.pid), (action.tid, action.pid));
            self.hand_overs.add(HandedOver { waiter, waker, way }, wait.from, wait.to);
        }
    }
}

#[cfg(test)]
mod tests;
