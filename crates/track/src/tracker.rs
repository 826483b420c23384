//! Follows the events.

use crate::descriptors::{Descriptors, File};
use crate::names::{as_followed, base_name};
use crate::objects::Objects;
use crate::shape::{Effect, Idle, PathAt, Shape, Shapes};
use crate::{FileId, ObjectId, ObjectKind, Process, Seen, Thread, Wait, Watched, address};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use stride_decode::{TRACER, Touch, World};
use stride_event::{Call, Descriptor, Detail, Event, Memory, Ns, Origin, Outcome, Phase, Tid};

const AT_FDCWD: i32 = -100;
const O_CLOEXEC: u64 = 0o2000000;
const PATH_MAX: usize = 4096;
/// Of what a process had open before it was traced, so many descriptors are asked for at once; others when they are used.
const ASKED_FIRST: i32 = 64;
/// Of what one call watches, so many descriptors are told.
const MAX_WATCHED: usize = 64;

#[derive(Default)]
pub struct Tracker {
    objects: Objects,
    shapes: Shapes,
    threads: FxHashMap<Tid, Thread>,
    processes: FxHashMap<Tid, Process>,
    files: u32,
    seen: Option<Seen>,
    /// A thread whose end was the latest event: views may still ask for it.
    ended: Option<Tid>,
    /// Calls that threads are in, where engines tell: those that last.
    waits: FxHashMap<Tid, Wait>,
    /// Reused.
    path: Vec<u8>,
    partial: bool,
}

