//! A copy of the tracker for views that work in another thread.
//!
//! The copy follows no events. A [`Teller`] beside the first tracker puts into [`News`] what views may ask about each event, as far as the copy does not
//! know that already: the event's thread and process, the subject of a call, the names of objects. [`Tracker::learn`] takes it in.

use crate::descriptors::AT_FDCWD;
use crate::{ObjectId, ObjectKind, Process, Referent, Seen, Thread, Tracker, Wait};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;
use std::rc::Rc;
use std::slice::Iter;
use std::sync::Arc;
use std::vec::Drain;
use stride_event::{Event, FdOf, Ns, Tid};

/// Facts that a copy of the tracker has to know before events, in their order.
#[derive(Debug, Default)]
pub struct News {
    items: Vec<Item>,
    /// The bytes of names.
    names: Vec<u8>,
    /// The subjects of events that have one. They are apart because they are large, and other items are small.
    seen: Vec<Seen>,
}

#[derive(Debug)]
enum Item {
    /// Descriptors are not followed.
    Partial,
    /// The next object.
    Object(Arc<[u8]>, ObjectKind),
    /// A thread, its process, and the bytes of its name.
    Thread(Tid, Tid, usize),
    Process(Box<ProcessNews>),
    /// The call that a thread is in, if any.
    Wait(Tid, Option<Box<Wait>>),
    /// A path that is known only while the event is the latest: its place, and its bytes.
    Path(usize, usize),
    /// The referent of a descriptor that the event's call names.
    Referent(FdOf, Referent),
    /// The thread that the event gave a name, and the bytes of its name before.
    Renamed(Tid, usize),
    /// The thread is gone, and if it was the last one, the process.
    Gone(Tid),
    GoneProcess(Tid),
    /// That is all before the next event.
    Event {
        has_seen: bool,
        launched: Option<Tid>,
    },
}

/// The parts of a process that views ask for.
#[derive(Debug, PartialEq, Eq)]
struct ProcessFacts {
    pid: Tid,
    parent: Option<Tid>,
    comm: Vec<u8>,
    program: Option<ObjectId>,
    started: Ns,
    threads: usize,
    cwd: Option<ObjectId>,
    predates_trace: bool,
}

#[derive(Debug)]
struct ProcessNews {
    facts: ProcessFacts,
    /// The command, if it is another one than before.
    command: Option<Vec<Vec<u8>>>,
}

impl ProcessFacts {
    fn of(process: &Process) -> ProcessFacts {
        ProcessFacts {
            pid: process.pid,
            parent: process.parent,
            comm: process.comm.clone(),
            program: process.program,
            started: process.started,
            threads: process.threads,
            cwd: process.cwd,
            predates_trace: process.predates_trace,
        }
    }

    /// Tells whether the facts are others than before. (There may be very many processes, so the facts themselves are not kept.)
    fn digest(process: &Process) -> u64 {
        let Process { pid, parent, comm, program, started, threads, cwd, predates_trace, .. } = process;
        FxBuildHasher.hash_one((pid, parent, comm, program, started, threads, cwd, predates_trace))
    }
}

impl News {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The bytes that the news takes.
    pub fn size(&self) -> usize {
        size_of_val(&self.items[..]) + self.names.len() + size_of_val(&self.seen[..])
    }

    pub fn move_to(&mut self, other: &mut News) {
        other.items.clear();
        other.names.clear();
        other.seen.clear();
        other.items.append(&mut self.items);
        other.names.append(&mut self.names);
        other.seen.append(&mut self.seen);
    }

    /// Hands the news out, to be learned in order.
    pub fn read(&mut self) -> UnreadNews<'_> {
        UnreadNews { items: self.items.drain(..), names: &self.names, seen: self.seen.iter() }
    }

    fn name(&mut self, name: &[u8]) -> usize {
        self.names.extend_from_slice(name);
        name.len()
    }

    /// That is all before the next event.
    fn event(&mut self, tracker: &Tracker) {
        for path in tracker.seen.iter().flat_map(|seen| [seen.path, seen.other_path]).flatten() {
            if let Some((place, name)) = tracker.objects.passing(path) {
                let len = self.name(name);
                self.items.push(Item::Path(place, len));
            }
        }
        self.seen.extend(tracker.seen);
        self.items.push(Item::Event { has_seen: tracker.seen.is_some(), launched: tracker.launched });
    }
}

