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
    /// The first call from here that succeeded, and the place of its process in the family.
    pub place: PlaceOfCall,
    pub process: String,
    /// The site stands for this process alone, because another one came by here before. (A parent may look at the end of one child, and not at that of the others.)
    pub is_other: bool,
    pub faults: Vec<(FaultKind, SweepFault)>,
    /// A run that loses this call and ends as well as before has lost something, if its output is another one. The others are those that have a fallback: files of
    /// the system, attributes of files, questions about them.
    pub matters: bool,
}

impl Site {
    /// Tells the site from all others, also from the same one in another process.
    pub fn own_key(&self) -> SiteKey {
        if self.is_other { self.key.elsewhere() } else { self.key }
    }

    /// True if the call that was changed is the site's.
    pub fn is_of(&self, changed: &Changed) -> bool {
        changed.key == self.key && (!self.is_other || changed.process == self.process)
    }

    /// The place of the site's first call in another run.
    pub fn place_in<'a>(&self, run: &'a ObservedRun) -> Option<&'a PlaceOfCall> {
        let process = self.is_other.then(|| self.process.clone());
        run.places.get(&(self.key, process))
    }
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
    /// First of each site, also of calls that failed: in any process, and in each.
    pub places: HashMap<(SiteKey, Option<String>), PlaceOfCall>,
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
    known: HashMap<SiteKey, KnownSite>,
    /// Processes that have run code of their own, and are no longer at the start of an interpreter.
    begun: HashSet<Tid>,
    seen: ObservedRun,
}

/// A site, and the same one in another process: in that with the least number if it was not that one that came by first, or else in that with the greatest.
struct KnownSite {
    /// Among all sites.
    at: usize,
    other: Option<Site>,
}

/// The numbers of a process and of its ancestors.
fn numbers(process: &str) -> Vec<u32> {
    process.split('.').map_while(|number| number.parse().ok()).collect()
}

impl KnownSite {
    /// True if this process stands for the others rather than the one that does so far.
    fn prefers(&self, process: &str, first: &str) -> bool {
        let other = self.other.as_ref().map_or(first, |site| &site.process);
        if process == first || process == other {
            return false;
        }
        let [process, first, other] = [process, first, other].map(numbers);
        process < first && process < other || other >= first && process > other
    }
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
            known: HashMap::new(),
            begun: HashSet::new(),
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
        if let StartKind::Forked { parent } = origin
            && self.threads.get(&parent).is_some_and(|parent| self.begun.contains(&parent.process))
        {
            self.begun.insert(process);
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
        if call.stack.as_ref().is_some_and(|stack| !self.begun.contains(&process) && stack.has_own_script()) {
            self.begun.insert(process);
        }
        if let Some(key) = key {
            *self.seen.counts.entry(key).or_default() += 1;
            let of_process = self.processes.get(&process).cloned().unwrap_or_default();
            for process in [None, Some(of_process.clone())] {
                if self.seen.places.len() < MOST_SITES {
                    self.seen.places.entry((key, process)).or_insert_with(|| place.clone());
                }
            }
            self.site(call, row, name, key, (process, of_process), place);
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
        if row.has_effect(Effect::Executes) {
            self.begun.remove(&process);
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

    /// Notes the site of a call that succeeded, and the faults that are plausible there. `process`: its id, and its place in the family.
    fn site(
        &mut self,
        call: &Call,
        row: &'static Syscall,
        name: &'static str,
        key: SiteKey,
        process: (Tid, String),
        place: PlaceOfCall,
    ) {
        let is_success = matches!(call.outcome, Outcome::Value(_)) || call.tampering.result;
        if !is_success || place.thread.contains('?') {
            return;
        }
        let is_new = match self.known.get(&key) {
            None => self.seen.sites.len() < MOST_SITES,
            Some(known) => known.prefers(&process.1, &self.seen.sites[known.at].process),
        };
        let Some(stack) = call.stack.as_ref().filter(|_| is_new) else { return };
        if stack.is_of_interpreter() && !self.begun.contains(&process.0) {
            return;
        }
        let Some(caller) = caller(stack) else { return };
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
        // An interpreter that has no memory, or cannot wake its own event loop, ends by design.
        let is_known_thing = file.is_some() || matches!(on, On::Pipe | On::Socket);
        let is_of_runtime = stack.is_of_interpreter() && !stack.has_own_script() && !is_known_thing;
        if faults.is_empty() || is_of_runtime {
            return;
        }
        let matters = self.matters(row, file.as_deref(), opens);
        let process = process.1;
        match self.known.get_mut(&key) {
            None => {
                self.known.insert(key, KnownSite { at: self.seen.sites.len(), other: None });
                self.seen.sites.push(Site {
                    key,
                    call: name,
                    caller,
                    place,
                    process,
                    is_other: false,
                    faults,
                    matters,
                });
            }
            Some(known) => {
                known.other = Some(Site { key, call: name, caller, place, process, is_other: true, faults, matters });
            }
        }
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
        // The same site in another process comes behind the first.
        let mut others: HashMap<SiteKey, Site> =
            self.known.into_iter().filter_map(|(key, known)| Some((key, known.other?))).collect();
        let sites = std::mem::take(&mut self.seen.sites);
        let sites = sites.into_iter().flat_map(|site| {
            let other = others.remove(&site.key);
            [site].into_iter().chain(other)
        });
        ObservedRun { is_whole, sites: sites.collect(), ..self.seen }
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
