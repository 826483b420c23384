//! A process that attaches the programs, and holds their links.
//!
//! The kernel takes a tenth of a second to detach each program, one after the other, and a process that ends is waited for until then. So these
//! links belong to a process that nobody waits for: it is a child of nobody's, has nothing else open, and ends when Stride closes its socket,
//! or dies. It has no memory of its own to allocate: it is a copy of a process that had other threads.

use libbpf_rs::libbpf_sys::{self, bpf_attach_type};
use nix::errno::Errno;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};

/// A program, and how it is attached to its function.
pub struct HookProgram {
    pub program: OwnedFd,
    pub how: bpf_attach_type,
}

/// Has the programs attached, in their order. They stay so until the returned socket is closed. `over` is in shared memory: the programs
/// do nothing once it is set.
pub fn hold(programs: &[HookProgram], over: &AtomicU32) -> io::Result<OwnedFd> {
    let (ours, theirs) = UnixStream::pair()?;
    let all: Vec<(i32, bpf_attach_type)> =
        programs.iter().map(|program| (program.program.as_raw_fd(), program.how)).collect();
    let mut kept: Vec<i32> = all.iter().map(|program| program.0).chain([theirs.as_raw_fd()]).collect();
    kept.sort_unstable();
    // SAFETY: neither child returns from here, and both only call what may be called in a copy of a process with threads.
    unsafe {
        match copy()? {
            0 => {
                if copy() == Ok(0) {
                    be_holder(&all, &kept, theirs.as_raw_fd(), over);
                }
                libc::_exit(0)
            }
            // (It ends at once, so that the holder is nobody's child. It is not a child that others wait for.)
            helper => libc::waitpid(helper, std::ptr::null_mut(), libc::__WCLONE),
        };
    }
    drop(theirs);
    let mut answer = [0; 4];
    io::Read::read_exact(&mut &ours, &mut answer)?;
    match i32::from_ne_bytes(answer) {
        0 => Ok(ours.into()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// fork(2), but the child's end sends no signal, and waiting for any child does not find it.
///
/// # Safety
/// The child must keep to async-signal-safe calls.
unsafe fn copy() -> Result<libc::pid_t, Errno> {
    // SAFETY: without flags and a stack of its own, the child has copies of everything, as after fork(2).
    let pid = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) };
    Errno::result(pid).map(|pid| pid as libc::pid_t)
}

/// # Safety
/// To be called in a process that is to do nothing else.
unsafe fn be_holder(programs: &[(i32, bpf_attach_type)], kept: &[i32], socket: i32, over: &AtomicU32) -> ! {
    // SAFETY: calls with plain numbers, and with memory that outlives them. This process has no other threads.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
        libc::prctl(libc::PR_SET_NAME, c"stride-holder".as_ptr());
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        let mut from = 0;
        for &fd in kept {
            if fd > from {
                libc::syscall(libc::SYS_close_range, from, fd - 1, 0);
            }
            from = fd + 1;
        }
        libc::syscall(libc::SYS_close_range, from, u32::MAX, 0);
        let mut answer: i32 = 0;
        for &(program, how) in programs {
            let mut polled = libc::pollfd { fd: socket, events: libc::POLLIN, revents: 0 };
            if libc::poll(&raw mut polled, 1, 0) != 0 {
                break;
            }
            let link = libbpf_sys::bpf_link_create(program, 0, how, std::ptr::null());
            if link < 0 {
                answer = -link;
                break;
            }
            libc::close(program);
        }
        libc::send(socket, (&raw const answer).cast(), size_of_val(&answer), libc::MSG_NOSIGNAL);
        // Nothing is ever written: this is the end of Stride, or of its tracing.
        let mut none = 0u8;
        if answer == 0 {
            libc::read(socket, (&raw mut none).cast(), 1);
        }
        over.store(1, Ordering::Relaxed);
        libc::_exit(0)
    }
}
