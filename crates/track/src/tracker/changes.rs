//! The changes that calls make: this module carries out the effects of their rows.

use crate::descriptors::File;
use crate::objects::address;
use crate::objects::names::base_name;
use crate::tracker::PairEnd;
use crate::{FileId, FoundAt, ObjectId, ObjectKind, Seen, Tracker};
use std::rc::Rc;
use stride_event::{Call, Outcome, Tid};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, Ret, Syscall, Thing};

/// The ends of pipes and of socket pairs that are remembered together.
const MAX_ENDS: usize = 1 << 18;
/// The length of a thread's name in the kernel.
const COMM: usize = 15;

impl Tracker {
    /// Carries out the changes of a successful call.
    pub(crate) fn apply_effects(&mut self, call: &Call, row: &'static Syscall, value: i64, seen: &mut Seen) {
        let pid = seen.pid;
        let fd = value as i32;
        let mut made = None;
        let mut made_nothing = true;
        for effect in row.effects {
            match *effect {
                Effect::Makes(thing, _) => {
                    made_nothing = false;
                    made = self.made(call, row, thing, fd, seen);
                }
                Effect::Duplicates(_) => {
                    made_nothing = false;
                    // dup2(2) onto itself does nothing.
                    if seen.fd == Some(fd) {
                        made = self.held(pid, fd);
                    } else {
                        made = self.duplicated(seen, fd, call.closes_on_exec());
                    }
                }
                Effect::ControlsDescriptor => {
                    made_nothing = false;
                    made = self.controlled(call, seen, fd);
                }
                Effect::ControlsDevice => {
                    made_nothing = false;
                    if let Some(request @ (c::FIOCLEX | c::FIONCLEX)) = call.arg("op") {
                        self.set_cloexec(seen, request == c::FIOCLEX);
                    }
                }
                Effect::Closes => {
                    let process = self.processes.get(&pid).zip(seen.fd);
                    seen.ended = process.and_then(|(process, fd)| last(process.descriptors.close(fd)));
                }
                Effect::ClosesRange => self.closed_range(call, pid),
                Effect::Forks => self.cloned(call),
                Effect::Unshares => self.unshared(pid, call.flags("flags")),
                Effect::SetsClearedWord => {
                    if let Some(thread) = self.threads.get_mut(&call.tid) {
                        thread.cleared_at_end = call.arg("tidptr");
                    }
                }
                Effect::Connects | Effect::Binds => {
                    let arrow = if *effect == Effect::Connects { "→ " } else { "" };
                    self.named(seen, call.address().unwrap_or_default(), arrow);
                    seen.object = seen.fd.and_then(|fd| Some(self.held(pid, fd)?.object.get()));
                }
                Effect::Executes => self.execed(call, seen),
                Effect::ChangesDirectory => self.moved(pid, seen.subject()),
                Effect::NamesThread => self.renamed(call),
                _ => {}
            }
        }
        if made_nothing && matches!(row.returns(&call.args, call.abi), Ret::Fd) {
            made = Some(self.opened_as(call, row, seen.subject(), fd, pid));
        }
        seen.made = made.map(|file| (fd, file.id, file.object.get()));
    }

    /// The open file of the descriptor that a call returned. `None` if it made two in memory.
    fn made(&mut self, call: &Call, row: &'static Syscall, thing: Thing, fd: i32, seen: &Seen) -> Option<Rc<File>> {
        let cloexec = call.closes_on_exec();
        // Only some commands of bpf(2) make a descriptor.
        let returns_fd = matches!(row.form(&call.args, call.abi).returns(&call.args, call.abi), Ret::Fd);
        match thing {
            Thing::Pipe => self.pair(call, seen.pid, "pipe", "", cloexec),
            Thing::SocketPair => self.pair(call, seen.pid, "socket pair", address::protocol(call), cloexec),
            _ if !returns_fd => {}
            Thing::Socket => {
                let protocol = address::protocol(call);
                let class = self.objects.class(format!("{protocol} socket").as_bytes(), ObjectKind::Socket);
                return Some(self.opened(seen.pid, fd, class, protocol, cloexec));
            }
            Thing::Connection => return Some(self.accepted(call, seen, fd, cloexec)),
            Thing::Anonymous(name) => {
                let class = self.objects.class(name.as_bytes(), ObjectKind::Anonymous);
                return Some(self.opened(seen.pid, fd, class, "", cloexec));
            }
            Thing::File | Thing::Mount => {
                let object = self.opened_anew(seen).or(seen.subject());
                return Some(self.opened_as(call, row, object, fd, seen.pid));
            }
            // Its other descriptor is in a process that may not be traced.
            Thing::Passed => return Some(self.opened_as(call, row, None, fd, seen.pid)),
        }
        None
    }

