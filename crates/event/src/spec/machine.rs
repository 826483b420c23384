//! The choice of the machine's processes to trace (`--all`).

use crate::Glob;

/// Every process but Stride's own, or those that pass all of these filters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// `--comm`: for the name of the thread or of its process.
    pub comm: Vec<Glob>,
    /// `--exe`: for the path of the executable.
    pub exe: Vec<Glob>,
    /// `--user`: the effective user id.
    pub user: Option<u32>,
    /// `--cgroup`: the ids of cgroups of version 2. Those below them are wanted, too.
    pub cgroups: Vec<u64>,
    /// `--container`: patterns for the names and ids of containers. A thread in one of them is wanted, as one in `cgroups` is.
    pub containers: Vec<Vec<u8>>,
}

impl Machine {
    /// The most patterns for names and paths together.
    pub const GLOBS: usize = 32;
}
