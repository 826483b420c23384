//! Opening files by names from tracees, which may have put anything in their place.

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, fstatfs, open, openat};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use stride_syscalls::uapi::consts as c;

/// File systems whose files the kernel makes up when they are read. Reading some of them waits, or takes something away.
const MADE_UP: [u64; 11] = [
    c::PROC_SUPER_MAGIC,
    c::SYSFS_MAGIC,
    c::DEBUGFS_MAGIC,
    c::TRACEFS_MAGIC,
    c::CGROUP_SUPER_MAGIC,
    c::CGROUP2_SUPER_MAGIC,
    c::SECURITYFS_MAGIC,
    c::SELINUX_MAGIC,
    c::BPF_FS_MAGIC,
    c::PSTOREFS_MAGIC,
    c::EFIVARFS_MAGIC,
];

/// Opens a regular file for reading. Pipes and devices are not opened: to open them may wait, or do something. Nor are files that the kernel makes up.
pub fn open_regular(path: &Path) -> Option<File> {
    let found = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let stat = fstat(&found).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let system = fstatfs(&found).ok()?;
    if MADE_UP.contains(&(system.f_type as u64)) {
        return None;
    }
    // Exactly this file, whatever has the name by now.
    let own = format!("/proc/self/fd/{}", found.as_raw_fd());
    openat(CWD, own, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK, Mode::empty())
        .ok()
        .map(File::from)
}
