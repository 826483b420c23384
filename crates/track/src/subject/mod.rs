//! The files, sockets and paths that one call is about.

pub(crate) mod arguments;
mod operations;
pub(crate) mod shape;

use crate::ObjectId;
use stride_event::Tid;
use stride_syscalls::Syscall;

/// An open file description: open(2) makes it and dup(2) shares it. Unique in a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A call that returned or an operation of io_uring that ended, and what it was about.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// `None` for an unknown number, and for an operation of io_uring.
    pub row: Option<&'static Syscall>,
    pub tid: Tid,
    pub pid: Tid,
    /// The first descriptor among its arguments, except the start of a path.
    pub fd: Option<i32>,
    pub file: Option<FileId>,
    /// The object that the descriptor refers to.
    pub object: Option<ObjectId>,
    /// The first path among its arguments, from the root on if that is known.
    pub path: Option<ObjectId>,
    /// The second path: where rename(2) moves to.
    pub other_path: Option<ObjectId>,
    /// The descriptor at which its path begins, and the object that this refers to.
    pub directory: Option<(i32, ObjectId)>,
    /// The descriptor that it made, and the object that it refers to.
    pub made: Option<(i32, FileId, ObjectId)>,
    /// The number that dup2(2) gives to another file, and the object that it referred to before.
    pub(crate) replaced: Option<(i32, Option<ObjectId>)>,
    /// The open file whose last descriptor it closed.
    pub ended: Option<FileId>,
    /// Bytes that it moved through its descriptor. `None` if it failed, or never moves any.
    pub bytes: Option<u64>,
    /// Bytes that it was asked to move.
    pub asked: Option<u64>,
}

impl Seen {
    /// The path that it names, or else what its descriptor refers to.
    pub fn subject(&self) -> Option<ObjectId> {
        self.path.or(self.object)
    }
}
