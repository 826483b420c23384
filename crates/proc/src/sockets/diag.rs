//! NETLINK_SOCK_DIAG (sock_diag(7)): looks up the kernel's data about sockets by inode.

use crate::sockets::netlink::{Netlink, attributes, word};
use rustix::net::netlink::SOCK_DIAG;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use stride_syscalls::uapi::consts as c;

/// A connection to the kernel's diagnostics.
pub struct Diag {
    kernel: Netlink,
}

/// A Unix socket.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unix {
    pub peer: Option<u32>,
    pub name: Option<Vec<u8>>,
    /// Bytes that lie in it.
    pub unread: u32,
}

/// An internet socket: its own address, and the other end's if it is connected.
#[derive(Debug, PartialEq, Eq)]
pub struct Inet {
    pub local: (IpAddr, u16),
    pub remote: Option<(IpAddr, u16)>,
    /// Bytes that lie in it, or connections if it listens.
    pub unread: u32,
}

impl Diag {
    pub fn open() -> Option<Diag> {
        Some(Diag { kernel: Netlink::open(SOCK_DIAG)? })
    }

    /// The Unix socket with an inode.
    pub fn unix(&self, inode: u32) -> Option<Unix> {
        // struct unix_diag_req
        let mut request = [0; 24];
        request[0] = c::AF_UNIX as u8;
        request[4..8].copy_from_slice(&u32::MAX.to_ne_bytes());
        request[8..12].copy_from_slice(&inode.to_ne_bytes());
        let show = (c::UDIAG_SHOW_NAME | c::UDIAG_SHOW_PEER | c::UDIAG_SHOW_RQLEN) as u32;
        request[12..16].copy_from_slice(&show.to_ne_bytes());
        request[16..24].copy_from_slice(&[0xff; 8]);
        let mut found = None;
        self.ask(&request, 0, |body| {
            if body.len() >= 16 && word(body, 4) == inode {
                found = Some(unix(&body[16..]));
            }
        })?;
        found
    }

    /// The internet socket with an inode, among all of its family and protocol.
    pub fn inet(&self, family: u64, protocol: u64, inode: u32) -> Option<Inet> {
        self.inet_where(family, protocol, |_, of| of == inode).map(|(socket, _)| socket)
    }

    /// The first internet socket that passes the test, and its inode. The test gets the inode, too.
    pub fn inet_where(&self, family: u64, protocol: u64, test: impl Fn(&Inet, u32) -> bool) -> Option<(Inet, u32)> {
        // struct inet_diag_req_v2
        let mut request = [0; 56];
        request[0] = family as u8;
        request[1] = protocol as u8;
        request[4..8].copy_from_slice(&u32::MAX.to_ne_bytes());
        let mut found = None;
        self.ask(&request, c::NLM_F_DUMP as u16, |body| {
            if found.is_none() && body.len() >= 72 {
                let inode = word(body, 68);
                found = inet(body).filter(|socket| test(socket, inode)).map(|socket| (socket, inode));
            }
        })?;
        found
    }

    fn ask(&self, request: &[u8], flags: u16, each: impl FnMut(&[u8])) -> Option<()> {
        self.kernel.ask(c::SOCK_DIAG_BY_FAMILY, request, flags, each)
    }
}

/// Parses the attributes that follow a `struct unix_diag_msg`.
fn unix(bytes: &[u8]) -> Unix {
    let mut socket = Unix::default();
    attributes(bytes, |kind, value| match kind {
        c::UNIX_DIAG_PEER if value.len() >= 4 => socket.peer = Some(word(value, 0)).filter(|&peer| peer != 0),
        // struct unix_diag_rqlen
        c::UNIX_DIAG_RQLEN if value.len() >= 4 => socket.unread = word(value, 0),
        c::UNIX_DIAG_NAME => socket.name = Some(value.to_vec()),
        _ => {}
    });
    socket
}

/// Parses a `struct inet_diag_msg`.
fn inet(body: &[u8]) -> Option<Inet> {
    let port = |at: usize| u16::from_be_bytes([body[at], body[at + 1]]);
    let address = |at: usize| -> Option<IpAddr> {
        match u64::from(body[0]) {
            c::AF_INET => Some(IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(&body[at..at + 4]).ok()?))),
            c::AF_INET6 => Some(IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(&body[at..at + 16]).ok()?))),
            _ => None,
        }
    };
    let local = (address(8)?, port(4));
    let remote = (address(24)?, port(6));
    let connected = remote.1 != 0 || !remote.0.is_unspecified();
    Some(Inet { local, remote: connected.then_some(remote), unread: word(body, 56) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    fn inode(fd: &impl AsRawFd) -> u32 {
        std::fs::metadata(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap().ino() as u32
    }

    #[test]
    fn the_two_ends_of_a_pair() {
        let Some(diag) = Diag::open() else { return };
        let (a, b) = std::os::unix::net::UnixStream::pair().unwrap();
        // The kernel may lack the module.
        let Some(found) = diag.unix(inode(&a)) else { return };
        assert_eq!(found, Unix { peer: Some(inode(&b)), name: None, unread: 0 });
    }

    #[test]
    fn a_listening_socket_has_one_end() {
        let Some(diag) = Diag::open() else { return };
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let Some(found) = diag.inet(c::AF_INET, c::IPPROTO_TCP, inode(&socket)) else { return };
        assert_eq!(found, Inet { local: (Ipv4Addr::LOCALHOST.into(), port), remote: None, unread: 0 });
    }
}
