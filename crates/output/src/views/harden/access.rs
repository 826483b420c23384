//! The files that a run used, and the ways in which it used each, as rules for files tell them apart.

use crate::views::inputs::{InputsOfRun, TMPFILE, UsedBy, UserId, Uses, from_root, is_below, tidy};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use stride_event::Call;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, Syscall, Thing};
use stride_track::{ObjectId, ObjectKind, Seen, Tracker, address_name, directory, sets_file_lock};

/// The files that are told apart. Uses of further ones are counted.
const MAX_PATHS: usize = if cfg!(test) { 1 << 10 } else { 1 << 17 };
const MAX_BYTES: usize = 32 << 20;
/// The calls that are named for each file.
const MAX_CALLS: usize = 6;

/// One way to use a file.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum FileAccess {
    Read,
    Write,
    /// It was opened so that writing only adds to it.
    Append,
    Truncate,
    /// It was opened so that it would be made if it was not there.
    Make,
    /// A directory was opened.
    List,
    Execute,
    /// The kernel opened it to start a program.
    Interpret,
    MapCode,
    Lock,
    RemoveFile,
    RemoveDirectory,
    MakeDirectory,
    MakeSymlink,
    MakeLink,
    MakeFifo,
    MakeSocket,
    MakeDevice,
    RenameFrom,
    RenameTo,
    /// It came from another directory, or went there.
    Move,
    SetAttributes,
    /// ioctl(2) on a file of /dev.
    ControlDevice,
    /// Its socket was connected to, or sent to.
    Connect,
    /// It was read, or written, through a descriptor that was open when the program started.
    ReadInherited,
    WriteInherited,
}

/// The uses of one file.
#[derive(Default)]
pub struct AccessedFile {
    pub access: BTreeSet<FileAccess>,
    pub is_directory: bool,
    pub times: u64,
    pub calls: Vec<&'static str>,
    pub users: UsedBy,
}

/// A file, or any file in a directory.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessedPath {
    File(Vec<u8>),
    FilesIn(Vec<u8>),
}

/// All of them.
#[derive(Default)]
pub struct AccessOfRun {
    pub all: FxHashMap<AccessedPath, AccessedFile>,
    /// The path of the first program.
    pub program: Option<Vec<u8>>,
    bytes: usize,
    /// Uses of files for which there was no room.
    pub left_out: u64,
}

impl AccessOfRun {
    /// Takes in a call that succeeded.
    pub fn call(&mut self, call: &Call, row: &'static Syscall, seen: &Seen, by: UserId, tracker: &Tracker) {
        let of_row = ways_of_row(call, row);
        if !of_row.is_empty() {
            let subject = if row.has_effect(Effect::Maps) { seen.object } else { seen.subject() };
            if let Some(path) = subject.and_then(|subject| path_of(subject, tracker)) {
                self.subject(path, &of_row, call, row, by);
            }
        }
        let of_other = ways_of_other_path(row);
        if !of_other.is_empty()
            && let Some(other) = seen.other_path.and_then(|other| path_of(other, tracker))
        {
            let from = seen.path.and_then(|path| path_of(path, tracker));
            if let Some(from) = from.filter(|from| directory(from) != directory(&other)) {
                self.add(AccessedPath::File(from), &[FileAccess::Move], row.name, by);
                self.add(AccessedPath::File(other.clone()), &[FileAccess::Move], row.name, by);
            }
            self.add(AccessedPath::File(other), of_other, row.name, by);
        }
        // Its name on the file system is that of a socket.
        let connects = row.has_effect(Effect::Connects);
        if connects || row.has_effect(Effect::Binds) {
            let way = if connects { FileAccess::Connect } else { FileAccess::MakeSocket };
            if let Some(path) = socket_path(call, seen, tracker) {
                self.add(AccessedPath::File(path), &[way], row.name, by);
            }
        }
    }

    fn subject(&mut self, path: Vec<u8>, ways: &[FileAccess], call: &Call, row: &'static Syscall, by: UserId) {
        if row.has_effect(Effect::Executes) && self.program.is_none() {
            self.program = Some(path.clone());
        }
        if ways == [FileAccess::ControlDevice] && !is_below(&path, b"/dev") {
            return;
        }
        // A file without a name is in the directory of this name.
        let is_nameless = call.open_flags() & TMPFILE == TMPFILE;
        let place = if is_nameless { AccessedPath::FilesIn(path) } else { AccessedPath::File(path) };
        self.add(place, ways, row.name, by);
    }

    /// Adds what the lists of files know: what the kernel opened, what was open before, and what is a directory.
    pub fn add_known(&mut self, files: &InputsOfRun) {
        for it in files.names.sorted() {
            let place = AccessedPath::File(it.path.to_vec());
            let was_open = it.uses.has(Uses::INHERITED);
            for (applies, way, how) in [
                (it.uses.has(Uses::INTERPRETER), FileAccess::Interpret, "(started by the kernel)"),
                (was_open && it.uses.has(Uses::READ), FileAccess::ReadInherited, "(open before)"),
                (was_open && it.uses.has(Uses::CHANGED), FileAccess::WriteInherited, "(open before)"),
            ] {
                for user in it.users.ids().iter().filter(|_| applies) {
                    self.add(place.clone(), &[way], how, *user);
                }
            }
            if it.uses.has(Uses::DIRECTORY)
                && let Some(entry) = self.all.get_mut(&place)
            {
                entry.is_directory = true;
            }
        }
    }

