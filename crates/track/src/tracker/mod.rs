//! The tracker: follows the events, and knows the processes and objects in them.

mod changes;

use crate::descriptors::noted::NotedReferents;
use crate::descriptors::{AT_FDCWD, File, Unsettled};
use crate::objects::address;
use crate::objects::{FoundAt, Objects};
use crate::subject::shape::{Shapes, names_thread};
use crate::{FileId, ObjectId, ObjectKind, Process, Seen, Thread, Wait};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use stride_decode::Resolver;
use stride_event::{Call, Event, Ns, Outcome, Tid};
use stride_syscalls::Effect;
use stride_syscalls::uapi::consts as c;
#[derive(Default)]
pub struct Tracker {
    pub(crate) objects: Objects,
    pub(crate) shapes: Shapes,
    pub(crate) threads: FxHashMap<Tid, Thread>,
    pub(crate) processes: FxHashMap<Tid, Process>,
    pub(crate) files: u32,
    /// The number of descriptors of which children got copies.
    pub(crate) copied: u64,
    pub(crate) gone_files: Vec<FileId>,
    /// The ends of pipes and of socket pairs, each with the other, until both are gone.
    pub(crate) ends: FxHashMap<FileId, PairEnd>,
    /// By the thread that is in clone(2).
    pub(crate) unsettled: FxHashMap<Tid, Unsettled>,
    pub(crate) seen: Option<Seen>,
    /// The thread whose end was the latest event. Views may still ask for it.
    pub(crate) ended: Option<Tid>,
    /// The calls that threads are in, if engines report them: lasting ones.
    pub(crate) waits: FxHashMap<Tid, Wait>,
    /// The threads of which the waits were looked at when tracing of them ended.
    pub(crate) looked_at: usize,
    pub(crate) began: Option<Ns>,
    /// Counts the changes to threads and processes that views may see: names, programs, working directories, starts and ends.
    pub(crate) renewals: u64,
    /// The command, until it executes its program.
    pub(crate) pending_command: Option<Tid>,
    /// The command, if the latest event is about the execve(2) of its program.
    pub(crate) launched: Option<Tid>,
    /// The thread that the latest event gave a name, and its name before.
    pub(crate) renamed: Option<(Tid, Vec<u8>)>,
    /// The types of network file systems, by the files on them.
    pub(crate) on_network: FxHashMap<ObjectId, Box<str>>,
    pub(crate) noted: NotedReferents,
    /// Reused.
    pub(crate) path: Vec<u8>,
    pub(crate) partial: bool,
    /// Only the names of threads are followed.
    pub(crate) names_only: bool,
}

/// One end of a pipe or of a socket pair.
pub(crate) struct PairEnd {
    other: FileId,
    gone: bool,
}

impl PairEnd {
    pub(crate) fn of(other: FileId) -> PairEnd {
        PairEnd { other, gone: false }
    }
}

impl Tracker {
    /// For events that filters have thinned out: descriptors cannot be followed then, only looked up.
    pub fn partial(partial: bool) -> Tracker {
        Tracker { partial, ..Tracker::default() }
    }

    /// For a view that shows the names of threads and nothing else that is followed. Most calls then cost next to nothing.
    pub fn of_names() -> Tracker {
        Tracker { names_only: true, ..Tracker::partial(true) }
    }

    /// For views that show paths and do not count or compare them: a path that no descriptor, process or wait has is known only as long as its call is
    /// the latest event. Then names that never come again take neither memory nor time.
    pub fn passing_paths(mut self, passing: bool) -> Tracker {
        self.objects.passes = passing;
        self
    }

    /// The beginning of the run: the execution of the command, or the attachment to the first thread. Earlier time is
    /// Stride's own.
    pub fn began(&self) -> Option<Ns> {
        self.began
    }

    /// The subject of the latest event, if it was the return of a call or the end of an operation of io_uring.
    pub fn seen(&self) -> Option<&Seen> {
        self.seen.as_ref()
    }

    pub fn thread(&self, tid: Tid) -> Option<&Thread> {
        self.threads.get(&tid)
    }

