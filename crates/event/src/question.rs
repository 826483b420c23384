//! The questions that can be asked about a tracee beside its calls.

use crate::Tid;
use stride_syscalls::{Namespace, PidKind};

/// A descriptor of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FdOf {
    /// The thread whose descriptor it is.
    pub tid: Tid,
    /// Its number, as the call has it.
    pub fd: i32,
    /// The call makes it. A descriptor that the call is given may have the same number.
    pub made: bool,
}

/// A question, with the form of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// The path of a descriptor, behind a byte that is 1 if the file is deleted.
    Link(FdOf),
    /// Details of a descriptor, in words.
    Socket(FdOf),
    /// Details of an eventfd, in words.
    Eventfd(FdOf),
    /// Details of a signalfd, in words.
    Signalfd(FdOf),
    /// Details of a pidfd, in words.
    Pidfd(FdOf),
    /// Major and minor number of a device, in words.
    Device(FdOf),
    /// There is an answer if the descriptor is a terminal.
    Terminal(FdOf),
    /// The process that a pidfd refers to, in decimal.
    PidfdProcess(FdOf),
    /// The protocol of a netlink socket, in decimal.
    Netlink(FdOf),
    /// The name of a network interface.
    Interface(u32),
    /// The name of a family of generic netlink.
    GenericFamily(u16),
    /// The name of a thread.
    Comm(Tid),
    /// In decimal, the id by which the tracer knows a thread or process that `tid` calls `id`. Empty if there is none.
    Outer {
        /// The thread that is asked about.
        tid: Tid,
        /// The id as the thread has it.
        id: i32,
        /// The kind of the id.
        kind: PidKind,
    },
    /// The processes that have the other end of a pipe or socket: ids with blanks between.
    Ends(FdOf),
    /// The thread that holds the lock at an address, in decimal.
    LockHolder {
        /// The thread that is asked about.
        tid: Tid,
        /// The address of the lock in the thread's memory.
        addr: u64,
    },
    /// The inode of a thread's namespace, in decimal.
    Namespace {
        /// The thread that is asked about.
        tid: Tid,
        /// The kind of namespace.
        kind: Namespace,
    },
    /// The descriptors that an epoll instance watches: numbers with blanks between.
    Watched(FdOf),
    /// Bytes that lie unread in a socket, and in the other end of it on this machine: two numbers with a blank between.
    Unread(FdOf),
    /// The state of a process (a letter of proc_pid_stat(5)), its parent, and the numbers of the calls that its first threads are in, with blanks between.
    Doing(Tid),
    /// The effective user id of a thread, in decimal.
    User(Tid),
    /// The path of the program that a process runs.
    Program(Tid),
    /// The arguments of the program that a process runs, with a zero behind each. Asked of processes whose execve was not seen.
    CommandLine(Tid),
    /// The name of the container that a thread is in. Calls have it; recordings tell it when it changes.
    Container(Tid),
    /// The mounts of network file systems that a thread sees, and others below them: a type and a place on each line.
    NetworkMounts(Tid),
    /// The files that the kernel opened beside the program when the thread executed it: the interpreters that `#!` lines name, and those of ELF files. A zero
    /// is behind each.
    Interpreters(Tid),
}

impl Question {
    /// The answer stays valid until this thread ends. 0: no thread's end makes it invalid.
    pub fn tid(self) -> Tid {
        match self {
            Question::Link(of)
            | Question::Socket(of)
            | Question::Eventfd(of)
            | Question::Signalfd(of)
            | Question::Pidfd(of)
            | Question::Device(of)
            | Question::Terminal(of)
            | Question::PidfdProcess(of)
            | Question::Netlink(of)
            | Question::Ends(of)
            | Question::Watched(of)
            | Question::Unread(of) => of.tid,
            Question::Interface(_) | Question::GenericFamily(_) => 0,
            Question::Comm(tid)
            | Question::Doing(tid)
            | Question::User(tid)
            | Question::Program(tid)
            | Question::CommandLine(tid)
            | Question::Container(tid)
            | Question::NetworkMounts(tid)
            | Question::Interpreters(tid)
            | Question::Outer { tid, .. }
            | Question::Namespace { tid, .. }
            | Question::LockHolder { tid, .. } => tid,
        }
    }
}

/// The state and the calls of a process at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doing {
    /// Its state: a letter of proc_pid_stat(5).
    pub state: u8,
    /// 0: it has none that Stride sees.
    pub parent: Tid,
    /// The numbers of the calls that its first threads are in, as far as the kernel tells.
    pub calls: Vec<u32>,
}

impl Doing {
    /// A signal has stopped it.
    pub fn is_stopped(&self) -> bool {
        self.state == b'T'
    }
}