    /// The pipe behind the descriptor that a path names, such as /dev/fd/63: a shell gives a program the output of another one so.
    fn opened_anew(&self, seen: &Seen) -> Option<ObjectId> {
        let name = self.objects.name(seen.subject()?);
        let number = name.strip_prefix(b"/dev/fd/").or(name.strip_prefix(b"/proc/self/fd/"));
        let fd = match name {
            b"/dev/stdin" => 0,
            b"/dev/stdout" => 1,
            b"/dev/stderr" => 2,
            _ => std::str::from_utf8(number?).ok()?.parse().ok()?,
        };
        let object = self.held(seen.pid, fd)?.object.get();
        (self.kind(object) == ObjectKind::Pipe).then_some(object)
    }

    /// A new descriptor for the object that the call names, or for the one that the engine saw.
    fn opened_as(&mut self, call: &Call, row: &Syscall, object: Option<ObjectId>, fd: i32, pid: Tid) -> Rc<File> {
        let object = object.or_else(|| self.described(call.made(fd)?));
        let object =
            object.unwrap_or_else(|| self.objects.class(format!("({})", row.name).as_bytes(), ObjectKind::Anonymous));
        self.opened(pid, fd, object, "", call.closes_on_exec())
    }

    /// fcntl(2)
    fn controlled(&mut self, call: &Call, seen: &mut Seen, fd: i32) -> Option<Rc<File>> {
        match call.arg("op")? {
            operation @ (c::F_DUPFD | c::F_DUPFD_CLOEXEC) => self.duplicated(seen, fd, operation == c::F_DUPFD_CLOEXEC),
            c::F_SETFD => {
                self.set_cloexec(seen, call.flags("arg") & c::FD_CLOEXEC != 0);
                None
            }
            _ => None,
        }
    }

    fn set_cloexec(&self, seen: &Seen, cloexec: bool) {
        if let Some((process, fd)) = self.processes.get(&seen.pid).zip(seen.fd) {
            process.descriptors.set_cloexec(fd, cloexec);
        }
    }

    /// close_range(2)
    fn closed_range(&mut self, call: &Call, pid: Tid) {
        let flags = call.flags("flags");
        let (Some(first), Some(last)) = (call.arg("first"), call.arg("last")) else { return };
        if flags & c::CLOSE_RANGE_UNSHARE != 0 {
            self.unshared(pid, c::CLONE_FILES);
        }
        let Some(process) = self.processes.get(&pid) else { return };
        if flags & c::CLOSE_RANGE_UNSHARE != 0 && process.threads > 1 {
            // The thread has its own table now. The one that is followed is that of the other threads, which is as it was.
            return;
        }
        let descriptors = &process.descriptors;
        if flags & c::CLOSE_RANGE_CLOEXEC != 0 {
            descriptors.mark_range(first as u32, last as u32);
        } else {
            let closed = descriptors.close_range(first as u32, last as u32);
            self.release(closed);
        }
    }

    /// The open file that got another descriptor: dup(2), dup2(2), fcntl(2).
    fn duplicated(&mut self, seen: &mut Seen, fd: i32, cloexec: bool) -> Option<Rc<File>> {
        let process = self.processes.get(&seen.pid)?;
        let file = seen.fd.and_then(|from| process.descriptors.get(from));
        let before = match &file {
            Some(file) => process.descriptors.set(fd, file.clone(), cloexec),
            // The number refers to a file that was not followed, but no longer to the one from before.
            None => process.descriptors.close(fd),
        };
        // When calls are left out, the table may be out of date.
        let object = before.as_ref().filter(|_| !self.partial).map(|file| file.object.get());
        seen.replaced = Some((fd, object));
        seen.ended = last(before);
        file
    }

    fn pair(&mut self, call: &Call, pid: Tid, what: &str, protocol: &'static str, cloexec: bool) {
        let Some(ends) = call.pair() else { return };
        let kind = if protocol.is_empty() { ObjectKind::Pipe } else { ObjectKind::Socket };
        let class = self.objects.class(what.as_bytes(), kind);
        let object = self.objects.one_of(class, FoundAt { pid, fd: ends[0], other: Some(ends[1]) });
        let [one, other] = ends.map(|fd| self.opened(pid, fd, object, protocol, cloexec).id);
        if self.ends.len() >= MAX_ENDS {
            // (Nobody has so many pipes: a hostile recording.)
            self.ends.clear();
        }
        self.ends.extend([(one, PairEnd::of(other)), (other, PairEnd::of(one))]);
    }

