//! `--cgroup`: from paths to the ids that the kernel knows.

use crate::os_error;
use anyhow::{Result, bail};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// linux/magic.h
/// (The C libraries differ in the sign of such numbers.)
const CGROUP2_SUPER_MAGIC: u64 = 0x6367_7270;

/// The id of a cgroup. `path` is that of its directory, or its path in the hierarchy.
pub fn id(path: &OsStr) -> Result<u64> {
    let Some(root) = stride_engine_base::cgroup_root() else {
        bail!(
            "--cgroup: no cgroup hierarchy of version 2 is mounted: mount it with `mount -t cgroup2 none /mnt`, or choose \
             processes by --comm, --exe or --user"
        );
    };
    let below = Path::new(path);
    let below = root.join(below.strip_prefix("/").unwrap_or(below));
    let named = Path::new(path);
    let dir = if named.is_absolute() && named.is_dir() && !below.is_dir() { named } else { below.as_path() };
    let meta = match dir.metadata() {
        Ok(meta) if meta.is_dir() => meta,
        Ok(_) => bail!("--cgroup: {} is no directory: a cgroup is one", dir.display()),
        Err(e) => bail!(
            "--cgroup: there is no cgroup {}: {}; `cat /proc/PID/cgroup` tells in which cgroup a process is",
            dir.display(),
            os_error(&e)
        ),
    };
    let kind = nix::sys::statfs::statfs(dir).map_or(0, |fs| fs.filesystem_type().0 as u64);
    if kind != CGROUP2_SUPER_MAGIC {
        bail!(
            "--cgroup: {} is not in the cgroup hierarchy of version 2, which is mounted at {}: give a cgroup below that",
            dir.display(),
            root.display()
        );
    }
    Ok(meta.ino())
}
