//! What was found out about the world beside the calls: what descriptors refer to, names of processes.

use stride_event::Tid;

/// What can be asked of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Asked {
    /// What a descriptor refers to: a byte which is 1 if that is deleted, and its path.
    Link,
    /// Details of a descriptor, in words.
    Socket,
    Eventfd,
    Signalfd,
    Pidfd,
    Device,
    /// Whether a descriptor is a terminal: there is an answer if it is.
    Terminal,
    /// The process that a pidfd refers to, in decimal.
    PidfdProcess,
    /// The protocol of a netlink socket, in decimal.
    Netlink,
    /// The name of a network interface.
    Interface,
    /// The name of a thread.
    Comm,
    /// The tracer's id, in decimal, of whom a thread in another PID namespace calls by this one (and this kind of it times
    /// 2^32); empty if nobody is found.
    Outer,
    /// The processes that have the other end of a pipe or socket: ids with blanks between.
    Ends,
    /// The thread that holds the lock at an address, in decimal.
    LockHolder,
    /// The descriptors that an epoll instance watches: numbers with blanks between.
    Watched,
}

impl Asked {
    const ALL: [Asked; 15] = [
        Asked::Link,
        Asked::Socket,
        Asked::Eventfd,
        Asked::Signalfd,
        Asked::Pidfd,
        Asked::Device,
        Asked::Terminal,
        Asked::PidfdProcess,
        Asked::Netlink,
        Asked::Interface,
        Asked::Comm,
        Asked::Outer,
        Asked::Ends,
        Asked::LockHolder,
        Asked::Watched,
    ];

    pub fn from_byte(byte: u8) -> Option<Asked> {
        Self::ALL.get(byte as usize).copied()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    pub asked: Asked,
    /// In whose eyes; 0 where it does not matter.
    pub tid: Tid,
    /// The descriptor (2^32 more for one that a call makes), interface, id or address that it is about.
    pub number: i64,
}

/// An answer, which holds from here on until another is given. `None`: there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub question: Question,
    pub answer: Option<Vec<u8>>,
}