    fn add(&mut self, place: AccessedPath, ways: &[FileAccess], call: &'static str, by: UserId) {
        if !self.all.contains_key(&place) {
            let size = place.path().len();
            if self.all.len() >= MAX_PATHS || self.bytes + size > MAX_BYTES {
                self.left_out += 1;
                return;
            }
            self.bytes += size;
        }
        let it = self.all.entry(place).or_default();
        it.access.extend(ways);
        it.is_directory |= ways
            .iter()
            .any(|way| matches!(way, FileAccess::List | FileAccess::MakeDirectory | FileAccess::RemoveDirectory));
        it.times += 1;
        it.users.add(by);
        if it.calls.len() < MAX_CALLS && !it.calls.contains(&call) {
            it.calls.push(call);
        }
    }
}

impl AccessedPath {
    pub fn path(&self) -> &[u8] {
        match self {
            AccessedPath::File(path) | AccessedPath::FilesIn(path) => path,
        }
    }
}

/// The ways in which a call uses the file that it names, or that its descriptor refers to.
fn ways_of_row(call: &Call, row: &Syscall) -> Vec<FileAccess> {
    let has = |effect| row.has_effect(effect);
    let mut ways = Vec::new();
    if row.makes() == Some(Thing::File) {
        return ways_of_open(call.open_flags());
    }
    let mut add = |applies: bool, way| ways.extend(applies.then_some(way));
    add(has(Effect::Executes), FileAccess::Execute);
    add(has(Effect::Maps) && call.flags("prot") & c::PROT_EXEC != 0, FileAccess::MapCode);
    add(sets_file_lock(call, row), FileAccess::Lock);
    add(has(Effect::MakesDirectory), FileAccess::MakeDirectory);
    let removes_directory = has(Effect::RemovesDirectory) || call.flags("flags") & c::AT_REMOVEDIR != 0;
    add(has(Effect::Unlinks) && removes_directory, FileAccess::RemoveDirectory);
    add(has(Effect::Unlinks) && !removes_directory, FileAccess::RemoveFile);
    add(has(Effect::Renames), FileAccess::RenameFrom);
    // (The target of a symbolic link is no path among the arguments, only text.)
    add(has(Effect::Links) && row.paths().count() == 1, FileAccess::MakeSymlink);
    add(has(Effect::Truncates) || has(Effect::SetsSize), FileAccess::Truncate);
    add(has(Effect::SetsAttributes), FileAccess::SetAttributes);
    add(has(Effect::ControlsDevice), FileAccess::ControlDevice);
    if has(Effect::MakesNode) {
        ways.push(match call.flags("mode") & c::S_IFMT {
            c::S_IFIFO => FileAccess::MakeFifo,
            c::S_IFSOCK => FileAccess::MakeSocket,
            c::S_IFCHR | c::S_IFBLK => FileAccess::MakeDevice,
            _ => FileAccess::Make,
        });
    }
    ways
}

fn ways_of_open(flags: u64) -> Vec<FileAccess> {
    if flags & c::O_PATH != 0 {
        return Vec::new();
    }
    let access = flags & c::O_ACCMODE;
    let mut ways = Vec::new();
    let mut add = |applies: bool, way| ways.extend(applies.then_some(way));
    let is_directory = flags & c::O_DIRECTORY != 0 && flags & TMPFILE != TMPFILE;
    add(is_directory, FileAccess::List);
    add(!is_directory && access != c::O_WRONLY, FileAccess::Read);
    let write = if flags & c::O_APPEND != 0 { FileAccess::Append } else { FileAccess::Write };
    add(!is_directory && access != c::O_RDONLY, write);
    add(flags & c::O_CREAT != 0, FileAccess::Make);
    add(flags & c::O_TRUNC != 0, FileAccess::Truncate);
    ways
}

/// The ways in which a call uses the second file that it names.
fn ways_of_other_path(row: &Syscall) -> &'static [FileAccess] {
    if row.has_effect(Effect::Renames) {
        &[FileAccess::RenameTo]
    } else if row.has_effect(Effect::Links) {
        &[FileAccess::MakeLink]
    } else {
        &[]
    }
}

/// The path of a file from the root on, if the object is a file and its place is known.
fn path_of(object: ObjectId, tracker: &Tracker) -> Option<Vec<u8>> {
    let is_path = tracker.kind(object) == ObjectKind::Path;
    let path = tracker.name(object);
    (is_path && path.starts_with(b"/")).then(|| tidy(path))
}

/// The path in the address of a Unix socket, from the root on.
fn socket_path(call: &Call, seen: &Seen, tracker: &Tracker) -> Option<Vec<u8>> {
    let address = call.message_address()?;
    if u64::from(u16::from_ne_bytes(*address.first_chunk()?)) != c::AF_UNIX {
        return None;
    }
    let name = address_name(address)?;
    if name.starts_with(b"@") || name.is_empty() {
        return None;
    }
    from_root(&name, seen.pid, tracker)
}
