//! What of a call is decoded, and how deep.

use stride_event::{CallSet, Descriptor, FdSet, Tid};

#[derive(Clone, Debug)]
pub struct Options {
    /// `-s`: bytes of a string that are shown; also the elements of an array when abbreviated.
    pub text: usize,
    /// `-e abbrev=`: calls whose structs are shown in part.
    pub abbrev: CallSet,
    /// `-e verbose=`: calls whose structs are followed at all.
    pub verbose: CallSet,
    /// `-e raw=`: calls shown as bare registers.
    pub raw: CallSet,
    /// `-y`: descriptors are shown with what they refer to.
    pub fds: bool,
    /// `-Y` / `--decode-pids`.
    pub pids: bool,
    /// `-e read=`, `-e write=`: descriptors whose transfers are shown whole.
    pub dump_read: FdSet,
    pub dump_write: FdSet,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            text: 32,
            abbrev: CallSet::all(),
            verbose: CallSet::all(),
            raw: CallSet::empty(),
            fds: false,
            pids: false,
            dump_read: FdSet::none(),
            dump_write: FdSet::none(),
        }
    }
}

/// What a descriptor refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FdInfo {
    /// A path, or what the kernel says in its place (`pipe:[4711]`): bytes of the tracee's making.
    pub path: Vec<u8>,
    /// What is known besides or instead, in printable ASCII: `TCP:[127.0.0.1:80]`, `<char 1:3>`.
    pub detail: String,
    /// The path is gone.
    pub deleted: bool,
}

/// Asked about in the place of a thread.
pub const TRACER: Tid = 0;

/// What lies outside a call: descriptors and processes, looked up in /proc for a live tracee or in a recording.
///
/// [`TRACER`] in a thread's place stands for Stride itself as it was when its command was started: what that begins with. Of the
/// command /proc tells only what has become of it by the time somebody looks.
pub trait World {
    /// What descriptor `fd` of the process of thread `tid` refers to; `AT_FDCWD` is its working directory. `known` is what the
    /// engine saw of it.
    fn fd(&self, _tid: Tid, _fd: i32, _known: Option<&Descriptor>) -> Option<FdInfo> {
        None
    }

    /// Whether a descriptor is a terminal. Asked where the meaning of a call depends on it, with or without `-y`.
    fn is_terminal(&self, _tid: Tid, _fd: i32) -> bool {
        false
    }

    /// The process that a pidfd of the process of thread `tid` refers to.
    fn pidfd(&self, _tid: Tid, _fd: i32, _known: Option<&Descriptor>) -> Option<Tid> {
        None
    }

    /// The processes on this machine that have the other end of a pipe or socket.
    fn other_ends(&self, _tid: Tid, _fd: i32) -> Vec<Tid> {
        Vec::new()
    }

    /// The thread that holds the lock at this address of its memory, if the lock says.
    fn lock_holder(&self, _tid: Tid, _addr: u64) -> Option<Tid> {
        None
    }

    /// The descriptors that an epoll instance watches.
    fn watched(&self, _tid: Tid, _fd: i32) -> Vec<i32> {
        Vec::new()
    }

    /// The protocol of a netlink socket (`NETLINK_ROUTE`, …); `None` for any other descriptor.
    fn netlink_protocol(&self, _tid: Tid, _fd: i32) -> Option<u32> {
        None
    }

    /// The name of a network interface.
    fn interface(&self, _index: u32) -> Option<Vec<u8>> {
        None
    }

    /// What is known of whom thread `tid` calls `id`.
    fn pid(&self, _tid: Tid, _id: i32, _kind: stride_syscalls::PidKind) -> PidInfo {
        PidInfo::default()
    }

    /// The name of the command that a tracee runs.
    fn comm(&self, _tid: Tid) -> Option<Vec<u8>> {
        None
    }
}

/// What `--decode-pids` tells of an id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PidInfo {
    /// The command's name.
    pub comm: Option<Vec<u8>>,
    /// The id in the tracer's own PID namespace, if the tracee is in another.
    pub outer: Option<i32>,
}

/// A world that knows nothing.
impl World for () {}
