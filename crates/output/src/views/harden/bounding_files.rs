//! Capabilities that files of the kernel look at.

use super::capability_set::{CapabilitySet, DEVICE, IDS, NET_ADMIN, SYS_ADMIN, SYS_NICE, SYS_PTRACE, SYSLOG};
use super::places::is_common_device;
use crate::views::inputs::is_below;
use stride_event::Call;
use stride_syscalls::uapi::consts as c;
use stride_track::Seen;

const NONE: CapabilitySet = CapabilitySet::NONE;

/// Files of the kernel that look at capabilities beside owners and modes: proc(5), sysfs(5).
pub fn of_path(path: &[u8], call: &Call, seen: &Seen) -> (CapabilitySet, &'static str) {
    let writes = call.open_flags() & c::O_ACCMODE != c::O_RDONLY;
    let below = |directory: &str| is_below(path, directory.as_bytes());
    if let Some(of_proc) = path.strip_prefix(b"/proc") {
        return of_proc_file(of_proc, writes, seen);
    }
    if below("/sys/power") {
        (SYS_ADMIN.or(CapabilitySet::of(&[c::CAP_BLOCK_SUSPEND])), "files of /sys/power")
    } else if writes && (below("/sys/kernel/security") || below("/sys/fs/smackfs") || below("/sys/fs/selinux")) {
        (SYS_ADMIN.or(CapabilitySet::of(&[c::CAP_MAC_ADMIN])), "files of security modules")
    } else if below("/sys/kernel/debug") || below("/sys/kernel/tracing") {
        (SYS_ADMIN.or(SYSLOG).or(CapabilitySet::of(&[c::CAP_PERFMON])), "files of /sys/kernel")
    } else if below("/sys") && (writes || path.ends_with(b"/config")) {
        (DEVICE, "files of /sys")
    } else if path.strip_prefix(b"/dev/").is_some_and(|device| !is_common_device(device)) {
        (DEVICE.or(SYSLOG), "devices")
    } else {
        (NONE, "")
    }
}

fn of_proc_file(path: &[u8], writes: bool, seen: &Seen) -> (CapabilitySet, &'static str) {
    let first = path.strip_prefix(b"/").unwrap_or_default().split(|byte| *byte == b'/').next().unwrap_or_default();
    let number = std::str::from_utf8(first).ok().and_then(|first| first.parse::<i32>().ok());
    let is_own = number.is_none_or(|number| number == seen.pid || number == seen.tid);
    let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    match last {
        b"loginuid" | b"sessionid" if writes => {
            (CapabilitySet::of(&[c::CAP_AUDIT_CONTROL]).or(SYS_PTRACE), "/proc/*/loginuid")
        }
        b"uid_map" | b"gid_map" if writes => (IDS.or(CapabilitySet::of(&[c::CAP_SETFCAP])), "/proc/*/uid_map"),
        b"ns_last_pid" => (SYS_ADMIN.or(CapabilitySet::of(&[c::CAP_CHECKPOINT_RESTORE])), "ns_last_pid"),
        b"timerslack_ns" if writes => (SYS_NICE.or(SYS_PTRACE), "/proc/*/timerslack_ns"),
        b"pagemap" => (SYS_ADMIN.or(SYS_PTRACE), "/proc/*/pagemap"),
        _ if path.windows(10).any(|part| part == b"/map_files") => {
            (SYS_ADMIN.or(SYS_PTRACE).or(CapabilitySet::of(&[c::CAP_CHECKPOINT_RESTORE])), "/proc/*/map_files")
        }
        _ if path.windows(6).any(|part| part == b"/attr/") && writes => {
            (SYS_ADMIN.or(CapabilitySet::of(&[c::CAP_MAC_ADMIN])), "/proc/*/attr")
        }
        _ if !is_own || (path.is_empty() || path == b"/") => (SYS_PTRACE, "/proc of other processes"),
        _ => match first {
            b"sys" if writes => (SYS_ADMIN.or(NET_ADMIN), "/proc/sys"),
            b"kcore" => (CapabilitySet::of(&[c::CAP_SYS_RAWIO]), "/proc/kcore"),
            b"kmsg" | b"kallsyms" | b"modules" | b"vmallocinfo" | b"timer_list" => (SYSLOG, "the kernel's addresses"),
            _ if first.starts_with(b"kpage") || first == b"mtrr" => (SYS_ADMIN, "files of /proc"),
            b"bus" | b"driver" | b"scsi" | b"acpi" => (DEVICE, "files of /proc"),
            _ => (NONE, ""),
        },
    }
}
