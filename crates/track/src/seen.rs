//! What one call was about.

use crate::ObjectId;
use stride_event::Tid;
use stride_syscalls::Syscall;

/// An open file description: what open(2) makes and dup(2) shares. Unique in a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A call that returned, and what it was about.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// `None` for a number that the tables do not know.
    pub row: Option<&'static Syscall>,
    pub tid: Tid,
    pub pid: Tid,
    /// The first descriptor among its arguments; not where a path begins.
    pub fd: Option<i32>,
    pub file: Option<FileId>,
    /// What the descriptor refers to.
    pub object: Option<ObjectId>,
    /// The first path among its arguments, from the root on where that can be told.
    pub path: Option<ObjectId>,
    /// The second: where rename(2) moves to.
    pub other_path: Option<ObjectId>,
    /// The descriptor that it made, and what that is.
    pub made: Option<(i32, FileId, ObjectId)>,
    /// The open file to which it closed the last descriptor.
    pub ended: Option<FileId>,
    /// Bytes that it moved through its descriptor; none if it failed, or moves none by its nature.
    pub bytes: Option<u64>,
    /// Bytes that it was asked to move.
    pub asked: Option<u64>,
}

impl Seen {
    /// The path it names, else what its descriptor refers to.
    pub fn about(&self) -> Option<ObjectId> {
        self.path.or(self.object)
    }
}
