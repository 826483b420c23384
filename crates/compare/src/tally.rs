//! A run's calls, added up while they come: by syscall, by subject, and by the program that makes them.

use crate::profile::figures::Figures;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use stride_event::{Event, Ns, RingUse, Stack, StartKind, Tid};
use stride_syscalls::{Abi, Class, Effect, nameless, row_named, table};
use stride_track::{FileId, ObjectId, Seen, StackCount, StackId, StackTally, Tracker};

/// The tally is bounded, because hostile or very long runs must not take all memory.
const MAX_PAIRS: usize = 1 << 20;
const MAX_NAMES: usize = 2048;
const MAX_PROGRAMS: usize = 4096;
const MAX_IDS: usize = 1 << 20;
const OTHER_PROGRAMS: &[u8] = b"(others)";

/// A syscall by its name, which the two ABIs of a machine share. The numbers may differ.
pub struct SyscallTally {
    pub name: Rc<str>,
    pub class: Class,
    pub all: Figures,
    /// It is an operation of io_uring, and no system call.
    pub is_operation: bool,
}

/// The subject of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    Object(ObjectId),
    /// The standard input, output or error output that the program was given. The program's caller decides where they
    /// go.
    Streams,
    /// All subjects after the limit was reached.
    Others,
}

/// Index of a [`SyscallTally`].
type CallId = u32;
/// Index of a program's name.
type ProgramId = u32;

#[derive(Default)]
pub struct Tally {
    calls: Vec<SyscallTally>,
    by_number: HashMap<(Abi, u64), CallId>,
    by_name: HashMap<Rc<str>, CallId>,
    by_subject: HashMap<(CallId, Subject), Figures>,
    streams: HashSet<FileId>,
    stream_names: HashSet<ObjectId>,
    /// The directory in which the first process began.
    home: Option<ObjectId>,
    programs: Vec<Vec<u8>>,
    by_program: HashMap<Vec<u8>, ProgramId>,
    made: HashMap<(CallId, ProgramId), u64>,
    stacks: StackTally<CallId>,
    /// The number of ended processes, by the program that they ran last.
    ended: HashMap<ProgramId, u64>,
    ids: HashSet<Tid>,
    alive: HashSet<Tid>,
    processes: u64,
    span: Option<(Ns, Ns)>,
    rings: RingUse,
    /// Operations of io_uring are left out, because the other run has none.
    no_operations: bool,
}

