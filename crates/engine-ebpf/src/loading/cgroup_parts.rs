//! The paths to wanted cgroups, as the kernel side knows them: one directory after the other.

use crate::wire::{bound, cgroup_part};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use stride_event::CgroupPath;

/// All directories of the paths. It is not known yet which of them are there.
pub fn parts(paths: &[CgroupPath]) -> impl Iterator<Item = cgroup_part> {
    paths.iter().flat_map(|path| (0..path.names.len()).map(|at| part(path, at, 0)))
}

/// The directory at `at` of the path, below the cgroup with the id `above` (0 if that is not known).
pub fn part(path: &CgroupPath, at: usize, above: u64) -> cgroup_part {
    let mut name = [0; bound::CGROUP_NAME.0 as usize];
    // (Linux has no longer names.)
    let text = path.names.get(at).map_or(&[][..], |name| OsStr::as_bytes(name));
    name.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    cgroup_part { above, last: (at + 1 == path.names.len()).into(), name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_paths() {
        let path = |names: &[&str]| CgroupPath { root: "/".into(), names: names.iter().map(Into::into).collect() };
        let all: Vec<_> = parts(&[path(&["a.slice", "b"]), path(&[]), path(&["c"])]).collect();
        let shown = |part: &cgroup_part| {
            (part.above, part.last, String::from_utf8_lossy(&part.name).trim_end_matches('\0').to_owned())
        };
        let shown: Vec<_> = all.iter().map(shown).collect();
        assert_eq!(shown, [(0, 0, "a.slice".into()), (0, 1, "b".into()), (0, 1, "c".into())]);
        assert_eq!(part(&path(&["a", "b"]), 0, 7).above, 7);
    }
}
