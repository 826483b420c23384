//! One run, as its recording tells it: the call sites, the call that was changed, how processes ended.

use crate::fault::{Circumstances, FaultKind, On, SweepFault, plausible};
use crate::site::{SiteKey, caller};
use anyhow::{Result, anyhow};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use stride_event::{Call, Event, Outcome, StartKind, Tid};
use stride_proc::{Proc, ReplaySource};
use stride_record::{Ending, Reader, Recorded};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Abi, Effect, Flow, OpenFlags, Syscall, Thing, table};
use stride_track::{FileId, ObjectId, ObjectKind, Tracker};

/// So many more times than without the fault must the same call be made, to be one that never stops.
pub const ENDLESS: u64 = 1000;

/// Calls of a thread between a failed call and the same one again, which then is a retry: the waits and looks at the clock in between.
const BETWEEN_RETRIES: u64 = 3;

/// Sites are forgotten beyond this number.
const MOST_SITES: usize = 100_000;

/// The place of a call: which thread, and the how many-th call of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlaceOfCall {
    /// As `thread=` of `--inject` takes it.
    pub thread: String,
    pub n: u64,
}

/// A call site of the run.
#[derive(Clone, Debug)]
pub struct Site {
    pub key: SiteKey,
    pub call: &'static str,
    pub caller: String,
    /// The first call from here that succeeded.
    pub place: PlaceOfCall,
    pub faults: Vec<(FaultKind, SweepFault)>,
    /// A run that loses this call and ends as well as before has lost something, if its output is another one. The others are those that have a fallback: files of
    /// the system, attributes of files, questions about them.
    pub matters: bool,
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndOfProcess {
    Status(i32),
    Signal(i32),
}

impl EndOfProcess {
    /// True for a signal by which the kernel or the C library ends a program that is wrong.
    pub fn is_crash(self) -> bool {
        const CRASHES: [u64; 7] = [c::SIGSEGV, c::SIGBUS, c::SIGILL, c::SIGFPE, c::SIGABRT, c::SIGTRAP, c::SIGSYS];
        matches!(self, EndOfProcess::Signal(signal) if CRASHES.contains(&(signal as u64)))
    }
}

/// The call that was changed.
#[derive(Clone, Debug)]
pub struct Changed {
    pub key: SiteKey,
    /// The place of its process in the family.
    pub process: String,
    /// The thread made the same call again at once.
    pub retried: bool,
}

/// A descriptor that was not closed although more like it were opened.
#[derive(Clone, Debug)]
pub struct Leak {
    /// The function that opened it ([`SiteKey::of_caller`]).
    pub opened_by: SiteKey,
    pub file: Vec<u8>,
}

/// All that matters of a run.
#[derive(Debug, Default)]
pub struct ObservedRun {
    /// In the order in which they were first reached.
    pub sites: Vec<Site>,
    /// The number of calls that each site made. Sites that are not the program's own count, too.
    pub counts: HashMap<SiteKey, u64>,
    /// First of each site, also of calls that failed.
    pub places: HashMap<SiteKey, PlaceOfCall>,
    pub calls: u64,
    pub changed: Option<Changed>,
    /// The ends of processes, by their place in the family.
    pub ends: HashMap<String, EndOfProcess>,
    /// The end of the command. `None` if a limit came first.
    pub end: Option<EndOfProcess>,
    /// The calls in which threads were when tracing ended: the call, and the function that made it.
    pub pending: Vec<(String, String)>,
    /// Files that were written, made or renamed to.
    pub written: BTreeSet<PathBuf>,
    /// Descriptors that each function opened ([`SiteKey::of_caller`]) and that were open when their process ended.
    pub left_open: HashMap<SiteKey, u64>,
    pub leaks: Vec<Leak>,
    /// The recording is whole.
    pub is_whole: bool,
}

/// Where the files of the run are.
#[derive(Clone, Debug, Default)]
pub struct Whereabouts {
    /// The working directory of the command.
    pub directory: PathBuf,
    /// The words of the command that name files.
    pub words: Vec<PathBuf>,
    /// The directory of what Stride itself keeps of runs.
    pub kept: PathBuf,
}

impl Whereabouts {
    /// True for the files that take the output of a run.
    fn is_kept(&self, path: &Path) -> bool {
        path.starts_with(&self.kept) && !path.starts_with(&self.directory)
    }

