//! What all rules share: how often each call was made about what, and what was done with each open file.

use rustc_hash::FxHashMap;
use stride_event::{Call, Ns, Outcome, Tid};
use stride_syscalls::Abi;
use stride_track::{FileId, ObjectId, Seen, Tracker};

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
    pub errors: u64,
    /// In the call, waiting included.
    pub time: Ns,
    pub bytes: u64,
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

/// Transfers of one direction.
#[derive(Clone, Copy, Default, Debug)]
pub struct Transfers {
    pub calls: u64,
    pub bytes: u64,
    /// What the largest was asked to move: the size of the caller's buffer.
    pub buffer: u64,
    /// One of them, for an example.
    pub line: u64,
    pub key: Option<CallKey>,
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
    pub reads: Transfers,
    pub writes: Transfers,
    pub seeks: u64,
    pub syncs: u64,
}

#[derive(Default)]
pub struct Index {
    pub calls: u64,
    pub time: Ns,
    pub first: Option<Ns>,
    pub last: Ns,
    by_key: FxHashMap<CallKey, Tally>,
    open: FxHashMap<FileId, OpenFile>,
}

/// No run has this many things; a hostile one may. What comes after is counted without what it is about.
const MAX_KEYS: usize = 1 << 21;
const MAX_OPEN: usize = 1 << 20;

impl Index {
    pub fn key(&self, call: &Call, seen: &Seen, tracker: &Tracker) -> CallKey {
        let about = seen.about().map(|object| tracker.group(object));
        let key = CallKey { abi: call.abi, nr: call.nr as u32, about };
        if self.by_key.len() >= MAX_KEYS && !self.by_key.contains_key(&key) {
            return CallKey { about: None, ..key };
        }
        key
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
        tally.errors += u64::from(!observed.ok());
        tally.time += time;
        tally.bytes += seen.bytes.unwrap_or(0);
        if let Some((_, id, object)) = seen.made
            && self.open.len() < MAX_OPEN
        {
            // dup(2) gives another number to one that is there.
            self.open.entry(id).or_insert_with(|| OpenFile {
                id,
                object,
                pid: seen.pid,
                made: Some(*key),
                flags: observed.arg("flags"),
                line: observed.line,
                reads: Transfers::default(),
                writes: Transfers::default(),
                seeks: 0,
                syncs: 0,
            });
        }
        let file = seen.file?;
        if observed.name == "close" {
            return self.open.remove(&file).filter(|_| observed.ok());
        }
        if !self.open.contains_key(&file) && self.open.len() >= MAX_OPEN {
            return None;
        }
        let file = self.open.entry(file).or_insert_with(|| OpenFile {
            id: file,
            object: seen.object.unwrap_or_default(),
            pid: seen.pid,
            made: None,
            flags: 0,
            line: observed.line,
            reads: Transfers::default(),
            writes: Transfers::default(),
            seeks: 0,
            syncs: 0,
        });
        match observed.name {
            "lseek" | "_llseek" => file.seeks += 1,
            "fsync" | "fdatasync" => file.syncs += 1,
            name => {
                if let Some(bytes) = seen.bytes {
                    let to = if is_write(name) { &mut file.writes } else { &mut file.reads };
                    to.calls += 1;
                    to.bytes += bytes;
                    to.buffer = to.buffer.max(seen.asked.unwrap_or(bytes));
                    to.line = observed.line;
                    to.key = Some(*key);
                }
            }
        }
        None
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

/// Whether a transfer goes out.
pub fn is_write(name: &str) -> bool {
    name.starts_with("write") || name.starts_with("pwrite") || name.starts_with("send") || name == "vmsplice"
}
