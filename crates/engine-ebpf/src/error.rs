//! Why the engine cannot run here, and why it did not start.

use crate::loading::privileges::Barrier;
use nix::errno::Errno;
use std::fmt;
use stride_engine_base::stat::behind_name;
use stride_engine_base::{AttachFailure, StartError, process, procfs};
use stride_event::Tid;

/// Why eBPF tracing is not possible.
#[derive(Debug)]
pub enum Why {
    /// bpf(2) is refused: capabilities are missing, or a container, a security module or the like refuses it.
    Denied { missing: Vec<&'static str>, what: String },
    /// The kernel has no BTF (`CONFIG_DEBUG_INFO_BTF`).
    NoBtf(String),
    /// Lockdown keeps programs from reading the kernel's memory.
    LockedDown(String),
    /// There is no memory for the ring. Everything else is small.
    NoMemory(String),
    /// The kernel refused a program or map.
    Refused(String),
    /// The probes in libraries could not be set.
    Probes(String),
    /// The broker does not trace this, or does not answer.
    Broker(String),
}

impl Why {
    /// True if the engine is to blame: the kernel is one that the engine is made for, and refuses its programs all the same.
    pub fn is_fault(&self) -> bool {
        matches!(self, Why::Refused(what) if !lacks_descriptors(what)) && old_kernel().is_none()
    }

    /// The advice to the user: how the failure can be mended.
    pub fn advice(&self, is_root: bool) -> String {
        match self {
            // Root already: the capabilities were taken away, most often by a container.
            Why::Denied { missing, .. } if !missing.is_empty() && is_root => {
                let options: Vec<String> = missing.iter().map(|name| process::cap_add(name)).collect();
                format!("give this root {}: start the container with `{}`", missing.join(" and "), options.join(" "))
            }
            Why::Denied { missing, .. } if !missing.is_empty() => {
                "run Stride as root, or have root start stride-broker, which loads the programs for users and lets them trace their own \
                 processes: `systemctl enable --now stride-broker.socket`, or `stride-broker` in a terminal"
                    .to_owned()
            }
            Why::Denied { .. } => Barrier::found().advice().to_owned(),
            Why::NoBtf(_) => "use a kernel built with CONFIG_DEBUG_INFO_BTF=y, with /sys mounted".to_owned(),
            Why::LockedDown(_) => "boot with lockdown=integrity or none".to_owned(),
            Why::NoMemory(_) => "give a smaller --ring-size".to_owned(),
            Why::Refused(what) if lacks_descriptors(what) => {
                "allow more open files (`ulimit -n 256`)".to_owned()
            }
            Why::Probes(_) => "name fewer functions, or functions of files on ordinary file systems".to_owned(),
            Why::Broker(_) => "run Stride as root, which needs no broker".to_owned(),
            Why::Refused(_) if old_kernel().is_some() => "use Linux 6.1 or later".to_owned(),
            Why::Refused(_) => "see `stride --doctor` for what this machine allows".to_owned(),
        }
    }
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
            Why::NoBtf(what) => write!(f, "the kernel does not provide its type information, BTF ({what})"),
            Why::LockedDown(what) => {
                write!(f, "kernel lockdown (confidentiality) keeps eBPF programs from reading memory ({what})")
            }
            Why::NoMemory(what) => write!(f, "there is not enough memory for the ring buffer ({what})"),
            Why::Probes(what) | Why::Broker(what) => f.write_str(what),
            Why::Refused(what) => match old_kernel() {
                Some(release) => {
                    write!(
                        f,
                        "the eBPF engine needs Linux 6.1 or later, and this is {release}, which refused a part of it ({what})"
                    )
                }
                None => write!(f, "the kernel refused the eBPF programs ({what})"),
            },
        }
    }
}

impl std::error::Error for Why {}

fn lacks_descriptors(what: &str) -> bool {
    ["EMFILE", "Too many open files"].iter().any(|word| what.contains(word))
}

/// The release of a kernel that is older than those for which the engine is made.
fn old_kernel() -> Option<String> {
    let release = nix::sys::utsname::uname().ok()?.release().to_string_lossy().into_owned();
    is_old(&release).then_some(release)
}

fn is_old(release: &str) -> bool {
    const FIRST: [u32; 2] = [6, 1];
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse().ok());
    [numbers.next(), numbers.next()].map(|number| number.unwrap_or(u32::MAX)) < FIRST
}

/// There is no thread of this id.
pub fn gone(tid: Tid) -> AttachFailure {
    if procfs::exists(tid) {
        let hint = "The process is there, but the kernel does not show it to eBPF programs: --engine=ptrace may be able to trace it";
        return AttachFailure { hint: Some(hint.to_owned()), ..failure(tid, Errno::EPERM, "") };
    }
    failure(tid, Errno::ESRCH, "").explained()
}

/// A thread of the kernel.
pub fn of_the_kernel(tid: Tid) -> AttachFailure {
    failure(tid, Errno::EPERM, "").explained()
}

/// The thread has ended, but is still there.
pub fn ended(tid: Tid, follow: bool) -> AttachFailure {
    let tasks = std::fs::read_dir(procfs::path(tid, "task"));
    let has_others = tasks.is_ok_and(|tasks| {
        tasks.flatten().any(|task| {
            let stat = procfs::text(task.path().join("stat")).unwrap_or_default();
            behind_name(&stat).is_some_and(|fields| !fields.starts_with(['Z', 'X']))
        })
    });
    let more = if has_others && !follow {
        " (this thread has ended, but others of its process live on: add -f to trace them)"
    } else {
        " (it has ended and is a zombie: its parent has not waited for it yet)"
    };
    // The same errno as ptrace's.
    failure(tid, Errno::EPERM, more)
}

/// The kernel does not let this user trace the thread.
pub fn refused(tid: Tid, errno: Errno) -> AttachFailure {
    let hint = match errno {
        Errno::ENOENT | Errno::ESRCH => return gone(tid),
        _ => {
            "the broker traces what ptrace(2) would let you trace: processes of your own that have no more privileges than you, \
              and with kernel.yama.ptrace_scope=1 only those that Stride starts. Run Stride as root to trace others"
        }
    };
    AttachFailure { hint: Some(hint.to_owned()), ..failure(tid, Errno::EPERM, "") }
}

fn failure(tid: Tid, errno: Errno, more: &str) -> AttachFailure {
    AttachFailure { tid, what: format!("attach: {tid}: {}{more}", process::strerror(errno)), hint: None }
}

/// A row's plan does not fit the kernel side's bounds.
pub fn plan(what: &str) -> StartError {
    StartError::Unavailable { why: format!("capture plan: {what}"), advice: None }
}

impl From<Why> for StartError {
    fn from(why: Why) -> StartError {
        let advice = why.advice(process::is_root());
        StartError::Unavailable { why: why.to_string(), advice: Some(advice) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_before_the_first_are_old() {
        for (release, old) in [
            ("5.10.0-32-cloud-amd64", true),
            ("6.0.1", true),
            ("6.1.0", false),
            ("6.18.44", false),
            ("7.2", false),
            ("x", false),
        ] {
            assert_eq!(is_old(release), old, "{release}");
        }
    }
}
