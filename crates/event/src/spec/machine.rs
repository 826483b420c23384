//! The choice of the machine's processes to trace (`--all`).

use crate::Glob;
use std::ffi::OsString;
use std::path::PathBuf;

/// Every process but Stride's own, or those that pass all of these filters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// `--comm`: for the name of the thread or of its process.
    pub comm: Vec<Glob>,
    /// `--exe`: for the path of the executable.
    pub exe: Vec<Glob>,
    /// `--user`: the effective user id.
    pub user: Option<u32>,
    /// `--cgroup`: cgroups of version 2. Those below them are wanted, too.
    pub cgroups: Vec<CgroupPath>,
    /// `--container`: patterns for the names and ids of containers. A thread in one of them is wanted, as one in `cgroups` is.
    pub containers: Vec<Vec<u8>>,
}

/// A cgroup by its path. It may not be there yet, and may be removed and made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupPath {
    /// The directory where the hierarchy is mounted.
    pub root: PathBuf,
    /// The directories from there to the cgroup, each without a slash.
    pub names: Vec<OsString>,
}

impl CgroupPath {
    /// Its directory.
    pub fn dir(&self) -> PathBuf {
        self.root.join(self.names.iter().collect::<PathBuf>())
    }
}

impl Machine {
    /// The most patterns for names and paths together.
    pub const GLOBS: usize = 32;
}
