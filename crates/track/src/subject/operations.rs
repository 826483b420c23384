//! Operations of io_uring: their subjects, and the changes that they make. Programs that use io_uring open and close files
//! with these and no system call, so the files of their descriptors follow from operations as much as from calls.

use crate::descriptors::{AT_FDCWD, File};
use crate::objects::address;
use crate::subject::arguments::{EBADF, Referrer};
use crate::{ObjectKind, Seen, Tracker};
use std::rc::Rc;
use stride_decode::Resolver;
use stride_event::{LibraryCall, LibraryPart, Tid};
use stride_syscalls::library::WordType;
use stride_syscalls::operation::Operation;
use stride_syscalls::{CloseOnExec, Effect, Thing};

/// An operation with its arguments.
struct EndedOperation<'a> {
    call: &'a LibraryCall,
    row: &'static Operation,
}

impl EndedOperation<'_> {
    fn word(&self, i: usize) -> Option<u64> {
        self.call.words.get(i).copied()
    }

    fn named(&self, name: &str) -> Option<u64> {
        self.word(self.row.args.iter().position(|arg| arg.name == name)?)
    }

    /// The first descriptor among its arguments, except the start of a path.
    fn fd(&self) -> Option<i32> {
        if self.call.operation.is_none_or(|facts| facts.has_fixed_file()) || self.is_about_slot() {
            return None;
        }
        let at = self.row.args.iter().position(|arg| arg.ty == WordType::Fd)?;
        self.word(at).map(|word| word as i32)
    }

    /// The file that it makes or closes is in the ring's table of files, and has no descriptor.
    fn is_about_slot(&self) -> bool {
        self.named("file_index").is_some_and(|slot| slot != 0)
    }

    /// Its paths, each with the directory where it begins.
    fn paths(&self) -> impl Iterator<Item = (i32, &[u8])> {
        self.row.paths().filter_map(|path| {
            let text = self.call.text(Some(path.position)).filter(|text| !text.cut)?;
            let dir = path.directory().and_then(|dir| self.word(dir)).map_or(AT_FDCWD, |word| word as i32);
            Some((dir, text.bytes.split(|byte| *byte == 0).next().unwrap_or_default()))
        })
    }

    /// Its result, if it succeeded.
    fn value(&self) -> Option<i32> {
        let returned = self.call.part == LibraryPart::Returned && self.call.error().is_none();
        returned.then_some(self.call.result as i32)
    }

    fn closes_on_exec(&self, when: CloseOnExec) -> bool {
        match when {
            CloseOnExec::Always => true,
            CloseOnExec::If(arg, bits) => self.named(arg).is_some_and(|word| word & bits != 0),
            CloseOnExec::IfMember(..) | CloseOnExec::Never => false,
        }
    }

    fn referrer(&self, pid: Tid, fd: i32) -> Referrer<'_> {
        let known = self.call.descriptor(fd, false);
        Referrer { tid: self.call.tid, pid, known, is_bad: self.call.error() == Some(EBADF) }
    }
}

impl Tracker {
    /// The subject of an operation. `None`: the event is about another thing, or the operation goes on.
    pub(crate) fn operated(&mut self, call: &LibraryCall, resolver: &dyn Resolver) -> Option<Seen> {
        call.operation.filter(|_| call.part != LibraryPart::Entered)?;
        let mut seen = self.new_seen(call.tid);
        let Some(row) = call.row().filter(|_| call.entered != 0) else { return Some(seen) };
        let ended = EndedOperation { call, row };
        seen.fd = ended.fd();
        let file = seen.fd.and_then(|fd| self.file_of(ended.referrer(seen.pid, fd), fd, resolver));
        seen.file = file.as_ref().map(|file| file.id);
        seen.object = file.as_ref().map(|file| file.object.get());
        for (i, (dir, path)) in ended.paths().enumerate() {
            let (found, base) = self.path_from(usize::from(i > 0), ended.referrer(seen.pid, dir), dir, path, resolver);
            let of_directory = base.filter(|_| path.is_empty() && dir != AT_FDCWD);
            if i == 0 {
                (seen.path, seen.object) = (found, of_directory.or(seen.object));
            } else {
                seen.other_path = found;
            }
        }
        self.keep_paths(&mut seen);
        if row.moves_bytes() {
            seen.asked = row.effects.iter().find_map(|effect| match effect {
                Effect::Moves(transfer) => transfer.asked.and_then(|name| ended.named(name)),
                _ => None,
            });
            seen.bytes = call.moved();
            if let (Some(file), Some(bytes)) = (&file, seen.bytes) {
                self.moved_through(file, call.tid, seen.pid, bytes, resolver);
            }
        }
        // The holders of the file are counted to find the close of the last descriptor, so this must not be one.
        drop(file);
        if let Some(value) = ended.value().filter(|_| !ended.is_about_slot()) {
            self.operation_changes(&ended, value, &mut seen);
        }
        Some(seen)
    }

    /// Carries out the changes of a successful operation.
    fn operation_changes(&mut self, ended: &EndedOperation<'_>, value: i32, seen: &mut Seen) {
        let makes = ended.row.effects.iter().find_map(|effect| match *effect {
            Effect::Makes(thing, when) => Some((thing, ended.closes_on_exec(when))),
            _ => None,
        });
        if ended.row.result == WordType::FdOutcome {
            let (thing, cloexec) = makes.unwrap_or((Thing::File, false));
            let file = self.made_by_operation(ended, thing, value, cloexec, seen);
            seen.made = Some((value, file.id, file.object.get()));
        }
        if ended.row.effects.contains(&Effect::Closes) {
            let process = self.processes.get(&seen.pid).zip(seen.fd);
            let closed = process.and_then(|(process, fd)| process.descriptors.close(fd));
            self.release(closed);
        }
    }

    fn made_by_operation(
        &mut self,
        ended: &EndedOperation<'_>,
        thing: Thing,
        fd: i32,
        cloexec: bool,
        seen: &Seen,
    ) -> Rc<File> {
        match thing {
            Thing::Connection => self.connected(&[], seen, fd, cloexec),
            Thing::Socket => {
                let word = |name| ended.named(name).unwrap_or_default();
                let protocol = address::protocol_of(word("domain"), word("type"), ended.named("protocol"));
                let class = self.objects.class(format!("{protocol} socket").as_bytes(), ObjectKind::Socket);
                self.opened(seen.pid, fd, class, protocol, cloexec)
            }
            _ => {
                let known = ended.call.descriptor(fd, true).filter(|_| seen.subject().is_none());
                let object = seen.subject().or_else(|| self.described(known?));
                let object = object.unwrap_or_else(|| {
                    self.objects.class(format!("({})", ended.call.function.name).as_bytes(), ObjectKind::Anonymous)
                });
                self.opened(seen.pid, fd, object, "", cloexec)
            }
        }
    }
}

#[cfg(test)]
#[path = "operations_tests.rs"]
mod tests;
