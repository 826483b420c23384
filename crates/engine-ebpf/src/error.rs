//! Why the engine cannot run here, and what went wrong in starting.

use std::fmt;
use std::io;

/// Why eBPF tracing is not to be had.
#[derive(Debug)]
pub enum Why {
    /// bpf(2) is refused: privilege, lockdown, a container.
    Denied(String),
    /// The kernel has no type information of itself (`CONFIG_DEBUG_INFO_BTF`).
    NoBtf,
    /// The kernel has no memory for the maps, of which only the ring is large.
    NoMemory,
    /// The kernel refused the programs or maps.
    Refused(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Denied(what) => write!(f, "the kernel does not let this user load eBPF programs ({what})"),
            Why::NoBtf => write!(f, "the kernel has no BTF type information (/sys/kernel/btf/vmlinux)"),
            Why::NoMemory => write!(f, "the kernel has no memory for the eBPF maps"),
            Why::Refused(what) => write!(f, "the kernel refused the eBPF programs ({what})"),
        }
    }
}

impl std::error::Error for Why {}

/// Tracing could not begin.
#[derive(Debug)]
pub enum StartError {
    Unavailable(Why),
    /// A call that starting the command takes was refused.
    Spawn {
        call: &'static str,
        error: io::Error,
    },
    /// The command's path, arguments or environment hold a NUL byte.
    Nul,
    /// There is no memory for the ring.
    Ring {
        bytes: u32,
        error: io::Error,
    },
    /// There is no such thread.
    Attach {
        tid: stride_event::Tid,
    },
    /// A row's plan does not fit the kernel side's bounds.
    Plan(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Unavailable(why) => why.fmt(f),
            StartError::Spawn { call, error } => write!(f, "{call}: {error}"),
            StartError::Ring { bytes, error } => {
                write!(f, "no memory for {}M of calls not read yet: {error}", bytes >> 20)
            }
            StartError::Nul => write!(f, "exec: {}", io::Error::from_raw_os_error(libc::EINVAL)),
            StartError::Attach { tid } => write!(f, "attach: {tid}: {}", io::Error::from_raw_os_error(libc::ESRCH)),
            StartError::Plan(what) => write!(f, "capture plan: {what}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<Why> for StartError {
    fn from(why: Why) -> StartError {
        StartError::Unavailable(why)
    }
}
