//! The cgroup hierarchy of version 2.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The mount point of the hierarchy.
pub fn cgroup_root() -> Option<PathBuf> {
    let mounts = fs::read("/proc/self/mountinfo").ok()?;
    mounts.split(|b| *b == b'\n').find_map(|line| {
        // proc_pid_mountinfo(5): the fifth field is the mount point, and behind " - " stands the type.
        let at = line.windows(3).position(|w| w == b" - ")?;
        let mut kind = line[at + 3..].split(|b| *b == b' ');
        let point = line.split(|b| *b == b' ').nth(4)?;
        (kind.next()? == b"cgroup2").then(|| PathBuf::from(OsStr::from_bytes(point)))
    })
}
