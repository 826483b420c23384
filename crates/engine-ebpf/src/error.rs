//! Why the engine cannot run here, and what went wrong in starting.

use crate::probe::NEEDED;
use nix::errno::Errno;
use std::fmt;
use std::io;
use stride_engine_base::SpawnError;
use stride_engine_base::process;
use stride_event::Tid;

/// Why eBPF tracing is not to be had.
#[derive(Debug)]
pub enum Why {
    /// bpf(2) is refused: for want of capabilities, or, if none is missing, by a container, a security module or the like.
    Denied { missing: Vec<&'static str>, what: String },
    /// The kernel has no type information of itself (`CONFIG_DEBUG_INFO_BTF`).
    NoBtf(String),
    /// Lockdown keeps programs from reading the kernel's memory.
    LockedDown(String),
    /// There is no memory for the ring; all else is small.
    NoMemory(String),
    /// The kernel refused a program or map.
    Refused(String),
}

impl Why {
    /// What to do about it; `stride` is the path of the binary.
    pub fn advice(&self, stride: &str) -> String {
        match self {
            Why::Denied { missing, .. } if !missing.is_empty() => format!(
                "run it as root, or once `{}`, which lets everyone who may execute it watch all processes",
                setcap(stride)
            ),
            Why::Denied { .. } => {
                "allow bpf(2) where this runs: in a container, its seccomp profile or security module forbids \
                                   it, or the capabilities hold in a user namespace only"
                    .to_owned()
            }
            Why::NoBtf(_) => "use a kernel built with CONFIG_DEBUG_INFO_BTF=y, with /sys mounted".to_owned(),
            Why::LockedDown(_) => "boot with lockdown=integrity or none".to_owned(),
            Why::NoMemory(_) => "a smaller --ring-size".to_owned(),
            Why::Refused(what) if what.contains("EMFILE") => "allow more open files (`ulimit -n 256`)".to_owned(),
            Why::Refused(_) => "see `stride --doctor` for what this machine allows".to_owned(),
        }
    }
}

/// The command that lets a binary load the engine whoever runs it.
pub fn setcap(stride: &str) -> String {
    format!("setcap {}+ep {stride}", NEEDED.map(|(name, _)| name).join(","))
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Denied { missing, what } if missing.is_empty() => {
                write!(f, "the kernel refuses to load eBPF programs, though the capabilities are there ({what})")
            }
            Why::Denied { missing, what } => {
                write!(f, "loading eBPF programs takes {}, which this process lacks ({what})", missing.join(" and "))
            }
            Why::NoBtf(what) => write!(f, "the kernel's type information is not there ({what})"),
            Why::LockedDown(what) => {
                write!(f, "kernel lockdown (confidentiality) keeps eBPF programs from reading memory ({what})")
            }
            Why::NoMemory(what) => write!(f, "there is no memory for calls that are not read yet ({what})"),
            Why::Refused(what) => write!(f, "the kernel refused the eBPF programs ({what})"),
        }
    }
}

impl std::error::Error for Why {}

/// There is no thread of this id.
pub fn no_such(tid: Tid) -> String {
    format!("attach: {tid}: {}", process::strerror(Errno::ESRCH))
}

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
    /// There are no such threads.
    Attach {
        tids: Vec<Tid>,
    },
    /// A row's plan does not fit the kernel side's bounds.
    Plan(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Unavailable(why) => why.fmt(f),
            StartError::Spawn { call, error } => write!(f, "{call}: {error}"),
            StartError::Nul => write!(f, "exec: {}", process::strerror(Errno::EINVAL)),
            StartError::Attach { tids } => {
                f.write_str(&tids.iter().map(|&tid| no_such(tid)).collect::<Vec<_>>().join("\n"))
            }
            StartError::Plan(what) => write!(f, "capture plan: {what}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<SpawnError> for StartError {
    fn from(error: SpawnError) -> StartError {
        match error {
            SpawnError::Call(call, errno) => StartError::Spawn { call, error: errno.into() },
            SpawnError::Nul => StartError::Nul,
        }
    }
}

impl From<Why> for StartError {
    fn from(why: Why) -> StartError {
        StartError::Unavailable(why)
    }
}
