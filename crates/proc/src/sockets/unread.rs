//! Bytes that lie unread in a socket and in its other end.

use crate::descriptors::link;
use crate::sockets::connected::Connected;
use crate::sockets::diag::Diag;
use std::time::Duration;
use stride_event::Tid;

/// Data that have just come are read within this time.
const JUST_COME: Duration = Duration::from_millis(5);

/// The bytes that a connected socket and its other end on this machine have had for a moment.
pub fn bytes(tid: Tid, fd: i32) -> Option<(u64, u64)> {
    let inode = link::socket_inode(&link::read(tid, fd)?.path)? as u32;
    let diag = Diag::open()?;
    let first = now(&diag, tid, fd, inode)?;
    if first == (0, 0) {
        return Some(first);
    }
    std::thread::sleep(JUST_COME);
    let second = now(&diag, tid, fd, inode)?;
    Some((first.0.min(second.0), first.1.min(second.1)))
}

fn now(diag: &Diag, tid: Tid, fd: i32, inode: u32) -> Option<(u64, u64)> {
    let Connected { unread, other } = Connected::of(diag, tid, fd, inode)?;
    Some((unread.into(), other.map_or(0, |other| other.unread.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsRawFd;

    #[test]
    fn of_both_ends() {
        let me = std::process::id() as Tid;
        let (mut a, b) = std::os::unix::net::UnixStream::pair().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        a.write_all(b"five!").unwrap();
        client.write_all(b"seven!!").unwrap();
        for (from, to, sent) in [(a.as_raw_fd(), b.as_raw_fd(), 5), (client.as_raw_fd(), server.as_raw_fd(), 7)] {
            // The kernel may lack the module.
            let (Some(here), Some(there)) = (bytes(me, from), bytes(me, to)) else { continue };
            assert_eq!((here.0, there.1), (0, 0));
            assert_eq!(here.1, there.0);
            assert_eq!(here.1, sent);
        }
        assert_eq!(bytes(me, listener.as_raw_fd()), None);
    }
}