/// The news that was not learned yet.
pub struct UnreadNews<'a> {
    items: Drain<'a, Item>,
    names: &'a [u8],
    seen: Iter<'a, Seen>,
}

impl<'a> UnreadNews<'a> {
    fn name(&mut self, len: usize) -> &'a [u8] {
        let (name, rest) = self.names.split_at(len);
        self.names = rest;
        name
    }
}

type SharedCommand = Rc<Vec<Vec<u8>>>;

/// Knows what a copy knows.
#[derive(Default)]
pub struct Teller {
    objects: usize,
    threads: FxHashMap<Tid, ToldThread>,
    /// Digests of what the copy knows of processes, and their commands.
    processes: FxHashMap<Tid, (u64, SharedCommand)>,
    /// The threads of which the copy knows a call that they are in.
    waits: FxHashSet<Tid>,
    /// The threads that were told to be ending, or to have another id now.
    leaving: Vec<Tid>,
}

/// A thread as the copy knows it.
#[derive(Clone, Copy)]
struct ToldThread {
    process: Tid,
    /// A digest of the name.
    name: u64,
    /// The thread and its process were told as they were after so many changes ([`Tracker::renewals`]).
    as_of: u64,
}

impl Teller {
    /// Notes what the copy does not know about an event, which the tracker has just taken in. `asked`: descriptors that a view may ask about, with
    /// their referents.
    pub fn tell(&mut self, event: &Event<'_>, tracker: &Tracker, asked: &[(FdOf, Referent)], news: &mut News) {
        for tid in std::mem::take(&mut self.leaving) {
            self.tell_gone(tid, tracker, news);
        }
        if let Some(tid) = event.thread() {
            self.tell_thread(tid, tracker, news);
        }
        match *event {
            Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. } => {
                self.tell_wait(tid, tracker, news);
                self.leaving.push(tid);
            }
            Event::Superseded { tid, old, .. } => {
                self.tell_wait(tid, tracker, news);
                self.leaving.push(old);
            }
            Event::Exit(call) if tracker.seen.is_none() => self.tell_wait(call.tid, tracker, news),
            _ => {}
        }
        if let Some((tid, before)) = &tracker.renamed {
            let len = news.name(before);
            news.items.push(Item::Renamed(*tid, len));
        }
        self.tell_objects(tracker, news);
        for &(of, referent) in asked {
            if !tracker.copy_knows(of, referent) {
                news.items.push(Item::Referent(of, referent));
            }
        }
        news.event(tracker);
    }

    /// Notes all threads that live, for a view that is about to end.
    pub fn tell_all(&mut self, tracker: &Tracker, news: &mut News) {
        let known: Vec<Tid> = self.threads.keys().copied().collect();
        for tid in known {
            if tracker.ended == Some(tid) || tracker.thread(tid).is_none() {
                self.tell_gone(tid, tracker, news);
            }
        }
        for thread in tracker.live_threads() {
            self.tell_thread(thread.tid, tracker, news);
            self.tell_wait(thread.tid, tracker, news);
        }
        self.tell_objects(tracker, news);
        news.event(tracker);
    }

    fn tell_objects(&mut self, tracker: &Tracker, news: &mut News) {
        if self.objects == 0 && tracker.partial {
            news.items.push(Item::Partial);
        }
        let all = tracker.objects.len();
        for id in (self.objects..all).map(ObjectId::of_index) {
            news.items.push(Item::Object(tracker.objects.shared_name(id), tracker.kind(id)));
        }
        self.objects = all;
    }

    fn tell_thread(&mut self, tid: Tid, tracker: &Tracker, news: &mut News) {
        let known = self.threads.get(&tid).copied();
        if known.is_some_and(|known| known.as_of == tracker.renewals) {
            return;
        }
        let Some(thread) = tracker.thread(tid) else {
            if known.is_some() {
                self.tell_gone(tid, tracker, news);
            }
            return;
        };
        let (process, name, as_of) = (thread.pid, FxBuildHasher.hash_one(&thread.comm), tracker.renewals);
        self.threads.insert(tid, ToldThread { process, name, as_of });
        if known.is_none_or(|known| (known.process, known.name) != (process, name)) {
            let len = news.name(&thread.comm);
            news.items.push(Item::Thread(tid, thread.pid, len));
        }
        let Some(process) = tracker.process(thread.pid) else { return };
        let known = self.processes.get(&process.pid);
        let same_command = known.is_some_and(|(_, command)| Rc::ptr_eq(command, &process.command));
        let digest = ProcessFacts::digest(process);
        if !same_command || known.is_none_or(|(known, _)| *known != digest) {
            let (facts, command) = (ProcessFacts::of(process), (!same_command).then(|| process.command.to_vec()));
            news.items.push(Item::Process(Box::new(ProcessNews { facts, command })));
            self.processes.insert(process.pid, (digest, process.command.clone()));
        }
    }

    fn tell_wait(&mut self, tid: Tid, tracker: &Tracker, news: &mut News) {
        let wait = tracker.wait(tid);
        let was_told = if wait.is_some() { !self.waits.insert(tid) } else { self.waits.remove(&tid) };
        if wait.is_some() || was_told {
            news.items.push(Item::Wait(tid, wait.cloned().map(Box::new)));
        }
    }

    fn tell_gone(&mut self, tid: Tid, tracker: &Tracker, news: &mut News) {
        let Some(ToldThread { process: pid, .. }) = self.threads.remove(&tid) else { return };
        self.waits.remove(&tid);
        news.items.push(Item::Gone(tid));
        if tracker.process(pid).is_none() && self.processes.remove(&pid).is_some() {
            news.items.push(Item::GoneProcess(pid));
        }
    }
}

