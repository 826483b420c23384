//! What all rules share: how often each call was made about what, and what was done with each open file.

use crate::thresholds::SMALL_TRANSFER;
use rustc_hash::FxHashMap;
use stride_event::{Call, Event, Memory, Ns, Outcome, Phase, Tid};
use stride_syscalls::{Abi, table};
use stride_track::{FileId, ObjectId, ObjectKind, Seen, Tracker};

/// Calls of one kind about one thing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallKey {
    pub abi: Abi,
    pub nr: u32,
    /// The path it names, else what its descriptor refers to; clients of one port are one.
    pub about: Option<ObjectId>,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    pub calls: u64,
    /// In the call, but for what chance added to it: see [`Usual`].
    pub time: Ns,
}

/// How long a syscall usually takes. A thread that loses its CPU within a call, or meets a cold cache once, would else make one call
/// out of thousands look like the dearest.
#[derive(Clone, Copy, Default)]
struct Usual {
    calls: u64,
    mean: f64,
}

impl Usual {
    /// The time of a call, as far as it is usual: up to eight times the mean of those before it. Where more than one of eight is
    /// longer, that is what is usual.
    fn of(&mut self, time: Ns) -> Ns {
        const FIRST: u64 = 16;
        let most = if self.calls < FIRST { f64::MAX } else { 8.0 * self.mean.max(100.0) };
        let usual = (time as f64).min(most);
        self.calls += 1;
        self.mean += (usual - self.mean) / self.calls as f64;
        usual as Ns
    }
}

/// A call that returned, as rules see it.
pub struct Observed<'a> {
    pub call: &'a Call,
    pub seen: &'a Seen,
    pub name: &'static str,
    pub key: CallKey,
    pub tracker: &'a Tracker,
    /// Where it is in the trace.
    pub line: u64,
}

impl Observed<'_> {
    pub fn time(&self) -> Ns {
        self.call.returned.saturating_sub(self.call.entered)
    }

    pub fn ok(&self) -> bool {
        matches!(self.call.outcome, Outcome::Value(_))
    }

    pub fn errno(&self) -> Option<u32> {
        match self.call.outcome {
            Outcome::Error(errno) => Some(errno),
            _ => None,
        }
    }

    /// An argument by its name, 0 where there is none of it.
    pub fn arg(&self, name: &str) -> u64 {
        let Some(row) = self.seen.row else { return 0 };
        let position = row.args.iter().position(|arg| arg.name == name);
        position.map_or(0, |at| row.held(at, &self.call.args, self.call.abi))
    }
}

/// How far a thread has come.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Pace {
    pub calls: u64,
    /// Of these, the ones that may have waited for something from outside: input, a child, a while.
    pub waits: u64,
}

