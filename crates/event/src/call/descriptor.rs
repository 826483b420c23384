//! The file or socket that a descriptor referred to.

use std::net::IpAddr;

/// A descriptor of a call, as it was when the call was made. Engines that let the tracee run on look descriptors up
/// themselves, if asked to ([`crate::TraceSpec::descriptors`]). /proc may still have those that are not here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// `AT_FDCWD` for the working directory.
    pub fd: i32,
    /// The call made it. Otherwise it was given to the call.
    pub made: bool,
    /// As in /proc/TID/fd, without the mark of deleted files. Empty if there is no path or no such descriptor.
    pub path: Vec<u8>,
    /// The file has no name any more.
    pub deleted: bool,
    /// `st_mode`.
    pub mode: u32,
    /// `st_ino`.
    pub inode: u64,
    /// The major and minor number of a device.
    pub device: (u32, u32),
    /// The kernel's name of a file without a path. For a socket: its protocol.
    pub name: Vec<u8>,
    /// More about it, for `-yy`.
    pub detail: Detail,
}

/// Kinds of files on which the meaning of some calls depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// None of the others, or there is no such descriptor.
    Other,
    /// A terminal, or a pseudoterminal.
    Terminal,
    /// A netlink socket of this protocol.
    Netlink(u32),
    /// A map of eBPF.
    BpfMap,
    /// A program of eBPF.
    BpfProgram,
    /// Types of eBPF (BTF).
    BpfTypes,
    /// A link of eBPF.
    BpfLink,
}

impl FileKind {
    /// The kind of a file, from the name that /proc shows for its descriptor. `None` for sockets, whose names do not tell their kind.
    pub fn of_path(path: &[u8]) -> Option<FileKind> {
        const TERMINALS: [&[u8]; 4] = [b"/dev/pts/", b"/dev/tty", b"/dev/ptmx", b"/dev/console"];
        Some(match path {
            b"anon_inode:bpf-map" => FileKind::BpfMap,
            b"anon_inode:bpf-prog" => FileKind::BpfProgram,
            b"anon_inode:btf" => FileKind::BpfTypes,
            b"anon_inode:bpf_link" | b"anon_inode:bpf-link" => FileKind::BpfLink,
            _ if path.starts_with(b"socket:") => return None,
            _ if TERMINALS.iter().any(|name| path.starts_with(name)) => FileKind::Terminal,
            _ => FileKind::Other,
        })
    }
}

/// Details of a file besides its path (`-yy`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Nothing is known.
    #[default]
    None,
    /// eventfd(2).
    Eventfd {
        /// The counter at that moment.
        count: u64,
        /// The id of the counter. Descriptors with the same id share it.
        id: u64,
        /// It was made with `EFD_SEMAPHORE`.
        semaphore: bool,
    },
    /// The signals that are accepted.
    Signalfd(u64),
    /// The process. -1 if it is gone.
    Pidfd(i32),
    /// The master side of the terminal with this number.
    Terminal(u32),
    /// A netlink socket.
    Netlink {
        /// `NETLINK_*`.
        protocol: u32,
        /// Its own address (`nl_pid`); 0 if it is not bound.
        port: u32,
    },
    /// The inode of a unix socket's other end, or 0, and the socket's own name, if it has one.
    Unix {
        /// The inode of the other end. 0 if there is none, or it is not known.
        peer: u64,
        /// The name to which it is bound, as in `sun_path`. Empty if it has none.
        name: Vec<u8>,
    },
    /// The two ends of an internet socket.
    Inet {
        /// Its own address and port.
        local: (IpAddr, u16),
        /// Address and port of the other end, if it is connected.
        remote: Option<(IpAddr, u16)>,
    },
}
