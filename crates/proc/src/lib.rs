//! What /proc and the kernel's socket diagnostics tell of a live tracee's descriptors and processes.
//!
//! Everything is looked up at the moment it is asked for, unless the engine knows it: a descriptor's meaning changes under the
//! tracee's hands.
//! Kept is only what cannot change while its inode lives.

mod diag;
mod fdinfo;
mod link;
mod pidns;
mod socket;

use std::cell::RefCell;
use stride_decode::{FdInfo, PidInfo, World};
use stride_event::{Descriptor, Tid};
use stride_filter::{FdDetail, PidDetail, WordSet};
use stride_syscalls::PidKind;

const AT_FDCWD: i32 = -100;

/// Looks things up in /proc at the moment they are asked for.
pub struct Proc {
    fds: WordSet<FdDetail>,
    pids: WordSet<PidDetail>,
    sockets: RefCell<socket::Sockets>,
    namespaces: pidns::Translator,
}

impl Proc {
    pub fn new(fds: WordSet<FdDetail>, pids: WordSet<PidDetail>) -> Proc {
        Proc { fds, pids, sockets: RefCell::default(), namespaces: pidns::Translator::default() }
    }

    /// For matching descriptors against paths.
    pub fn paths_only() -> Proc {
        Proc::new(WordSet::of(&[FdDetail::Path]), WordSet::NONE)
    }

    /// What is known of a descriptor besides its path.
    fn detail(&self, tid: Tid, fd: i32, path: &[u8], known: Option<&Descriptor>) -> Option<Detail> {
        let wants = |detail| self.fds.contains(detail);
        if let Some(inode) = link::socket_inode(path) {
            return if wants(FdDetail::Socket) {
                self.sockets.borrow_mut().describe(tid, fd, inode, known).map(Detail::Instead)
            } else {
                None
            };
        }
        match path {
            b"anon_inode:[eventfd]" if wants(FdDetail::Eventfd) => fdinfo::eventfd(tid, fd, known).map(Detail::Instead),
            b"anon_inode:[signalfd]" if wants(FdDetail::Signalfd) => {
                fdinfo::signalfd(tid, fd, known).map(Detail::Instead)
            }
            b"anon_inode:[pidfd]" if wants(FdDetail::Pidfd) => fdinfo::pidfd(tid, fd, known).map(Detail::Instead),
            [b'/', ..] if wants(FdDetail::Dev) => link::device(tid, fd, known).map(Detail::Besides),
            _ => None,
        }
    }
}

/// Where a detail goes.
enum Detail {
    /// In the path's place.
    Instead(String),
    /// Behind it.
    Besides(String),
}

impl World for Proc {
    fn is_terminal(&self, tid: Tid, fd: i32) -> bool {
        link::is_terminal(tid, fd)
    }

    fn fd(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<FdInfo> {
        if self.fds.is_empty() {
            return None;
        }
        let mut link = match known {
            Some(known) if known.path.is_empty() => return None,
            Some(known) => link::known(known),
            None => link::read(tid, fd)?,
        };
        let detail = if fd == AT_FDCWD { None } else { self.detail(tid, fd, &link.path, known) };
        match detail {
            Some(Detail::Instead(detail)) => return Some(FdInfo { path: Vec::new(), detail, deleted: false }),
            Some(Detail::Besides(detail)) => link.detail = detail,
            None if !self.fds.contains(FdDetail::Path) => return None,
            None => {}
        }
        Some(link)
    }

    fn pidfd(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Tid> {
        fdinfo::pid(tid, fd, known)
    }

    fn netlink_protocol(&self, tid: Tid, fd: i32) -> Option<u32> {
        let link = link::read(tid, fd)?;
        self.sockets.borrow_mut().netlink_protocol(tid, link::socket_inode(&link.path)?)
    }

    fn interface(&self, index: u32) -> Option<Vec<u8>> {
        self.sockets.borrow_mut().interface(index)
    }

    fn pid(&self, tid: Tid, id: i32, kind: PidKind) -> PidInfo {
        if self.pids.is_empty() || id <= 0 {
            return PidInfo::default();
        }
        let outer = self.namespaces.outer(tid, id, kind);
        // In Stride's own namespace the id itself; in another one nobody may be found.
        let here = outer.unwrap_or(Some(id));
        let pidns = self.pids.contains(PidDetail::Pidns);
        PidInfo { comm: here.and_then(|id| self.comm(id)), outer: outer.flatten().filter(|_| pidns) }
    }

    fn comm(&self, tid: Tid) -> Option<Vec<u8>> {
        if !self.pids.contains(PidDetail::Comm) {
            return None;
        }
        let mut comm = std::fs::read(format!("/proc/{tid}/comm")).ok()?;
        comm.pop_if(|last| *last == b'\n');
        Some(comm)
    }
}
