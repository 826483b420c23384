//! Each call says something about files: so the names of the run come to have their uses.

use super::environment::LookedUpVariables;
use super::manager;
use super::names::{PathId, UsedPaths, Uses, tidy};
use super::network::Network;
use super::opens::{OpenName, OpenNames};
use super::resolve::{ChangedRoots, MadeLinks, from_root, through_proc};
use super::users::{RunPrograms, UserId};
use stride_decode::Resolver;
use stride_event::{Call, Event, Outcome, StartKind, Tid};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Data, Effect, Flow, PathStart, Syscall, Thing};
use stride_track::{ObjectId, ObjectKind, Seen, Tracker};

/// The uses of the run so far.
#[derive(Default)]
pub struct InputsOfRun {
    pub names: UsedPaths,
    pub programs: RunPrograms,
    pub network: Network,
    pub environment: LookedUpVariables,
    opens: OpenNames,
    /// Calls that returned.
    pub calls: u64,
    /// Calls that named a file in a way that could not be followed.
    pub unplaced: u64,
    /// A process changed where its paths lead.
    pub paths_changed: bool,
    links: MadeLinks,
    /// A process called chroot(2).
    pub root_changed: bool,
    /// The root directories of such processes.
    roots: ChangedRoots,
}

/// Some errors say that there is no such file, and some that it may not be used. The rest say that it is there, unless the call did not get so far.
enum Failure {
    Missing,
    Refused,
    IsThere,
    Unknown,
}

impl Failure {
    /// `flags`: those of a call that opens a file.
    fn of(errno: u32, flags: u64) -> Failure {
        match u64::from(errno) {
            // It is there, and no directory.
            c::ENOTDIR if flags & c::O_DIRECTORY != 0 => Failure::IsThere,
            c::ENOENT | c::ENOTDIR => Failure::Missing,
            c::EACCES | c::EPERM | c::ELOOP | c::EROFS | c::ENAMETOOLONG => Failure::Refused,
            c::EFAULT | c::EBADF | c::EINTR | c::ENOMEM | c::EMFILE | c::ENFILE | c::ENOSYS | 512.. => Failure::Unknown,
            _ => Failure::IsThere,
        }
    }
}