    fn accepted(&mut self, call: &Call, seen: &Seen, fd: i32, cloexec: bool) -> Rc<File> {
        self.connected(call.address().unwrap_or_default(), seen, fd, cloexec)
    }

    /// A connection to the listening socket that a call was given.
    pub(crate) fn connected(&mut self, address: &[u8], seen: &Seen, fd: i32, cloexec: bool) -> Rc<File> {
        let listener = seen.fd.and_then(|fd| self.held(seen.pid, fd));
        let protocol = listener.as_ref().map_or("SOCKET", |file| file.protocol);
        let at = seen.object.map_or(&b"socket"[..], |object| self.objects.name(object));
        let clients = [at, " ← clients".as_bytes()].concat();
        let peer = address::name(address);
        let name = peer.map(|peer| [at, " ← ".as_bytes(), &peer].concat());
        let group = self.objects.intern(&clients, ObjectKind::Socket);
        let object = match name {
            Some(name) => self.objects.intern_in(&name, ObjectKind::Socket, group),
            None => group,
        };
        self.opened(seen.pid, fd, object, protocol, cloexec)
    }

    /// A connection that failed. The socket is known by the peer that it should have had, unless it has one.
    pub(crate) fn connection_failed(&mut self, call: &Call, seen: &mut Seen) {
        // Nothing was attempted if the socket is connected, is being connected, or listens.
        const NOT_TRIED: [u64; 3] = [c::EISCONN, c::EALREADY, c::EINVAL];
        let Outcome::Error(errno) = call.outcome else { return };
        let Some(file) = seen.fd.and_then(|fd| self.held(seen.pid, fd)) else { return };
        let object = file.object.get();
        let free = file.attempted.get() || self.peer(object).is_none();
        if free && self.kind(object) == ObjectKind::Socket && !NOT_TRIED.contains(&errno.into()) {
            self.named(seen, call.address().unwrap_or_default(), "→ ");
            file.attempted.set(true);
            seen.object = Some(file.object.get());
        }
    }

    /// A socket gets its own address, or that of its peer.
    fn named(&mut self, seen: &Seen, addr: &[u8], arrow: &str) {
        let Some(address) = address::name(addr) else { return };
        let Some(file) = seen.fd.and_then(|fd| self.held(seen.pid, fd)) else { return };
        let protocol = if file.protocol.is_empty() { "SOCKET" } else { file.protocol };
        let name = [format!("{protocol} {arrow}").as_bytes(), &address].concat();
        file.object.set(self.objects.intern(&name, ObjectKind::Socket));
        file.attempted.set(false);
    }

    /// chdir(2), fchdir(2)
    fn moved(&mut self, pid: Tid, to: Option<ObjectId>) {
        self.renewals += 1;
        if let (Some(process), Some(to)) = (self.processes.get_mut(&pid), to) {
            process.cwd = Some(to);
        }
    }

    fn execed(&mut self, call: &Call, seen: &Seen) {
        let command: Vec<Vec<u8>> = call.strings("argv").into_iter().map(<[u8]>::to_vec).collect();
        let path = seen.subject().map(|object| self.objects.name(object)).unwrap_or_default();
        let file = base_name(path);
        let comm = &file[..file.len().min(COMM)];
        self.renewals += 1;
        if let Some(thread) = self.threads.get_mut(&call.tid) {
            self.renamed = Some((call.tid, std::mem::replace(&mut thread.comm, comm.to_vec())));
        }
        if let Some(process) = self.processes.get_mut(&seen.pid) {
            process.comm = comm.to_vec();
            process.program = seen.subject();
            process.command = command.into();
        }
        self.separate_table(seen.pid);
        let closed = self.processes.get_mut(&seen.pid).map(|process| process.descriptors.exec());
        self.release(closed.into_iter().flatten());
    }

    /// prctl(2)
    fn renamed(&mut self, call: &Call) {
        if call.arg("op") != Some(c::PR_SET_NAME) {
            return;
        }
        let name = call.bytes("name", COMM + 1).split(|b| *b == 0).next().unwrap_or_default();
        let name = name[..name.len().min(COMM)].to_vec();
        self.renewals += 1;
        let Some(thread) = self.threads.get_mut(&call.tid) else { return };
        if thread.pid == thread.tid
            && let Some(process) = self.processes.get_mut(&thread.pid)
        {
            process.comm = name.clone();
        }
        self.renamed = Some((call.tid, std::mem::replace(&mut thread.comm, name)));
    }
}

/// The closed file, if no other descriptor refers to it.
fn last(closed: Option<Rc<File>>) -> Option<FileId> {
    closed.filter(|file| Rc::strong_count(file) == 1).map(|file| file.id)
}