/// Transfers of one direction.
#[derive(Clone, Copy, Default, Debug)]
pub struct Transfers {
    pub calls: u64,
    pub bytes: u64,
    /// What the largest was asked to move: the size of the caller's buffer.
    pub buffer: u64,
    /// Those that were asked for less than a page, but more than a byte.
    pub small: Small,
    /// Those of one byte that came right after another.
    pub single: u64,
    last: Option<(Tid, Pace)>,
    /// One of them, for an example.
    pub line: u64,
    pub key: Option<CallKey>,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Small {
    pub calls: u64,
    pub bytes: u64,
    /// Moved all that they were asked to: there was more to be had.
    pub full: u64,
    pub full_bytes: u64,
    /// Came after another transfer by the same thread, which had made no other call in between, or none that may wait.
    pub in_a_row: u64,
    /// Ended with a line's end.
    pub lines: u64,
}

impl Transfers {
    fn count(&mut self, observed: &Observed<'_>, bytes: u64, pace: Pace, write: bool) {
        let asked = observed.seen.asked.unwrap_or(bytes);
        self.calls += 1;
        self.bytes += bytes;
        self.buffer = self.buffer.max(asked);
        self.line = observed.line;
        self.key = Some(observed.key);
        let by = observed.call.tid;
        let last = self.last.replace((by, pace)).filter(|(tid, _)| *tid == by).map(|(_, pace)| pace);
        let at_once = last.is_some_and(|last| last.calls + 1 == pace.calls);
        if asked == 1 && bytes == 1 && at_once {
            self.single += 1;
        }
        // What goes to stderr is not to be kept back.
        let wanted = if write { observed.seen.fd != Some(2) && asked > 0 } else { asked > 1 };
        // At an offset: here and there.
        let positional = observed.name.starts_with('p');
        if wanted && !positional && asked < SMALL_TRANSFER {
            let full = bytes == asked;
            self.small.calls += 1;
            self.small.bytes += bytes;
            self.small.full += u64::from(full);
            self.small.full_bytes += if full { bytes } else { 0 };
            self.small.in_a_row += u64::from(at_once || last.is_some_and(|last| last.waits == pace.waits));
            if write {
                let data = observed.call.blocks.prefix(Phase::Entry, observed.arg("buf"), asked as usize);
                self.small.lines += u64::from(data.len() as u64 == asked && data.ends_with(b"\n"));
            }
        }
    }
}

/// What was done with an open file, from open(2) to close(2).
#[derive(Clone, Debug)]
pub struct OpenFile {
    pub id: FileId,
    pub object: ObjectId,
    pub pid: Tid,
    /// The call that made it, if it was seen; its flags, if it was an open(2).
    pub made: Option<CallKey>,
    pub flags: u64,
    pub line: u64,
    /// The thread that made it, and how far it had come.
    pub opened: (Tid, Pace),
    pub reads: Transfers,
    pub writes: Transfers,
    pub seeks: u64,
    pub syncs: u64,
    /// The call that closed its last descriptor.
    pub closed: Option<CallKey>,
}

impl OpenFile {
    fn new(id: FileId, object: ObjectId, observed: &Observed<'_>, pace: Pace) -> OpenFile {
        OpenFile {
            id,
            object,
            pid: observed.seen.pid,
            made: None,
            flags: 0,
            line: observed.line,
            opened: (observed.call.tid, pace),
            reads: Transfers::default(),
            writes: Transfers::default(),
            seeks: 0,
            syncs: 0,
            closed: None,
        }
    }
}

#[derive(Default)]
pub struct Index {
    pub calls: u64,
    pub time: Ns,
    pub first: Option<Ns>,
    pub last: Ns,
    by_key: FxHashMap<CallKey, Tally>,
    open: FxHashMap<FileId, OpenFile>,
    paces: FxHashMap<Tid, Pace>,
    /// By ABI and number, where that is known: there are no more than the tables have.
    usual: FxHashMap<(Abi, u32), Usual>,
    /// The names of processes that are gone.
    comms: FxHashMap<Tid, Box<[u8]>>,
}

/// No run has this many things; a hostile one may. What comes after is counted without what it is about.
const MAX_KEYS: usize = 1 << 21;
const MAX_OPEN: usize = 1 << 18;
const MAX_PROCESSES: usize = 1 << 17;
const MAX_THREADS: usize = 1 << 17;

impl Index {
    pub fn key(&self, call: &Call, seen: &Seen, tracker: &Tracker) -> CallKey {
        let about = seen.about().map(|object| tracker.group(object));
        let key = CallKey { abi: call.abi, nr: call.nr as u32, about };
        if self.by_key.len() >= MAX_KEYS && !self.by_key.contains_key(&key) {
            return CallKey { about: None, ..key };
        }
        key
    }

    /// An event that is no call.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        let (Event::Exited { tid, .. } | Event::Killed { tid, .. }) = *event else { return };
        if let Some(process) = tracker.process(tid)
            && self.comms.len() < MAX_PROCESSES
        {
            self.comms.insert(tid, process.comm.as_slice().into());
        }
    }

    /// What a process is or was called.
    pub fn comm<'a>(&'a self, pid: Tid, tracker: &'a Tracker) -> &'a [u8] {
        let gone = || self.comms.get(&pid).map_or(&b""[..], |comm| comm);
        tracker.process(pid).map_or_else(gone, |process| &process.comm)
    }

    /// Counts a call. The answer is the file that it closed.
    pub fn count(&mut self, observed: &Observed<'_>) -> Option<OpenFile> {
        let Observed { call, seen, key, .. } = observed;
        let time = observed.time();
        self.calls += 1;
        self.time += time;
        self.first.get_or_insert(call.entered);
        self.last = self.last.max(call.returned);
        let tally = self.by_key.entry(*key).or_default();
        tally.calls += 1;
        tally.time += match seen.row {
            Some(_) => self.usual.entry((call.abi, key.nr)).or_default().of(time),
            None => time,
        };
        let kind = Kind::of(observed.name);
        let pace = self.step(observed, kind);
        if let Some((_, id, object)) = seen.made
            && self.open.len() < MAX_OPEN
        {
            // dup(2) gives another number to one that is there.
            self.open.entry(id).or_insert_with(|| OpenFile {
                made: Some(*key),
                flags: observed.arg("flags"),
                ..OpenFile::new(id, object, observed, pace)
            });
        }
        if let Some(ended) = seen.ended {
            let mut file = self.open.remove(&ended)?;
            file.closed = (kind == Kind::Close).then_some(*key);
            return Some(file);
        }
        let id = seen.file.filter(|_| kind != Kind::Close)?;
        if !self.open.contains_key(&id) && self.open.len() >= MAX_OPEN {
            return None;
        }
        let object = seen.object.unwrap_or_default();
        let file = self.open.entry(id).or_insert_with(|| OpenFile::new(id, object, observed, pace));
        match (kind, seen.bytes) {
            (Kind::Seek, _) => file.seeks += 1,
            (Kind::Sync, _) => file.syncs += 1,
            (Kind::Write, Some(bytes)) => file.writes.count(observed, bytes, pace, true),
            (_, Some(bytes)) => file.reads.count(observed, bytes, pace, false),
            (_, None) => {}
        }
        None
    }

