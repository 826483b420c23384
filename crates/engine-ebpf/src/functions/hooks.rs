//! The attached programs, as the engine's loop sees them.

use crate::ring::Mapping;
use crate::wire::bss;
use nix::sys::socket::{MsgFlags, recv};
use std::fs::File;
use std::io::{self, Read};
use std::mem::offset_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;

/// The programs at functions.
pub struct Hooks {
    /// The number of functions that have programs.
    pub functions: usize,
    /// To the process that holds the programs' links: it ends when this is closed.
    pub holder: OwnedFd,
    /// The link of the program that looks at threads.
    pub threads: OwnedFd,
    /// The programs' variables.
    pub variables: Mapping,
}

impl Hooks {
    /// The process that held the links has ended.
    pub fn is_lost(&self) -> bool {
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_PEEK;
        recv(self.holder.as_raw_fd(), &mut [0], flags) == Ok(0)
    }

    /// The number of threads in a wanted call that no program at a function has seen begin.
    pub fn missing(&self) -> io::Result<u32> {
        let count = self.variables.word(offset_of!(bss, hooks_missing));
        count.store(0, Ordering::Relaxed);
        // SAFETY: the descriptor is new, and nobody else's.
        let mut threads = unsafe {
            let fd = libbpf_rs::libbpf_sys::bpf_iter_create(self.threads.as_raw_fd());
            if fd < 0 {
                return Err(io::Error::from_raw_os_error(-fd));
            }
            File::from_raw_fd(fd)
        };
        while threads.read(&mut [0; 64])? > 0 {}
        Ok(count.load(Ordering::Relaxed))
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        self.variables.word(offset_of!(bss, hooks_over)).store(1, Ordering::Relaxed);
    }
}
