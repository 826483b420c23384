//! The paths that the run named, each with its uses, in bounded memory.

use super::users::{UsedBy, UserId};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use stride_event::Ns;

/// Paths beyond this many are counted and not listed. So are those beyond so many bytes.
const MAX_NAMES: usize = if cfg!(test) { 1 << 10 } else { 1 << 19 };
const MAX_BYTES: usize = 96 << 20;

/// A path in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PathId(u32);

/// The ways in which a file was used. A file can have several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uses(u16);

impl Uses {
    /// It was opened for reading, or mapped, with content that the run did not make.
    pub const READ: Uses = Uses(1);
    /// Its entries were listed.
    pub const LISTED: Uses = Uses(1 << 1);
    /// It was there, and nothing was done but to ask about it.
    pub const ASKED: Uses = Uses(1 << 2);
    /// It was executed.
    pub const RUN: Uses = Uses(1 << 3);
    /// The kernel opened it to start a program.
    pub const INTERPRETER: Uses = Uses(1 << 4);
    /// It was mapped as code.
    pub const LIBRARY: Uses = Uses(1 << 5);
    /// The run made it: its content is the run's, as long as it is there.
    pub const MADE: Uses = Uses(1 << 6);
    /// It was there, and the run changed it.
    pub const CHANGED: Uses = Uses(1 << 7);
    /// It was there, and the run took it away or gave it another name.
    pub const REMOVED: Uses = Uses(1 << 8);
    /// The run made it and took it away again.
    pub const TEMPORARY: Uses = Uses(1 << 9);
    /// The run made it and used it afterwards.
    pub const INTERMEDIATE: Uses = Uses(1 << 10);
    /// It is a directory.
    pub const DIRECTORY: Uses = Uses(1 << 11);
    /// Its first use was of an open file that the run had not opened: its standard output, for example.
    pub const INHERITED: Uses = Uses(1 << 12);

    /// It is a symbolic link that the run made.
    pub const LINK: Uses = Uses(1 << 13);

    /// The run made it and gave it another name.
    pub const MOVED: Uses = Uses(1 << 14);
    /// It was opened so that it could be written.
    pub const WRITABLE: Uses = Uses(1 << 15);

    /// True if it has all of these.
    pub fn has(self, other: Uses) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if it has one of these.
    pub fn any(self, other: Uses) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn or(self, other: Uses) -> Uses {
        Uses(self.0 | other.0)
    }

    pub fn add(&mut self, other: Uses) {
        self.0 |= other.0;
    }

    pub fn remove(&mut self, other: Uses) {
        self.0 &= !other.0;
    }
}

/// The uses of the file that a path names.
#[derive(Clone, Debug)]
pub struct UsedPath {
    pub path: Arc<[u8]>,
    pub uses: Uses,
    /// How often it was looked for and not found before the run made it.
    pub missed: u32,
    /// How often it could not be used, and the latest error.
    pub refused: u32,
    pub errno: u32,
    /// True if the file exists, false if not, as far as the calls tell.
    pub is_there: Option<bool>,
    /// The open files with this name.
    pub open: u32,
    /// When it was opened last, if the engine takes times.
    pub last_used: Ns,
    pub users: UsedBy,
}

/// All of them.
#[derive(Default)]
pub struct UsedPaths {
    all: Vec<UsedPath>,
    by_path: BTreeMap<Arc<[u8]>, PathId>,
    bytes: usize,
    /// The time of the latest call.
    pub now: Ns,
    /// The uses of paths for which there was no room.
    pub left_out: u64,
}

impl UsedPaths {
    pub fn get(&self, id: PathId) -> &UsedPath {
        &self.all[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: PathId) -> &mut UsedPath {
        &mut self.all[id.0 as usize]
    }

    /// The entry of a path, which is tidy. `None` if there is no room for another one.
    pub fn id(&mut self, path: &[u8]) -> Option<PathId> {
        if let Some(id) = self.by_path.get(path) {
            return Some(*id);
        }
        if self.all.len() >= MAX_NAMES || self.bytes >= MAX_BYTES {
            self.left_out += 1;
            return None;
        }
        let id = PathId(self.all.len() as u32);
        let path: Arc<[u8]> = path.into();
        self.bytes += path.len();
        self.by_path.insert(path.clone(), id);
        let (uses, users) = Default::default();
        self.all.push(UsedPath {
            path,
            uses,
            missed: 0,
            refused: 0,
            errno: 0,
            is_there: None,
            open: 0,
            last_used: 0,
            users,
        });
        Some(id)
    }

    /// The paths below a directory, in order.
    pub fn below(&self, directory: &[u8]) -> Vec<PathId> {
        let start = [directory, b"/"].concat();
        let from = (Bound::Included(&start[..]), Bound::Unbounded);
        let below = self.by_path.range::<[u8], _>(from).take_while(|(path, _)| path.starts_with(&start));
        below.map(|(_, id)| *id).collect()
    }

    /// All of them, by path.
    pub fn sorted(&self) -> impl Iterator<Item = &UsedPath> {
        self.by_path.values().map(|id| self.get(*id))
    }

    /// A use of what the path names, which is there.
    pub fn used(&mut self, id: PathId, uses: Uses, by: UserId) {
        let now = self.now;
        let it = self.get_mut(id);
        it.is_there = Some(true);
        it.users.add(by);
        if uses.any(CONTENT) {
            it.last_used = now;
        }
        // Content that the run made is no input.
        if it.uses.has(Uses::MADE) {
            if uses.any(CONTENT.or(Uses::LISTED)) {
                it.uses.add(Uses::INTERMEDIATE);
            }
            return;
        }
        it.uses.add(uses);
    }
}

/// The uses of the content.
const CONTENT: Uses = Uses::READ.or(Uses::RUN).or(Uses::INTERPRETER).or(Uses::LIBRARY);

/// A path without `//`, `/./` and `/../`. (`..` takes away the part before it, as if that were no link.)
pub fn tidy(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let mut tidy = Vec::with_capacity(path.len());
    for part in parts {
        tidy.push(b'/');
        tidy.extend_from_slice(part);
    }
    if tidy.is_empty() {
        tidy.push(b'/');
    }
    tidy
}

/// True for the directory itself, too.
pub fn is_below(path: &[u8], directory: &[u8]) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
}
