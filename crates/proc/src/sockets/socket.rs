//! Sockets by inode: protocol, ends and names.

use crate::descriptors::link;
use crate::sockets::diag::{Diag, Inet, Unix};
use rustix::net::sockopt;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::net::IpAddr;
use stride_engine_base::procfs;
use stride_event::{Descriptor, Detail, Tid};
use stride_syscalls::{sets::socket::NETLINK_FAMILY, uapi::consts as c};

/// Earlier answers, and the connection to the kernel.
#[derive(Default)]
pub struct Sockets {
    diag: Option<Option<Diag>>,
    /// Connected sockets. They keep their names when the other end closes first.
    connected: HashMap<u64, String>,
    /// Bound netlink sockets: protocol and port id.
    netlink: HashMap<u64, (u32, u32)>,
    interfaces: HashMap<u32, Vec<u8>>,
}

impl Sockets {
    /// `TCP:[127.0.0.1:80->127.0.0.1:1234]`. `None` for a protocol that Stride does not describe.
    pub fn describe(&mut self, tid: Tid, fd: i32, inode: u64, known: Option<&Descriptor>) -> Option<String> {
        if let Some(known) = self.connected.get(&inode) {
            return Some(known.clone());
        }
        let name = match known {
            Some(known) => String::from_utf8(known.name.clone()).ok()?,
            None => protocol(tid, fd)?,
        };
        let ends = match name.as_str() {
            _ if let Some(ends) = known.and_then(seen) => {
                if let Some(Descriptor { detail: Detail::Unix { peer: 1.., .. }, .. }) = known {
                    self.connected.insert(inode, format!("{name}:[{ends}]"));
                }
                Some(ends)
            }
            "UNIX" | "UNIX-STREAM" => {
                let socket = self.diag()?.unix(inode as u32);
                let text = socket.as_ref().map(|socket| unix(inode, socket));
                if let (Some(Unix { peer: Some(_), .. }), Some(text)) = (&socket, &text) {
                    self.connected.insert(inode, format!("{name}:[{text}]"));
                }
                text
            }
            "NETLINK" => self.bound_netlink(tid, inode).map(|(protocol, port)| netlink(protocol, port)),
            name => {
                let (family, protocol) = match name {
                    "TCP" => (c::AF_INET, c::IPPROTO_TCP),
                    "UDP" => (c::AF_INET, c::IPPROTO_UDP),
                    "RAW" => (c::AF_INET, c::IPPROTO_RAW),
                    "TCPv6" => (c::AF_INET6, c::IPPROTO_TCP),
                    "UDPv6" => (c::AF_INET6, c::IPPROTO_UDP),
                    "RAWv6" => (c::AF_INET6, c::IPPROTO_RAW),
                    _ => return None,
                };
                let socket = self.diag().and_then(|diag| diag.inet(family, protocol, inode as u32));
                if let Some(socket) = &socket
                    && socket.remote.is_some()
                    && protocol == c::IPPROTO_TCP
                {
                    self.connected.insert(inode, format!("{name}:[{}]", inet(socket)));
                }
                socket.map(|socket| inet(&socket))
            }
        };
        // A socket that is not yet bound only has an inode.
        Some(format!("{name}:[{}]", ends.unwrap_or_else(|| inode.to_string())))
    }

    /// The kernel's table has no socket that is not bound yet. Its first message binds it, and that is entered before.
    pub fn netlink_protocol(&mut self, tid: Tid, fd: i32, inode: u64) -> Option<u32> {
        match self.bound_netlink(tid, inode) {
            Some((protocol, _)) => Some(protocol),
            None if protocol(tid, fd).as_deref() == Some("NETLINK") => option(tid, fd),
            None => None,
        }
    }

    pub fn interface(&mut self, index: u32) -> Option<Vec<u8>> {
        if let Some(name) = self.interfaces.get(&index) {
            return Some(name.clone());
        }
        for entry in fs::read_dir("/sys/class/net").ok()?.flatten() {
            let found = fs::read_to_string(entry.path().join("ifindex")).ok().and_then(|n| n.trim().parse().ok());
            if found == Some(index) {
                let name = entry.file_name().into_encoded_bytes();
                self.interfaces.insert(index, name.clone());
                return Some(name);
            }
        }
        None
    }

    fn diag(&mut self) -> Option<&Diag> {
        self.diag.get_or_insert_with(Diag::open).as_ref()
    }

    /// Finds a bound netlink socket in the table of the tracee's own network namespace.
    fn bound_netlink(&mut self, tid: Tid, inode: u64) -> Option<(u32, u32)> {
        if let Some(&known) = self.netlink.get(&inode) {
            return Some(known);
        }
        let table = fs::read_to_string(procfs::path(tid, "net/netlink")).ok()?;
        let found = netlink_of(&table, inode)?;
        self.netlink.insert(inode, found);
        Some(found)
    }
}