impl Tracker {
    /// A copy that knows nothing yet.
    pub fn copy() -> Tracker {
        let mut copy = Tracker::default();
        copy.objects.begin_copy();
        copy.noted.begin_copy();
        copy
    }

    /// Takes in the news about one event.
    pub fn learn(&mut self, news: &mut UnreadNews<'_>) {
        (self.seen, self.launched, self.renamed) = (None, None, None);
        self.noted.clear();
        while let Some(item) = news.items.next() {
            match item {
                Item::Partial => self.partial = true,
                Item::Object(name, kind) => self.objects.add_copy(name, kind),
                Item::Thread(tid, pid, len) => {
                    let comm = news.name(len).to_vec();
                    let (started, attached, idle_since, timed_out) = Default::default();
                    let (cleared_at_end, joined_by) = Default::default();
                    let thread =
                        Thread { tid, pid, comm, started, attached, idle_since, timed_out, cleared_at_end, joined_by };
                    self.threads.insert(tid, thread);
                }
                Item::Process(told) => self.learn_process(*told),
                Item::Wait(tid, Some(wait)) => _ = self.waits.insert(tid, *wait),
                Item::Wait(tid, None) => _ = self.waits.remove(&tid),
                Item::Path(place, len) => self.objects.set_passing(place, news.name(len)),
                Item::Referent(of, referent) => self.noted.add(of, referent),
                Item::Renamed(tid, len) => self.renamed = Some((tid, news.name(len).to_vec())),
                Item::Gone(tid) => {
                    self.threads.remove(&tid);
                    self.waits.remove(&tid);
                }
                Item::GoneProcess(pid) => _ = self.processes.remove(&pid),
                Item::Event { has_seen, launched } => {
                    self.seen = if has_seen { news.seen.next().copied() } else { None };
                    self.launched = launched;
                    return;
                }
            }
        }
    }

    fn learn_process(&mut self, told: ProcessNews) {
        let ProcessFacts { pid, parent, comm, program, started, threads, cwd, predates_trace } = told.facts;
        let before = self.processes.remove(&pid).map(|process| process.command);
        let command = told.command.map(Rc::new).or(before).unwrap_or_default();
        let (made_by, descriptors, network_mounts) = Default::default();
        let process = Process {
            pid,
            parent,
            made_by,
            comm,
            program,
            command,
            started,
            threads,
            descriptors,
            cwd,
            predates_trace,
            network_mounts,
        };
        self.processes.insert(pid, process);
    }

    /// True if a copy finds this referent by itself: from the subject of the call, or because it is a working directory.
    fn copy_knows(&self, of: FdOf, referent: Referent) -> bool {
        let by_call = self.seen.as_ref().filter(|seen| seen.tid == of.tid).and_then(|seen| seen.referent(of));
        match by_call {
            Some(found) => found == referent,
            None => of.fd == AT_FDCWD || referent == self.unnamed(),
        }
    }
}

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;