    /// True for a file that the run is about, and not the system's.
    fn has(&self, path: &Path) -> bool {
        path.starts_with(&self.directory)
            || path.starts_with(&self.kept)
            || self.words.iter().any(|word| path.starts_with(word))
    }
}

/// Reads what a run of Stride has recorded.
pub fn observe(recording: &Path, around: &Whereabouts) -> Result<ObservedRun> {
    let file = File::open(recording).map_err(|error| anyhow!("{}", stride_session::os_error(&error)))?;
    let mut reader = Reader::open(BufReader::new(file)).map_err(|error| anyhow!("{error}"))?;
    let command = reader.metadata().command;
    let answers: Rc<ReplaySource> = Rc::default();
    let resolver = Proc::paths_only(answers.clone());
    let mut reading = Reading::new(command, around);
    loop {
        while let Some(fact) = reader.next_fact() {
            answers.set(fact);
        }
        let Some(Recorded::Event(event)) = reader.next_item() else { break };
        reading.tracker.event(&event, &resolver);
        reading.event(&event);
    }
    let is_whole =
        matches!(reader.ending(), Some(Ending::Whole(totals)) if totals.lost == stride_event::Lost::default());
    Ok(reading.finish(is_whole))
}

/// A descriptor that a process has opened.
struct Opened {
    by: SiteKey,
    /// Before the changed call.
    before: bool,
    file: Vec<u8>,
}

struct ThreadRead {
    /// Its place in the family: that of its parent, and its number among its parent's children.
    place: String,
    process: Tid,
    children: u32,
    counts: HashMap<(Abi, u64), u64>,
    calls: u64,
    /// The changed call, and after how many calls of the thread it came.
    changed_at: Option<(SiteKey, u64)>,
    pending: Option<(String, String)>,
}

struct Reading<'a> {
    tracker: Tracker,
    around: &'a Whereabouts,
    command: Option<Tid>,
    threads: HashMap<Tid, ThreadRead>,
    /// By the id of the process: the place of its first thread.
    processes: HashMap<Tid, String>,
    opened: HashMap<(Tid, i32), Opened>,
    /// Functions that opened descriptors after the changed call.
    opened_later: HashSet<(Tid, SiteKey)>,
    written_through: HashSet<FileId>,
    known: HashSet<SiteKey>,
    seen: ObservedRun,
}

