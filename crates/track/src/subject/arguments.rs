//! The referents of a call's arguments: a descriptor's open file, and a path from the root on.

use crate::descriptors::{AT_FDCWD, File};
use crate::objects::names::{ANONYMOUS, as_followed, clients};
use crate::subject::shape::Shape;
use crate::{ObjectId, ObjectKind, Seen, Tracker};
use std::rc::Rc;
use stride_decode::Resolver;
use stride_event::{Call, Descriptor, Detail, FdOf, Memory, Outcome, Phase, Tid};
use stride_syscalls::{PathArg, PathStart, uapi::consts as c};

pub const PATH_MAX: usize = 4096;
pub const EBADF: u32 = c::EBADF as u32;

/// The thread that gave a descriptor to the kernel, and what is known about it.
#[derive(Clone, Copy)]
pub struct Referrer<'a> {
    pub tid: Tid,
    pub pid: Tid,
    /// The engine's facts about the descriptor.
    pub known: Option<&'a Descriptor>,
    /// The kernel said that there is no such descriptor.
    pub is_bad: bool,
}

impl Tracker {
    /// Fills in what the arguments refer to.
    pub(crate) fn resolve_arguments(&mut self, call: &Call, shape: &Shape, seen: &mut Seen, resolver: &dyn Resolver) {
        let held = |at: u8| shape.row.held(at.into(), &call.args, call.abi);
        seen.row = Some(shape.row);
        let mut file = None;
        if let Some(at) = shape.fd {
            let fd = held(at) as i32;
            seen.fd = Some(fd);
            file = self.file(call, seen.pid, fd, resolver);
            seen.file = file.as_ref().map(|file| file.id);
            seen.object = file.as_ref().map(|file| file.object.get());
        }
        if let [Some(first), second] = shape.paths {
            (seen.path, seen.object) = self.path(call, shape, first, seen, resolver);
            seen.other_path = second.and_then(|second| self.path(call, shape, second, seen, resolver).0);
            // AT_EMPTY_PATH: the call is about the open file, as fstat(3) of glibc makes it.
            let about_file = (seen.path, seen.file) == (None, None) && seen.object.is_some();
            if let Some(dir) = first.directory().filter(|_| about_file && matches!(call.outcome, Outcome::Value(_))) {
                seen.file = self.file(call, seen.pid, held(dir as u8) as i32, resolver).map(|file| file.id);
            }
        }
        if shape.transfers {
            seen.asked = shape.asked.map(held);
            if let Outcome::Value(moved) = call.outcome {
                let bytes = moved.max(0) as u64;
                seen.bytes = Some(bytes);
                if let Some(file) = file {
                    self.moved_through(&file, call.tid, seen.pid, bytes, resolver);
                }
            }
        }
    }

    /// The open file of descriptor `fd`. The engine's own look-up comes first, because with filters not every
    /// close(2) is seen.
    fn file(&mut self, call: &Call, pid: Tid, fd: i32, resolver: &dyn Resolver) -> Option<Rc<File>> {
        // A call that failed with EBADF had no open file.
        let is_bad = call.outcome == Outcome::Error(EBADF);
        self.file_of(Referrer { tid: call.tid, pid, known: call.given(fd), is_bad }, fd, resolver)
    }

    /// The same for whatever was given the descriptor.
    pub(crate) fn file_of(&mut self, by: Referrer<'_>, fd: i32, resolver: &dyn Resolver) -> Option<Rc<File>> {
        if fd < 0 {
            return None;
        }
        let Referrer { tid, pid, known, is_bad } = by;
        let kept = self.held(pid, fd);
        if let Some(known) = known {
            let object = self.described(known)?;
            return Some(self.looked_up(pid, fd, object, kept));
        }
        if self.partial {
            let object = self.ask(tid, fd, resolver)?;
            return Some(self.looked_up(pid, fd, object, kept));
        }
        if kept.is_some() || is_bad || !self.processes.get(&pid)?.predates_trace {
            return kept;
        }
        let object = self.ask(tid, fd, resolver)?;
        Some(self.opened(pid, fd, object, "", false))
    }

    /// The open file of a descriptor whose object was looked up: the followed one, if it has that object.
    fn looked_up(&mut self, pid: Tid, fd: i32, object: ObjectId, kept: Option<Rc<File>>) -> Rc<File> {
        let Some(file) = kept else { return self.opened(pid, fd, object, "", false) };
        let known = file.object.get();
        if known == object || self.objects.is_class(object) && self.objects.group(known) == object {
            return file;
        }
        // A pipe that was followed from its creation on has a name now.
        let named = self.objects.found_at(known).is_some() && self.objects.kind(known) == self.objects.kind(object);
        if named && self.objects.kind(known) == ObjectKind::Pipe && !self.partial {
            file.object.set(object);
            return file;
        }
        self.opened(pid, fd, object, "", false)
    }

