//! The parts of a call that are decoded, and the depth.

use stride_event::{CallSet, Descriptor, Doing, FdOf, FdSet, Limits, Tid};
use stride_syscalls::Namespace;

/// The parts of calls that are decoded. The default is that of strace without options.
#[derive(Clone, Debug)]
pub struct Options {
    /// `-s`: the most bytes of a string that are shown. Also the most elements of an abbreviated array.
    pub text: usize,
    /// `-e abbrev=`: calls whose structs are abbreviated.
    pub abbrev: CallSet,
    /// `-e verbose=`: calls whose structs are followed.
    pub verbose: CallSet,
    /// `-e raw=`: calls shown as bare registers.
    pub raw: CallSet,
    /// `-y`: descriptors are shown with their referents.
    pub fds: bool,
    /// `-Y` / `--decode-pids`.
    pub pids: bool,
    /// `--namespace`: the namespaces that a call enters.
    pub namespaces: bool,
    /// `--secontext`: the SELinux contexts of files.
    pub contexts: bool,
    /// `-e read=`, `-e write=`: descriptors whose transfers are shown whole.
    pub dump_read: FdSet,
    /// The same for transfers to descriptors.
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
            namespaces: false,
            contexts: false,
            dump_read: FdSet::none(),
            dump_write: FdSet::none(),
        }
    }
}

impl Options {
    /// The most elements of an array that are shown, and so have to be captured. Where structures are not abbreviated, arrays are not either.
    pub fn elements(&self) -> usize {
        if self.abbrev.is_all() { self.text } else { Limits::UNLIMITED }
    }
}

/// The referent of a descriptor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FdInfo {
    /// A path, or the kernel's name if there is none (`pipe:[4711]`). The bytes come from the tracee.
    pub path: Vec<u8>,
    /// Details besides the path or instead of it, in printable ASCII: `TCP:[127.0.0.1:80]`, `<char 1:3>`.
    pub detail: String,
    /// The file was deleted.
    pub deleted: bool,
}

/// Stands for Stride itself in place of a thread.
pub const TRACER: Tid = 0;

/// Facts from outside a call: descriptors and processes. They come from /proc for a live tracee, or from a recording.
///
/// In place of a thread, [`TRACER`] stands for Stride as it was when it started its command, because the command begins
/// with the same descriptors and ids. By the time of a question, /proc shows only the command's later state.
pub trait Resolver {
    /// The referent of a descriptor. `AT_FDCWD` is the working directory of the thread's process. `known` is what the
    /// engine saw of the descriptor.
    fn fd(&self, _of: FdOf, _known: Option<&Descriptor>) -> Option<FdInfo> {
        None
    }

    /// The path of a descriptor's referent. Decoders ask this with or without `-y`, if it decides the meaning of
    /// memory.
    fn path(&self, _tid: Tid, _fd: i32, _known: Option<&Descriptor>) -> Option<Vec<u8>> {
        None
    }

    /// True if a descriptor is a terminal. Decoders ask this with or without `-y`, if the meaning of a call depends on
    /// it.
    fn is_terminal(&self, _tid: Tid, _fd: i32) -> bool {
        false
    }

    /// The process that a pidfd of the process of thread `tid` refers to.
    fn pidfd(&self, _tid: Tid, _fd: i32, _known: Option<&Descriptor>) -> Option<Tid> {
        None
    }

    /// The processes on this machine that have the peer of a pipe or socket.
    fn other_ends(&self, _tid: Tid, _fd: i32) -> Vec<Tid> {
        Vec::new()
    }

    /// The thread that holds the lock at this address of the tracee's memory, if the lock names it.
    fn lock_holder(&self, _tid: Tid, _addr: u64) -> Option<Tid> {
        None
    }

    /// The descriptors that an epoll instance watches.
    fn watched(&self, _tid: Tid, _fd: i32) -> Vec<i32> {
        Vec::new()
    }

    /// Bytes that lie unread in a socket, and in the other end of it on this machine.
    fn unread(&self, _tid: Tid, _fd: i32) -> Option<(u64, u64)> {
        None
    }

    /// The state and the calls of a process at this moment.
    fn doing(&self, _pid: Tid) -> Option<Doing> {
        None
    }

    /// The arguments of the program that a process runs. Trackers ask this of processes whose execve they have not
    /// seen.
    fn command_line(&self, _tid: Tid) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// The files that the kernel opened beside the program when a thread executed it. `None` if that is not known. `program` is its path, as the
    /// thread named it or from the root on.
    fn interpreters(&self, _tid: Tid, _program: &[u8]) -> Option<Vec<Vec<u8>>> {
        None
    }

    /// The mounts of network file systems that a thread sees, in the order in which they were made.
    fn network_mounts(&self, _tid: Tid) -> Vec<NetworkMount> {
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

    /// The name of a family of generic netlink, whose number the kernel chose when the family was registered.
    fn generic_family(&self, _id: u16) -> Option<Vec<u8>> {
        None
    }

    /// A message gave the name of a family of generic netlink.
    fn met_generic_family(&self, _id: u16, _name: &[u8]) {}

    /// Facts about the process or thread that thread `tid` calls `id`.
    fn pid(&self, _tid: Tid, _id: i32, _kind: stride_syscalls::PidKind) -> PidInfo {
        PidInfo::default()
    }

    /// Stride's id of the process that thread `tid` calls `id`. The two differ in another PID namespace.
    fn process(&self, _tid: Tid, id: i32) -> Option<Tid> {
        Some(id)
    }

    /// The inode of a thread's namespace.
    fn namespace(&self, _tid: Tid, _kind: Namespace) -> Option<u64> {
        None
    }

    /// The SELinux context of something that a thread has or names, as it is shown.
    fn context(&self, _tid: Tid, _of: Labelled<'_>) -> Option<Vec<u8>> {
        None
    }

    /// The name of the command that a tracee runs.
    fn comm(&self, _tid: Tid) -> Option<Vec<u8>> {
        None
    }

    /// The name that a thread had when it entered the call that has just returned. (The call may have given it another
    /// one.)
    fn comm_at_entry(&self, tid: Tid) -> Option<Vec<u8>> {
        self.comm(tid)
    }
}

/// Something that has an SELinux context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labelled<'a> {
    /// The thread itself.
    Thread,
    /// The referent of a descriptor.
    Fd(i32),
    /// The file that has this path. A relative path begins at the directory of descriptor `dir`, which may be
    /// `AT_FDCWD`.
    Path {
        /// The descriptor of the directory.
        dir: i32,
        /// The path, without its NUL.
        path: &'a [u8],
    },
}

/// A mount of a network file system, or one below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkMount {
    /// The type, such as `nfs4`. None if the file system is a local one.
    pub kind: Option<String>,
    /// The path of the directory or file where it is mounted.
    pub point: Vec<u8>,
}

/// True if a path is that of a directory or lies below it.
pub fn is_within(path: &[u8], directory: &[u8]) -> bool {
    let directory = directory.strip_suffix(b"/").unwrap_or(directory);
    path.strip_prefix(directory).is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
}

/// The facts of `--decode-pids` about an id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PidInfo {
    /// The command's name.
    pub comm: Option<Vec<u8>>,
    /// The id in the tracer's own PID namespace, if the tracee is in another.
    pub outer: Option<i32>,
}

/// A resolver that knows nothing.
impl Resolver for () {}
