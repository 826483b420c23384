//! The descriptors and processes of a live tracee, as /proc and the kernel's socket diagnostics describe them.
//!
//! Each answer is looked up when it is needed, unless the engine knows it, because a descriptor's meaning can change at any
//! time. Only facts that cannot change while their inode lives are kept. Answers can be recorded and given again
//! ([`ReplaySource`]).

mod descriptors;
mod processes;
mod sockets;
mod source;

use descriptors::link::{self, AT_FDCWD};
use processes::{contexts, mounts};

pub use processes::contexts::selinux_enabled;
pub use processes::last_event::ended;
pub use processes::regular::open_regular;
pub use source::{CachedSource, LiveSource, RecordingSource, ReplaySource, Source};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use stride_decode::{FdInfo, Labelled, NetworkMount, PidInfo, Resolver};
use stride_event::{Descriptor, Doing, FdOf, Question, Tid};
use stride_filter::{FdDetail, PidDetail, WordSet};
use stride_syscalls::{Namespace, PidKind};

/// The answer to `Question::Link` for a file with this path.
pub fn link_answer(path: &[u8]) -> Vec<u8> {
    link::Link { path: path.to_vec(), deleted: false }.pack()
}

/// The path of a socket whose inode does not matter. The answer to `Question::Socket` describes the socket.
pub const SOME_SOCKET: &[u8] = b"socket:[0]";

/// The facts that the options show, answered by a source.
pub struct Proc {
    fds: WordSet<FdDetail>,
    pids: WordSet<PidDetail>,
    /// SELinux contexts are shown whole.
    whole_contexts: bool,
    source: Rc<dyn Source>,
    /// Families of generic netlink that messages named.
    met_families: RefCell<HashMap<u16, Vec<u8>>>,
}

impl Proc {
    pub fn new(fds: WordSet<FdDetail>, pids: WordSet<PidDetail>, source: Rc<dyn Source>) -> Proc {
        Proc { fds, pids, whole_contexts: false, source, met_families: RefCell::default() }
    }

    /// The same with whole SELinux contexts, or only their types.
    pub fn contexts(self, whole: bool) -> Proc {
        Proc { whole_contexts: whole, ..self }
    }

    /// Matches descriptors against paths.
    pub fn paths_only(source: Rc<dyn Source>) -> Proc {
        Proc::new(WordSet::of(&[FdDetail::Path]), WordSet::NONE, source)
    }

    /// Asks about a descriptor. A descriptor that a call makes may have the same number as one of its arguments.
    fn ask_fd(&self, about: fn(FdOf) -> Question, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        let made = known.is_some_and(|known| known.made);
        self.source.answer(about(FdOf { tid, fd, made }), known)
    }

    fn ask(&self, question: Question) -> Option<Vec<u8>> {
        self.source.answer(question, None)
    }

    /// The known detail of a descriptor besides its path.
    fn detail(&self, tid: Tid, fd: i32, path: &[u8], known: Option<&Descriptor>) -> Option<Detail> {
        let ask = |detail, about: fn(FdOf) -> Question| {
            let answer = if self.fds.contains(detail) { self.ask_fd(about, tid, fd, known) } else { None };
            answer.map(text)
        };
        if link::socket_inode(path).is_some() {
            return ask(FdDetail::Socket, Question::Socket).map(Detail::Instead);
        }
        match path {
            b"anon_inode:[eventfd]" => ask(FdDetail::Eventfd, Question::Eventfd).map(Detail::Instead),
            b"anon_inode:[signalfd]" => ask(FdDetail::Signalfd, Question::Signalfd).map(Detail::Instead),
            b"anon_inode:[pidfd]" => ask(FdDetail::Pidfd, Question::Pidfd).map(Detail::Instead),
            [b'/', ..] => ask(FdDetail::Dev, Question::Device).map(Detail::Besides),
            _ => None,
        }
    }
}

fn text(answer: Vec<u8>) -> String {
    String::from_utf8_lossy(&answer).into_owned()
}

fn number<N: std::str::FromStr>(answer: Vec<u8>) -> Option<N> {
    text(answer).parse().ok()
}

/// Numbers separated by blanks.
fn numbers(answer: Vec<u8>) -> Vec<i32> {
    text(answer).split_ascii_whitespace().filter_map(|n| n.parse().ok()).collect()
}

/// The place of a detail.
enum Detail {
    /// In place of the path.
    Instead(String),
    /// After the path.
    Besides(String),
}

impl Resolver for Proc {
    fn path(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        match known {
            Some(known) => Some(known.path.clone()),
            None => Some(link::Link::unpack(&self.ask_fd(Question::Link, tid, fd, None)?)?.path),
        }
    }

    fn is_terminal(&self, tid: Tid, fd: i32) -> bool {
        self.ask_fd(Question::Terminal, tid, fd, None).is_some()
    }