    /// The object for what an engine found out about a descriptor.
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
        Some(self.named_in_proc(&known.path, kind_of(&known.path)))
    }

    /// The object with a name as /proc writes it.
    fn named_in_proc(&mut self, name: &[u8], kind: ObjectKind) -> ObjectId {
        let is_class = name.starts_with(ANONYMOUS);
        let name = as_followed(name);
        match clients(&name).filter(|_| kind == ObjectKind::Socket) {
            _ if is_class => self.objects.class(&name, kind),
            Some(group) => {
                let group = self.objects.intern(&group, kind);
                self.objects.intern_in(&name, kind, group)
            }
            None => self.objects.intern(&name, kind),
        }
    }

    /// The path at an argument, and the object of the descriptor that takes the place of an empty path.
    fn path(
        &mut self,
        call: &Call,
        shape: &Shape,
        at: PathArg,
        seen: &mut Seen,
        resolver: &dyn Resolver,
    ) -> (Option<ObjectId>, Option<ObjectId>) {
        let held = |at: usize| shape.row.held(at, &call.args, call.abi);
        let bytes = call.blocks.prefix(Phase::Entry, held(at.position), PATH_MAX);
        let Some(end) = bytes.iter().position(|b| *b == 0) else { return (None, seen.object) };
        let bytes = &bytes[..end];
        let place = usize::from(seen.path.is_some());
        let dir = match at.start {
            PathStart::WorkingDirectory => AT_FDCWD,
            PathStart::Directory(dir) => held(dir) as i32,
            // The kernel's names of queues have no slash. As files they have one, and are in no directory.
            PathStart::Queues => return (Some(self.tidy(place, None, &[b"/", bytes].concat())), seen.object),
        };
        let is_bad = call.outcome == Outcome::Error(EBADF);
        let by = Referrer { tid: call.tid, pid: seen.pid, known: call.given(dir), is_bad };
        let (path, base) = self.path_from(place, by, dir, bytes, resolver);
        if !self.partial && dir != AT_FDCWD {
            seen.directory = seen.directory.or(base.map(|base| (dir, base)));
        }
        (path, if bytes.is_empty() && dir != AT_FDCWD { base } else { seen.object })
    }

    /// The path, and the object of the directory at which it begins if it is relative. `place`: whether it is the first path of a call or the second.
    pub(crate) fn path_from(
        &mut self,
        place: usize,
        by: Referrer<'_>,
        dir: i32,
        path: &[u8],
        resolver: &dyn Resolver,
    ) -> (Option<ObjectId>, Option<ObjectId>) {
        if path.starts_with(b"/") {
            return (Some(self.tidy(place, None, path)), None);
        }
        let base = match (dir, by.known) {
            (AT_FDCWD, Some(known)) => self.described(known),
            (AT_FDCWD, None) if self.partial => self.ask(by.tid, AT_FDCWD, resolver),
            (AT_FDCWD, None) => self.processes.get(&by.pid).and_then(|process| process.cwd),
            (fd, _) => self.file_of(by, fd, resolver).map(|file| file.object.get()),
        };
        // An empty path is AT_EMPTY_PATH, or ENOENT.
        ((!path.is_empty()).then(|| self.tidy(place, base, path)), base)
    }

    /// The path from the root on, without parts that lead nowhere (`//`, `/./`). A `..` at the start of a relative
    /// path removes one part of the directory, or names would grow without end in walks of trees. Other `..` stay,
    /// because links decide where they lead.
    fn tidy(&mut self, place: usize, base: Option<ObjectId>, path: &[u8]) -> ObjectId {
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
        // The directory's name is tidy already.
        let simple = !leads_nowhere(path, base.is_some());
        whole.extend_from_slice(path);
        let kept;
        let tidied = if simple {
            &whole[..]
        } else {
            let parts: Vec<&[u8]> = whole.split(|b| *b == b'/').filter(|part| !matches!(*part, b"" | b".")).collect();
            let root: &[u8] = if whole.starts_with(b"/") { b"/" } else { b"" };
            kept = [root, &parts.join(&b'/')].concat();
            &kept[..]
        };
        let id = self.objects.path(place, if tidied.is_empty() { b"." } else { tidied });
        self.path = whole;
        id
    }

    /// The paths of a call stay known when it is over.
    pub(crate) fn keep_paths(&mut self, seen: &mut Seen) {
        for path in [&mut seen.path, &mut seen.other_path].into_iter().flatten() {
            *path = self.objects.kept(*path);
        }
    }

    /// The answer of the resolver about a descriptor.
    pub(crate) fn ask(&mut self, tid: Tid, fd: i32, resolver: &dyn Resolver) -> Option<ObjectId> {
        // A recording that begins in the middle of the run has the descriptors of processes, not of each thread.
        let process = self.threads.get(&tid).map(|thread| thread.pid).filter(|pid| *pid != tid);
        let of = |tid| FdOf { tid, fd, made: false };
        let info = resolver.fd(of(tid), None).or_else(|| resolver.fd(of(process?), None))?;
        let (name, kind) = if info.path.is_empty() {
            (info.detail.as_bytes(), ObjectKind::Socket)
        } else {
            (&info.path[..], kind_of(&info.path))
        };
        Some(self.named_in_proc(name, kind))
    }
}

fn kind_of(path: &[u8]) -> ObjectKind {
    match path {
        [b'/', ..] => ObjectKind::Path,
        b"pipe" => ObjectKind::Pipe,
        _ if path.starts_with(b"pipe:") => ObjectKind::Pipe,
        _ if path.starts_with(b"socket:") => ObjectKind::Socket,
        _ => ObjectKind::Anonymous,
    }
}

/// True if a part of the path is empty or `.`; the first part counts only if the path stands behind a directory.
fn leads_nowhere(path: &[u8], behind_directory: bool) -> bool {
    let idle = |rest: &[u8]| matches!(rest, [b'/', ..] | [b'.'] | [b'.', b'/', ..]);
    behind_directory && idle(path) || (0..path.len()).any(|at| path[at] == b'/' && idle(&path[at + 1..]))
}