    fn step(&mut self, observed: &Observed<'_>, kind: Kind) -> Pace {
        if self.paces.len() >= MAX_THREADS {
            // All seem to have waited.
            self.paces.clear();
        }
        let pace = self.paces.entry(observed.call.tid).or_default();
        pace.calls += 1;
        pace.waits += u64::from(match kind {
            Kind::Wait => true,
            Kind::Other => {
                observed.seen.bytes.is_some()
                    && observed.seen.object.is_some_and(|object| may_wait(object, observed.tracker))
            }
            _ => false,
        });
        *pace
    }

    /// How far a thread has come, with its latest call.
    pub fn pace(&self, tid: Tid) -> Pace {
        self.paces.get(&tid).copied().unwrap_or_default()
    }

    pub fn tally(&self, key: CallKey) -> Tally {
        self.by_key.get(&key).copied().unwrap_or_default()
    }

    pub fn tallies(&self) -> impl Iterator<Item = (&CallKey, &Tally)> {
        self.by_key.iter()
    }

    pub fn file(&self, id: FileId) -> Option<&OpenFile> {
        self.open.get(&id)
    }

    /// Files that are open yet.
    pub fn open_files(&self) -> impl Iterator<Item = &OpenFile> {
        self.open.values()
    }

    /// How long the run took, as far as calls tell.
    pub fn span(&self) -> Ns {
        self.last.saturating_sub(self.first.unwrap_or(self.last))
    }
}

/// Calls by what the index does with them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Close,
    Seek,
    Sync,
    Write,
    Wait,
    Other,
}

impl Kind {
    fn of(name: &str) -> Kind {
        match name {
            "close" => Kind::Close,
            "lseek" | "_llseek" => Kind::Seek,
            "fsync" | "fdatasync" => Kind::Sync,
            "accept" | "accept4" | "connect" | "poll" | "ppoll" | "select" | "pselect6" | "epoll_wait"
            | "epoll_pwait" | "epoll_pwait2" | "futex" | "nanosleep" | "clock_nanosleep" | "pause"
            | "rt_sigsuspend" | "rt_sigtimedwait" | "wait4" | "waitid" | "recvmmsg" | "io_getevents"
            | "io_uring_enter" | "flock" | "msgrcv" | "semop" | "semtimedop" | "mq_timedreceive" => Kind::Wait,
            _ if is_write(name) => Kind::Write,
            _ => Kind::Other,
        }
    }
}

/// Whether calls of a kind wait by their nature: for other threads, for messages, for a while. A connection's beginning is work.
pub fn waits_by_nature(key: CallKey) -> bool {
    let Some(entry) = table(key.abi).get(key.nr.into()) else { return false };
    match entry.row.name {
        "connect" => false,
        "sched_yield" => true,
        name => Kind::of(name) == Kind::Wait || name.starts_with("recv"),
    }
}

/// Whether a transfer goes out.
pub fn is_write(name: &str) -> bool {
    name.starts_with("write") || name.starts_with("pwrite") || name.starts_with("send") || name == "vmsplice"
}

/// Whether reading may take until somebody writes.
fn may_wait(object: ObjectId, tracker: &Tracker) -> bool {
    tracker.kind(object) != ObjectKind::Path || io(object, tracker) == Io::Terminal
}

/// What is behind a descriptor, as far as it matters for transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Io {
    File,
    Pipe,
    Socket,
    Terminal,
    /// Transfers are messages: an eventfd, what /proc shows.
    Other,
}

pub fn io(object: ObjectId, tracker: &Tracker) -> Io {
    let name = tracker.name(object);
    match tracker.kind(object) {
        ObjectKind::Pipe => Io::Pipe,
        ObjectKind::Socket => Io::Socket,
        ObjectKind::Path if name.starts_with(b"/dev/") => match &name[5..] {
            // Where output goes that nobody wants, though the program does not know.
            b"null" => Io::File,
            rest if rest.starts_with(b"shm/") => Io::File,
            rest if [&b"pts/"[..], b"tty", b"console"].iter().any(|tty| rest.starts_with(tty)) => Io::Terminal,
            _ => Io::Other,
        },
        ObjectKind::Path if name.starts_with(b"/proc/") || name.starts_with(b"/sys/") => Io::Other,
        ObjectKind::Path => Io::File,
        _ => Io::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual() {
        let mut usual = Usual::default();
        let times: u64 = (0..1000).map(|i| usual.of(if i % 100 == 99 { 10_000_000 } else { 1_000 })).sum();
        assert!((1_000_000..1_200_000).contains(&times), "ten outliers of ten milliseconds: {times}");
        let mut usual = Usual::default();
        let times: u64 = (0..1000).map(|i| usual.of(if i % 2 == 1 { 10_000_000 } else { 1_000 })).sum();
        assert!(times > 4_000_000_000, "half of them wait: {times}");
    }
}
