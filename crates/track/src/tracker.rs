//! Follows the events.

use crate::descriptors::{Descriptors, File, Unsettled};
use crate::names::as_followed;
use crate::objects::Objects;
use crate::shape::{Idle, PathAt, Shape, Shapes};
use crate::{FileId, ObjectId, ObjectKind, Process, Seen, Thread, Wait, Watched, address};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use stride_decode::{TRACER, Touch, World};
use stride_event::{Call, Descriptor, Detail, Event, Memory, Ns, Origin, Outcome, Phase, Tid};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, For};

const AT_FDCWD: i32 = c::AT_FDCWD as i32;
const PATH_MAX: usize = 4096;
/// Of what a process had open before it was traced, so many descriptors are asked for at once; others when they are used.
const ASKED_FIRST: i32 = 64;
/// Of what one call watches, so many descriptors are told, as long as no more threads than this wait.
const MAX_WATCHED: usize = 64;
const MAX_WATCHERS: usize = 1 << 12;

/// Threads that are followed at the same time; no machine runs so many. What others are called is not known.
const MAX_THREADS: usize = 1 << 18;

#[derive(Default)]
pub struct Tracker {
    pub(crate) objects: Objects,
    shapes: Shapes,
    pub(crate) threads: FxHashMap<Tid, Thread>,
    pub(crate) processes: FxHashMap<Tid, Process>,
    pub(crate) files: u32,
    /// Descriptors that children were given copies of.
    pub(crate) copied: u64,
    pub(crate) gone_files: Vec<FileId>,
    /// By the thread that is in a clone(2).
    pub(crate) unsettled: FxHashMap<Tid, Unsettled>,
    seen: Option<Seen>,
    /// A thread whose end was the latest event: views may still ask for it.
    pub(crate) ended: Option<Tid>,
    /// Calls that threads are in, where engines tell: those that last.
    pub(crate) waits: FxHashMap<Tid, Wait>,
    began: Option<Ns>,
    /// The command, until it runs its program.
    unborn: Option<Tid>,
    /// Reused.
    path: Vec<u8>,
    pub(crate) partial: bool,
}

impl Tracker {
    /// Of events that filters have thinned out before: what descriptors refer to cannot be followed then, but only asked for.
    pub fn partial(partial: bool) -> Tracker {
        Tracker { partial, ..Tracker::default() }
    }

    /// When the run began: when the command was executed, or when the first thread was attached to. Before that is Stride's own time.
    pub fn began(&self) -> Option<Ns> {
        self.began
    }

    /// What the latest event was about, if it was the return of a call.
    pub fn seen(&self) -> Option<&Seen> {
        self.seen.as_ref()
    }

    pub fn thread(&self, tid: Tid) -> Option<&Thread> {
        self.threads.get(&tid)
    }

    pub fn process(&self, pid: Tid) -> Option<&Process> {
        self.processes.get(&pid)
    }

    /// Where a process's relative paths begin.
    pub fn working_directory(&self, pid: Tid) -> Option<ObjectId> {
        self.processes.get(&pid)?.cwd
    }

    /// The open file that a descriptor of a process stands for.
    pub fn open_file(&self, pid: Tid, fd: i32) -> Option<(FileId, ObjectId)> {
        let file = self.held(pid, fd)?;
        Some((file.id, file.object.get()))
    }

    /// The call that a thread is in, or was in when it was gone.
    pub fn wait(&self, tid: Tid) -> Option<&Wait> {
        self.waits.get(&tid)
    }

    /// What a descriptor of a thread refers to after the latest event, so far as that was followed; `AT_FDCWD` is its working directory.
    pub fn descriptor(&self, tid: Tid, fd: i32) -> Option<ObjectId> {
        let process = self.processes.get(&self.threads.get(&tid)?.pid).filter(|_| !self.partial)?;
        if fd == AT_FDCWD { process.cwd } else { process.descriptors.get(fd).map(|file| file.object.get()) }
    }

    /// Hostile bytes: they are a tracee's.
    pub fn name(&self, object: ObjectId) -> &[u8] {
        self.objects.name(object)
    }

    pub fn kind(&self, object: ObjectId) -> ObjectKind {
        self.objects.kind(object)
    }

    /// The other end of a socket, where that is known: an address, or the host that a client came from.
    pub fn peer(&self, object: ObjectId) -> Option<&[u8]> {
        if self.kind(object) == ObjectKind::Socket { address::peer(self.name(object)) } else { None }
    }

    /// What stands for many that are told apart only by chance, such as all clients of a port; else the object itself.
    pub fn group(&self, object: ObjectId) -> ObjectId {
        self.objects.group(object)
    }