    /// The name that a thread had before the latest event, if the event gave it another one: the return of execve(2) or prctl(2).
    pub fn name_before(&self, tid: Tid) -> Option<&[u8]> {
        self.renamed.as_ref().filter(|renamed| renamed.0 == tid).map(|renamed| &renamed.1[..])
    }

    /// True if the latest event is about the execve(2) by which the command began. Until then, its thread had the name of the tracer that
    /// started it.
    pub fn is_launch(&self, tid: Tid) -> bool {
        self.launched == Some(tid)
    }

    pub fn process(&self, pid: Tid) -> Option<&Process> {
        self.processes.get(&pid)
    }

    /// The threads that live, a process's first thread before its others.
    pub fn live_threads(&self) -> Vec<&Thread> {
        let mut live: Vec<_> = self.threads.values().filter(|thread| Some(thread.tid) != self.ended).collect();
        live.sort_unstable_by_key(|thread| (thread.pid, thread.tid != thread.pid, thread.tid));
        live
    }

    /// True if descriptors are followed from the calls. Otherwise filters leave out some of the calls that change them, and each descriptor is
    /// looked up.
    pub fn follows_descriptors(&self) -> bool {
        !self.partial
    }

    /// The descriptors of a process, as far as they were followed, with `AT_FDCWD` for its working directory.
    pub fn open_descriptors(&self, pid: Tid) -> Vec<(i32, ObjectId)> {
        let Some(process) = self.processes.get(&pid).filter(|_| !self.partial) else { return Vec::new() };
        let cwd = process.cwd.map(|object| (AT_FDCWD, object));
        cwd.into_iter().chain(process.descriptors.objects()).collect()
    }

    /// The directory where a process's relative paths begin.
    pub fn working_directory(&self, pid: Tid) -> Option<ObjectId> {
        self.processes.get(&pid)?.cwd
    }

    /// The open file of a process's descriptor.
    pub fn open_file(&self, pid: Tid, fd: i32) -> Option<(FileId, ObjectId)> {
        let file = self.held(pid, fd)?;
        Some((file.id, file.object.get()))
    }

    /// The other end of a pipe or of a socket pair, if a traced process made it.
    pub fn other_end(&self, end: FileId) -> Option<FileId> {
        self.ends.get(&end).map(|end| end.other)
    }

    /// The call that a thread is in, or was in when it ended.
    pub fn wait(&self, tid: Tid) -> Option<&Wait> {
        self.waits.get(&tid).filter(|wait| wait.broken_off.is_none())
    }

    /// The referent of a descriptor of a thread after the latest event, as far as that was followed. `AT_FDCWD` is its
    /// working directory.
    pub fn descriptor(&self, tid: Tid, fd: i32) -> Option<ObjectId> {
        let process = self.processes.get(&self.threads.get(&tid)?.pid).filter(|_| !self.partial)?;
        if fd == AT_FDCWD { process.cwd } else { process.descriptors.get(fd).map(|file| file.object.get()) }
    }

    /// The name of an object. These are hostile bytes from a tracee.
    pub fn name(&self, object: ObjectId) -> &[u8] {
        self.objects.name(object)
    }

    pub fn kind(&self, object: ObjectId) -> ObjectKind {
        self.objects.kind(object)
    }

    /// The other end of a socket, if known: an address, or the host that a client came from.
    pub fn peer(&self, object: ObjectId) -> Option<&[u8]> {
        if self.kind(object) == ObjectKind::Socket { address::peer(self.name(object)) } else { None }
    }

    /// The object that represents all those which differ only in a number that the kernel picked, such as all clients of a port. Otherwise
    /// the object itself.
    pub fn group(&self, object: ObjectId) -> ObjectId {
        self.objects.group(object)
    }

    /// The object to which its calls are counted: the object itself, except that all clients of a port are one. Pipes and the like are counted
    /// one by one, although they have one name.
    pub fn apart(&self, object: ObjectId) -> ObjectId {
        self.objects.apart(object)
    }

    /// The object that represents all objects of its class that have no name of their own, such as all pipes. For an object with a name, the
    /// object itself.
    pub fn class_of(&self, object: ObjectId) -> ObjectId {
        self.objects.class_of(object)
    }

