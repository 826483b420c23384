//! The keys of `--by`.

use stride_event::{Call, CountBy, Counted, LibraryCall, Outcome, PowerBucket, Tid};
use stride_track::{Cause, ObjectId, ObjectKind, Tracker};

use super::names::Names;
use super::part::KeyPart;

/// A key of `--by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Syscall,
    /// The path in the call, or else the path of its descriptor.
    Path,
    Directory,
    Fd,
    Errno,
    Pid,
    Tid,
    Comm,
    /// The container that the thread is in.
    Container,
    /// The effective user of the thread.
    User,
    /// The time from entry to return, rounded down to a power of two.
    Duration,
    /// Bytes moved, rounded down to a power of two.
    Size,
    /// The peer of the call's socket.
    Peer,
    /// The function of the program that made the call.
    Caller,
    /// All functions that led to the call.
    Stack,
    /// The thread or interrupt that ended the call's longest sleep.
    Waker,
    /// The thing that the call's thread waited for longest.
    Cause,
}

impl Key {
    pub const ALL: [Key; 17] = [
        Key::Syscall,
        Key::Path,
        Key::Directory,
        Key::Fd,
        Key::Errno,
        Key::Pid,
        Key::Tid,
        Key::Comm,
        Key::Container,
        Key::User,
        Key::Duration,
        Key::Size,
        Key::Peer,
        Key::Caller,
        Key::Stack,
        Key::Waker,
        Key::Cause,
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
            Key::Container => "container",
            Key::User => "user",
            Key::Duration => "duration",
            Key::Size => "size",
            Key::Peer => "peer",
            Key::Caller => "caller",
            Key::Stack => "stack",
            Key::Waker => "waker",
            Key::Cause => "cause",
        }
    }

    /// True if the key needs the tracker.
    pub fn is_tracked(self) -> bool {
        matches!(self, Key::Path | Key::Directory | Key::Fd | Key::Pid | Key::Comm | Key::Peer | Key::Cause)
    }

    /// True if the key needs the calls' memory, for paths and for the names of programs.
    pub fn needs_memory(self) -> bool {
        self.is_about_files() || self == Key::Comm
    }

    /// True if the key needs to follow the referents of descriptors.
    pub fn is_about_files(self) -> bool {
        matches!(self, Key::Path | Key::Directory | Key::Fd | Key::Peer | Key::Cause)
    }

    /// True if the key needs the calls' waits.
    pub fn needs_waits(self) -> bool {
        matches!(self, Key::Waker | Key::Cause)
    }

    /// True if the key needs the calls' stacks.
    pub fn needs_stacks(self) -> bool {
        matches!(self, Key::Caller | Key::Stack)
    }

    /// True if the values are ranges of numbers, so that their rows are a histogram.
    pub fn is_range(self) -> bool {
        matches!(self, Key::Duration | Key::Size)
    }

    /// The key's value for `call`, which is the call that the tracker saw last.
    pub fn part(self, call: &Call, tracker: Option<&Tracker>, names: &mut Names) -> KeyPart {
        match self {
            Key::Syscall => KeyPart::Call(call.abi, call.nr),
            Key::Errno => KeyPart::Errno(if let Outcome::Error(errno) = call.outcome { errno } else { 0 }),
            Key::Tid => KeyPart::Id(call.tid),
            Key::User => names.user(call.tid),
            Key::Duration => KeyPart::Duration(PowerBucket::of(call.took())),
            Key::Size => KeyPart::Size(PowerBucket::of(call.moved())),
            Key::Container => container(call.container.as_deref(), names),
            Key::Caller => names.caller(call.stack.as_ref()),
            Key::Stack => names.stack(call.stack.as_ref()),
            Key::Waker => names.waker(call.waits.as_deref()),
            Key::Cause => cause(call, tracker, names),
            _ => self.followed(call.tid, tracker, names),
        }
    }

    /// The key's value for an operation of io_uring, which the tracker saw last.
    pub fn of_operation(self, call: &LibraryCall, tracker: Option<&Tracker>, names: &mut Names) -> KeyPart {
        match self {
            Key::Syscall => names.part(call.function.name.as_bytes()),
            Key::Errno => KeyPart::Errno(call.error().unwrap_or(0)),
            Key::Tid => KeyPart::Id(call.tid),
            Key::User => names.user(call.tid),
            Key::Duration => KeyPart::Duration(PowerBucket::of(call.duration())),
            Key::Size => KeyPart::Size(PowerBucket::of(call.moved())),
            // Operations come without these.
            Key::Container | Key::Waker | Key::Cause => KeyPart::None,
            Key::Caller => names.caller(None),
            Key::Stack => names.stack(None),
            _ => self.followed(call.tid, tracker, names),
        }
    }

    /// The tracker's facts about the thread, and about the call or operation that it saw last.
    fn followed(self, tid: Tid, tracker: Option<&Tracker>, names: &mut Names) -> KeyPart {
        let Some((tracker, seen)) = tracker.and_then(|tracker| Some((tracker, tracker.seen()?))) else {
            return if self == Key::Pid { KeyPart::Id(tid) } else { KeyPart::None };
        };
        match self {
            Key::Pid => KeyPart::Id(seen.pid),
            Key::Comm => tracker.thread(tid).map_or(KeyPart::None, |thread| names.part(&thread.comm)),
            Key::Path => seen.subject().map_or(KeyPart::None, |object| KeyPart::Object(tracker.group(object))),
            Key::Fd => {
                seen.fd.map_or(KeyPart::None, |fd| KeyPart::Fd(fd, seen.object.map(|object| tracker.group(object))))
            }
            Key::Directory => {
                seen.subject().map_or(KeyPart::None, |object| names.directory(object, || directory(tracker, object)))
            }
            Key::Peer => seen.object.map_or(KeyPart::None, |object| names.peer(object, || tracker.peer(object))),
            _ => KeyPart::None,
        }
    }

    /// The key's value for calls that an engine counted.
    pub fn counted(self, counted: &Counted, names: &mut Names) -> KeyPart {
        match self {
            Key::Syscall => counted.call.map_or(KeyPart::None, |(abi, nr)| KeyPart::Call(abi, nr)),
            Key::Errno => KeyPart::Errno(counted.errno),
            Key::Pid => KeyPart::Id(counted.pid),
            Key::Tid => KeyPart::Id(counted.tid),
            Key::Comm => names.part(&counted.comm),
            Key::Container => container(counted.container.as_deref(), names),
            Key::User => names.user_id(counted.user),
            Key::Duration => KeyPart::Duration(counted.duration),
            Key::Size => KeyPart::Size(counted.size),
            Key::Path | Key::Directory | Key::Fd | Key::Peer | Key::Caller | Key::Stack | Key::Waker | Key::Cause => {
                KeyPart::None
            }
        }
    }

    /// The properties by which an engine must count calls for these keys, if it can.
    pub fn countable(keys: &[Key]) -> Option<CountBy> {
        let mut by = CountBy::default();
        for key in keys {
            match key {
                Key::Syscall => by.syscall = true,
                Key::Errno => by.errno = true,
                Key::Pid => by.pid = true,
                Key::Tid => by.tid = true,
                Key::Comm => by.comm = true,
                Key::Container => by.container = true,
                Key::User => by.user = true,
                Key::Duration => by.duration = true,
                Key::Size => by.size = true,
                Key::Path
                | Key::Directory
                | Key::Fd
                | Key::Peer
                | Key::Caller
                | Key::Stack
                | Key::Waker
                | Key::Cause => return None,
            }
        }
        Some(by)
    }
}

/// The word for the thing that a call's thread waited for.
fn cause(call: &Call, tracker: Option<&Tracker>, names: &mut Names) -> KeyPart {
    let cause = tracker.and_then(|tracker| Cause::of(call, tracker.seen()?, tracker));
    cause.map_or(KeyPart::None, |cause| names.part(cause.name().as_bytes()))
}

/// A container by its name, or the part of the machine that is in none.
fn container(name: Option<&str>, names: &mut Names) -> KeyPart {
    name.map_or(KeyPart::None, |name| names.part(name.as_bytes()))
}

/// The directory of a path.
fn directory(tracker: &Tracker, object: ObjectId) -> Option<&[u8]> {
    if tracker.kind(object) != ObjectKind::Path {
        return None;
    }
    Some(stride_track::directory(tracker.name(object)))
}
