//! Messages with descriptors over a Unix socket (unix(7), SCM_RIGHTS).

use super::{AnswerCode, bytes};
use nix::cmsg_space;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::sys::socket::{
    AddressFamily, Backlog, ControlMessage, ControlMessageOwned, MsgFlags, Shutdown, SockFlag, SockType, UnixAddr,
    accept4, bind, getsockopt, listen, recvmsg, sendmsg, setsockopt, shutdown, socket, socketpair, sockopt,
};
use nix::sys::time::TimeVal;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::time::Duration;

/// The longest message: a request.
const LONGEST: usize = super::REQUEST_BYTES;
/// The most descriptors that come with a message: rings, the ring of wakeups and the words.
pub const MOST_FDS: usize = 12;
/// The longest text of an answer.
const LONGEST_TEXT: usize = 1024;

/// A connected socket.
#[derive(Debug)]
pub struct Socket(OwnedFd);

/// A message as it was received. Descriptors that nobody takes are closed.
#[derive(Debug, Default)]
pub struct Message {
    pub bytes: Vec<u8>,
    pub fds: Vec<OwnedFd>,
}

/// An answer as it was received.
pub struct Answer {
    pub code: AnswerCode,
    pub value: u64,
    pub text: String,
    pub fds: Vec<OwnedFd>,
}

impl Socket {
    pub fn new(fd: OwnedFd) -> Socket {
        Socket(fd)
    }

    /// Two ends of a connection.
    pub fn pair() -> Result<(Socket, Socket), Errno> {
        let (one, other) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        Ok((Socket(one), Socket(other)))
    }

    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    pub fn into_fd(self) -> OwnedFd {
        self.0
    }

    /// Waits no longer than this for the other side.
    pub fn set_patience(&self, patience: Duration) -> Result<(), Errno> {
        let time = TimeVal::new(patience.as_secs() as i64, i64::from(patience.subsec_micros()));
        setsockopt(&self.0, sockopt::ReceiveTimeout, &time)?;
        setsockopt(&self.0, sockopt::SendTimeout, &time)
    }

    /// The process that connected (or, for a client, that listens): its id in this PID namespace, user and group.
    pub fn peer(&self) -> Result<(i32, u32, u32), Errno> {
        getsockopt(&self.0, sockopt::PeerCredentials).map(|peer| (peer.pid(), peer.uid(), peer.gid()))
    }

    pub fn send(&self, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
        let fds: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
        let rights = [ControlMessage::ScmRights(&fds)];
        let rights = if fds.is_empty() { &[][..] } else { &rights[..] };
        loop {
            match sendmsg::<()>(self.0.as_raw_fd(), &[IoSlice::new(bytes)], rights, MsgFlags::MSG_NOSIGNAL, None) {
                Err(Errno::EINTR) => {}
                sent => return sent.map(drop),
            }
        }
    }

    /// The next message. `None`: the other side has closed the connection.
    pub fn receive(&self) -> Result<Option<Message>, Errno> {
        let mut bytes = vec![0; LONGEST + 1];
        let mut space = cmsg_space!([RawFd; MOST_FDS]);
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let (len, fds, cut) = loop {
            let mut into = [IoSliceMut::new(&mut bytes)];
            let received = match recvmsg::<()>(self.0.as_raw_fd(), &mut into, Some(&mut space), flags) {
                Err(Errno::EINTR) => continue,
                received => received?,
            };
            let mut fds = Vec::new();
            for control in received.cmsgs()? {
                if let ControlMessageOwned::ScmRights(raw) = control {
                    // SAFETY: the kernel has just made these descriptors for this process, and nobody else knows of them.
                    fds.extend(raw.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
                }
            }
            let cut = received.flags.intersects(MsgFlags::MSG_TRUNC | MsgFlags::MSG_CTRUNC);
            break (received.bytes, fds, cut);
        };
        if cut {
            return Err(Errno::EMSGSIZE);
        }
        if len == 0 && fds.is_empty() {
            return Ok(None);
        }
        bytes.truncate(len);
        Ok(Some(Message { bytes, fds }))
    }

    /// Takes the next message without a look, if it is there. Descriptors that came along are dropped by the kernel: to close them here
    /// could take as long as their owner likes.
    pub fn discard(&self) {
        let mut byte = [0];
        let flags = MsgFlags::MSG_DONTWAIT;
        let _ = recvmsg::<()>(self.0.as_raw_fd(), &mut [IoSliceMut::new(&mut byte)], None, flags);
    }

    pub fn answer(&self, code: AnswerCode, value: u64, text: &str, fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
        let mut message = bytes(&[code as u64, value]);
        let end = (0..=text.len().min(LONGEST_TEXT)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        message.extend_from_slice(&text.as_bytes()[..end]);
        self.send(&message, fds)
    }

    /// The answer to the message that was sent last.
    pub fn answered(&self) -> Result<Answer, Errno> {
        let message = self.receive()?.ok_or(Errno::ECONNRESET)?;
        let word = |at: usize| Some(u64::from_ne_bytes(message.bytes.get(at..at + 8)?.try_into().ok()?));
        let (Some(code), Some(value)) = (word(0).and_then(AnswerCode::of), word(8)) else { return Err(Errno::EPROTO) };
        let text = String::from_utf8_lossy(&message.bytes[16..]).into_owned();
        Ok(Answer { code, value, text, fds: message.fds })
    }

    /// Ends the connection for both sides.
    pub fn shut(&self) {
        let _ = shutdown(self.0.as_raw_fd(), Shutdown::Both);
    }
}

/// A socket that clients connect to. Nothing waits on it.
pub struct Listener(Option<OwnedFd>);

impl Listener {
    /// The socket that systemd's socket activation hands over (sd_listen_fds(3)), if it does.
    pub fn inherited() -> Result<Option<Listener>, Errno> {
        let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<u32>().ok());
        if number("LISTEN_PID") != Some(std::process::id()) || number("LISTEN_FDS") != Some(1) {
            return Ok(None);
        }
        const FIRST: RawFd = 3;
        // SAFETY: the two variables say that this descriptor is for this process. It is taken once, at the start.
        let fd = unsafe { OwnedFd::from_raw_fd(FIRST) };
        let kind = getsockopt(&fd, sockopt::SockType)?;
        if kind != SockType::SeqPacket {
            return Err(Errno::EPROTOTYPE);
        }
        fcntl(&fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        Self::of(fd).map(Some)
    }

    /// A new socket at this path.
    pub fn bind(path: &Path) -> Result<Listener, Errno> {
        let fd = socket(AddressFamily::Unix, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)?;
        let address = UnixAddr::new(path)?;
        bind(fd.as_raw_fd(), &address)?;
        listen(&fd, Backlog::new(BACKLOG)?)?;
        Self::of(fd)
    }

    fn of(fd: OwnedFd) -> Result<Listener, Errno> {
        fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok(Listener(Some(fd)))
    }

    /// The next connection, if one waits.
    pub fn accept(&self) -> Result<Socket, Errno> {
        let listener = self.0.as_ref().ok_or(Errno::EBADF)?;
        let fd = accept4(listener.as_raw_fd(), SockFlag::SOCK_CLOEXEC)?;
        // SAFETY: the kernel has just made this descriptor for this process, and nobody else knows of it.
        Ok(Socket(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Nobody is accepted by this process any longer.
    pub fn close(&mut self) {
        self.0 = None;
    }

    pub fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(AsFd::as_fd)
    }
}

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 128;
