//! The cgroup hierarchy of version 2, and names of cgroups.

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

/// The container's id in a name such as `docker-ID.scope`: 64 hexadecimal digits. (Beside a container, Podman and CRI-O have a cgroup for
/// its monitor.)
pub fn container_id(name: &str) -> Option<&str> {
    let name = name.strip_suffix(".scope").unwrap_or(name);
    if name.contains("conmon") {
        return None;
    }
    let id = name.rsplit(['-', ':']).next()?;
    (id.len() == 64 && id.bytes().all(|b| b.is_ascii_hexdigit())).then_some(id)
}
