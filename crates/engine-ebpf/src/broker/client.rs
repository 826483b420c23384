//! Stride's end of the connection to a broker.

use super::request::Request;
use super::socket::{Answer, MOST_FDS, Socket};
use super::{AnswerCode, Order, PATIENCE, SOCKET, SOCKET_VARIABLE, bytes};
use crate::counting::counts::CountRow;
use crate::error::Why;
use crate::loading::config::Config;
use crate::loading::programs::Seeded;
use crate::ring::shared::SharedFds;
use crate::settings::Settings;
use crate::wire::{count, count_key, read};
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use stride_engine_base::{process, procfs};
use stride_event::{Tid, TraceSpec};

/// A connection to a broker, which traces as long as it lasts.
pub struct Connection {
    socket: Socket,
    path: PathBuf,
    /// The broker has closed it, or does not answer.
    cut_off: Cell<bool>,
}

impl Connection {
    /// The socket that is used here.
    pub fn path() -> PathBuf {
        std::env::var_os(SOCKET_VARIABLE).filter(|path| !path.is_empty()).map_or(SOCKET.into(), PathBuf::from)
    }

    /// Connects to the broker. The error says why that is not possible, as a part of a sentence.
    pub fn open() -> Result<Connection, String> {
        Self::open_at(&Self::path())
    }

    pub fn open_at(path: &Path) -> Result<Connection, String> {
        let failed = |errno| format!("{}: {}", path.display(), process::strerror(errno));
        let fd = socket(AddressFamily::Unix, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None).map_err(failed)?;
        let address = UnixAddr::new(path).map_err(failed)?;
        let socket = Socket::new(fd);
        socket.set_patience(PATIENCE).map_err(failed)?;
        connect(socket.as_fd().as_raw_fd(), &address).map_err(failed)?;
        let (_, uid, _) = socket.peer().map_err(failed)?;
        // Somebody else's memory is mapped and read here.
        if uid != 0 && uid != nix::unistd::geteuid().as_raw() {
            return Err(format!("{}: user {uid} listens there, and neither root nor you", path.display()));
        }
        Ok(Connection { socket, path: path.to_owned(), cut_off: Cell::new(false) })
    }

    /// Has the programs loaded and attached for this trace.
    pub fn begin(&self, config: &Config, spec: &TraceSpec) -> Result<SharedFds, Why> {
        let request = Request::of(config, spec);
        let request = request
            .map_err(|option| Why::Broker(format!("{option} is not traced through stride-broker, only by root")))?;
        let answer = self.ask(&request.bytes(), &[])?;
        match answer.code {
            AnswerCode::Done if answer.value == u64::from(std::process::id()) => {}
            AnswerCode::Done => {
                let why = "stride-broker runs in another PID namespace than Stride, where processes have other ids";
                return Err(Why::Broker(why.to_owned()));
            }
            AnswerCode::OtherVersion => {
                let why = "stride-broker is of another version than Stride: install both of one version, and restart the broker";
                return Err(Why::Broker(why.to_owned()));
            }
            _ => return Err(Why::Broker(format!("stride-broker: {}", answer.text))),
        }
        let mut fds = answer.fds.into_iter();
        let (Some(words), Some(drain_wakeups)) = (fds.next(), fds.next()) else { return Err(self.nonsense()) };
        let rings: Vec<_> = fds.collect();
        if rings.len() != config.rings as usize || rings.len() + 2 > MOST_FDS {
            return Err(self.nonsense());
        }
        Ok(SharedFds { rings, drain_wakeups, words })
    }

    /// Tests whether the broker serves this user. The error is a sentence.
    pub fn trial(&self) -> Result<(), String> {
        let spec = TraceSpec::default();
        self.begin(&Config::of(&spec, &Settings::default()), &spec).map(drop).map_err(|why| why.to_string())
    }

