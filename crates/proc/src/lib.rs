//! What /proc and the kernel's socket diagnostics tell of a live tracee's descriptors and processes.
//!
//! Everything is looked up at the moment it is asked for: a descriptor's meaning changes under the tracee's hands.
//! Kept is only what cannot change while its inode lives. What was answered can be recorded, and told again ([`Told`]).

mod diag;
mod fdinfo;
mod link;
mod socket;
mod source;

pub use source::{Live, Noted, Noting, Source, Told, ended};
use std::rc::Rc;
use stride_decode::{FdInfo, World};
use stride_event::Tid;
use stride_filter::{FdDetail, PidDetail, WordSet};
use stride_record::{Asked, Question};
use stride_syscalls::PidKind;

const AT_FDCWD: i32 = -100;

/// What of the world the options want to be shown, as some source has it.
pub struct Proc {
    fds: WordSet<FdDetail>,
    pids: WordSet<PidDetail>,
    source: Rc<dyn Source>,
}

impl Proc {
    pub fn new(fds: WordSet<FdDetail>, pids: WordSet<PidDetail>, source: Rc<dyn Source>) -> Proc {
        Proc { fds, pids, source }
    }

    /// For matching descriptors against paths.
    pub fn paths_only(source: Rc<dyn Source>) -> Proc {
        Proc::new(WordSet::of(&[FdDetail::Path]), WordSet::NONE, source)
    }

    fn ask(&self, asked: Asked, tid: Tid, number: i64) -> Option<Vec<u8>> {
        self.source.answer(Question { asked, tid, number })
    }

    fn text(&self, asked: Asked, tid: Tid, number: i64) -> Option<String> {
        self.ask(asked, tid, number).map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    /// What is known of a descriptor besides its path.
    fn detail(&self, tid: Tid, fd: i32, path: &[u8]) -> Option<Detail> {
        let ask = |detail, asked| if self.fds.contains(detail) { self.text(asked, tid, fd.into()) } else { None };
        if link::socket_inode(path).is_some() {
            return ask(FdDetail::Socket, Asked::Socket).map(Detail::Instead);
        }
        match path {
            b"anon_inode:[eventfd]" => ask(FdDetail::Eventfd, Asked::Eventfd).map(Detail::Instead),
            b"anon_inode:[signalfd]" => ask(FdDetail::Signalfd, Asked::Signalfd).map(Detail::Instead),
            b"anon_inode:[pidfd]" => ask(FdDetail::Pidfd, Asked::Pidfd).map(Detail::Instead),
            [b'/', ..] => ask(FdDetail::Dev, Asked::Device).map(Detail::Besides),
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
        self.ask(Asked::Terminal, tid, fd.into()).is_some()
    }

    fn fd(&self, tid: Tid, fd: i32) -> Option<FdInfo> {
        if self.fds.is_empty() {
            return None;
        }
        let link::Link { path, deleted } = link::Link::unpack(&self.ask(Asked::Link, tid, fd.into())?)?;
        let detail = if fd == AT_FDCWD { None } else { self.detail(tid, fd, &path) };
        match detail {
            Some(Detail::Instead(detail)) => Some(FdInfo { path: Vec::new(), detail, deleted: false }),
            Some(Detail::Besides(detail)) => Some(FdInfo { path, detail, deleted }),
            None if !self.fds.contains(FdDetail::Path) => None,
            None => Some(FdInfo { path, detail: String::new(), deleted }),
        }
    }

    fn pidfd(&self, tid: Tid, fd: i32) -> Option<Tid> {
        self.text(Asked::PidfdProcess, tid, fd.into())?.parse().ok()
    }

    fn netlink_protocol(&self, tid: Tid, fd: i32) -> Option<u32> {
        self.text(Asked::Netlink, tid, fd.into())?.parse().ok()
    }

    fn interface(&self, index: u32) -> Option<Vec<u8>> {
        self.ask(Asked::Interface, 0, index.into())
    }

    fn pid(&self, tid: Tid, id: i32, _kind: PidKind) -> Option<Vec<u8>> {
        if !self.pids.contains(PidDetail::Comm) || id <= 0 {
            return None;
        }
        self.ask(Asked::Comm, tid, id.into())
    }
}
