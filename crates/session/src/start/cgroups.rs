//! `--cgroup`: where a cgroup is in the hierarchy.

use crate::os_error;
use anyhow::{Result, bail};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Component, Path};
use stride_event::CgroupPath;

/// linux/magic.h
/// (The C libraries differ in the sign of such numbers.)
const CGROUP2_SUPER_MAGIC: u64 = 0x6367_7270;
/// Where systemd and the tools of containers mount hierarchies.
const USUAL: &str = "/sys/fs/cgroup";

/// `path` is that of a cgroup's directory, or its path in the hierarchy. The cgroup may be made later.
pub fn find(path: &OsStr) -> Result<CgroupPath> {
    let Some(root) = stride_engine_base::cgroup_root() else {
        bail!(
            "--cgroup: no cgroup hierarchy of version 2 is mounted: mount it with `mount -t cgroup2 none /mnt`, or choose \
             processes by --comm, --exe or --user"
        );
    };
    let named = Path::new(path);
    let below = root.join(named.strip_prefix("/").unwrap_or(named));
    let given = named.is_absolute() && (named.is_dir() && !below.is_dir() || named.starts_with(&root));
    let dir = if given { named } else { below.as_path() };
    let dir = match dir.canonicalize() {
        Ok(dir) if dir.is_dir() => dir,
        Ok(_) => bail!("--cgroup: {} is no directory: a cgroup is one", dir.display()),
        Err(e) if e.kind() == ErrorKind::NotFound && (given || !named.starts_with(USUAL)) => dir.to_owned(),
        Err(e) => bail!(
            "--cgroup: there is no cgroup {}: {}; `cat /proc/PID/cgroup` tells in which cgroup a process is",
            dir.display(),
            os_error(&e)
        ),
    };
    // The hierarchy may be mounted at several places.
    let Some(root) = dir.ancestors().filter(|dir| is_cgroup(dir)).last() else {
        bail!(
            "--cgroup: {} is not in the cgroup hierarchy of version 2, which is mounted at {}: give a cgroup below that",
            dir.display(),
            root.display()
        );
    };
    let Some(names) = names(dir.strip_prefix(root).unwrap_or(Path::new(""))) else {
        bail!("--cgroup: {} has '..' in it, and is not there: give its path without that", dir.display());
    };
    Ok(CgroupPath { root: root.to_owned(), names })
}

fn is_cgroup(dir: &Path) -> bool {
    nix::sys::statfs::statfs(dir).is_ok_and(|fs| fs.filesystem_type().0 as u64 == CGROUP2_SUPER_MAGIC)
}

/// The directories of a path. `None` if one of them is `..`.
fn names(path: &Path) -> Option<Vec<OsString>> {
    let named = path.components().filter(|part| *part != Component::CurDir);
    named.map(|part| matches!(part, Component::Normal(_)).then(|| part.as_os_str().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories() {
        let of = |path: &str| names(Path::new(path));
        assert_eq!(of("system.slice/./nginx.service/").unwrap(), ["system.slice", "nginx.service"]);
        assert_eq!(of("").unwrap(), [""; 0]);
        assert_eq!(of("a/../b"), None);
    }
}