impl InputsOfRun {
    /// Takes in an event that the tracker has taken in.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        match *event {
            Event::Exit(call) if manager::is_before_program(call, tracker) => {}
            Event::Exit(call) => {
                if matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_)) {
                    self.calls += 1;
                }
                self.call(call, tracker);
            }
            Event::Library(call) if LookedUpVariables::is_lookup(call) => {
                let by = self.programs.of(tracker.thread(call.tid).map_or(call.tid, |thread| thread.pid), tracker);
                self.environment.looked_up(call, by);
            }
            Event::Started { tid, process, origin, .. } if tid == process => {
                self.programs.forget(process);
                self.roots.forget(process);
                if let StartKind::Forked { parent, .. } = origin {
                    self.roots.inherited(process, tracker.thread(parent).map_or(parent, |thread| thread.pid));
                    // As long as its parent's program is known.
                    self.programs.of(process, tracker);
                }
            }
            Event::Exited { tid, .. } | Event::Killed { tid, .. } => {
                self.programs.forget(tid);
                self.roots.forget(tid);
                self.closed(tracker);
            }
            _ => self.closed(tracker),
        }
    }

    /// A call that has returned.
    fn call(&mut self, call: &Call, tracker: &Tracker) {
        let (Some(row), Some(seen)) = (call.row(), tracker.seen()) else { return };
        self.names.now = call.returned;
        self.path_began_at(seen, tracker);
        match call.outcome {
            Outcome::Value(value) => self.succeeded(call, row, value, seen, tracker),
            Outcome::Error(errno) => self.failed(call, row, errno, seen, tracker),
            Outcome::Gone | Outcome::Pending => return,
        }
        self.closed(tracker);
    }

    /// Forgets open files of which the latest event took the last descriptor.
    fn closed(&mut self, tracker: &Tracker) {
        let ended = tracker.seen().and_then(|seen| seen.ended);
        for file in ended.into_iter().chain(tracker.gone_files().iter().copied()) {
            if let Some(file) = self.opens.close(file) {
                let it = self.names.get_mut(file.name);
                it.open = it.open.saturating_sub(1);
            }
        }
    }

    /// A path that begins at a descriptor tells that this one is a directory, which may have been opened like a file.
    fn path_began_at(&mut self, seen: &Seen, tracker: &Tracker) {
        // (An empty path stands for the open file itself, which may be any.)
        if let (Some((fd, _)), Some(_)) = (seen.directory, seen.path)
            && let Some(file) = tracker.open_file(seen.pid, fd).and_then(|(file, _)| self.opens.get_mut(file))
        {
            let name = file.name;
            self.is_directory(name);
        }
    }

    /// A directory is not read, even if it was opened like a file.
    fn is_directory(&mut self, name: PathId) {
        let it = self.names.get_mut(name);
        it.uses.add(Uses::DIRECTORY);
        if it.uses.has(Uses::READ) {
            it.uses.remove(Uses::READ);
            it.uses.add(Uses::ASKED);
        }
    }

    fn failed(&mut self, call: &Call, row: &'static Syscall, errno: u32, seen: &Seen, tracker: &Tracker) {
        self.network.dealt(call, row, Some(errno), seen, (tracker, &mut self.programs));
        if !names_files(row) || row.has_effect(Effect::ChangesPaths) {
            return;
        }
        let Some(path) = seen.path else { return };
        let failure = Failure::of(errno, call.open_flags());
        // The kernel takes a path and does nothing.
        if matches!(failure, Failure::Unknown) {
            return;
        }
        let Some(name) = self.name(path, seen.pid, tracker) else { return };
        let by = self.programs.of(seen.pid, tracker);
        let it = self.names.get_mut(name);
        match failure {
            Failure::Missing => {
                it.missed = it.missed.saturating_add(1);
                it.is_there = Some(false);
                it.users.add(by);
            }
            Failure::Refused => {
                it.refused = it.refused.saturating_add(1);
                it.errno = errno;
                it.users.add(by);
            }
            Failure::IsThere => self.names.used(name, Uses::ASKED, by),
            Failure::Unknown => {}
        }
    }

    fn succeeded(&mut self, call: &Call, row: &'static Syscall, value: i64, seen: &Seen, tracker: &Tracker) {
        self.network.dealt(call, row, None, seen, (tracker, &mut self.programs));
        if let Some(transfer) = row.transfer() {
            match (transfer.flow, transfer.data) {
                (Flow::In, Data::Records) => self.listed(seen, tracker),
                (Flow::In, _) if value > 0 => self.read(seen, tracker),
                (Flow::Out, _) => self.written(seen, tracker),
                (Flow::Between, _) => self.copied(call, seen, tracker),
                _ => {}
            }
            return;
        }
        if row.has_effect(Effect::Maps) {
            return self.mapped(call, seen, tracker);
        }
        if row.has_effect(Effect::ChangesDirectory) {
            if let Some(name) = seen.subject().and_then(|subject| self.name(subject, seen.pid, tracker)) {
                let by = self.programs.of(seen.pid, tracker);
                self.names.used(name, Uses::ASKED.or(Uses::DIRECTORY), by);
            }
            return;
        }
        if row.has_effect(Effect::Executes) {
            return self.executed(seen, tracker);
        }
        if row.has_effect(Effect::Asks) || row.has_effect(Effect::AsksOfFile) {
            self.asked(call, seen, tracker);
        }
        if row.has_effect(Effect::ChangesPaths) {
            let root = seen.path.map(|path| tracker.name(path)).filter(|path| path.starts_with(b"/"));
            match root.filter(|_| row.needs_capability() == Some(c::CAP_SYS_CHROOT)) {
                Some(root) => {
                    self.root_changed = true;
                    self.paths_changed |= !self.roots.changed(seen.pid, root);
                }
                None => self.paths_changed = true,
            }
            return;
        }
        let sets_attributes = row.has_effect(Effect::SetsAttributes);
        if row.has_effect(Effect::SetsSize) || sets_attributes && seen.path.is_none() {
            return self.write_through(seen, tracker);
        }
        if !names_files(row) {
            return;
        }
        let Some(path) = seen.path else {
            // An empty path stands for the open file itself. Otherwise the path could not be read.
            if seen.object.is_none() && row.makes() == Some(Thing::File) {
                self.unplaced += 1;
            }
            return;
        };
        let by = self.programs.of(seen.pid, tracker);
        let Some(name) = self.name(path, seen.pid, tracker) else { return };
        if row.makes() == Some(Thing::File) {
            return self.opened(name, call.open_flags(), seen, by);
        }
        let effect = |effect| row.has_effect(effect);
        if effect(Effect::Renames) {
            let Some(to) = seen.other_path.and_then(|to| self.name(to, seen.pid, tracker)) else { return };
            self.renamed(name, to, call.flags("flags") & c::RENAME_EXCHANGE != 0, by);
        } else if effect(Effect::Links) {
            match seen.other_path {
                Some(to) => {
                    self.names.used(name, Uses::READ, by);
                    if let Some(to) = self.name(to, seen.pid, tracker) {
                        self.made(to, by);
                    }
                }
                // A symbolic link: its target is only text, until somebody uses the link.
                None => {
                    self.made(name, by);
                    self.names.get_mut(name).uses.add(Uses::LINK);
                    if let Some(text) = row.args.first().and_then(|text| call.path(text.name)) {
                        self.links.made(name, text, &mut self.names);
                    }
                }
            }
        } else if effect(Effect::MakesDirectory) {
            self.made(name, by);
            self.names.get_mut(name).uses.add(Uses::DIRECTORY);
        } else if effect(Effect::Unlinks) {
            self.removed(name, by);
        } else if effect(Effect::MakesNode) {
            self.made(name, by);
        } else if effect(Effect::Truncates) || sets_attributes {
            let name = if call.flags("flags") & c::AT_SYMLINK_NOFOLLOW == 0 { self.followed(name, by) } else { name };
            self.changed(name, by);
        } else {
            self.names.used(name, Uses::ASKED, by);
        }
    }

    /// The entry of what a path or a descriptor of the process refers to, if that is a file.
    fn name(&mut self, object: ObjectId, pid: Tid, tracker: &Tracker) -> Option<PathId> {
        if tracker.kind(object) != ObjectKind::Path {
            self.unplaced += u64::from(tracker.kind(object) == ObjectKind::Others);
            return None;
        }
        let path = tracker.name(object);
        if !path.starts_with(b"/") {
            // The directory where it begins is not known.
            self.unplaced += 1;
            return None;
        }
        let path = through_proc(path, pid, tracker).unwrap_or_else(|| self.roots.placed(tidy(path), pid));
        self.names.id(&path)
    }

    fn opened(&mut self, name: PathId, flags: u64, seen: &Seen, by: UserId) {
        // (With both flags, a new file must not be a link.)
        let is_followed = flags & c::O_NOFOLLOW == 0 && flags & (c::O_CREAT | c::O_EXCL) != c::O_CREAT | c::O_EXCL;
        let name = if is_followed { self.followed(name, by) } else { name };
        if flags & TMPFILE == TMPFILE {
            // A file without a name, in the directory of this name. Its content is nobody else's.
            self.names.used(name, Uses::ASKED.or(Uses::DIRECTORY), by);
            if let Some((_, file, _)) = seen.made
                && self.opens.add(file, OpenName { name, writable: false, may_read: false })
            {
                self.names.get_mut(name).open += 1;
            }
            return;
        }
        let access = flags & c::O_ACCMODE;
        let writable = access != c::O_RDONLY && flags & c::O_PATH == 0;
        let it = self.names.get_mut(name);
        if writable {
            it.uses.add(Uses::WRITABLE);
        }
        let is_new = flags & c::O_CREAT != 0 && (flags & c::O_EXCL != 0 || it.is_there == Some(false));
        if flags & c::O_PATH != 0 {
            self.names.used(name, Uses::ASKED, by);
        } else if is_new || flags & c::O_TRUNC != 0 {
            self.made(name, by);
        } else if !writable {
            let uses = if flags & c::O_DIRECTORY != 0 { Uses::ASKED.or(Uses::DIRECTORY) } else { Uses::READ };
            self.names.used(name, uses, by);
        } else if flags & c::O_CREAT != 0 {
            // Perhaps it was there before.
            self.changed(name, by);
        } else {
            self.names.used(name, Uses::ASKED, by);
        }
        let may_read = access == c::O_RDWR && !is_new && flags & c::O_TRUNC == 0;
        if let Some((_, file, _)) = seen.made
            && self.opens.add(file, OpenName { name, writable, may_read })
        {
            self.names.get_mut(name).open += 1;
        }
    }

    /// The path that a link of the run leads to, or the path itself.
    fn followed(&mut self, name: PathId, by: UserId) -> PathId {
        let end = self.links.end(name);
        if end != name {
            self.names.used(name, Uses::READ, by);
        }
        end
    }

    fn made(&mut self, name: PathId, by: UserId) {
        let it = self.names.get_mut(name);
        it.is_there = Some(true);
        it.uses.remove(Uses::TEMPORARY);
        it.uses.add(Uses::MADE);
        it.users.add(by);
    }

    fn changed(&mut self, name: PathId, by: UserId) {
        let it = self.names.get_mut(name);
        it.is_there = Some(true);
        it.users.add(by);
        if !it.uses.has(Uses::MADE) {
            it.uses.add(Uses::CHANGED);
        }
    }

    fn removed(&mut self, name: PathId, by: UserId) {
        self.links.gone(name);
        let it = self.names.get_mut(name);
        it.is_there = Some(false);
        it.users.add(by);
        if it.uses.has(Uses::MADE) {
            it.uses.remove(Uses::MADE.or(Uses::LINK));
            it.uses.add(Uses::TEMPORARY);
        } else {
            it.uses.add(Uses::REMOVED);
        }
    }

    /// A file, or a directory with all that is in it, has another name.
    fn renamed(&mut self, from: PathId, to: PathId, exchanges: bool, by: UserId) {
        let (old, new) = (self.names.get(from).path.clone(), self.names.get(to).path.clone());
        if old == new {
            return;
        }
        let below = |names: &mut UsedPaths, directory: &[u8], other: &[u8]| -> Vec<(PathId, PathId)> {
            let within = names.below(directory);
            let pair = |id: PathId| {
                let path = [other, &names.get(id).path[directory.len()..]].concat();
                Some((id, names.id(&path)?))
            };
            within.into_iter().filter_map(pair).collect()
        };
        let mut moves = vec![(from, to)];
        moves.extend(below(&mut self.names, &old, &new));
        if exchanges {
            for (one, other) in moves {
                let made = [one, other].map(|name| self.names.get(name).uses.has(Uses::MADE));
                self.names.used(one, Uses::ASKED, by);
                self.names.used(other, Uses::ASKED, by);
                for (name, made) in [(one, made[1]), (other, made[0])] {
                    if made { self.made(name, by) } else { self.changed(name, by) }
                }
            }
            return;
        }
        for (one, other) in moves {
            self.moved(one, other, one == from, by);
        }
    }

    /// The content of one name is that of another from here on.
    fn moved(&mut self, from: PathId, to: PathId, is_named: bool, by: UserId) {
        let it = self.names.get_mut(from);
        let (was_made, is_directory) = (it.uses.has(Uses::MADE), it.uses.has(Uses::DIRECTORY));
        if !is_named && it.is_there != Some(true) {
            return;
        }
        let open = std::mem::take(&mut it.open);
        it.is_there = Some(false);
        it.users.add(by);
        let mut passed = Uses::default();
        if was_made {
            // It lives on under the other name, and so does what was done with it.
            for uses in [Uses::INTERMEDIATE, Uses::DIRECTORY, Uses::LINK] {
                if it.uses.has(uses) {
                    passed.add(uses);
                }
            }
            it.uses.remove(Uses::MADE.or(Uses::INTERMEDIATE).or(Uses::LINK));
            it.uses.add(Uses::MOVED);
        } else {
            it.uses.add(Uses::REMOVED);
            if !is_directory {
                it.uses.add(Uses::READ);
            }
        }
        self.links.renamed(from, to);
        self.made(to, by);
        let moved = if open > 0 { self.opens.rename(from, to) } else { 0 };
        let it = self.names.get_mut(to);
        it.uses.add(passed);
        it.open += moved;
    }

    /// The answer may tell that it is a directory, which was opened like a file.
    fn asked(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) {
        let mode = call.field("statbuf", "st_mode").or_else(|| call.field("statxbuf", "stx_mode"));
        if mode.is_none_or(|mode| mode & c::S_IFMT != c::S_IFDIR) {
            return;
        }
        let name = match seen.path {
            Some(path) => self.name(path, seen.pid, tracker),
            None => self.name_of_file(seen, tracker),
        };
        if let Some(name) = name {
            self.is_directory(name);
        }
    }

    fn listed(&mut self, seen: &Seen, tracker: &Tracker) {
        let Some(name) = self.name_of_file(seen, tracker) else { return };
        let by = self.programs.of(seen.pid, tracker);
        let it = self.names.get_mut(name);
        it.uses.remove(Uses::READ);
        it.uses.add(Uses::DIRECTORY);
        self.names.used(name, Uses::LISTED, by);
    }

    fn name_of_file(&mut self, seen: &Seen, tracker: &Tracker) -> Option<PathId> {
        if let Some(file) = seen.file.and_then(|file| self.opens.get_mut(file)) {
            return Some(file.name);
        }
        let object = seen.object.filter(|object| tracker.kind(*object) == ObjectKind::Path)?;
        // The object had its name when it was opened.
        let path = tracker.name(object);
        if path.starts_with(b"/") { self.names.id(&tidy(path)) } else { self.name(object, seen.pid, tracker) }
    }

    /// Bytes were read. Opening a file for reading has told as much already, but not for files that were opened for both, or before the run.
    fn read(&mut self, seen: &Seen, tracker: &Tracker) {
        let known = seen.file.and_then(|file| self.opens.get_mut(file));
        if known.as_ref().is_some_and(|file| !file.may_read) {
            return;
        }
        if let Some(file) = known {
            file.may_read = false;
        }
        let Some(name) = self.name_of_file(seen, tracker) else { return };
        self.perhaps_inherited(name, seen);
        let by = self.programs.of(seen.pid, tracker);
        // Bytes that the run itself has written to the file are no input.
        if !self.names.get(name).uses.has(Uses::READ) {
            self.names.used(name, Uses::READ, by);
        }
    }

    fn written(&mut self, seen: &Seen, tracker: &Tracker) {
        if let Some(file) = seen.file.and_then(|file| self.opens.get_mut(file)) {
            if !std::mem::take(&mut file.writable) {
                return;
            }
            // Bytes that are read from here on may be those that the run wrote.
            file.may_read = false;
        }
        self.write_through(seen, tracker);
    }

    fn write_through(&mut self, seen: &Seen, tracker: &Tracker) {
        let Some(name) = self.name_of_file(seen, tracker) else { return };
        self.perhaps_inherited(name, seen);
        let by = self.programs.of(seen.pid, tracker);
        let it = self.names.get(name);
        // A file that the run made and took away lives on without a name while it is open.
        if it.uses.has(Uses::TEMPORARY) && it.is_there == Some(false) {
            return;
        }
        self.changed(name, by);
    }

    /// Notes that the file of this name is first used through a descriptor that the run did not open.
    fn perhaps_inherited(&mut self, name: PathId, seen: &Seen) {
        let is_opened = seen.file.is_some_and(|file| self.opens.get_mut(file).is_some());
        let it = self.names.get_mut(name);
        if !is_opened && it.uses == Uses::default() {
            it.uses.add(Uses::INHERITED);
        }
    }

    /// sendfile(2), copy_file_range(2), splice(2)
    fn copied(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) {
        let through = |names: [&str; 2]| {
            let fd = names.into_iter().find_map(|name| call.fd(name))?;
            let (file, object) = tracker.open_file(seen.pid, fd)?;
            let mut through = *seen;
            (through.file, through.object) = (Some(file), Some(object));
            Some(through)
        };
        if let Some(from) = through(["in_fd", "fd_in"]) {
            self.read(&from, tracker);
        }
        if let Some(to) = through(["out_fd", "fd_out"]) {
            self.written(&to, tracker);
        }
    }

    fn mapped(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) {
        if seen.object.is_none_or(|object| tracker.kind(object) != ObjectKind::Path)
            || call.flags("flags") & c::MAP_ANONYMOUS != 0
        {
            return;
        }
        let Some(name) = self.name_of_file(seen, tracker) else { return };
        let by = self.programs.of(seen.pid, tracker);
        let prot = call.flags("prot");
        if call.flags("flags") & c::MAP_TYPE == c::MAP_SHARED && prot & c::PROT_WRITE != 0 {
            self.changed(name, by);
        }
        self.names.used(name, if prot & c::PROT_EXEC != 0 { Uses::READ.or(Uses::LIBRARY) } else { Uses::READ }, by);
    }

    fn executed(&mut self, seen: &Seen, tracker: &Tracker) {
        let by = self.programs.of(seen.pid, tracker);
        let Some(name) = seen.subject().and_then(|program| self.name(program, seen.pid, tracker)) else {
            self.programs.forget(seen.pid);
            return;
        };
        let name = self.followed(name, by);
        self.names.used(name, Uses::RUN, by);
        self.programs.executed(seen.pid, &self.names.get(name).path);
    }

    /// Asks for the files that the kernel opened to start a program, if the call started one. False: that cannot be told.
    pub fn ask_interpreters(&mut self, call: &Call, resolver: &dyn Resolver, tracker: &Tracker) -> bool {
        let executed = call.row().is_some_and(|row| row.has_effect(Effect::Executes));
        let Some(seen) = tracker.seen().filter(|_| executed && call.outcome == Outcome::Value(0)) else { return true };
        let Some(program) = seen.subject().map(|program| tracker.name(program)) else { return true };
        let Some(found) = resolver.interpreters(call.tid, program) else { return false };
        found.iter().for_each(|path| self.interpreted(path, seen.pid, tracker));
        true
    }

    fn interpreted(&mut self, path: &[u8], pid: Tid, tracker: &Tracker) {
        let Some(path) = from_root(path, pid, tracker) else {
            self.unplaced += 1;
            return;
        };
        let path = self.roots.placed(path, pid);
        if let Some(name) = self.names.id(&path) {
            let by = self.programs.of(pid, tracker);
            let name = self.followed(name, by);
            self.names.used(name, Uses::INTERPRETER, by);
        }
    }
}

/// `__O_TMPFILE` and `O_DIRECTORY`.
pub const TMPFILE: u64 = 0o20000000 | c::O_DIRECTORY;

/// The paths of the call are those of files.
fn names_files(row: &Syscall) -> bool {
    row.paths().next().is_some_and(|path| path.start != PathStart::Queues) || row.makes() == Some(Thing::File)
}