    /// Has a thread or process traced, if the kernel gives this process a proof that it may trace it.
    pub fn seed(&self, id: Tid, whole_process: bool, is_command: bool) -> Result<Seeded, Why> {
        let proof = match File::open(procfs::path(id, "mem")) {
            Ok(proof) => proof,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Seeded::Nobody),
            Err(e) => return Ok(Seeded::Refused(Errno::from_raw(e.raw_os_error().unwrap_or(libc::EPERM)))),
        };
        let answer = self.order(Order::Seed { id, whole_process, is_command }, &[proof.as_fd()])?;
        match answer.code {
            AnswerCode::Done => Ok(Seeded::Adopted),
            AnswerCode::Ended => Ok(Seeded::Ended),
            AnswerCode::Nobody => Ok(Seeded::Nobody),
            _ => Err(Why::Broker(format!("stride-broker: {}", answer.text))),
        }
    }

    /// Has blocked threads reported. False if that cannot be done.
    pub fn look_for_blocked(&self, at_once: bool) -> bool {
        !self.is_cut_off()
            && self.order(Order::Look { at_once }, &[]).is_ok_and(|answer| answer.code == AnswerCode::Done)
    }

    pub fn counts(&self, ended: Option<u32>) -> Result<Vec<CountRow>, Why> {
        let answer = self.order(Order::Counts { ended }, &[])?;
        let (AnswerCode::Done, [file]) = (answer.code, &answer.fds[..]) else {
            return Err(Why::Broker(format!("stride-broker: {}", answer.text)));
        };
        let failed = |e: io::Error| Why::Broker(format!("the counts of stride-broker: {e}"));
        let file = File::from(file.try_clone().map_err(failed)?);
        let mut rows = vec![0; file.metadata().map_err(failed)?.len() as usize];
        file.read_exact_at(&mut rows, 0).map_err(failed)?;
        let row = |bytes: &[u8]| {
            let count = read(&bytes[size_of::<count_key>()..])?;
            Some(CountRow { key: read(bytes)?, count, estimated: false })
        };
        Ok(rows.chunks_exact(size_of::<count_key>() + size_of::<count>()).filter_map(row).collect())
    }

    /// Ends tracing.
    pub fn detach(&self) {
        if !self.is_cut_off() {
            // If that fails, tracing ends with the connection.
            let _ = self.order(Order::Detach, &[]);
        }
    }

    pub fn is_cut_off(&self) -> bool {
        self.cut_off.get()
    }

    /// Readable when the connection ends: no answer is due but to an order.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// The socket can be read although no answer is due.
    pub fn ends(&self) {
        self.cut_off.set(true);
    }

    fn order(&self, order: Order, fds: &[BorrowedFd<'_>]) -> Result<Answer, Why> {
        self.ask(&bytes(&order.words()), fds)
    }

    fn ask(&self, message: &[u8], fds: &[BorrowedFd<'_>]) -> Result<Answer, Why> {
        let sent = self.socket.send(message, fds);
        let answer = match sent {
            Ok(()) | Err(Errno::EPIPE | Errno::ECONNRESET) => self.socket.answered(),
            Err(errno) => Err(errno),
        };
        // A broker that refuses closes the connection. The kernel tells of that first, and of the refusal afterwards.
        let answer = match answer {
            Err(Errno::ECONNRESET) => self.socket.answered(),
            answer => answer,
        };
        answer.map_err(|errno| {
            // A late answer would be taken for that of the next order.
            self.cut_off.set(true);
            self.socket.shut();
            let what = match errno {
                Errno::EAGAIN => format!("it has not answered for {} s", PATIENCE.as_secs()),
                Errno::ECONNRESET | Errno::EPIPE => "it has closed the connection".to_owned(),
                errno => process::strerror(errno),
            };
            Why::Broker(format!("stride-broker ({}): {what}", self.path.display()))
        })
    }

    fn nonsense(&self) -> Why {
        Why::Broker(format!("{}: the answer is not stride-broker's", self.path.display()))
    }
}
