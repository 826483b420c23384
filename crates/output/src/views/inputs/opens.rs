//! The open files of the run, with the names by which they were opened.

use super::names::PathId;
use rustc_hash::FxHashMap;
use stride_track::FileId;

/// The open files that are remembered together. The names of others are those that the tracker knows.
const MAX_OPEN: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
pub struct OpenName {
    pub name: PathId,
    /// Bytes that are written to it change what the name has.
    pub writable: bool,
    /// Reading from it is a use of content that was there before.
    pub may_read: bool,
}

#[derive(Default)]
pub struct OpenNames(FxHashMap<FileId, OpenName>);

impl OpenNames {
    /// Returns whether there was room.
    pub fn add(&mut self, id: FileId, file: OpenName) -> bool {
        let has_room = self.0.len() < MAX_OPEN;
        if has_room {
            self.0.insert(id, file);
        }
        has_room
    }

    pub fn get_mut(&mut self, id: FileId) -> Option<&mut OpenName> {
        self.0.get_mut(&id)
    }

    pub fn close(&mut self, id: FileId) -> Option<OpenName> {
        self.0.remove(&id)
    }

    /// The files that were opened by one name have another one.
    pub fn rename(&mut self, from: PathId, to: PathId) -> u32 {
        let mut moved = 0;
        for file in self.0.values_mut().filter(|file| file.name == from) {
            file.name = to;
            moved += 1;
        }
        moved
    }
}