/// The ends as the engine saw them.
fn seen(known: &Descriptor) -> Option<String> {
    match known.detail {
        // The engine saw no port. The kernel's table lists bound sockets.
        Detail::Netlink { port: 0, .. } => None,
        Detail::Netlink { protocol, port } => Some(netlink(protocol, port)),
        Detail::Unix { peer, ref name } => {
            let peer = (peer != 0).then_some(peer as u32);
            Some(unix(known.inode, &Unix { peer, name: Some(name.clone()), unread: 0 }))
        }
        Detail::Inet { local, remote } => Some(inet(&Inet { local, remote, unread: 0 })),
        _ => None,
    }
}

fn netlink(protocol: u32, port: u32) -> String {
    match NETLINK_FAMILY.name_of(protocol.into()) {
        Some(family) => format!("{}:{port}", family.trim_start_matches("NETLINK_")),
        None => format!("{protocol}:{port}"),
    }
}

/// The protocol and the port id are the second and third column. The inode is the last.
fn netlink_of(table: &str, inode: u64) -> Option<(u32, u32)> {
    table.lines().skip(1).find_map(|line| {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        if columns.last()?.parse() != Ok(inode) {
            return None;
        }
        Some((columns.get(1)?.parse().ok()?, columns.get(2)?.parse().ok()?))
    })
}

/// The protocol number of a socket, of which Stride has a descriptor of its own for this question.
fn option(tid: Tid, fd: i32) -> Option<u32> {
    let process = pidfd_open(Pid::from_raw(procfs::process(tid)?)?, PidfdFlags::empty()).ok()?;
    let socket = pidfd_getfd(process, fd, PidfdGetfdFlags::empty()).ok()?;
    // (The number of NETLINK_ROUTE is 0.)
    Some(sockopt::socket_protocol(socket).ok()?.map_or(0, |protocol| protocol.as_raw().get()))
}

/// The socket layer's name for the protocol.
pub fn protocol(tid: Tid, fd: i32) -> Option<String> {
    let mut name = [0u8; 64];
    let len = rustix::fs::getxattr(link::of(tid, fd), "system.sockprotoname", &mut name[..]).ok()?;
    let name = name.get(..len)?;
    let end = name.iter().position(|&b| b == 0).unwrap_or(len);
    let name = std::str::from_utf8(&name[..end]).ok()?;
    Some(name.to_owned())
}

/// `4711->4712,"/run/socket"`.
fn unix(inode: u64, socket: &Unix) -> String {
    let mut text = inode.to_string();
    if let Some(peer) = socket.peer {
        let _ = write!(text, "->{peer}");
    }
    match socket.name.as_deref() {
        Some([0, name @ ..]) => {
            text.push_str(",@\"");
            // Some programs count a final NUL as part of the name. The NUL is not shown.
            text.push_str(&quoted(name.strip_suffix(b"\0").unwrap_or(name)));
            text.push('"');
        }
        Some(name) if !name.is_empty() => {
            let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
            text.push_str(",\"");
            text.push_str(&quoted(&name[..end]));
            text.push('"');
        }
        _ => {}
    }
    text
}

/// The bytes between the quotes of a C string.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &b in bytes {
        match b {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(b.into());
            }
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            0x20..0x7f => text.push(b.into()),
            _ => {
                let _ = write!(text, "\\{b:03o}");
            }
        }
    }
    text
}

fn inet(socket: &Inet) -> String {
    match socket.remote {
        Some(remote) => format!("{}->{}", end(socket.local), end(remote)),
        None => end(socket.local),
    }
}

fn end((address, port): (IpAddr, u16)) -> String {
    match address {
        IpAddr::V4(address) => format!("{address}:{port}"),
        IpAddr::V6(address) => format!("[{address}]:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn netlink_table() {
        let table = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n\
                     00000000aef22fce 0   1234       00000000 0        0        0     2        0        4711\n\
                     00000000deadbeef 16  0          00000000 0        0        0     2        0        12\n";
        assert_eq!(netlink_of(table, 4711), Some((0, 1234)));
        assert_eq!(netlink_of(table, 12), Some((16, 0)));
        assert_eq!(netlink_of(table, 0), None);
    }

    #[test]
    fn names_are_quoted() {
        let socket = Unix { peer: Some(2), name: Some(b"\0a\"\x01\0".to_vec()), unread: 0 };
        assert_eq!(unix(1, &socket), "1->2,@\"a\\\"\\001\"");
    }
}
