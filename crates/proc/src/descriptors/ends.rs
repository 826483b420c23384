//! The processes at the other end of a pipe or socket, on this machine.

use crate::descriptors::{fdinfo, link};
use crate::sockets::connected::Connected;
use crate::sockets::diag::Diag;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use stride_engine_base::procfs;
use stride_event::Tid;

/// Looking through all of /proc is expensive, so the search ends after this many processes.
const MAX_PROCESSES: usize = 1 << 15;
const MAX_FOUND: usize = 16;

/// The processes that hold the other end of descriptor `fd`.
pub fn others(tid: Tid, fd: i32) -> Option<Vec<Tid>> {
    let path = link::read(tid, fd)?.path;
    if let Some(inode) = link::socket_inode(&path) {
        let peer = format!("socket:[{}]", peer(tid, fd, inode as u32)?);
        return Some(holders(peer.as_bytes(), &|_, _| true));
    }
    if !path.starts_with(b"pipe:[") {
        return None;
    }
    let writes = |tid, fd| fdinfo::access(tid, fd).map(|mode| mode != 0);
    let mine = writes(tid, fd)?;
    Some(holders(&path, &|pid, fd| writes(pid, fd) == Some(!mine)))
}

/// The inode of a connected socket's other end, if it is on this machine.
fn peer(tid: Tid, fd: i32, inode: u32) -> Option<u32> {
    Some(Connected::of(&Diag::open()?, tid, fd, inode)?.other?.inode)
}

/// The processes that hold a descriptor of this name that passes the test.
fn holders(name: &[u8], test: &dyn Fn(Tid, i32) -> bool) -> Vec<Tid> {
    let holds = |pid: Tid| {
        procfs::listed(&procfs::path(pid, "fd")).any(|fd| {
            let link = fs::read_link(link::of(pid, fd));
            link.is_ok_and(|link| link.as_os_str().as_bytes() == name) && test(pid, fd)
        })
    };
    procfs::processes().take(MAX_PROCESSES).filter(|pid| holds(*pid)).take(MAX_FOUND).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::process::{Command, Stdio};
    use std::sync::Mutex;

    /// Until its execve, a child has copies of all descriptors, including those of other tests.
    static FORKS: Mutex<()> = Mutex::new(());

    #[test]
    fn the_reader_of_a_pipe_finds_its_writer() {
        let _alone = FORKS.lock();
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (me, pid) = (std::process::id() as Tid, child.id() as Tid);
        let out = child.stdout.as_ref().unwrap().as_raw_fd();
        // The child may still have its copies of the ends.
        assert!(others(me, out).unwrap().contains(&pid));
        assert!(others(pid, 0).unwrap().contains(&me));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn the_ends_of_sockets_find_each_other() {
        let _alone = FORKS.lock();
        let me = std::process::id() as Tid;
        let (a, _b) = std::os::unix::net::UnixStream::pair().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let _server = listener.accept().unwrap();
        for fd in [a.as_raw_fd(), client.as_raw_fd()] {
            // The kernel may lack the module.
            if let Some(found) = others(me, fd) {
                assert_eq!(found, [me]);
            }
        }
        assert_eq!(others(me, listener.as_raw_fd()), None);
    }
}