impl Tally {
    pub fn without_operations() -> Tally {
        Tally { no_operations: true, ..Tally::default() }
    }

    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.rings.event(event);
        match *event {
            Event::Started { tid, process, origin, at } => {
                self.at(at);
                if !matches!(origin, StartKind::Forked { .. }) && self.streams.len() < MAX_PROGRAMS {
                    for (file, object) in (0..3).filter_map(|fd| tracker.open_file(process, fd)) {
                        self.streams.insert(file);
                        self.stream_names.insert(object);
                    }
                    self.home = self.home.or_else(|| tracker.working_directory(process));
                }
                self.processes += u64::from(tid == process);
                self.alive.insert(tid);
                if self.ids.len() < MAX_IDS {
                    self.ids.insert(tid);
                }
            }
            Event::Exited { tid, at, .. } | Event::Killed { tid, at, .. } | Event::Detached { tid, at, .. } => {
                self.at(at);
                self.alive.remove(&tid);
                if let Some(process) = tracker.process(tid) {
                    let program = self.program(&process.comm);
                    *self.ended.entry(program).or_default() += 1;
                }
            }
            Event::Superseded { old, .. } => _ = self.alive.remove(&old),
            Event::Exit(call) => {
                self.at(call.returned);
                let seen = tracker.seen();
                let Some(figures) = Figures::of(call, seen.and_then(|seen| seen.bytes)) else { return };
                let id = self.call(call.abi, call.nr);
                self.calls[id as usize].all.add(&figures);
                self.stacks.count(call, id);
                let Some(seen) = seen else { return };
                self.add_by_subject(id, seen, &figures, tracker);
                if let Some(process) = tracker.process(seen.pid) {
                    let program = self.program(&process.comm);
                    let fits = self.made.len() < MAX_PAIRS || self.made.contains_key(&(id, program));
                    let program = if fits { program } else { self.program(OTHER_PROGRAMS) };
                    *self.made.entry((id, program)).or_default() += 1;
                }
            }
            Event::Library(call) if call.operation.is_some() => {
                self.at(call.at);
                if self.no_operations {
                    return;
                }
                let figures = Figures::of_operation(call);
                let id = self.named(&call.function.name, Class::NONE, true);
                self.calls[id as usize].all.add(&figures);
                if let Some(seen) = tracker.seen() {
                    self.add_by_subject(id, seen, &figures, tracker);
                }
            }
            _ => {}
        }
    }

    fn add_by_subject(&mut self, id: CallId, seen: &Seen, figures: &Figures, tracker: &Tracker) {
        for subject in self.subjects(seen, tracker).into_iter().flatten() {
            let fits = self.by_subject.len() < MAX_PAIRS || self.by_subject.contains_key(&(id, subject));
            self.by_subject.entry((id, if fits { subject } else { Subject::Others })).or_default().add(figures);
        }
    }

    fn at(&mut self, at: Ns) {
        if at > 0 {
            let (first, last) = self.span.unwrap_or((at, at));
            self.span = Some((first.min(at), last.max(at)));
        }
    }

    /// The subjects of a call. A call that names two paths has two.
    fn subjects(&self, seen: &Seen, tracker: &Tracker) -> [Option<Subject>; 2] {
        let Some(path) = seen.path else {
            // An untracked descriptor was open before the program began. Of those, only the three standard streams are
            // certain.
            let stream = match (seen.file, seen.object) {
                (Some(file), _) => self.streams.contains(&file),
                (None, Some(object)) => self.stream_names.contains(&object),
                (None, None) => seen.fd.is_some_and(|fd| (0..3).contains(&fd)),
            };
            return [
                if stream {
                    Some(Subject::Streams)
                } else {
                    seen.object.map(|object| Subject::Object(tracker.class_of(object)))
                },
                None,
            ];
        };
        let other = seen.other_path.filter(|other| *other != path);
        [Some(path), other].map(|path| path.map(Subject::Object))
    }

    fn call(&mut self, abi: Abi, nr: u64) -> CallId {
        if let Some(&id) = self.by_number.get(&(abi, nr)) {
            return id;
        }
        let (name, class) =
            if self.calls.len() < MAX_NAMES { describe(abi, nr) } else { ("(others)".into(), Class::NONE) };
        let id = self.named(&name, class, false);
        if self.by_number.len() < 2 * MAX_NAMES {
            self.by_number.insert((abi, nr), id);
        }
        id
    }

    /// Operations have few names, which have a colon, as no system call's name has.
    fn named(&mut self, name: &str, class: Class, is_operation: bool) -> CallId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let (id, name) = (self.calls.len() as CallId, Rc::<str>::from(name));
        self.calls.push(SyscallTally { name: name.clone(), class, all: Figures::default(), is_operation });
        self.by_name.insert(name, id);
        id
    }

    fn program(&mut self, comm: &[u8]) -> ProgramId {
        if let Some(&id) = self.by_program.get(comm) {
            return id;
        }
        let comm = if self.programs.len() < MAX_PROGRAMS { comm } else { OTHER_PROGRAMS };
        *self.by_program.entry(comm.to_vec()).or_insert_with(|| {
            self.programs.push(comm.to_vec());
            self.programs.len() as ProgramId - 1
        })
    }

    /// The system calls.
    pub fn calls(&self) -> impl Iterator<Item = &SyscallTally> {
        self.calls.iter().filter(|call| !call.is_operation)
    }

    /// The operations of io_uring.
    pub fn operations(&self) -> impl Iterator<Item = &SyscallTally> {
        self.calls.iter().filter(|call| call.is_operation)
    }

    /// The program uses io_uring, and its operations are not reported.
    pub fn has_unseen_operations(&self) -> bool {
        self.rings.is_unseen()
    }

    /// The figures by syscall and subject. A call that names two paths is counted for both.
    pub fn by_subject(&self) -> impl Iterator<Item = (&SyscallTally, Subject, &Figures)> {
        self.by_subject_with_operations().filter(|(call, ..)| !call.is_operation)
    }

    /// The same for calls and operations.
    pub fn by_subject_with_operations(&self) -> impl Iterator<Item = (&SyscallTally, Subject, &Figures)> {
        self.by_subject.iter().map(|(&(call, subject), figures)| (&self.calls[call as usize], subject, figures))
    }

    /// The number of calls by syscall and by the name of the program that makes them.
    pub fn made(&self) -> impl Iterator<Item = (&SyscallTally, &[u8], u64)> {
        let name = |program: ProgramId| self.programs[program as usize].as_slice();
        self.made.iter().map(move |(&(call, program), &calls)| (&self.calls[call as usize], name(program), calls))
    }

    /// The stacks of each syscall's calls.
    pub fn stacks(&self) -> impl Iterator<Item = (&SyscallTally, &[(StackId, StackCount)])> {
        self.stacks.iter().map(|(&call, stacks)| (&self.calls[call as usize], stacks))
    }

    pub fn stack(&self, id: StackId) -> &Stack {
        self.stacks.stack(id)
    }

    /// The number of ended processes, by the name of the program that they ran last.
    pub fn ended(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.ended.iter().map(|(&program, &n)| (self.programs[program as usize].as_slice(), n))
    }

    /// The objects that were unlinked.
    pub fn removed(&self) -> HashSet<ObjectId> {
        let removes = |name: &str| row_named(name).is_some_and(|row| row.has_effect(Effect::Unlinks));
        let removed =
            self.by_subject().filter(|(call, _, figures)| removes(&call.name) && figures.errors < figures.calls);
        removed
            .filter_map(|(_, subject, _)| match subject {
                Subject::Object(object) => Some(object),
                _ => None,
            })
            .collect()
    }

    pub fn home(&self) -> Option<ObjectId> {
        self.home
    }

    pub fn total(&self) -> Figures {
        let mut total = Figures::default();
        self.calls().for_each(|call| total.add(&call.all));
        total
    }

    /// The ids of all threads of the run.
    pub fn ids(&self) -> &HashSet<Tid> {
        &self.ids
    }

    /// True if the end of each thread was seen. Otherwise the trace is incomplete.
    pub fn is_whole(&self) -> bool {
        self.alive.is_empty()
    }

    pub fn processes(&self) -> u64 {
        self.processes.max(1)
    }

    pub fn elapsed(&self) -> Ns {
        self.span.map_or(0, |(first, last)| last - first)
    }
}

fn describe(abi: Abi, nr: u64) -> (Rc<str>, Class) {
    if let Some(entry) = table(abi).get(nr) {
        return (entry.row.name.into(), entry.row.class);
    }
    let named = abi.numbers().iter().find(|(number, _)| u64::from(*number) == nr);
    (named.map_or_else(|| nameless(nr).into(), |(_, name)| (*name).into()), Class::NONE)
}