impl Tracker {
    /// Of events that filters have thinned out before: what descriptors refer to cannot be followed then, but only asked for.
    pub fn partial(partial: bool) -> Tracker {
        Tracker { partial, ..Tracker::default() }
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
        if let Some(tid) = self.ended.take() {
            self.forget(tid);
        }
        match *event {
            Event::Started { tid, process, origin, at } => self.started(tid, process, origin, at, world),
            Event::Enter(call) => self.entered(call, world),
            Event::Exit(call) => {
                if call.outcome == Outcome::Gone {
                    // Who waits in vain is of interest when it is killed.
                    self.entered(call, world);
                } else if !self.waits.is_empty() && !interrupted(call.outcome) {
                    self.waits.remove(&call.tid);
                }
                self.returned(call, world);
            }
            // Nobody does anything: what are they waiting for?
            Event::Idle => self.ask_about_waits(world),
            Event::Exited { tid, .. } => self.ended = Some(tid),
            Event::Killed { tid, .. } => {
                self.ask_about_wait(tid, world);
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

    fn started(&mut self, tid: Tid, pid: Tid, origin: Origin, at: Ns, world: &dyn World) {
        let parent = match origin {
            Origin::Forked { parent } => self.threads.get(&parent).cloned(),
            Origin::Spawned | Origin::Attached => None,
        };
        let inherited = || parent.as_ref().map(|p| p.comm.clone());
        let comm = inherited().or_else(|| world.comm(tid)).unwrap_or_default();
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
                },
            )
            .is_some();
        if let Some(process) = self.processes.get_mut(&pid).filter(|_| !reused) {
            process.threads += 1;
            return;
        }
        let mut process = Process {
            pid,
            parent: None,
            comm,
            program: None,
            command: Vec::new(),
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
            process.descriptors = from.descriptors.clone();
            process.cwd = from.cwd;
            process.older = from.older;
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
    fn held(&self, pid: Tid, fd: i32) -> Option<&Rc<File>> {
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
        let Some(thread) = self.threads.remove(&tid) else { return };
        let Some(process) = self.processes.get_mut(&thread.pid) else { return };
        process.threads = process.threads.saturating_sub(1);
        if process.threads == 0 {
            self.processes.remove(&thread.pid);
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
        if seen.fd.is_none() && shape.is_some_and(|shape| shape.idle == Idle::IfZero) {
            // poll(2), select(2)
            stride_decode::touches(call, &mut |touch| {
                if let Touch::Fd(fd) = touch {
                    wait.watched.push(self.watched(seen.pid, fd));
                }
                wait.watched.len() >= MAX_WATCHED
            });
        }
        self.waits.insert(call.tid, wait);
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
            match (wait.name(), wait.seen.fd) {
                ("futex", _) => {
                    let comm = |holder| self.threads.get(&holder).map(|t| t.comm.clone()).unwrap_or_default();
                    wait.holder = world.lock_holder(tid, wait.args[0]).map(|holder| (holder, comm(holder)));
                }
                (name, Some(fd)) if name.starts_with("epoll_") => {
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
                let idle = is_idle(&shape, call.outcome);
                thread.idle_since = idle.then(|| thread.idle_since.unwrap_or(call.entered));
            }
            // A connection that is not waited for.
            const EINPROGRESS: Outcome = Outcome::Error(115);
            match call.outcome {
                Outcome::Value(value) => self.happened(call, &shape, value, &mut seen),
                EINPROGRESS if shape.effect == Effect::Connect => self.happened(call, &shape, 0, &mut seen),
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
        let kept = self.held(pid, fd).cloned();
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
        const EBADF: Outcome = Outcome::Error(9);
        if kept.is_some() || call.outcome == EBADF || !self.processes.get(&pid)?.older {
            return kept;
        }
        let object = self.ask(call.tid, fd, world)?;
        Some(self.opened(pid, fd, object, "", false))
    }

    /// In the tracker's words, what an engine saw of a descriptor.
    fn described(&mut self, known: &Descriptor) -> Option<ObjectId> {
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

    fn opened(&mut self, pid: Tid, fd: i32, object: ObjectId, protocol: &'static str, cloexec: bool) -> Rc<File> {
        let id = FileId(self.files);
        self.files = self.files.wrapping_add(1);
        let file = Rc::new(File { id, object: Cell::new(object), protocol });
        self.share(pid, fd, file.clone(), cloexec);
        file
    }

    /// The answer is what the descriptor referred to before.
    fn share(&mut self, pid: Tid, fd: i32, file: Rc<File>, cloexec: bool) -> Option<Rc<File>> {
        self.processes.get_mut(&pid)?.descriptors.set(fd, file, cloexec)
    }

    /// What a call that succeeded has changed.
    fn happened(&mut self, call: &Call, shape: &Shape, value: i64, seen: &mut Seen) {
        let args = &call.args;
        let pid = seen.pid;
        let fd = value as i32;
        let cloexec = shape.flags.is_some_and(|at| shape.row.held(at.into(), args, call.abi) & O_CLOEXEC != 0);
        let returns_fd = matches!(shape.row.returns(args, call.abi), stride_syscalls::Ret::Fd);
        let mut made = None;
        match shape.effect {
            Effect::Close => {
                let process = self.processes.get_mut(&pid);
                seen.ended = process.and_then(|process| last(process.descriptors.close(args[0] as i32)));
            }
            Effect::CloseRange => {
                const CLOSE_RANGE_CLOEXEC: u64 = 4;
                if let Some(process) = self.processes.get_mut(&pid) {
                    let mark = args[2] & CLOSE_RANGE_CLOEXEC != 0;
                    process.descriptors.close_range(args[0] as u32, args[1] as u32, mark);
                }
            }
            Effect::Dup => (made, seen.ended) = self.dup(seen, fd, cloexec),
            Effect::Fcntl => {
                const F_DUPFD: u64 = 0;
                const F_SETFD: u64 = 2;
                const F_DUPFD_CLOEXEC: u64 = 1030;
                match args[1] {
                    F_DUPFD | F_DUPFD_CLOEXEC => made = self.dup(seen, fd, args[1] == F_DUPFD_CLOEXEC).0,
                    F_SETFD => {
                        if let Some(process) = self.processes.get_mut(&pid) {
                            process.descriptors.set_cloexec(args[0] as i32, args[2] & 1 != 0);
                        }
                    }
                    _ => {}
                }
            }
            Effect::Pipe => self.pair(call, pid, args[0], "pipe", "", cloexec),
            Effect::SocketPair => {
                let protocol = address::protocol(args[0], args[1], args[2]);
                self.pair(call, pid, args[3], "socket pair", protocol, args[1] & O_CLOEXEC != 0);
            }
            Effect::Socket => {
                let protocol = address::protocol(args[0], args[1], args[2]);
                let object = self.objects.intern(format!("{protocol} socket").as_bytes(), ObjectKind::Socket);
                made = Some(self.opened(pid, fd, object, protocol, args[1] & O_CLOEXEC != 0));
            }
            Effect::Accept => made = Some(self.accepted(call, seen, fd, cloexec)),
            Effect::Connect | Effect::Bind => {
                let bytes = call.blocks.prefix(Phase::Entry, args[1], (args[2] as usize).min(128));
                self.named(pid, args[0] as i32, bytes, shape.effect == Effect::Connect);
                seen.object = seen.fd.and_then(|fd| Some(self.held(pid, fd)?.object.get()));
            }
            Effect::Exec => self.execed(call, shape, seen),
            Effect::ChangeDir => self.moved(pid, seen.path),
            Effect::ChangeDirFd => self.moved(pid, seen.object),
            Effect::Name => self.renamed(call),
            Effect::Anonymous(name) if returns_fd => {
                let object = self.objects.intern(name.as_bytes(), ObjectKind::Anonymous);
                let cloexec = match name {
                    "memfd" => args[1] & 1 != 0,
                    "pidfd" | "io_uring" | "bpf" => true,
                    _ => cloexec,
                };
                made = Some(self.opened(pid, fd, object, "", cloexec));
            }
            Effect::None if returns_fd => {
                let object = match (seen.about(), call.made(fd)) {
                    (Some(object), _) => object,
                    (None, Some(known)) => self.described(known).unwrap_or_else(|| self.unnamed(shape.row.name)),
                    (None, None) => self.unnamed(shape.row.name),
                };
                made = Some(self.opened(pid, fd, object, "", cloexec));
            }
            Effect::None | Effect::Anonymous(_) => {}
        }
        seen.made = made.map(|file| (fd, file.id, file.object.get()));
    }

    fn unnamed(&mut self, made_by: &str) -> ObjectId {
        self.objects.intern(format!("({made_by})").as_bytes(), ObjectKind::Anonymous)
    }

    /// The file that has got another descriptor, and the one whose last descriptor was that before.
    fn dup(&mut self, seen: &Seen, fd: i32, cloexec: bool) -> (Option<Rc<File>>, Option<FileId>) {
        let process = self.processes.get(&seen.pid);
        let file = process.zip(seen.fd).and_then(|(process, from)| process.descriptors.get(from)).cloned();
        let before = file.clone().and_then(|file| self.share(seen.pid, fd, file, cloexec));
        (file, last(before))
    }

    fn pair(&mut self, call: &Call, pid: Tid, addr: u64, what: &str, protocol: &'static str, cloexec: bool) {
        let Some(bytes) = call.blocks.read(Phase::Exit, addr, 8) else { return };
        let ends = [0, 4].map(|at| bytes[at..].first_chunk().map_or(-1, |b| i32::from_ne_bytes(*b)));
        let kind = if protocol.is_empty() { ObjectKind::Pipe } else { ObjectKind::Socket };
        let object = self.objects.intern(what.as_bytes(), kind);
        for fd in ends {
            self.opened(pid, fd, object, protocol, cloexec);
        }
    }

    fn accepted(&mut self, call: &Call, seen: &Seen, fd: i32, cloexec: bool) -> Rc<File> {
        let listener = seen.fd.and_then(|fd| self.held(seen.pid, fd)).cloned();
        let protocol = listener.as_ref().map_or("SOCKET", |file| file.protocol);
        let at = seen.object.map_or(&b"socket"[..], |object| self.objects.name(object));
        let clients = [at, " ← clients".as_bytes()].concat();
        let peer = address::name(call.blocks.prefix(Phase::Exit, call.args[1], 128));
        let name = peer.map(|peer| [at, " ← ".as_bytes(), &peer].concat());
        let group = self.objects.intern(&clients, ObjectKind::Socket);
        let object = match name {
            Some(name) => self.objects.intern_in(&name, ObjectKind::Socket, Some(group)),
            None => group,
        };
        self.opened(seen.pid, fd, object, protocol, cloexec)
    }

    /// A socket is given its own address or that of its peer.
    fn named(&mut self, pid: Tid, fd: i32, addr: &[u8], peer: bool) {
        let Some(address) = address::name(addr) else { return };
        let Some(file) = self.held(pid, fd).cloned() else { return };
        let arrow = if peer { "→ " } else { "" };
        let protocol = if file.protocol.is_empty() { "SOCKET" } else { file.protocol };
        let name = [format!("{protocol} {arrow}").as_bytes(), &address].concat();
        file.object.set(self.objects.intern(&name, ObjectKind::Socket));
    }

    fn moved(&mut self, pid: Tid, to: Option<ObjectId>) {
        if let (Some(process), Some(to)) = (self.processes.get_mut(&pid), to) {
            process.cwd = Some(to);
        }
    }

    fn execed(&mut self, call: &Call, shape: &Shape, seen: &Seen) {
        let argv = shape.row.index("argv");
        let command = strings(call, shape.row.held(argv, &call.args, call.abi));
        let path = seen.about().map(|object| self.objects.name(object)).unwrap_or_default();
        let file = base_name(path);
        let comm = &file[..file.len().min(15)];
        if let Some(thread) = self.threads.get_mut(&call.tid) {
            thread.comm = comm.to_vec();
        }
        if let Some(process) = self.processes.get_mut(&seen.pid) {
            process.comm = comm.to_vec();
            process.program = seen.about();
            process.command = command;
            process.descriptors.exec();
        }
    }

    fn renamed(&mut self, call: &Call) {
        const PR_SET_NAME: u64 = 15;
        if call.args[0] as u32 as u64 != PR_SET_NAME {
            return;
        }
        let name = call.blocks.prefix(Phase::Entry, call.args[1], 16);
        let name = name.split(|b| *b == 0).next().unwrap_or_default();
        let name = name[..name.len().min(15)].to_vec();
        let Some(thread) = self.threads.get_mut(&call.tid) else { return };
        if thread.pid == thread.tid
            && let Some(process) = self.processes.get_mut(&thread.pid)
        {
            process.comm = name.clone();
        }
        thread.comm = name;
    }
}

/// What was closed, if no other descriptor refers to it.
fn last(closed: Option<Rc<File>>) -> Option<FileId> {
    closed.filter(|file| Rc::strong_count(file) == 1).map(|file| file.id)
}

/// Who has the other end of a descriptor.
fn others(tid: Tid, fd: i32, world: &dyn World) -> Vec<(Tid, Vec<u8>)> {
    world.other_ends(tid, fd).into_iter().map(|pid| (pid, world.comm(pid).unwrap_or_default())).collect()
}

/// Whether a call got its thread nowhere.
fn is_idle(shape: &Shape, outcome: Outcome) -> bool {
    const EAGAIN: Outcome = Outcome::Error(11);
    match shape.idle {
        Idle::No => outcome == EAGAIN,
        Idle::IfZero => outcome == Outcome::Value(0) || outcome.is_error(),
        Idle::Always => true,
    }
}

/// Ended by a signal, which may end more: what the call waited for is of interest then.
fn interrupted(outcome: Outcome) -> bool {
    // ERESTARTSYS to ERESTART_RESTARTBLOCK of the kernel's errno.h.
    matches!(outcome, Outcome::Error(512..=516))
}

/// The strings of an array of pointers, as far as they were captured.
fn strings(call: &Call, array: u64) -> Vec<Vec<u8>> {
    let word = call.abi.word();
    let words = call.blocks.prefix(Phase::Entry, array, 1 << 16);
    let pointers = words.chunks_exact(word).map(|w| {
        let mut value = [0; 8];
        value[..word].copy_from_slice(w);
        u64::from_le_bytes(value)
    });
    let string = |at| {
        let bytes = call.blocks.prefix(Phase::Entry, at, PATH_MAX);
        bytes.split(|b| *b == 0).next().unwrap_or_default().to_vec()
    };
    pointers.take_while(|at| *at != 0).map(string).collect()
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
