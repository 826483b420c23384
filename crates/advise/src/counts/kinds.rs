//! The kinds of calls, and of the things behind their descriptors, that the index and the rules tell apart.

use crate::counts::tallies::CallKey;
use stride_syscalls::{Effect, Flow, For, Syscall, Thing, table};
use stride_track::{ObjectId, ObjectKind, Tracker};

/// The kinds of calls that the index treats alike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    Close,
    Seek,
    Sync,
    Write,
    Wait,
    Other,
}

impl CallKind {
    pub fn of(row: &Syscall) -> CallKind {
        let kind = |effect: &Effect| match effect {
            Effect::Closes => Some(CallKind::Close),
            Effect::Seeks => Some(CallKind::Seek),
            Effect::SyncsAll => Some(CallKind::Other),
            Effect::Syncs if !row.has_effect(Effect::SyncsAll) => Some(CallKind::Sync),
            Effect::Waits(_) | Effect::MayWait(_) | Effect::Connects => Some(CallKind::Wait),
            _ => None,
        };
        // A call that receives one message waits like read(2): only if its descriptor can make it wait.
        match row.effects.iter().find_map(kind) {
            Some(CallKind::Wait) if row.may_wait() == Some(For::Peer) && row.returns_moved() => CallKind::Other,
            Some(kind) => kind,
            None if is_write(row) => CallKind::Write,
            None => CallKind::Other,
        }
    }
}

pub fn kind_of(key: CallKey) -> Option<CallKind> {
    Some(CallKind::of(table(key.abi).get(key.nr.into())?.row))
}

/// True if calls of this kind always wait: for other threads, for messages, for a while. connect(2) does not count: it
/// does work.
pub fn waits_by_nature(key: CallKey) -> bool {
    let Some(entry) = table(key.abi).get(key.nr.into()) else { return false };
    let row = entry.row;
    row.waits().is_some() || row.may_wait().is_some() || row.has_effect(Effect::Yields)
}

/// True if the call waits at an epoll instance: a run-time system makes that wait for all tasks of its process (Go, Node.js, asyncio). A thread that
/// calls poll(2) waits for itself.
pub fn waits_for_any(row: &Syscall) -> bool {
    row.waits() == Some(For::Readiness) && row.args.iter().any(|arg| arg.name == "epfd")
}

/// True if a transfer writes to the first descriptor of the call. sendfile(2) has the descriptor that it writes to
/// first.
pub fn is_write(row: &Syscall) -> bool {
    let out_first = || row.args.first().is_some_and(|arg| arg.name == "out_fd");
    row.transfer().is_some_and(|t| t.flow == Flow::Out || t.flow == Flow::Between && out_first())
}

/// True for a socket of TCP.
pub fn is_tcp(object: ObjectId, tracker: &Tracker) -> bool {
    tracker.kind(object) == ObjectKind::Socket && tracker.name(object).starts_with(b"TCP")
}

/// True for a socket of UDP.
pub fn is_udp(object: ObjectId, tracker: &Tracker) -> bool {
    tracker.kind(object) == ObjectKind::Socket && tracker.name(object).starts_with(b"UDP")
}

/// True for a socket that keeps messages apart: of UDP, or a local one of that type.
pub fn is_datagram(object: ObjectId, tracker: &Tracker) -> bool {
    is_udp(object, tracker)
        || tracker.kind(object) == ObjectKind::Socket && tracker.name(object).starts_with(b"UNIX-DGRAM")
}

/// True if the name is that of a connection of a client, which its server has accepted.
pub fn is_served(name: &[u8]) -> bool {
    contains(name, " ← ")
}

/// True for a connection that a client has made.
pub fn is_asked(object: ObjectId, tracker: &Tracker) -> bool {
    tracker.kind(object) == ObjectKind::Socket && contains(tracker.name(object), " → ")
}

fn contains(name: &[u8], arrow: &str) -> bool {
    name.windows(arrow.len()).any(|part| part == arrow.as_bytes())
}

/// True if a transfer reads from its descriptor.
pub fn is_read(row: &Syscall) -> bool {
    row.transfer().is_some_and(|transfer| transfer.flow == Flow::In)
}

/// True if the call opens the file that its path argument names.
pub fn opens(row: &Syscall) -> bool {
    row.makes() == Some(Thing::File)
}

/// True if read(2) on the object may block until another process writes to it.
pub fn may_wait(object: ObjectId, tracker: &Tracker) -> bool {
    tracker.kind(object) != ObjectKind::Path || io(object, tracker) == Io::Terminal
}

/// The kind of file behind a descriptor, as far as transfers differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Io {
    File,
    Pipe,
    Socket,
    Terminal,
    /// Each transfer is a message of its own: an eventfd, a file in /proc.
    Other,
}

/// True for a file that has what was written to it.
pub fn keeps_bytes(object: ObjectId, tracker: &Tracker) -> bool {
    io(object, tracker) == Io::File && tracker.name(object) != b"/dev/null"
}

pub fn io(object: ObjectId, tracker: &Tracker) -> Io {
    let name = tracker.name(object);
    match tracker.kind(object) {
        ObjectKind::Pipe => Io::Pipe,
        ObjectKind::Socket => Io::Socket,
        ObjectKind::Path if name.starts_with(b"/dev/") => match &name[5..] {
            // Programs write to /dev/null as to a file and do not know that nobody reads it.
            b"null" => Io::File,
            rest if rest.starts_with(b"shm/") => Io::File,
            rest if [&b"pts/"[..], b"tty", b"console"].iter().any(|tty| rest.starts_with(tty)) => Io::Terminal,
            _ => Io::Other,
        },
        ObjectKind::Path if name.starts_with(b"/proc/") || name.starts_with(b"/sys/") => Io::Other,
        ObjectKind::Path => Io::File,
        _ => Io::Other,
    }
}