    /// Takes in the next event, before anybody asks about it.
    pub fn event(&mut self, event: &Event<'_>, world: &dyn World) {
        self.seen = None;
        self.gone_files.clear();
        if let Some(tid) = self.ended.take() {
            self.forget(tid);
        }
        match *event {
            Event::Enter(call) | Event::Exit(call) | Event::Aside(call) => self.note_beginning(call),
            _ => self.began = self.began.or(event.at()),
        }
        match *event {
            Event::Started { tid, process, origin, at } => self.started(tid, process, origin, at, world),
            Event::Enter(call) => self.entered(call, world),
            Event::Exit(call) => {
                if call.outcome == Outcome::Gone {
                    // Who waits in vain is of interest when it is killed.
                    self.entered(call, world);
                } else if !interrupted(call.outcome) && self.waits.get(&call.tid).is_some_and(|wait| !wait.doomed) {
                    self.waits.remove(&call.tid);
                }
                self.returned(call, world);
            }
            Event::Aside(call) => {
                self.returned(call, world);
                self.seen = None;
            }
            // Nobody does anything: what are they waiting for?
            Event::Idle => self.ask_about_waits(world),
            Event::Exited { tid, .. } => self.ended = Some(tid),
            Event::Killed { tid, .. } => {
                self.ask_about_wait(tid, world);
                self.dooms(tid);
                self.ended = Some(tid);
            }
            Event::Detached { tid, call, .. } => {
                if let Some(call) = call {
                    self.entered(call, world);
                }
                self.ask_about_wait(tid, world);
                self.ended = Some(tid);
            }
            Event::Superseded { tid, old, .. } => {
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

    /// Takes in when a call was made.
    fn note_beginning(&mut self, call: &Call) {
        if self.began.is_none() {
            self.began = Some(call.entered);
        }
        if self.unborn == Some(call.tid)
            && self.shapes.get(call.abi, call.nr).is_some_and(|shape| shape.row.has_effect(Effect::Executes))
        {
            self.unborn = None;
            self.began = Some(call.entered);
            let thread = self.threads.get_mut(&call.tid).map(|thread| &mut thread.started);
            let process = self.processes.get_mut(&call.tid).map(|process| &mut process.started);
            thread.into_iter().chain(process).for_each(|started| *started = call.entered);
        }
    }

    fn started(&mut self, tid: Tid, pid: Tid, origin: Origin, at: Ns, world: &dyn World) {
        if origin == Origin::Spawned && self.began == Some(at) {
            self.unborn = Some(tid);
        }
        if origin == Origin::Attached {
            self.unborn = None;
        }
        if self.threads.len() >= MAX_THREADS && !self.threads.contains_key(&tid) {
            return;
        }
        let parent = match origin {
            Origin::Forked { parent } => self.threads.get(&parent).cloned(),
            Origin::Spawned | Origin::Attached => None,
        };
        let inherited = || parent.as_ref().map(|p| p.comm.clone());
        // Before its execve, the command's process goes by Stride's name.
        let command = || world.comm(TRACER).filter(|_| origin == Origin::Spawned);
        let comm = inherited().or_else(command).or_else(|| world.comm(tid)).unwrap_or_default();
        // The end of a thread that is there already was lost.
        let reused = self
            .threads
            .insert(
                tid,
                Thread {
                    tid,
                    pid,
                    comm: comm.clone(),
                    started: at,
                    attached: origin == Origin::Attached,
                    idle_since: None,
                    timed_out: 0,
                    cleared_at_end: None,
                    joined_by: None,
                },
            )
            .is_some();
        if let Some(process) = self.processes.get_mut(&pid).filter(|_| !reused) {
            process.threads += 1;
            if let Origin::Forked { parent } = origin {
                self.clone_began(parent, tid);
            }
            return;
        }
        let mut process = Process {
            pid,
            parent: None,
            made_by: None,
            comm,
            program: None,
            command: Rc::default(),
            started: at,
            threads: 1,
            descriptors: Descriptors::default(),
            cwd: None,
            older: true,
        };
        if let Some(from) = parent.and_then(|parent| self.processes.get(&parent.pid)) {
            process.parent = Some(from.pid);
            process.program = from.program;
            process.command = from.command.clone();
            process.cwd = from.cwd;
            process.older = from.older;
            if let Origin::Forked { parent } = origin {
                process.made_by = Some(parent);
                match self.inherited(parent, pid) {
                    Some(descriptors) => process.descriptors = descriptors,
                    None => process.older = true,
                }
            }
            self.processes.insert(pid, process);
            return;
        }
        self.processes.insert(pid, process);
        // What was started begins with what Stride had. By the time that /proc is asked about it, it may be over.
        let inherited = (origin == Origin::Spawned).then(|| self.ask(TRACER, AT_FDCWD, world)).flatten();
        let whom = if inherited.is_some() { TRACER } else { tid };
        // As it is now; later, others may answer to these numbers.
        let cwd = inherited.or_else(|| self.ask(tid, AT_FDCWD, world));
        for fd in 0..ASKED_FIRST {
            if let Some(object) = self.ask(whom, fd, world) {
                self.opened(pid, fd, object, "", false);
            }
        }
        if let Some(process) = self.processes.get_mut(&pid) {
            process.cwd = cwd;
            process.older = inherited.is_none();
        }
    }

    /// What was followed of a descriptor.
    pub(crate) fn held(&self, pid: Tid, fd: i32) -> Option<Rc<File>> {
        self.processes.get(&pid)?.descriptors.get(fd)
    }

    /// What the world has to say of a descriptor.
    fn ask(&mut self, tid: Tid, fd: i32, world: &dyn World) -> Option<ObjectId> {
        let info = world.fd(tid, fd, None)?;
        let (name, kind) = if info.path.is_empty() {
            (info.detail.as_bytes(), ObjectKind::Socket)
        } else {
            (&info.path[..], kind_of(&info.path))
        };
        Some(self.objects.intern(&as_followed(name), kind))
    }

    fn forget(&mut self, tid: Tid) {
        self.waits.remove(&tid);
        self.never_returns(tid);
        let Some(thread) = self.threads.remove(&tid) else { return };
        self.leaves_its_name(&thread);
        let Some(process) = self.processes.get_mut(&thread.pid) else { return };
        process.threads = process.threads.saturating_sub(1);
        if process.threads == 0 {
            self.parted(thread.pid);
            if let Some(process) = self.processes.remove(&thread.pid) {
                self.release(process.descriptors.end());
            }
        }
    }

    fn nothing_of(&self, call: &Call) -> Seen {
        Seen {
            row: None,
            tid: call.tid,
            pid: self.threads.get(&call.tid).map_or(call.tid, |thread| thread.pid),
            fd: None,
            file: None,
            object: None,
            path: None,
            other_path: None,
            made: None,
            ended: None,
            bytes: None,
            asked: None,
        }
    }

    fn entered(&mut self, call: &Call, world: &dyn World) {
        let shape = self.shapes.get(call.abi, call.nr);
        let row = shape.map_or("?", |shape| shape.row.name);
        // The same call still, or again after a signal.
        if self.waits.get(&call.tid).is_some_and(|wait| wait.args == call.args && wait.name() == row) {
            return;
        }
        let mut seen = self.nothing_of(call);
        if let Some(shape) = shape {
            self.look(call, &shape, &mut seen, world);
        }
        let mut wait = Wait::new(seen, call);
        let few = self.waits.len() < MAX_WATCHERS;
        if few && seen.fd.is_none() && shape.is_some_and(|shape| shape.idle == Idle::IfZero) {
            // poll(2), select(2)
            stride_decode::touches(call, &mut |touch| {
                if let Touch::Fd(fd) = touch {
                    wait.watched.push(self.watched(seen.pid, fd));
                }
                wait.watched.len() >= MAX_WATCHED
            });
        }
        self.joins(&mut wait);
        if self.waits.len() < MAX_THREADS {
            self.waits.insert(call.tid, wait);
        }
    }

    fn watched(&self, pid: Tid, fd: i32) -> Watched {
        Watched { fd, object: self.held(pid, fd).map(|file| file.object.get()), others: Vec::new() }
    }

    /// Finds out what threads wait for, while they do.
    fn ask_about_waits(&mut self, world: &dyn World) {
        const AT_ONCE: usize = 64;
        let new: Vec<Tid> =
            self.waits.iter().filter(|(_, wait)| !wait.asked).map(|(tid, _)| *tid).take(AT_ONCE).collect();
        new.into_iter().for_each(|tid| self.ask_about_wait(tid, world));
    }

    /// Of each call once.
    fn ask_about_wait(&mut self, tid: Tid, world: &dyn World) {
        let Some(mut wait) = self.waits.remove(&tid) else { return };
        if !std::mem::replace(&mut wait.asked, true) {
            match (wait.seen.row.and_then(|row| row.waits()), wait.seen.fd) {
                (Some(For::Lock), _) => wait.awaited = self.awaited(&wait, world),
                // An epoll instance.
                (Some(For::Readiness), Some(fd)) => {
                    let watched = world.watched(tid, fd).into_iter().take(MAX_WATCHED);
                    wait.watched = watched.map(|fd| self.watched(wait.seen.pid, fd)).collect();
                }
                (_, Some(fd)) => wait.others = others(tid, fd, world),
                (_, None) => {}
            }
            // Looking through all of /proc has its price.
            for watched in wait.watched.iter_mut().take(4) {
                watched.others = others(tid, watched.fd, world);
            }
        }
        self.waits.insert(tid, wait);
    }

    fn returned(&mut self, call: &Call, world: &dyn World) {
        let mut seen = self.nothing_of(call);
        if let Some(shape) = self.shapes.get(call.abi, call.nr) {
            self.look(call, &shape, &mut seen, world);
            if let Some(thread) = self.threads.get_mut(&call.tid) {
                thread.step(call, &shape);
            }
            // A connection that is not waited for.
            const EINPROGRESS: Outcome = Outcome::Error(c::EINPROGRESS as u32);
            match call.outcome {
                Outcome::Value(value) => self.happened(call, shape.row, value, &mut seen),
                EINPROGRESS if shape.row.has_effect(Effect::Connects) => self.happened(call, shape.row, 0, &mut seen),
                _ => {}
            }
        }
        self.seen = Some(seen);
    }

    /// What the arguments say.
    fn look(&mut self, call: &Call, shape: &Shape, seen: &mut Seen, world: &dyn World) {
        let held = |at: u8| shape.row.held(at.into(), &call.args, call.abi);
        seen.row = Some(shape.row);
        if let Some(at) = shape.fd {
            let fd = held(at) as i32;
            seen.fd = Some(fd);
            let file = self.file(call, seen.pid, fd, world);
            seen.file = file.as_ref().map(|file| file.id);
            seen.object = file.map(|file| file.object.get());
        }
        if let [Some(first), second] = shape.paths {
            (seen.path, seen.object) = self.path(call, shape, first, seen, world);
            seen.other_path = second.and_then(|second| self.path(call, shape, second, seen, world).0);
        }
        if shape.transfers {
            seen.asked = shape.asked.map(held);
            if let Outcome::Value(moved) = call.outcome {
                seen.bytes = Some(moved.max(0) as u64);
            }
        }
    }

    /// What descriptor `fd` refers to. What the engine saw goes first: with filters, not every close(2) is seen.
    fn file(&mut self, call: &Call, pid: Tid, fd: i32, world: &dyn World) -> Option<Rc<File>> {
        if fd < 0 {
            return None;
        }
        let known = call.given(fd);
        let kept = self.held(pid, fd);
        if let Some(known) = known {
            let object = self.described(known)?;
            return match kept {
                Some(file) if file.object.get() == object => Some(file),
                _ => Some(self.opened(pid, fd, object, "", false)),
            };
        }
        if self.partial {
            let object = self.ask(call.tid, fd, world)?;
            return match kept {
                Some(file) if file.object.get() == object => Some(file),
                _ => Some(self.opened(pid, fd, object, "", false)),
            };
        }
        // A call that failed with EBADF had none.
        const EBADF: Outcome = Outcome::Error(c::EBADF as u32);
        if kept.is_some() || call.outcome == EBADF || !self.processes.get(&pid)?.older {
            return kept;
        }
        let object = self.ask(call.tid, fd, world)?;
        Some(self.opened(pid, fd, object, "", false))
    }

    /// In the tracker's words, what an engine saw of a descriptor.
    pub(crate) fn described(&mut self, known: &Descriptor) -> Option<ObjectId> {
        if let Detail::Inet { local, remote } = &known.detail {
            let protocol = String::from_utf8_lossy(&known.name);
            let protocol = protocol.strip_suffix("v6").unwrap_or(&protocol);
            let at = |(ip, port): (std::net::IpAddr, u16)| std::net::SocketAddr::from((ip, port));
            let name = match remote {
                Some(remote) => format!("{protocol} → {}", at(*remote)),
                None => format!("{protocol} {}", at(*local)),
            };
            return Some(self.objects.intern(name.as_bytes(), ObjectKind::Socket));
        }
        if known.path.is_empty() {
            return None;
        }
        Some(self.objects.intern(&as_followed(&known.path), kind_of(&known.path)))
    }

    /// The path at an argument; and what a descriptor refers to that takes an empty path's place.
    fn path(
        &mut self,
        call: &Call,
        shape: &Shape,
        at: PathAt,
        seen: &Seen,
        world: &dyn World,
    ) -> (Option<ObjectId>, Option<ObjectId>) {
        let held = |at: u8| shape.row.held(at.into(), &call.args, call.abi);
        let bytes = call.blocks.prefix(Phase::Entry, held(at.path), PATH_MAX);
        let Some(end) = bytes.iter().position(|b| *b == 0) else { return (None, seen.object) };
        let bytes = &bytes[..end];
        let dir = at.dir.map_or(AT_FDCWD, |dir| held(dir) as i32);
        if bytes.starts_with(b"/") {
            return (Some(self.tidy(None, bytes)), seen.object);
        }
        let base = match dir {
            AT_FDCWD => match call.given(AT_FDCWD) {
                Some(known) => self.described(known),
                None if self.partial => self.ask(call.tid, AT_FDCWD, world),
                None => self.processes.get(&seen.pid).and_then(|process| process.cwd),
            },
            fd => self.file(call, seen.pid, fd, world).map(|file| file.object.get()),
        };
        if bytes.is_empty() {
            // AT_EMPTY_PATH, or ENOENT.
            return (None, if dir == AT_FDCWD { seen.object } else { base });
        }
        (Some(self.tidy(base, bytes)), seen.object)
    }

    /// The path from the root on, without what goes nowhere (`//`, `/./`). A `..` that begins a relative path takes one step back
    /// from where the path begins, or names would grow without end in walks of trees; others stay: where they lead depends on links.
    fn tidy(&mut self, base: Option<ObjectId>, path: &[u8]) -> ObjectId {
        let simple = |path: &[u8]| !path.windows(2).any(|two| matches!(two, b"//" | b"/."));
        let mut whole = std::mem::take(&mut self.path);
        whole.clear();
        let mut path = path;
        if let Some(base) = base {
            let mut base = self.objects.name(base);
            while let Some(rest) = path.strip_prefix(b"..").filter(|rest| matches!(rest, [] | [b'/', ..]))
                && base.starts_with(b"/")
            {
                let up = base.iter().rposition(|b| *b == b'/').unwrap_or(0);
                base = &base[..up.max(1)];
                path = rest.strip_prefix(b"/").unwrap_or(rest);
            }
            whole.extend_from_slice(base);
            if !path.is_empty() && !base.ends_with(b"/") {
                whole.push(b'/');
            }
        }
        whole.extend_from_slice(path);
        let kept;
        let tidied = if simple(&whole) {
            &whole[..]
        } else {
            let parts: Vec<&[u8]> = whole.split(|b| *b == b'/').filter(|part| !matches!(*part, b"" | b".")).collect();
            let root: &[u8] = if whole.starts_with(b"/") { b"/" } else { b"" };
            kept = [root, &parts.join(&b'/')].concat();
            &kept[..]
        };
        let id = self.objects.intern(if tidied.is_empty() { b"." } else { tidied }, ObjectKind::Path);
        self.path = whole;
        id
    }

    pub(crate) fn opened(
        &mut self,
        pid: Tid,
        fd: i32,
        object: ObjectId,
        protocol: &'static str,
        cloexec: bool,
    ) -> Rc<File> {
        let id = FileId(self.files);
        self.files = self.files.wrapping_add(1);
        let file = Rc::new(File { id, object: Cell::new(object), protocol });
        // A close(2) that was not seen.
        let before = self.share(pid, fd, file.clone(), cloexec);
        self.release(before);
        file
    }

    /// The answer is what the descriptor referred to before.
    pub(crate) fn share(&mut self, pid: Tid, fd: i32, file: Rc<File>, cloexec: bool) -> Option<Rc<File>> {
        self.processes.get(&pid)?.descriptors.set(fd, file, cloexec)
    }
}

/// Who has the other end of a descriptor.
fn others(tid: Tid, fd: i32, world: &dyn World) -> Vec<(Tid, Vec<u8>)> {
    world.other_ends(tid, fd).into_iter().map(|pid| (pid, world.comm(pid).unwrap_or_default())).collect()
}

/// Ended by a signal, which may end more: what the call waited for is of interest then.
fn interrupted(outcome: Outcome) -> bool {
    // ERESTARTSYS to ERESTART_RESTARTBLOCK of the kernel's errno.h.
    matches!(outcome, Outcome::Error(512..=516))
}

fn kind_of(path: &[u8]) -> ObjectKind {
    match path {
        [b'/', ..] => ObjectKind::Path,
        _ if path.starts_with(b"pipe:") => ObjectKind::Pipe,
        _ if path.starts_with(b"socket:") => ObjectKind::Socket,
        _ => ObjectKind::Anonymous,
    }
}

#[cfg(test)]
#[path = "tracker_tests.rs"]
mod tests;
