//! Facts about the machine.

use std::fs::read_to_string;
use std::time::Duration;
use stride_engine_ebpf::broker::Connection;
use stride_engine_ebpf::probe::{self, ExecSeen};
use stride_engine_ebpf::{DEFAULT_RING, Why};
use stride_session::TRIALS;

#[derive(Debug)]
pub struct Facts {
    /// The kernel's release.
    pub release: String,

    /// Ok if bpf(2) accepts a program that does nothing.
    pub bpf: Result<(), String>,
    pub missing: Vec<&'static str>,
    pub btf: Result<(), String>,
    /// The mode of kernel lockdown, if the kernel has lockdown.
    pub lockdown: Option<String>,
    pub unprivileged_bpf: Option<u8>,
    pub ring_bytes: u32,
    /// RLIMIT_MEMLOCK. `None` means no limit.
    pub memlock: Option<u64>,
    pub exec_seen: ExecSeen,
    /// The time that loading the whole engine took, or the reason why it failed.
    pub load: Result<Duration, Why>,

    /// Ok if a broker would load the engine for this process, else the reason. `None`: no broker is needed.
    pub broker: Option<Result<(), String>>,

    /// Each other engine, and Ok if it can trace a process of Stride's own.
    pub engines: Vec<(&'static str, Result<(), String>)>,
    /// True if Stride has CAP_SYS_PTRACE. Yama and other users' processes are then no obstacle.
    pub any_process: bool,
    /// True if root runs Stride, with whatever capabilities.
    pub root: bool,
    pub yama: Option<u8>,
    pub seccomp: bool,
    /// The process that traces this process.
    pub tracer: Option<i32>,

    pub first_pid_namespace: bool,
    pub cgroups: Cgroups,
}

/// The cgroup hierarchies that are mounted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cgroups {
    pub v1: bool,
    pub v2: Option<String>,
    /// The hierarchy whose groups can be frozen.
    pub freezer: Option<String>,
}

impl Facts {
    pub fn gather() -> Facts {
        let ring_bytes = DEFAULT_RING;
        let trial = probe::trial();
        let load = stride_engine_ebpf::trial_load(ring_bytes);
        let status = read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).map(str::trim).unwrap_or_default();
        const CAP_SYS_PTRACE: u64 = 1 << 19;
        Facts {
            release: line("/proc/sys/kernel/osrelease").unwrap_or_default(),
            bpf: match trial {
                Err(why @ (Why::Denied { .. } | Why::Refused(_))) => Err(why.to_string()),
                _ => Ok(()),
            },
            missing: stride_engine_ebpf::missing_capabilities(),
            btf: probe::has_btf(),
            lockdown: line("/sys/kernel/security/lockdown").and_then(|modes| chosen(&modes)),
            unprivileged_bpf: number("/proc/sys/kernel/unprivileged_bpf_disabled"),
            ring_bytes,
            memlock: memlock(),
            exec_seen: probe::exec_seen(),
            broker: load.is_err().then(|| Connection::open().and_then(|broker| broker.trial())),
            load,
            engines: TRIALS.iter().map(|(name, works)| (*name, works().map_err(|e| e.to_string()))).collect(),
            any_process: u64::from_str_radix(field("CapEff:"), 16).unwrap_or(0) & CAP_SYS_PTRACE != 0,
            root: nix::unistd::geteuid().is_root(),
            yama: number("/proc/sys/kernel/yama/ptrace_scope"),
            seccomp: line("/proc/sys/kernel/seccomp/actions_avail").is_some_and(|actions| actions.contains("trace")),
            tracer: field("TracerPid:").parse().ok().filter(|&pid| pid != 0),
            first_pid_namespace: !probe::is_nested(),
            cgroups: cgroups(&read_to_string("/proc/self/mountinfo").unwrap_or_default()),
        }
    }

    pub fn any_engine(&self) -> bool {
        self.load.is_ok() || self.has_broker() || self.engines.iter().any(|(_, works)| works.is_ok())
    }

    /// Ok if an engine of this name works here.
    pub fn engine(&self, name: &str) -> Result<(), &str> {
        let found = self.engines.iter().find(|(engine, _)| *engine == name);
        found.map_or(Err("not in this build"), |(_, works)| works.as_ref().copied().map_err(String::as_str))
    }

    pub fn has_broker(&self) -> bool {
        matches!(self.broker, Some(Ok(())))
    }
}

fn line(path: &str) -> Option<String> {
    Some(read_to_string(path).ok()?.trim().to_owned())
}

fn number(path: &str) -> Option<u8> {
    line(path)?.parse().ok()
}

/// The word in brackets, as in `none [integrity] confidentiality`.
fn chosen(modes: &str) -> Option<String> {
    Some(modes.split_once('[')?.1.split_once(']')?.0.to_owned())
}

fn memlock() -> Option<u64> {
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
    getrlimit(Resource::RLIMIT_MEMLOCK).ok().map(|(soft, _)| soft).filter(|&soft| soft != RLIM_INFINITY)
}

/// Parses the lines of `/proc/PID/mountinfo`: `... ROOT WHERE OPTIONS ... - TYPE SOURCE OPTIONS`.
fn cgroups(mountinfo: &str) -> Cgroups {
    let mut found = Cgroups::default();
    for line in mountinfo.lines() {
        let Some((before, after)) = line.split_once(" - ") else { continue };
        let Some(at) = before.split(' ').nth(4) else { continue };
        let mut after = after.split(' ');
        match (after.next(), after.nth(1)) {
            (Some("cgroup2"), _) => found.v2 = Some(at.to_owned()),
            (Some("cgroup"), Some(options)) => {
                found.v1 = true;
                if options.split(',').any(|o| o == "freezer") {
                    found.freezer.get_or_insert_with(|| at.to_owned());
                }
            }
            _ => {}
        }
    }
    // Every version 2 hierarchy has a freezer.
    found.freezer = found.v2.clone().or(found.freezer);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounted_hierarchies() {
        let v1 = "31 25 0:27 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n";
        let freezer = "32 25 0:28 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n";
        let v2 = "33 25 0:29 / /sys/fs/cgroup/unified rw shared:1 master:2 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(cgroups(""), Cgroups::default());
        assert_eq!(cgroups(v1), Cgroups { v1: true, v2: None, freezer: None });
        assert_eq!(cgroups(freezer).freezer.as_deref(), Some("/sys/fs/cgroup/freezer"));
        let hybrid = cgroups(&[v1, freezer, v2].concat());
        assert!(hybrid.v1);
        assert_eq!(hybrid.v2.as_deref(), Some("/sys/fs/cgroup/unified"));
        assert_eq!(hybrid.v2, hybrid.freezer);
    }

    #[test]
    fn the_mode_in_brackets() {
        assert_eq!(chosen("none [integrity] confidentiality").as_deref(), Some("integrity"));
        assert_eq!(chosen("nonsense"), None);
    }
}
