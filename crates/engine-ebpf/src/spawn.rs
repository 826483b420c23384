//! Starting the command: the child waits before execve until the programs are attached and know of it.

use crate::error::StartError;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use stride_event::{Command, Tid};

/// A child that has not called execve yet.
pub struct Waiting {
    pub pid: Tid,
    pub pidfd: OwnedFd,
    gate: OwnedFd,
}

/// What the child needs, allocated before the fork.
struct Image {
    path: CString,
    args: Vec<CString>,
    env: Vec<CString>,
    user: Option<(u32, u32, Vec<u32>)>,
    complaint: Vec<u8>,
}

impl Image {
    fn of(command: &Command) -> Result<Image, StartError> {
        let c = |bytes: &[u8]| CString::new(bytes).map_err(|_| StartError::Nul);
        let mut complaint = std::env::args_os().next().map_or(b"stride".to_vec(), |n| n.as_bytes().to_vec());
        complaint.extend(b": exec: ");
        Ok(Image {
            path: c(command.path.as_os_str().as_bytes())?,
            args: command.args.iter().map(|a| c(a.as_bytes())).collect::<Result<_, _>>()?,
            env: command
                .env
                .iter()
                .map(|(k, v)| c(&[k.as_bytes(), b"=", v.as_bytes()].concat()))
                .collect::<Result<_, _>>()?,
            user: command.user.clone(),
            complaint,
        })
    }
}

fn failed(call: &'static str) -> StartError {
    StartError::Spawn { call, error: io::Error::last_os_error() }
}

pub fn spawn(command: &Command) -> Result<Waiting, StartError> {
    let image = Image::of(command)?;
    let pointers = |list: &[CString]| list.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>();
    let (argv, envp) = (pointers(&image.args), pointers(&image.env));
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(failed("pipe2"));
    }
    // SAFETY: both were just opened, and belong to nobody else.
    let [ours, theirs] = unsafe { [OwnedFd::from_raw_fd(ends[1]), OwnedFd::from_raw_fd(ends[0])] };
    // SAFETY: the child calls only functions that are safe after a fork, and leaves by execve or _exit.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => return Err(failed("fork")),
        0 => become_command(&image, &argv, &envp, ours.as_raw_fd(), theirs.as_raw_fd()),
        _ => {}
    }
    // SAFETY: takes numbers; the child is not reaped before we do it, so the id is its own.
    let pidfd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) } as i32;
    if pidfd < 0 {
        return Err(failed("pidfd_open"));
    }
    // SAFETY: just opened.
    Ok(Waiting { pid, pidfd: unsafe { OwnedFd::from_raw_fd(pidfd) }, gate: ours })
}

impl Waiting {
    /// Lets it go on to execve.
    pub fn go(self) -> Result<Tid, StartError> {
        // SAFETY: one byte from a live buffer.
        if unsafe { libc::write(self.gate.as_raw_fd(), b"g".as_ptr().cast(), 1) } != 1 {
            return Err(failed("write"));
        }
        Ok(self.pid)
    }
}

fn become_command(
    image: &Image,
    argv: &[*const libc::c_char],
    envp: &[*const libc::c_char],
    ours: i32,
    gate: i32,
) -> ! {
    // SAFETY: after a fork in what may be a process of several threads: only async-signal-safe calls, on memory prepared before.
    unsafe {
        libc::close(ours);
        // Rust ignores SIGPIPE for itself; the command shall not.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut byte = 0u8;
        loop {
            match libc::read(gate, (&raw mut byte).cast(), 1) {
                1 => break,
                -1 if *libc::__errno_location() == libc::EINTR => {}
                // The tracer is gone, and has told why.
                _ => libc::_exit(1),
            }
        }
        if let Some((uid, gid, groups)) = &image.user
            && (libc::setgroups(groups.len(), groups.as_ptr()) != 0
                || libc::setregid(*gid, *gid) != 0
                || libc::setreuid(*uid, *uid) != 0)
        {
            libc::_exit(1);
        }
        libc::execve(image.path.as_ptr(), argv.as_ptr(), envp.as_ptr());
        let reason = libc::strerror(*libc::__errno_location());
        libc::write(2, image.complaint.as_ptr().cast(), image.complaint.len());
        libc::write(2, reason.cast(), libc::strlen(reason));
        libc::write(2, b"\n".as_ptr().cast(), 1);
        libc::_exit(1);
    }
}

/// Waits for the command, which is known to end or to have ended; returns its status as wait(2) gives it.
pub fn reap(pid: Tid) -> Option<i32> {
    let mut status = 0;
    loop {
        // SAFETY: our own child, and one int to write to.
        let r = unsafe { libc::waitpid(pid, &mut status, 0) };
        // It may be told of as held by the valve, once.
        if r == pid && !libc::WIFSTOPPED(status) {
            return Some(status);
        }
        if r == -1 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return None;
        }
    }
}
