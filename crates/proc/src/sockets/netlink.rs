//! Questions to the kernel over netlink(7).

use rustix::fd::OwnedFd;
use rustix::net::Protocol;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};
use stride_syscalls::uapi::consts as c;

const NLMSG_HDR: usize = 16;

/// A connection to a part of the kernel.
pub struct Netlink {
    socket: OwnedFd,
}

impl Netlink {
    pub fn open(protocol: Protocol) -> Option<Netlink> {
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(protocol)).ok()?;
        Some(Netlink { socket })
    }

    /// Sends a request and hands the body of each answer to `each`. `None` after an error.
    pub fn ask(&self, kind: u64, request: &[u8], flags: u16, mut each: impl FnMut(&[u8])) -> Option<()> {
        let len = NLMSG_HDR + request.len();
        let mut message = Vec::with_capacity(len);
        message.extend_from_slice(&(len as u32).to_ne_bytes());
        message.extend_from_slice(&(kind as u16).to_ne_bytes());
        message.extend_from_slice(&(c::NLM_F_REQUEST as u16 | flags).to_ne_bytes());
        message.extend_from_slice(&[0; 8]);
        message.extend_from_slice(request);
        send(&self.socket, &message, SendFlags::empty()).ok()?;

        let mut buf = vec![0u8; 32 << 10];
        loop {
            let (got, _) = recv(&self.socket, &mut buf[..], RecvFlags::empty()).ok()?;
            let mut rest = &buf[..got];
            if rest.len() < NLMSG_HDR {
                return None;
            }
            while rest.len() >= NLMSG_HDR {
                let len = word(rest, 0) as usize;
                let kind = u64::from(u16::from_ne_bytes([rest[4], rest[5]]));
                if len < NLMSG_HDR || len > rest.len() {
                    return None;
                }
                match kind {
                    c::NLMSG_DONE => return Some(()),
                    c::NLMSG_ERROR => return None,
                    _ => each(&rest[NLMSG_HDR..len]),
                }
                rest = rest.get(len.next_multiple_of(4)..).unwrap_or(&[]);
            }
            if u64::from(flags) & c::NLM_F_DUMP == 0 {
                return Some(());
            }
        }
    }
}

pub fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
}

/// Hands the type and the value of each attribute to `each`.
pub fn attributes(mut rest: &[u8], mut each: impl FnMut(u64, &[u8])) {
    while rest.len() >= 4 {
        let len = usize::from(u16::from_ne_bytes([rest[0], rest[1]]));
        let kind = u64::from(u16::from_ne_bytes([rest[2], rest[3]]));
        if len < 4 || len > rest.len() {
            break;
        }
        each(kind, &rest[4..len]);
        rest = rest.get(len.next_multiple_of(4)..).unwrap_or(&[]);
    }
}
