//! The counts that all rules share: how often each call was made about each thing, and the files that are open.

pub use crate::counts::by_thread::CallCost;
use crate::counts::by_thread::KindTally;
use crate::counts::kinds::{CallKind, may_wait};
pub use crate::counts::observed::{Observed, Pace};
pub use crate::counts::open_file::{OpenFile, Transfers};
pub use crate::counts::tallies::CallKey;
use crate::counts::tallies::Tallies;
use rustc_hash::FxHashMap;
use stride_event::{Call, Event, LibraryCall, LibraryPart, Ns, Outcome, RingUse, Tid};
use stride_syscalls::{Abi, Effect, For};
use stride_track::{Causes, CriticalPath, FileId, HandOvers, Seen, TimeSpent, Tracker};

/// The nanoseconds that a byte takes at most, with the faults of the pages that it goes to.
const SLOWEST_BYTE: f64 = 2.0;

/// The usual duration of a syscall. Without this limit, one call out of thousands would look the dearest because its
/// thread lost its CPU or met a cold cache.
#[derive(Clone, Copy, Default)]
struct Usual {
    calls: u64,
    mean: f64,
}

impl Usual {
    /// The usual part of a call's time: at most eight times the mean of the calls before it, and the time that so many
    /// bytes take. If more than one call in eight takes longer, the long time becomes the usual one.
    fn of(&mut self, time: Ns, bytes: u64) -> Ns {
        const FIRST: u64 = 16;
        let most = if self.calls < FIRST { f64::MAX } else { 8.0 * self.mean.max(100.0) };
        let usual = (time as f64).min(most);
        self.calls += 1;
        self.mean += (usual - self.mean) / self.calls as f64;
        (time as f64).min(most + bytes as f64 * SLOWEST_BYTE) as Ns
    }
}

/// A thread's pace, and the call that it made last.
#[derive(Clone, Copy)]
struct Step {
    pace: Pace,
    key: CallKey,
}

/// The part of the events that Stride could see.
#[derive(Clone, Copy, Default, Debug)]
pub struct Scope {
    /// Threads and processes that tracees start are traced as well, and so are all threads of an attached process
    /// (`-f`).
    pub follows: bool,
    /// Filters left calls out before Stride saw them.
    pub partial: bool,
    /// Operations of io_uring are reported.
    pub operations: bool,
}

#[derive(Default)]
pub struct Index {
    pub scope: Scope,
    pub calls: u64,
    pub time: Ns,
    /// Lost calls of which a later event of their thread tells.
    told_losses: u64,
    /// Calls were lost, and no event tells of which threads: these threads may have returned from the calls in which they seem to be.
    pub has_untold_losses: bool,
    /// Threads and processes that were started and are not traced.
    pub unfollowed: u64,
    pub first: Option<Ns>,
    pub last: Ns,
    tallies: Tallies,
    causes: Causes,
    path: CriticalPath,
    /// Where the time went. Empty until the end.
    pub(super) account: TimeSpent,
    rings: RingUse,
    open: FxHashMap<FileId, OpenFile>,
    paces: FxHashMap<Tid, Step>,
    /// By ABI and number. Unknown numbers have no entry, so the tables limit the size.
    usual: FxHashMap<(Abi, u32), Usual>,
    /// The names of processes that have ended or were left.
    comms: FxHashMap<Tid, Box<[u8]>>,
}

/// A normal run never has this many things; a hostile one may.
const MAX_OPEN: usize = 1 << 18;
const MAX_PROCESSES: usize = 1 << 17;
const MAX_THREADS: usize = 1 << 17;

impl Index {
    pub fn key(&self, call: &Call, seen: &Seen, tracker: &Tracker) -> CallKey {
        let object = seen.subject().map(|object| tracker.apart(object));
        let key = CallKey { abi: call.abi, nr: call.nr as u32, object };
        if self.tallies.has_room_for(key) { key } else { CallKey { object: None, ..key } }
    }

    pub fn new(scope: Scope) -> Index {
        Index { scope, rings: RingUse::new(scope.operations), ..Index::default() }
    }

    /// Takes out a file whose last descriptor is gone although no call closed it.
    pub fn gone(&mut self, id: FileId) -> Option<OpenFile> {
        Some(OpenFile { gone: true, ..self.open.remove(&id)? })
    }

