//! Cgroups that are wanted by path (`--cgroup`).
//!
//! The kernel side knows wanted cgroups by id. A cgroup that is removed and made again has another id, as that of a unit has after a stop, and its first
//! process enters before this process could look. So the kernel side knows the paths, too (`cgroup_parts`), and compares each cgroup that is made
//! with them, by its name and by the cgroup above it.

use crate::error::Why;
use crate::kernel::Kernel;
use crate::loading::cgroup_parts::part;
use std::os::unix::fs::MetadataExt;
use stride_event::CgroupPath;

/// How often a path is looked at again that changes meanwhile.
const LOOKS: usize = 100;

/// Has the kernel side follow the paths. Programs are attached already, and know the names: they see a cgroup that is made from now
/// on. Returns sentences for the user.
pub fn follow(kernel: &mut Kernel, paths: &[CgroupPath]) -> Result<Vec<String>, Why> {
    let mut first = 0;
    let mut remarks = Vec::new();
    for path in paths {
        let mut ids = found(path);
        for _ in 0..LOOKS {
            for (at, &above) in (0..path.names.len()).zip(&ids) {
                kernel.set_cgroup_part(first + at as u32, part(path, at, above))?;
            }
            if let Some(&wanted) = ids.get(path.names.len()) {
                kernel.want_cgroup(wanted)?;
            }
            // What this process has just written may be older than what a program wrote.
            let now = found(path);
            if now == ids {
                break;
            }
            ids = now;
        }
        if ids.len() <= path.names.len() {
            remarks.push(format!(
                "there is no cgroup {} yet, so Stride waits for it; `cat /proc/PID/cgroup` tells in which cgroup a process is",
                path.dir().display()
            ));
        }
        first += path.names.len() as u32;
    }
    Ok(remarks)
}

/// The ids of the directories of the path that are there, from the root of the hierarchy on.
fn found(path: &CgroupPath) -> Vec<u64> {
    let mut dir = path.root.clone();
    let below = path.names.iter().map(|name| {
        dir.push(name);
        dir.clone()
    });
    let dirs = std::iter::once(path.root.clone()).chain(below);
    dirs.map_while(|dir| dir.symlink_metadata().ok().filter(|meta| meta.is_dir()).map(|meta| meta.ino())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use stride_test_support::Scratch;

    #[test]
    fn directories_that_are_there() {
        let scratch = Scratch::new("cgroup-paths");
        let root = scratch.path("");
        let path = CgroupPath { root: root.clone(), names: ["a.slice", "b"].map(Into::into).to_vec() };
        let ino = |name: &str| fs::metadata(root.join(name)).unwrap().ino();
        assert_eq!(found(&path), [ino("")]);
        fs::create_dir_all(path.dir()).unwrap();
        assert_eq!(found(&path), [ino(""), ino("a.slice"), ino("a.slice/b")]);
    }
}
