//! What calls are told apart by: `--by`.

use stride_event::{Call, CountBy, Counted, Outcome, SizeBucket};
use stride_track::{ObjectId, ObjectKind, Tracker};

use super::names::Names;
use super::part::KeyPart;

/// A key of `--by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Syscall,
    /// What the call names, else what its descriptor refers to.
    Path,
    Directory,
    Fd,
    Errno,
    Pid,
    Tid,
    Comm,
    /// Bytes moved, to a power of two.
    Size,
    /// The other end of its socket.
    Peer,
}

impl Key {
    pub const ALL: [Key; 10] = [
        Key::Syscall,
        Key::Path,
        Key::Directory,
        Key::Fd,
        Key::Errno,
        Key::Pid,
        Key::Tid,
        Key::Comm,
        Key::Size,
        Key::Peer,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Key::Syscall => "syscall",
            Key::Path => "path",
            Key::Directory => "directory",
            Key::Fd => "fd",
            Key::Errno => "errno",
            Key::Pid => "pid",
            Key::Tid => "tid",
            Key::Comm => "comm",
            Key::Size => "size",
            Key::Peer => "peer",
        }
    }

    /// Whether a tracker has to tell.
    pub fn is_tracked(self) -> bool {
        !matches!(self, Key::Syscall | Key::Errno | Key::Tid | Key::Size)
    }

    /// Whether it takes the memory of calls: paths, and the names that programs give themselves.
    pub fn needs_memory(self) -> bool {
        self.is_about_files() || self == Key::Comm
    }

    /// Whether it takes following what descriptors refer to.
    pub fn is_about_files(self) -> bool {
        matches!(self, Key::Path | Key::Directory | Key::Fd | Key::Peer)
    }

    /// What `call`, the one last seen by the tracker, has of it.
    pub fn part(self, call: &Call, tracker: Option<&Tracker>, names: &mut Names) -> KeyPart {
        match self {
            Key::Syscall => return KeyPart::Call(call.abi, call.nr),
            Key::Errno => return KeyPart::Errno(if let Outcome::Error(errno) = call.outcome { errno } else { 0 }),
            Key::Tid => return KeyPart::Id(call.tid),
            Key::Size => return KeyPart::Size(SizeBucket::of(call.moved())),
            _ => {}
        }
        let Some((tracker, seen)) = tracker.and_then(|tracker| Some((tracker, tracker.seen()?))) else {
            return if self == Key::Pid { KeyPart::Id(call.tid) } else { KeyPart::None };
        };
        match self {
            Key::Pid => KeyPart::Id(seen.pid),
            Key::Comm => tracker.thread(call.tid).map_or(KeyPart::None, |thread| names.part(&thread.comm)),
            Key::Path => seen.about().map_or(KeyPart::None, |object| KeyPart::Object(tracker.group(object))),
            Key::Fd => {
                seen.fd.map_or(KeyPart::None, |fd| KeyPart::Fd(fd, seen.object.map(|object| tracker.group(object))))
            }
            Key::Directory => {
                seen.about().map_or(KeyPart::None, |object| names.directory(object, || directory(tracker, object)))
            }
            Key::Peer => seen.object.map_or(KeyPart::None, |object| names.peer(object, || tracker.peer(object))),
            _ => KeyPart::None,
        }
    }

    /// What calls have of it that an engine counted.
    pub fn counted(self, counted: &Counted, names: &mut Names) -> KeyPart {
        match self {
            Key::Syscall => counted.call.map_or(KeyPart::None, |(abi, nr)| KeyPart::Call(abi, nr)),
            Key::Errno => KeyPart::Errno(counted.errno),
            Key::Pid => KeyPart::Id(counted.pid),
            Key::Tid => KeyPart::Id(counted.tid),
            Key::Comm => names.part(&counted.comm),
            Key::Size => KeyPart::Size(counted.size),
            Key::Path | Key::Directory | Key::Fd | Key::Peer => KeyPart::None,
        }
    }

    /// What an engine has to tell calls apart by for these keys, if it can.
    pub fn countable(keys: &[Key]) -> Option<CountBy> {
        let mut by = CountBy::default();
        for key in keys {
            match key {
                Key::Syscall => by.syscall = true,
                Key::Errno => by.errno = true,
                Key::Pid => by.pid = true,
                Key::Tid => by.tid = true,
                Key::Comm => by.comm = true,
                Key::Size => by.size = true,
                Key::Path | Key::Directory | Key::Fd | Key::Peer => return None,
            }
        }
        Some(by)
    }
}

/// The directory that a path is in.
fn directory(tracker: &Tracker, object: ObjectId) -> Option<&[u8]> {
    if tracker.kind(object) != ObjectKind::Path {
        return None;
    }
    Some(stride_track::directory(tracker.name(object)))
}