    /// Any event, before its call is counted.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.causes.event(event, tracker);
        self.rings.event(event);
        if let Event::Library(call) = event {
            self.operated(call, tracker);
        }
        self.told_losses += match event {
            Event::Lost { count, .. } => *count,
            // Its end is the first call that was lost.
            Event::Exit(call) if call.outcome == Outcome::Gone => 1,
            _ => 0,
        };
        let (Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. }) = *event else {
            return;
        };
        let process = tracker.thread(tid).and_then(|thread| tracker.process(thread.pid));
        // The last thread need not be the first one.
        if let Some(process) = process.filter(|process| process.threads <= 1 || process.pid == tid)
            && (self.comms.len() < MAX_PROCESSES || self.comms.contains_key(&process.pid))
        {
            // (The id may have belonged to another process before.)
            self.comms.insert(process.pid, process.comm.as_slice().into());
        }
    }

    /// An operation of io_uring ended. Rules are about calls, but a file that an operation synced is on the disk.
    fn operated(&mut self, call: &LibraryCall, tracker: &Tracker) {
        let syncs = call.row().is_some_and(|row| row.effects.contains(&Effect::Syncs));
        let succeeded = call.part == LibraryPart::Returned && call.error().is_none();
        if syncs
            && succeeded
            && let Some(file) = tracker.seen().and_then(|seen| seen.file).and_then(|id| self.open.get_mut(&id))
        {
            file.syncs += 1;
        }
    }

    /// True if the program opened, closed, wrote or synced files in ways that were not seen: by operations of io_uring.
    /// Then nothing can be said about what the program left undone.
    pub fn has_unseen_operations(&self) -> bool {
        self.rings.is_unseen()
    }

    /// The name of a process, also after its end, and after it was detached from.
    pub fn comm<'a>(&'a self, pid: Tid, tracker: &'a Tracker) -> &'a [u8] {
        let gone = || self.comms.get(&pid).map_or(&b""[..], |comm| comm);
        tracker.process(pid).map_or_else(gone, |process| &process.comm)
    }

    /// Counts a call. Returns the file that the call closed.
    pub fn count(&mut self, observed: &Observed<'_>) -> Option<OpenFile> {
        let Observed { call, seen, kind, key, .. } = observed;
        let kind = *kind;
        // A call costs no more because others have the CPU.
        let time = observed.time_waiting();
        self.calls += 1;
        self.time += time;
        self.unfollowed += u64::from(!self.scope.follows && observed.ok() && observed.has(Effect::Forks));
        self.first.get_or_insert(call.began());
        self.last = self.last.max(call.returned);
        let usual = match (seen.row, call.took()) {
            (Some(_), Some(_)) => self.usual.entry((call.abi, key.nr)).or_default().of(time, seen.bytes.unwrap_or(0)),
            _ => time,
        };
        // A transfer through a pipe or a socket may wait for the other end.
        let waits = seen.bytes.is_some() && seen.object.is_some_and(|object| may_wait(object, observed.tracker));
        let tally = self.tallies.of(*key);
        if waits {
            tally.add_waiting(call.tid, usual)
        } else {
            tally.add(call.tid, usual)
        }
        self.worked(observed);
        let pace = self.step(observed, kind);
        if let Some((_, id, object)) = seen.made
            && self.open.len() < MAX_OPEN
        {
            // dup(2) only gives another number to a file that is open already.
            self.open.entry(id).or_insert_with(|| OpenFile {
                made: Some(*key),
                flags: observed.open_flags(),
                ..OpenFile::new(id, object, observed, pace)
            });
        }
        if let Some(ended) = seen.ended {
            let mut file = self.open.remove(&ended)?;
            file.closed = (kind == CallKind::Close).then_some(*key);
            return Some(file);
        }
        let id = seen.file.filter(|_| kind != CallKind::Close)?;
        if !self.open.contains_key(&id) && self.open.len() >= MAX_OPEN {
            return None;
        }
        let object = seen.object.unwrap_or_default();
        let file = self.open.entry(id).or_insert_with(|| OpenFile::new(id, object, observed, pace));
        if seen.bytes.is_none() {
            file.others.count(*key);
        }
        match (kind, seen.bytes) {
            (CallKind::Seek, _) => file.seeks += 1,
            (CallKind::Sync, _) => file.syncs += 1,
            (CallKind::Write, Some(bytes)) => file.writes.count(observed, bytes, pace, true),
            (_, Some(bytes)) => file.reads.count(observed, bytes, pace, false),
            (_, None) => {}
        }
        None
    }

    /// The thread computed since its latest call, which may have brought what it computed with.
    fn worked(&mut self, observed: &Observed<'_>) {
        let Some(Step { pace, key }) = self.paces.get(&observed.call.tid) else { return };
        let off = observed.call.waits.as_deref().map_or(0, |waits| waits.before.all());
        let worked = observed.call.began().saturating_sub(pace.at).saturating_sub(off);
        let tally = self.tallies.of(*key);
        tally.work_after = tally.work_after.saturating_add(worked);
    }

    fn step(&mut self, observed: &Observed<'_>, kind: CallKind) -> Pace {
        if self.paces.len() >= MAX_THREADS {
            // Pace starts anew for all threads, as if each had waited.
            self.paces.clear();
        }
        let new = Step { pace: Pace::default(), key: observed.key };
        let Step { pace, key } = self.paces.entry(observed.call.tid).or_insert(new);
        *key = observed.key;
        pace.calls += 1;
        pace.at = observed.call.returned;
        pace.turns += u64::from(observed.row.may_wait() == Some(For::Turn));
        pace.waits += u64::from(match kind {
            CallKind::Wait => true,
            CallKind::Other => {
                observed.seen.bytes.is_some()
                    && observed.seen.object.is_some_and(|object| may_wait(object, observed.tracker))
            }
            _ => false,
        });
        *pace
    }

    /// The thread's pace, including its latest call.
    pub fn pace(&self, tid: Tid) -> Pace {
        self.paces.get(&tid).map(|step| step.pace).unwrap_or_default()
    }

    pub fn tally(&self, key: CallKey) -> CallCost {
        self.tallies.get(key).map(|tally| tally.cost).unwrap_or_default()
    }

    /// Calls of a kind that show what one of them costs.
    pub fn prices(&self, key: CallKey) -> CallCost {
        self.tallies.get(key).map(KindTally::prices).unwrap_or_default()
    }

    /// The time that threads computed after so many of these calls, until their next one, as far as the run waits for them.
    pub fn work_after(&self, key: CallKey, calls: u64) -> Ns {
        let Some(tally) = self.tallies.get(key) else { return 0 };
        let part = calls as f64 / tally.cost.calls.max(1) as f64;
        (tally.work_after as f64 * part * tally.on_path(&self.path)) as Ns
    }

    pub fn tallies(&self) -> impl Iterator<Item = (CallKey, CallCost)> {
        self.tallies.iter().map(|(key, tally)| (key, tally.cost))
    }

    /// True if the cheapest kind of call takes so long that most of the time must be that of stops (ptrace), which says nothing of the program.
    pub fn calls_are_stopped(&self) -> bool {
        const LONGEST_CHEAPEST: Ns = 3_000;
        let timed = self.tallies().filter(|(_, cost)| cost.time > 0);
        timed.map(|(_, cost)| cost.time / cost.calls.max(1)).min().is_none_or(|cheapest| cheapest > LONGEST_CHEAPEST)
    }

    /// The calls of one kind, whatever they are about.
    pub fn calls_like(&self, key: CallKey) -> impl Iterator<Item = (CallKey, u64)> {
        let is_like = move |other: &CallKey| (other.abi, other.nr) == (key.abi, key.nr);
        self.tallies().filter(move |(other, _)| is_like(other)).map(|(other, cost)| (other, cost.calls))
    }

    /// The part of the time of these calls for which the run waited, from 0 to 1.
    pub fn on_path(&self, key: CallKey) -> f64 {
        self.tallies.get(key).map_or(1.0, |tally| tally.on_path(&self.path))
    }

    /// The time for which the run waited in so many of these calls.
    pub fn price_on_path(&self, key: CallKey, calls: u64) -> f64 {
        self.prices(key).of(calls) as f64 * self.on_path(key)
    }

    /// Finds the critical path. Before this, all threads count as being on it. So many calls were lost in all.
    pub fn ends(&mut self, lost: u64) {
        self.has_untold_losses = lost > self.told_losses;
        self.path = self.causes.critical_path();
        self.account = self.causes.spent(&self.path);
    }

    /// Where the time went. Complete after [`Index::ends`].
    pub fn account(&self) -> &TimeSpent {
        &self.account
    }

    /// How parked threads woke each other.
    pub fn hand_overs(&self) -> &HandOvers {
        self.causes.hand_overs()
    }

    pub fn path(&self) -> &CriticalPath {
        &self.path
    }

    pub fn file(&self, id: FileId) -> Option<&OpenFile> {
        self.open.get(&id)
    }

    /// Files that are still open.
    pub fn open_files(&self) -> impl Iterator<Item = &OpenFile> {
        self.open.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_decode::Resolver;
    use stride_event::StartKind;

    /// Knows the name of each process.
    struct Named;

    impl Resolver for Named {
        fn comm(&self, _: Tid) -> Option<Vec<u8>> {
            Some(b"server".to_vec())
        }
    }

    #[test]
    fn processes_keep_their_names() {
        let (mut index, mut tracker) = (Index::default(), Tracker::default());
        let of = |origin, tid, process| Event::Started { tid, process, origin, at: 0 };
        // Process 4 has a second thread, which is the last one; of process 8 only a later thread was attached to.
        for event in [
            of(StartKind::Attached, 1, 1),
            of(StartKind::Attached, 2, 2),
            of(StartKind::Attached, 4, 4),
            of(StartKind::Attached, 5, 4),
            of(StartKind::Attached, 9, 8),
            Event::Exited { tid: 1, status: 0, at: 5 },
            Event::Detached { tid: 2, call: None, at: 6 },
            Event::Detached { tid: 4, call: None, at: 6 },
            Event::Detached { tid: 5, call: None, at: 7 },
            Event::Detached { tid: 9, call: None, at: 8 },
            Event::Idle,
        ] {
            tracker.event(&event, &Named);
            index.event(&event, &tracker);
        }
        for pid in [1, 2, 4, 8] {
            assert!(tracker.process(pid).is_none(), "{pid}");
            assert_eq!(index.comm(pid, &tracker), b"server", "{pid}");
        }
        assert_eq!(index.comm(9, &tracker), b"", "a thread is no process");
    }

    #[test]
    fn an_id_that_is_used_again_has_the_name_of_its_latest_process() {
        let mut index = Index::default();
        for pid in 0..MAX_PROCESSES as Tid {
            index.comms.insert(pid, (*b"before").into());
        }
        let mut tracker = Tracker::default();
        for pid in [7, MAX_PROCESSES as Tid + 7] {
            let started = Event::Started { tid: pid, process: pid, origin: StartKind::Attached, at: 0 };
            for event in [started, Event::Exited { tid: pid, status: 0, at: 5 }, Event::Idle] {
                tracker.event(&event, &Named);
                index.event(&event, &tracker);
            }
        }
        assert_eq!(index.comm(7, &tracker), b"server");
        assert_eq!(index.comms.len(), MAX_PROCESSES);
    }

    #[test]
    fn what_is_usual() {
        let mut usual = Usual::default();
        let times: u64 = (0..1000).map(|i| usual.of(if i % 100 == 99 { 10_000_000 } else { 1_000 }, 0)).sum();
        assert!((1_000_000..1_200_000).contains(&times), "ten outliers of ten milliseconds: {times}");
        let mut usual = Usual::default();
        let times: u64 = (0..1000).map(|i| usual.of(if i % 2 == 1 { 10_000_000 } else { 1_000 }, 0)).sum();
        assert!(times > 4_000_000_000, "half of them wait: {times}");
        let mut usual = Usual::default();
        let large = |i| if i % 100 == 99 { (10_000_000, 10 << 20) } else { (1_000, 100) };
        let times: u64 = (0..1000).map(large).map(|(time, bytes)| usual.of(time, bytes)).sum();
        assert!(times > 100_000_000, "ten of them move much: {times}");
    }
}
