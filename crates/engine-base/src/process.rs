//! Making the process that becomes the command.
//!
//! Between fork and exec only async-signal-safe calls are made and nothing is allocated: everything is prepared in an [`Image`].

use crate::startup::{CLOSED, IGNORED};
use nix::errno::Errno;
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::Ordering;
use stride_event::Tid;

pub enum Fork {
    Parent(Tid),
    Child,
}

/// fork(2).
pub fn fork() -> Result<Fork, Errno> {
    // SAFETY: the child goes on with the only thread there is left in it; this crate's callers in it
    // keep to async-signal-safe calls, or (`-D`) come from a process that has only this thread.
    match Errno::result(unsafe { libc::fork() })? {
        0 => Ok(Fork::Child),
        pid => Ok(Fork::Parent(pid)),
    }
}

/// A program ready for execve(2).
pub struct Image {
    path: CString,
    _args: Vec<CString>,
    _env: Vec<CString>,
    argv: Vec<*const libc::c_char>,
    envp: Vec<*const libc::c_char>,
}

impl Image {
    pub fn new(path: CString, args: Vec<CString>, env: Vec<CString>) -> Image {
        let list = |strings: &[CString]| strings.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect();
        // The pointers stay good when the vectors move: each CString owns its bytes elsewhere.
        let (argv, envp) = (list(&args), list(&env));
        Image { path, _args: args, _env: env, argv, envp }
    }
}

/// execve(2). Returns only if it failed.
pub fn exec(image: &Image) -> Errno {
    // SAFETY: path and the strings of both lists are NUL-terminated and live in `image`; both lists end with a null pointer.
    unsafe { libc::execve(image.path.as_ptr(), image.argv.as_ptr(), image.envp.as_ptr()) };
    Errno::last()
}

/// _exit(2): runs no destructors, and flushes no buffer a second time.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: never returns.
    unsafe { libc::_exit(status) }
}

pub fn kill(pid: Tid, signal: i32) {
    // SAFETY: takes only numbers.
    unsafe { libc::kill(pid, signal) };
}

/// A descriptor of a process.
pub fn pidfd(pid: Tid) -> Result<OwnedFd, Errno> {
    pidfd_with(pid, 0)
}

/// A descriptor of a thread. Before Linux 6.9, only threads that lead a process have one.
pub fn pidfd_of_thread(tid: Tid) -> Result<OwnedFd, Errno> {
    const PIDFD_THREAD: u32 = libc::O_EXCL as u32;
    pidfd_with(tid, PIDFD_THREAD).or_else(|_| pidfd(tid))
}

fn pidfd_with(pid: Tid, flags: u32) -> Result<OwnedFd, Errno> {
    // SAFETY: takes only numbers.
    let fd = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, flags) })?;
    // SAFETY: just opened, and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Waits until a child is gone, and returns its status in the form of wait(2).
pub fn wait_for(pid: Tid) -> Option<i32> {
    let mut status = 0;
    loop {
        // SAFETY: one int to write to.
        let r = unsafe { libc::waitpid(pid, &mut status, 0) };
        // If another thread traces the child, wait(2) reports its stops here, too.
        if r == pid && !libc::WIFSTOPPED(status) {
            return Some(status);
        }
        if r < 0 && Errno::last() != Errno::EINTR {
            return None;
        }
    }
}

/// A child of this thread that is gone and waits to be reaped.
pub fn gone_child() -> Option<Tid> {
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WNOTHREAD;
    // SAFETY: siginfo_t is made of integers; the kernel fills it in.
    let info = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        Errno::result(libc::waitid(libc::P_ALL, 0, &mut info, flags)).ok()?;
        info
    };
    // If another thread traces a child of this thread, waitid(2) reports its stops without being asked.
    let gone = [libc::CLD_EXITED, libc::CLD_KILLED, libc::CLD_DUMPED].contains(&info.si_code);
    // SAFETY: filled in by waitid, or zero.
    Some(unsafe { info.si_pid() }).filter(|&pid| gone && pid != 0)
}

/// Writes to a socket whose other end may be closed. Raises no SIGPIPE, and does not report a failure.
pub fn send(socket: &OwnedFd, bytes: &[u8]) {
    // SAFETY: reads the bytes given.
    unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
}

/// Lets another thread that waits for this CPU run first.
pub fn give_way() {
    // SAFETY: takes nothing.
    unsafe { libc::sched_yield() };
}

/// Ids to take on.
pub struct User<'a> {
    pub uid: u32,
    pub gid: u32,
    pub groups: &'a [u32],
}

/// Takes on the ids. On failure, returns the name of the call that was refused.
pub fn set_user(user: &User) -> Result<(), (&'static str, Errno)> {
    // SAFETY: the list and its length belong together; the other calls take only numbers.
    unsafe {
        Errno::result(libc::setgroups(user.groups.len(), user.groups.as_ptr())).map_err(|e| ("setgroups", e))?;
        Errno::result(libc::setregid(user.gid, user.gid)).map_err(|e| ("setregid", e))?;
        Errno::result(libc::setreuid(user.uid, user.uid)).map_err(|e| ("setreuid", e))?;
    }
    Ok(())
}

/// This process is root's, with or without root's capabilities.
pub fn is_root() -> bool {
    // SAFETY: takes nothing.
    (unsafe { libc::geteuid() }) == 0
}

/// The option of docker(1) and podman(1) that leaves a container's root a capability.
pub fn cap_add(name: &str) -> String {
    format!("--cap-add {}", name.trim_start_matches("cap_").to_uppercase())
}

/// True if this process has the descriptor open, and an execve would leave it open.
pub fn survives_exec(fd: RawFd) -> bool {
    // SAFETY: only asks about a number.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    flags >= 0 && flags & libc::FD_CLOEXEC == 0
}