    /// True for an object that represents all pipes, or all others of a class, because there were too many to follow each. Its counts are sums: they
    /// say nothing about a single pipe.
    pub fn is_class(&self, object: ObjectId) -> bool {
        self.objects.is_class(object)
    }

    /// The call that made a pipe or the like, which has no name of its own.
    pub fn found_at(&self, object: ObjectId) -> Option<FoundAt> {
        self.objects.found_at(object)
    }

    /// Handles the next event. Must be called before anybody asks about it.
    pub fn event(&mut self, event: &Event<'_>, resolver: &dyn Resolver) {
        self.forget_ends();
        self.seen = None;
        self.launched = None;
        self.renamed = None;
        self.gone_files.clear();
        if let Some(tid) = self.ended.take() {
            self.forget(tid);
        }
        match *event {
            Event::Enter(call) | Event::Exit(call) | Event::NamingCall(call) => self.note_beginning(call),
            _ => self.began = self.began.or(event.at()),
        }
        match *event {
            Event::Started { tid, process, origin, at } => self.started(tid, process, origin, at, resolver),
            Event::Exit(call) | Event::NamingCall(call) if self.names_only && call.row().is_some_and(names_thread) => {
                self.returned(call, resolver);
                self.seen = None;
            }
            Event::Enter(_) | Event::Exit(_) | Event::NamingCall(_) | Event::Library(_) if self.names_only => {}
            Event::Detached { tid, .. } if self.names_only => self.ended = Some(tid),
            Event::Enter(call) => self.entered(call, resolver),
            Event::Exit(call) => {
                if call.outcome == Outcome::Gone {
                    // A thread that waits in vain is of interest when it is killed.
                    self.entered(call, resolver);
                } else if !interrupted(call.outcome)
                    && let Some(wait) = self.waits.get_mut(&call.tid).filter(|wait| !wait.ends_with_process)
                {
                    match call.outcome.is_interruption() {
                        true => wait.broken_off = Some(call.returned),
                        false => _ = self.waits.remove(&call.tid),
                    }
                }
                self.returned(call, resolver);
            }
            Event::NamingCall(call) => {
                self.returned(call, resolver);
                self.seen = None;
            }
            Event::Library(call) => self.seen = self.operated(call, resolver),
            // No thread returns from a call now. So there is time to find out what threads wait for.
            Event::Idle => self.ask_about_waits(resolver),
            Event::Exited { tid, .. } => self.ended = Some(tid),
            Event::Killed { tid, .. } => {
                self.ask_about_wait(tid, resolver);
                self.mark_join_of(tid);
                self.ended = Some(tid);
            }
            Event::Detached { tid, call, at } => {
                if let Some(call) = call {
                    self.entered(call, resolver);
                }
                self.ask_about_wait(tid, resolver);
                self.look_at_end(tid, at, resolver);
                self.ended = Some(tid);
            }
            Event::Superseded { tid, old, .. } => {
                self.renewals += 1;
                self.waits.remove(&tid);
                self.waits.remove(&old);
                if let Some(mut thread) = self.threads.remove(&old) {
                    thread.tid = tid;
                    self.threads.insert(tid, thread);
                    if let Some(process) = self.processes.get_mut(&tid) {
                        process.threads = process.threads.saturating_sub(1).max(1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes when a call was made.
    fn note_beginning(&mut self, call: &Call) {
        if self.began.is_none() {
            self.began = Some(call.began());
        }
        if self.pending_command == Some(call.tid)
            && self.shapes.get(call.abi, call.nr).is_some_and(|shape| shape.row.has_effect(Effect::Executes))
        {
            self.launched = self.pending_command.take();
            self.began = Some(call.began());
            self.renewals += 1;
            let thread = self.threads.get_mut(&call.tid).map(|thread| &mut thread.started);
            let process = self.processes.get_mut(&call.tid).map(|process| &mut process.started);
            thread.into_iter().chain(process).for_each(|started| *started = call.began());
        }
    }

    /// The followed open file of a descriptor.
    pub(crate) fn held(&self, pid: Tid, fd: i32) -> Option<Rc<File>> {
        self.processes.get(&pid)?.descriptors.get(fd)
    }

    /// Forgets pipes of which the latest event took the last descriptor.
    fn forget_ends(&mut self) {
        if self.ends.is_empty() {
            return;
        }
        let closed = self.seen.as_ref().and_then(|seen| seen.ended);
        for file in closed.into_iter().chain(self.gone_files.iter().copied()) {
            let Some(end) = self.ends.get_mut(&file) else { continue };
            end.gone = true;
            let other = end.other;
            // A thread that waits at one end may still ask for the other end.
            if self.ends.get(&other).is_none_or(|other| other.gone) {
                self.ends.remove(&file);
                self.ends.remove(&other);
            }
        }
    }

    fn forget(&mut self, tid: Tid) {
        self.renewals += 1;
        self.waits.remove(&tid);
        self.never_returns(tid);
        let Some(thread) = self.threads.remove(&tid) else { return };
        self.keep_name_for_joiner(&thread);
        let Some(process) = self.processes.get_mut(&thread.pid) else { return };
        process.threads = process.threads.saturating_sub(1);
        if process.threads == 0 {
            self.separate_table(thread.pid);
            if let Some(process) = self.processes.remove(&thread.pid) {
                self.release(process.descriptors.end());
            }
        }
    }

    pub(crate) fn new_seen(&self, tid: Tid) -> Seen {
        Seen {
            row: None,
            tid,
            pid: self.threads.get(&tid).map_or(tid, |thread| thread.pid),
            fd: None,
            file: None,
            object: None,
            path: None,
            other_path: None,
            directory: None,
            made: None,
            replaced: None,
            ended: None,
            bytes: None,
            asked: None,
        }
    }

    fn returned(&mut self, call: &Call, resolver: &dyn Resolver) {
        let mut seen = self.new_seen(call.tid);
        if let Some(shape) = self.shapes.get(call.abi, call.nr) {
            self.resolve_arguments(call, &shape, &mut seen, resolver);
            if let Some(thread) = self.threads.get_mut(&call.tid) {
                thread.step(call, &shape);
            }
            // A connection that is not waited for.
            const EINPROGRESS: Outcome = Outcome::Error(c::EINPROGRESS as u32);
            match call.outcome {
                Outcome::Value(value) => {
                    if shape.keeps_path {
                        self.keep_paths(&mut seen);
                    }
                    self.apply_effects(call, shape.row, value, &mut seen);
                }
                EINPROGRESS if shape.row.has_effect(Effect::Connects) => {
                    self.apply_effects(call, shape.row, 0, &mut seen)
                }
                Outcome::Error(_) if shape.row.has_effect(Effect::Connects) => self.connection_failed(call, &mut seen),
                _ => {}
            }
        }
        self.seen = Some(seen);
    }

    pub(crate) fn opened(
        &mut self,
        pid: Tid,
        fd: i32,
        object: ObjectId,
        protocol: &'static str,
        cloexec: bool,
    ) -> Rc<File> {
        let object = self.objects.one_of(object, FoundAt { pid, fd, other: None });
        let id = FileId(self.files);
        self.files = self.files.wrapping_add(1);
        let file = Rc::new(File {
            id,
            object: Cell::new(object),
            attempted: Cell::new(false),
            protocol,
            pieces: Cell::new(0),
        });
        // If there was another file, its close(2) was not seen.
        let before = self.share(pid, fd, file.clone(), cloexec);
        self.release(before);
        file
    }

    /// Returns the file that the descriptor referred to before.
    pub(crate) fn share(&mut self, pid: Tid, fd: i32, file: Rc<File>, cloexec: bool) -> Option<Rc<File>> {
        self.processes.get(&pid)?.descriptors.set(fd, file, cloexec)
    }
}

/// Ended by a signal, which may end more. So what the call waited for is of interest.
fn interrupted(outcome: Outcome) -> bool {
    // ERESTARTSYS to ERESTART_RESTARTBLOCK of the kernel's errno.h.
    matches!(outcome, Outcome::Error(512..=516))
}

#[cfg(test)]
mod tests;
