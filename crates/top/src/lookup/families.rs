//! The traced processes, as /proc has them now.

use std::collections::{HashMap, HashSet};
use stride_engine_base::procfs;
use stride_event::Tid;

/// The processes that are traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TracedProcesses {
    Machine,
    /// These, and those that they have started if that is wanted.
    Processes {
        pids: Vec<i32>,
        and_descendants: bool,
    },
}

impl TracedProcesses {
    /// These processes and one more.
    pub fn and(&self, pid: Option<i32>) -> TracedProcesses {
        let mut all = self.clone();
        if let (TracedProcesses::Processes { pids, .. }, Some(pid)) = (&mut all, pid)
            && !pids.contains(&pid)
        {
            pids.push(pid);
        }
        all
    }
}

/// The children of each process.
pub struct ProcessFamilies {
    all: Vec<Tid>,
    children: HashMap<Tid, Vec<Tid>>,
}

impl ProcessFamilies {
    pub fn now() -> ProcessFamilies {
        let all: Vec<Tid> = procfs::processes().collect();
        let mut children: HashMap<Tid, Vec<Tid>> = HashMap::new();
        for &pid in &all {
            if let Some(parent) = procfs::parent(pid) {
                children.entry(parent).or_default().push(pid);
            }
        }
        children.values_mut().for_each(|pids| pids.sort_unstable());
        ProcessFamilies { all, children }
    }

    pub fn children(&self, pid: Tid) -> &[Tid] {
        self.children.get(&pid).map_or(&[], Vec::as_slice)
    }

    /// Never Stride itself, and those that it has started for its tables.
    pub fn wanted(&self, of: &TracedProcesses) -> Vec<Tid> {
        let own = std::process::id() as Tid;
        match of {
            TracedProcesses::Machine => {
                let helps = |pid: &Tid| self.children(own).contains(pid) && is_stride(*pid);
                self.all.iter().copied().filter(|pid| *pid != own && !helps(pid)).collect()
            }
            TracedProcesses::Processes { pids, and_descendants } => {
                let mut wanted = pids.clone();
                let mut known: HashSet<Tid> = pids.iter().copied().collect();
                // (One that is waited for may also be a child.)
                let mut at = 0;
                while *and_descendants && at < wanted.len() {
                    wanted.extend(self.children(wanted[at]).iter().filter(|child| known.insert(**child)));
                    at += 1;
                }
                wanted
            }
        }
    }
}

/// True if a process runs the program that this one runs.
fn is_stride(pid: Tid) -> bool {
    let program = |path: String| std::fs::read_link(path).ok();
    program(procfs::path(pid, "exe")).is_some_and(|theirs| Some(theirs) == program("/proc/self/exe".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_followed() {
        let children = HashMap::from([(1, vec![2, 3]), (2, vec![4]), (4, vec![1])]);
        let families = ProcessFamilies { all: vec![1, 2, 3, 4, 5], children };
        let of = |pids: &[i32], and_descendants| TracedProcesses::Processes { pids: pids.to_vec(), and_descendants };
        assert_eq!(families.wanted(&of(&[2], false)), [2]);
        // (Ids that were used again may seem to go round in a circle.)
        assert_eq!(families.wanted(&of(&[2], true)), [2, 4, 1, 3]);
        assert_eq!(families.wanted(&TracedProcesses::Machine), [1, 2, 3, 4, 5]);
        // A process that is waited for may be no child of them.
        assert_eq!(of(&[2], true).and(Some(5)), of(&[2, 5], true));
        assert_eq!(of(&[2], true).and(Some(2)), of(&[2], true));
        assert_eq!(TracedProcesses::Machine.and(Some(2)), TracedProcesses::Machine);
    }
}