/// Lets processes of the same user trace this one. A program whose file gave it capabilities may not be traced, nor
/// its children before their execve. This opens no hole: the kernel lets a process trace this one only if it has all
/// of its capabilities.
pub fn set_dumpable() {
    // SAFETY: takes only numbers.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0) };
}

/// Lets a process that is no ancestor trace this one, where Yama restricts that. Fails elsewhere, where it is not
/// needed.
pub fn set_tracer(pid: Tid) {
    // SAFETY: takes only numbers.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, pid, 0, 0, 0) };
}

pub fn no_new_privs() -> Result<(), Errno> {
    // SAFETY: takes only numbers.
    Errno::result(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }).map(drop)
}

/// Installs a seccomp filter for this process and what it becomes.
pub fn set_filter(program: &[libc::sock_filter]) -> Result<(), Errno> {
    let prog = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: the kernel copies `len` instructions from the pointer, which are there; it does not write to them.
    Errno::result(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &prog, 0, 0) }).map(drop)
}

/// Restores what Rust's runtime or Stride changed ([`crate::startup`]).
pub fn restore_inherited() {
    let ignored = IGNORED.load(Ordering::Relaxed);
    // SAFETY: SIG_DFL and SIG_IGN are valid dispositions (those of KILL and STOP are refused); closing a descriptor that
    // the caller had left closed takes nothing from anyone.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, if ignored >> (signal - 1) & 1 != 0 { libc::SIG_IGN } else { libc::SIG_DFL });
        }
        for (fd, closed) in CLOSED.iter().enumerate() {
            if closed.load(Ordering::Relaxed) {
                libc::close(fd as i32);
            }
        }
    }
}

/// While it lives, this thread runs before others, where that is allowed. For short work that somebody waits for:
/// among N busy threads that share the CPUs fairly, it would take N times as long.
#[derive(Debug)]
pub struct Hurry {
    nice: i32,
}

impl Hurry {
    pub fn begin() -> Option<Hurry> {
        // SAFETY: these calls take only numbers. 0 stands for the calling thread.
        unsafe {
            *libc::__errno_location() = 0;
            let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
            let known = nice != -1 || *libc::__errno_location() == 0;
            (known && libc::setpriority(libc::PRIO_PROCESS, 0, -20) == 0).then_some(Hurry { nice })
        }
    }
}

impl Drop for Hurry {
    fn drop(&mut self) {
        // SAFETY: takes only numbers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, self.nice) };
    }
}

/// The effective capabilities of this thread.
pub fn capabilities() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let field = status.lines().find_map(|l| l.strip_prefix("CapEff:"));
    field.and_then(|v| u64::from_str_radix(v.trim(), 16).ok()).unwrap_or(0)
}

const PAGE: u64 = 4096;
/// Pages read at once: more than the largest block (256 KiB) spans.
const BATCH: usize = 66;

/// Reads as many bytes from `addr` on as are mapped, with one call for each [`BATCH`] pages. An error means that the
/// call failed. Unmapped memory is no error, but gives no bytes.
pub fn read_memory(tid: Tid, addr: u64, buf: &mut [u8]) -> Result<usize, Errno> {
    let mut got = 0;
    while got < buf.len() {
        let from = addr.wrapping_add(got as u64);
        let rest = &mut buf[got..];
        // The kernel promises partial results only between elements of the vector, so each page is an element.
        let mut remote = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; BATCH];
        let (mut n, mut want) = (0, 0);
        while n < BATCH && want < rest.len() {
            let at = from.wrapping_add(want as u64);
            let len = ((PAGE - at % PAGE) as usize).min(rest.len() - want);
            remote[n] = libc::iovec { iov_base: at as usize as *mut libc::c_void, iov_len: len };
            n += 1;
            want += len;
        }
        let local = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: want };
        // SAFETY: `local` describes `want` bytes of `rest`, which is exclusively borrowed and at least as long;
        // the remote addresses are those of another process and only read by the kernel.
        let r = unsafe { libc::process_vm_readv(tid, &local, 1, remote.as_ptr(), n as libc::c_ulong, 0) };
        match Errno::result(r) {
            Ok(r) => {
                got += r as usize;
                if (r as usize) < want {
                    break;
                }
            }
            Err(Errno::EFAULT | Errno::EINVAL) => break,
            Err(e) if got == 0 => return Err(e),
            Err(_) => break,
        }
    }
    Ok(got)
}

/// The C library's text of an error number.
pub fn strerror(e: Errno) -> String {
    let mut buf = [0u8; 128];
    let n = message(&mut buf, &[], e) - 1;
    String::from_utf8_lossy(&buf[..n]).into_owned()
}

/// Writes the parts, the error's text and a newline to `buf` without allocating; returns the length.
pub fn message(buf: &mut [u8], parts: &[&[u8]], e: Errno) -> usize {
    let mut text = [0u8; 128];
    // SAFETY: writes at most the given length, NUL-terminated.
    unsafe { libc::strerror_r(e as i32, text.as_mut_ptr().cast(), text.len()) };
    let len = text.iter().position(|&b| b == 0).unwrap_or(0);
    let mut n = 0;
    for part in parts.iter().copied().chain([&text[..len], b"\n".as_slice()]) {
        let room = part.len().min(buf.len() - n);
        buf[n..n + room].copy_from_slice(&part[..room]);
        n += room;
    }
    n
}

/// True if the kernel supports seccomp filters and lets this process install one. Without a filter, the call fails
/// only when the kernel reads it.
pub fn filter_available() -> bool {
    // SAFETY: the null pointer is what the kernel is to refuse.
    let r = unsafe {
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, std::ptr::null::<libc::sock_fprog>(), 0, 0)
    };
    r < 0 && Errno::last() == Errno::EFAULT
}
