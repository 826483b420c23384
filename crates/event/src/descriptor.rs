//! What a descriptor referred to.

use std::net::IpAddr;

/// A descriptor of a call, as it was when the call was made. Engines that let the tracee run on see to that themselves,
/// where it is asked for ([`crate::TraceSpec::descriptors`]); of what is not here, /proc may still tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// `AT_FDCWD` for the working directory.
    pub fd: i32,
    /// The call made it; else it was given to it.
    pub made: bool,
    /// As /proc/TID/fd would show it, without its mark of what is deleted. Empty where there is none, or no such descriptor.
    pub path: Vec<u8>,
    /// The file has no name any more.
    pub deleted: bool,
    /// `st_mode`.
    pub mode: u32,
    pub inode: u64,
    /// Of a device: major and minor number.
    pub device: (u32, u32),
    /// What the kernel calls a file that has no path: of a socket, its protocol.
    pub name: Vec<u8>,
    pub detail: Detail,
}

/// What is known of a file besides its path (`-yy`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    #[default]
    None,
    Eventfd {
        count: u64,
        id: u64,
        semaphore: bool,
    },
    /// The signals that it takes.
    Signalfd(u64),
    /// The process; -1 for one that is gone.
    Pidfd(i32),
    /// The master of a terminal of this number.
    Terminal(u32),
    Netlink {
        protocol: u32,
        port: u32,
    },
    /// The inode of the other end of a unix socket, or 0, and its own name, or none.
    Unix {
        peer: u64,
        name: Vec<u8>,
    },
    /// The ends of a socket of the internet.
    Inet {
        local: (IpAddr, u16),
        remote: Option<(IpAddr, u16)>,
    },
}