impl<'a> Reading<'a> {
    fn new(command: Option<Tid>, around: &'a Whereabouts) -> Reading<'a> {
        Reading {
            tracker: Tracker::partial(false),
            around,
            command,
            threads: HashMap::new(),
            processes: HashMap::new(),
            opened: HashMap::new(),
            opened_later: HashSet::new(),
            written_through: HashSet::new(),
            known: HashSet::new(),
            seen: ObservedRun::default(),
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Started { tid, process, origin, .. } => self.started(tid, process, origin),
            Event::Enter(call) => self.entered(call),
            Event::Exit(call) => self.returned(call),
            Event::Exited { tid, status, .. } => self.ended(tid, EndOfProcess::Status(status)),
            Event::Killed { tid, signal, .. } => self.ended(tid, EndOfProcess::Signal(signal)),
            Event::Superseded { tid, old, .. } => {
                if let Some(thread) = self.threads.remove(&old) {
                    self.threads.insert(tid, thread);
                }
            }
            Event::Detached { tid, call, .. } => {
                // (The stack comes with the end of a call.)
                call.into_iter().for_each(|call| self.entered(call));
                let thread = self.threads.remove(&tid);
                self.seen.pending.extend(thread.and_then(|thread| thread.pending));
            }
            _ => {}
        }
    }

    fn started(&mut self, tid: Tid, process: Tid, origin: StartKind) {
        let place = match origin {
            StartKind::Spawned | StartKind::Attached => "1".to_owned(),
            StartKind::Forked { parent } => match self.threads.get_mut(&parent) {
                Some(parent) => {
                    parent.children += 1;
                    format!("{}.{}", parent.place, parent.children)
                }
                // (Nothing is changed there.)
                None => "?".to_owned(),
            },
        };
        if tid == process || !self.processes.contains_key(&process) {
            self.processes.insert(process, place.clone());
        }
        let thread = ThreadRead {
            place,
            process,
            children: 0,
            counts: HashMap::new(),
            calls: 0,
            changed_at: None,
            pending: None,
        };
        self.threads.insert(tid, thread);
    }

    fn entered(&mut self, call: &Call) {
        let Some(thread) = self.threads.get_mut(&call.tid) else { return };
        let caller = call.stack.as_ref().and_then(|stack| caller(stack)).unwrap_or_default();
        thread.pending = Some((table(call.abi).name(call.nr).into_owned(), caller));
    }

    fn ended(&mut self, tid: Tid, end: EndOfProcess) {
        let Some(thread) = self.threads.remove(&tid) else { return };
        if Some(tid) == self.command {
            self.seen.end = Some(end);
        }
        if tid != thread.process {
            return;
        }
        if let Some(place) = self.processes.get(&tid) {
            self.seen.ends.insert(place.clone(), end);
        }
        let of_process: Vec<_> = self.opened.keys().filter(|(pid, _)| *pid == tid).copied().collect();
        for key in of_process {
            let Some(opened) = self.opened.remove(&key) else { continue };
            *self.seen.left_open.entry(opened.by).or_default() += 1;
            if opened.before && matches!(end, EndOfProcess::Status(_)) && self.opened_later.contains(&(tid, opened.by))
            {
                self.seen.leaks.push(Leak { opened_by: opened.by, file: opened.file });
            }
        }
    }

    fn returned(&mut self, call: &Call) {
        let Some(thread) = self.threads.get_mut(&call.tid) else { return };
        thread.pending = None;
        thread.calls += 1;
        let n = thread.counts.entry((call.abi, call.nr)).or_default();
        *n += 1;
        let place = PlaceOfCall { thread: thread.place.clone(), n: *n };
        self.seen.calls += 1;
        let Some(row) = table(call.abi).get(call.nr).map(|entry| entry.row.form(&call.args, call.abi)) else { return };
        let name = table(call.abi).get(call.nr).map_or("", |entry| entry.row.name);
        let key = call.stack.as_ref().map(|stack| SiteKey::of(name, stack));
        if let Some((changed, at)) = thread.changed_at
            && key == Some(changed)
            && thread.calls - at <= BETWEEN_RETRIES + 1
        {
            self.seen.changed.iter_mut().for_each(|changed| changed.retried = true);
            thread.changed_at = None;
        }
        let is_changed = !call.tampering.is_none();
        if let (true, Some(key), None) = (is_changed, key, &self.seen.changed) {
            thread.changed_at = Some((key, thread.calls));
            let process = self.processes.get(&thread.process).cloned().unwrap_or_default();
            self.seen.changed = Some(Changed { key, process, retried: false });
        }
        let process = thread.process;
        self.follow(call, row, name, process);
        if let Some(key) = key {
            *self.seen.counts.entry(key).or_default() += 1;
            self.seen.places.entry(key).or_insert_with(|| place.clone());
            self.site(call, row, name, key, place);
        }
    }

    /// Notes descriptors that come and go, and files that are written.
    fn follow(&mut self, call: &Call, row: &'static Syscall, name: &str, process: Tid) {
        let is_closed = row.has_effect(Effect::Closes) && (!call.outcome.is_error() || call.tampering.result);
        if is_closed {
            self.opened.remove(&(process, call.args[0] as i32));
        }
        if call.outcome.is_error() {
            return;
        }
        if row.has_effect(Effect::ClosesRange) || row.has_effect(Effect::Executes) {
            self.opened.retain(|(pid, _), _| *pid != process);
        }
        let Some(seen) = self.tracker.seen().copied() else { return };
        let by = call.stack.as_ref().map(|stack| SiteKey::of_caller(name, stack));
        if let (Some((fd, _, object)), Some(key)) = (seen.made, by) {
            let before = self.seen.changed.is_none();
            if !before {
                self.opened_later.insert((process, key));
            }
            // (A copy of a directory has another name in each run.)
            let name = Path::new(std::ffi::OsStr::from_bytes(self.tracker.name(object)));
            let file = name.strip_prefix(&self.around.directory).unwrap_or(name).as_os_str().as_bytes().to_vec();
            self.opened.insert((process, fd), Opened { by: key, before, file });
        }
        let moves_out = row.transfer().is_some_and(|transfer| transfer.flow != Flow::In);
        if moves_out {
            self.written_through.extend(seen.file);
        }
        let makes_file = row.has_effect(Effect::MakesDirectory) || row.has_effect(Effect::MakesNode);
        let changes_names = row.has_effect(Effect::Renames) || row.has_effect(Effect::Links) || makes_file;
        let changes_file = row.has_effect(Effect::SetsSize) || moves_out;
        let objects = [
            seen.object.filter(|_| changes_file),
            seen.path.filter(|_| changes_names || opens_to_write(row, call)),
            seen.other_path.filter(|_| changes_names),
        ];
        for object in objects.into_iter().flatten() {
            let path = self.path(object).filter(|path| !is_of_system(path) && !self.around.is_kept(path));
            self.seen.written.extend(path);
        }
    }

    fn path(&self, object: ObjectId) -> Option<PathBuf> {
        let name = self.tracker.name(object);
        (self.tracker.kind(object) == ObjectKind::Path && name.starts_with(b"/"))
            .then(|| PathBuf::from(std::ffi::OsStr::from_bytes(name)))
    }

    /// Notes the site of a call that succeeded, and the faults that are plausible there.
    fn site(&mut self, call: &Call, row: &'static Syscall, name: &'static str, key: SiteKey, place: PlaceOfCall) {
        let is_success = matches!(call.outcome, Outcome::Value(_)) || call.tampering.result;
        if !is_success || place.thread.contains('?') || self.seen.sites.len() >= MOST_SITES || !self.known.insert(key) {
            return;
        }
        let Some(caller) = call.stack.as_ref().and_then(|stack| caller(stack)) else { return };
        let seen = self.tracker.seen().copied();
        let object = seen.and_then(|seen| seen.object);
        let subject = seen.and_then(|seen| seen.path.or(seen.object));
        let file = subject.and_then(|subject| self.path(subject));
        let is_written = seen.and_then(|seen| seen.file).is_some_and(|file| self.written_through.contains(&file));
        let opens = opens_to_write(row, call);
        let on = match object {
            Some(_) if seen.and_then(|seen| seen.fd) == Some(2) => On::StandardError,
            Some(object) => match self.tracker.kind(object) {
                ObjectKind::Path => match self.path(object) {
                    Some(path) if is_of_system(&path) => On::Device,
                    Some(_) => On::File,
                    None => On::Unknown,
                },
                ObjectKind::Pipe => On::Pipe,
                ObjectKind::Socket => On::Socket,
                ObjectKind::Anonymous | ObjectKind::Others => On::Unknown,
            },
            None => On::Unknown,
        };
        let faults =
            plausible(row, Circumstances { on, writes: is_written || opens, moved: call.moved().unwrap_or(0) });
        if faults.is_empty() {
            return;
        }
        let matters = self.matters(row, file.as_deref(), opens);
        self.seen.sites.push(Site { key, call: name, caller, place, faults, matters });
    }

    fn matters(&self, row: &Syscall, file: Option<&Path>, opens_to_write: bool) -> bool {
        let reads = row.transfer().is_some_and(|transfer| transfer.flow == Flow::In);
        let is_question = row.has_effect(Effect::Asks) || row.has_effect(Effect::SetsAttributes);
        let opens = row.makes() == Some(Thing::File);
        let looks = reads || opens && !opens_to_write || row.has_effect(Effect::Maps);
        match file {
            _ if is_question => false,
            Some(file) if looks => self.around.has(file),
            _ => true,
        }
    }

    fn finish(mut self, is_whole: bool) -> ObservedRun {
        // Threads of which no end was told.
        self.seen.pending.extend(self.threads.into_values().filter_map(|thread| thread.pending));
        ObservedRun { is_whole, ..self.seen }
    }
}

fn is_of_system(path: &Path) -> bool {
    ["/dev", "/proc", "/sys"].iter().any(|system| path.starts_with(system))
}

/// True if the call opens a file to write to it, or makes it.
fn opens_to_write(row: &Syscall, call: &Call) -> bool {
    let flags = match row.open_flags() {
        Some(OpenFlags::Argument(position)) => row.held(position, &call.args, call.abi),
        Some(OpenFlags::Always(flags)) => flags,
        // (What a struct says is not looked at.)
        Some(OpenFlags::Member(..)) | None => 0,
    };
    flags & (c::O_WRONLY | c::O_RDWR | c::O_CREAT | c::O_TRUNC) != 0
}
