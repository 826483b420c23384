//! The threads whose calls are wanted.

use crate::{Bounds, Comm};

/// A name as two numbers, as the memory of this machine has them.
pub fn comm_words(comm: Comm) -> [u64; 2] {
    let word = |at| u64::from_ne_bytes(std::array::from_fn(|i| comm[at + i]));
    [word(0), word(8)]
}

/// Threads by their ids and names. An engine may skip the calls of other threads; their beginnings and ends are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedThreads {
    /// The ids of their processes.
    pub processes: Bounds<i64>,
    /// Their own ids.
    pub threads: Bounds<i64>,
    /// The name of the thread when the call returns.
    pub comm: Option<Comm>,
}

impl Default for WantedThreads {
    fn default() -> WantedThreads {
        WantedThreads { processes: Bounds::<i64>::ALL, threads: Bounds::<i64>::ALL, comm: None }
    }
}

impl WantedThreads {
    /// The calls of no thread.
    pub const NONE: WantedThreads =
        WantedThreads { processes: Bounds { least: 1, most: 0 }, threads: Bounds::<i64>::ALL, comm: None };

    /// The threads of this name. The kernel cuts longer names off, so no thread has them.
    pub fn named(name: &[u8]) -> WantedThreads {
        let mut comm = Comm::default();
        match comm[..15].get_mut(..name.len()) {
            Some(to) if !name.contains(&0) => to.copy_from_slice(name),
            _ => return WantedThreads::NONE,
        }
        WantedThreads { comm: Some(comm), ..WantedThreads::default() }
    }

    /// Neither ids nor names decide anything.
    pub fn is_all(&self) -> bool {
        *self == WantedThreads::default()
    }

    /// The threads that both want.
    pub fn and(self, other: WantedThreads) -> WantedThreads {
        if self.comm.is_some() && other.comm.is_some() && self.comm != other.comm {
            return WantedThreads::NONE;
        }
        WantedThreads {
            processes: self.processes.intersection(other.processes),
            threads: self.threads.intersection(other.threads),
            comm: self.comm.or(other.comm),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_exclude_each_other() {
        let (cat, dog) = (WantedThreads::named(b"cat"), WantedThreads::named(b"dog"));
        assert_eq!(cat.comm, Some(*b"cat\0\0\0\0\0\0\0\0\0\0\0\0\0"));
        assert_eq!((cat.and(cat), cat.and(dog)), (cat, WantedThreads::NONE));
        assert_eq!(cat.and(WantedThreads::default()), cat);
        assert_eq!(WantedThreads::named(b"fifteen letters").comm, Some(*b"fifteen letters\0"));
        assert_eq!(WantedThreads::named(b"sixteen letters!"), WantedThreads::NONE);
        assert_eq!(WantedThreads::named(b"a\0b"), WantedThreads::NONE);
    }
}
