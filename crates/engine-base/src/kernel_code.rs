//! The code that the kernel maps into each process (vDSO) for 32-bit programs, without such a program.

use crate::process::{self, Fork};
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{pipe2, read};
use std::ops::Range;
use std::os::fd::AsRawFd;
use stride_event::Tid;

/// A process that does nothing, and into which the kernel has mapped what it maps into 32-bit programs. The process
/// ends with this value.
#[derive(Debug)]
pub struct With32BitVdso(Tid);

impl With32BitVdso {
    /// Forks. `own` are all mappings that this process has from the kernel, because a process gets a vDSO only if it has none.
    /// None if the kernel maps none (no 32-bit programs, no CONFIG_CHECKPOINT_RESTORE, arm64).
    pub fn start(own: &[Range<u64>]) -> Option<With32BitVdso> {
        let (ready, tell) = pipe2(OFlag::O_CLOEXEC).ok()?;
        match process::fork().ok()? {
            Fork::Parent(pid) => {
                let process = With32BitVdso(pid);
                drop(tell);
                let mut mapped = [0];
                let got = loop {
                    match read(&ready, &mut mapped) {
                        Err(Errno::EINTR) => {}
                        got => break got,
                    }
                };
                (got == Ok(1) && mapped == [1]).then_some(process)
            }
            // SAFETY: the child makes system calls by number alone, which need neither a lock nor the code that is unmapped: the
            // C library reads the clock there, and nobody asks for the time. The byte that is written is there.
            Fork::Child => unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
                for range in own {
                    libc::syscall(libc::SYS_munmap, range.start, range.end - range.start);
                }
                let mapped = map();
                // Fails if the parent ended before it could take this process with it.
                let told = libc::syscall(libc::SYS_write, tell.as_raw_fd(), &raw const mapped, 1) == 1;
                if mapped && told {
                    // Until a signal comes.
                    libc::syscall(libc::SYS_ppoll, 0, 0, 0, 0);
                }
                process::exit_now(0)
            },
        }
    }

    pub fn pid(&self) -> Tid {
        self.0
    }
}

impl Drop for With32BitVdso {
    fn drop(&mut self) {
        process::kill(self.0, libc::SIGKILL);
        process::wait_for(self.0);
    }
}

#[cfg(target_arch = "x86_64")]
fn map() -> bool {
    /// asm/prctl.h, Linux 4.9
    const ARCH_MAP_VDSO_32: libc::c_long = 0x2002;
    // SAFETY: the kernel chooses a place where nothing is mapped.
    (unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_MAP_VDSO_32, 0) }) > 0
}

#[cfg(not(target_arch = "x86_64"))]
fn map() -> bool {
    false
}