    fn fd(&self, of: FdOf, known: Option<&Descriptor>) -> Option<FdInfo> {
        let FdOf { tid, fd, .. } = of;
        if self.fds.is_empty() {
            return None;
        }
        let link::Link { path, deleted } = match known {
            Some(known) if known.path.is_empty() => return None,
            Some(known) => link::known(known),
            None => match self.source.followed(of) {
                Some(followed) => return followed,
                None => link::Link::unpack(&self.ask_fd(Question::Link, tid, fd, None)?)?,
            },
        };
        let detail = if fd == AT_FDCWD { None } else { self.detail(tid, fd, &path, known) };
        match detail {
            Some(Detail::Instead(detail)) => Some(FdInfo { path: Vec::new(), detail, deleted: false }),
            Some(Detail::Besides(detail)) => Some(FdInfo { path, detail, deleted }),
            None if !self.fds.contains(FdDetail::Path) => None,
            None => Some(FdInfo { path, detail: String::new(), deleted }),
        }
    }

    fn pidfd(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Tid> {
        self.ask_fd(Question::PidfdProcess, tid, fd, known).and_then(number)
    }

    fn netlink_protocol(&self, tid: Tid, fd: i32) -> Option<u32> {
        self.ask_fd(Question::Netlink, tid, fd, None).and_then(number)
    }

    fn other_ends(&self, tid: Tid, fd: i32) -> Vec<Tid> {
        self.ask_fd(Question::Ends, tid, fd, None).map(numbers).unwrap_or_default()
    }

    fn lock_holder(&self, tid: Tid, addr: u64) -> Option<Tid> {
        self.ask(Question::LockHolder { tid, addr }).and_then(number)
    }

    fn watched(&self, tid: Tid, fd: i32) -> Vec<i32> {
        self.ask_fd(Question::Watched, tid, fd, None).map(numbers).unwrap_or_default()
    }

    fn unread(&self, tid: Tid, fd: i32) -> Option<(u64, u64)> {
        let answer = text(self.ask_fd(Question::Unread, tid, fd, None)?);
        let (here, there) = answer.split_once(' ')?;
        Some((here.parse().ok()?, there.parse().ok()?))
    }

    fn doing(&self, pid: Tid) -> Option<Doing> {
        let answer = text(self.ask(Question::Doing(pid))?);
        let mut words = answer.split_ascii_whitespace();
        let (state, parent) = (words.next()?, words.next()?);
        let calls = words.filter_map(|nr| nr.parse().ok()).collect();
        Some(Doing { state: *state.as_bytes().first()?, parent: parent.parse().ok()?, calls })
    }

    fn command_line(&self, tid: Tid) -> Vec<Vec<u8>> {
        let line = self.ask(Question::CommandLine(tid)).unwrap_or_default();
        let mut words: Vec<Vec<u8>> = line.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        // There is nothing behind the last zero.
        words.pop_if(|last| last.is_empty());
        words
    }

    fn interpreters(&self, tid: Tid, program: &[u8]) -> Option<Vec<Vec<u8>>> {
        let file = Descriptor { path: program.to_vec(), ..Descriptor::default() };
        let answer = self.source.answer(Question::Interpreters(tid), Some(&file))?;
        Some(answer.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
    }

    fn network_mounts(&self, tid: Tid) -> Vec<NetworkMount> {
        self.ask(Question::NetworkMounts(tid)).map(|answer| mounts::listed(&answer)).unwrap_or_default()
    }

    fn interface(&self, index: u32) -> Option<Vec<u8>> {
        self.ask(Question::Interface(index))
    }

    fn generic_family(&self, id: u16) -> Option<Vec<u8>> {
        self.ask(Question::GenericFamily(id)).or_else(|| self.met_families.borrow().get(&id).cloned())
    }

    fn met_generic_family(&self, id: u16, name: &[u8]) {
        self.met_families.borrow_mut().entry(id).or_insert_with(|| name.to_vec());
    }

    fn pid(&self, tid: Tid, id: i32, kind: PidKind) -> PidInfo {
        if self.pids.is_empty() || id <= 0 {
            return PidInfo::default();
        }
        // Without a translation, the id is one of Stride's own namespace. In another namespace, no process may be found.
        let outer = self.ask(Question::Outer { tid, id, kind }).map(number::<i32>);
        let pidns = self.pids.contains(PidDetail::Pidns);
        let here = outer.unwrap_or(Some(id));
        PidInfo { comm: here.and_then(|id| self.comm(id)), outer: outer.flatten().filter(|_| pidns) }
    }

    fn process(&self, tid: Tid, id: i32) -> Option<Tid> {
        self.ask(Question::Outer { tid, id, kind: PidKind::Tgid }).map_or(Some(id), number)
    }

    fn namespace(&self, tid: Tid, kind: Namespace) -> Option<u64> {
        self.ask(Question::Namespace { tid, kind }).and_then(number)
    }

    fn context(&self, tid: Tid, of: Labelled<'_>) -> Option<Vec<u8>> {
        let context = self.source.context(tid, of)?;
        Some(if self.whole_contexts { context } else { contexts::type_of(&context).to_vec() })
    }

    fn comm(&self, tid: Tid) -> Option<Vec<u8>> {
        if !self.pids.contains(PidDetail::Comm) {
            return None;
        }
        self.ask(Question::Comm(tid))
    }

    fn comm_at_entry(&self, tid: Tid) -> Option<Vec<u8>> {
        if self.pids.contains(PidDetail::Comm) { self.source.comm_at_entry(tid) } else { None }
    }
}
