//! A connected socket and its other end on this machine, as the kernel's diagnostics have them.

use crate::sockets::diag::Diag;
use crate::sockets::socket;
use stride_event::Tid;
use stride_syscalls::uapi::consts as c;

pub struct Connected {
    /// Bytes that lie in it.
    pub unread: u32,
    /// `None`: it is on another machine, or nobody has it any more.
    pub other: Option<OtherEnd>,
}

pub struct OtherEnd {
    pub inode: u32,
    pub unread: u32,
}

impl Connected {
    /// The socket with this inode behind a descriptor. `None` for one that is not connected, or of another protocol.
    pub fn of(diag: &Diag, tid: Tid, fd: i32, inode: u32) -> Option<Connected> {
        let (family, protocol) = match socket::protocol(tid, fd)?.as_str() {
            "TCP" => (c::AF_INET, c::IPPROTO_TCP),
            "TCPv6" => (c::AF_INET6, c::IPPROTO_TCP),
            name if name.starts_with("UNIX") => {
                let here = diag.unix(inode)?;
                let unread = |peer| diag.unix(peer).map_or(0, |there| there.unread);
                let other = here.peer.map(|peer| OtherEnd { inode: peer, unread: unread(peer) });
                return Some(Connected { unread: here.unread, other });
            }
            _ => return None,
        };
        let here = diag.inet(family, protocol, inode)?;
        // (The queue of a listening socket has connections.)
        let remote = here.remote?;
        let other =
            diag.inet_where(family, protocol, |socket, _| socket.local == remote && socket.remote == Some(here.local));
        let other = other.map(|(socket, inode)| OtherEnd { inode, unread: socket.unread });
        Some(Connected { unread: here.unread, other })
    }
}
