//! The changes to a thread's calls so far. `inject` carries the changes out.

use std::collections::HashMap;
use stride_event::{CallSet, ThreadKey};
use stride_syscalls::Abi;

/// The part of a thread's record that is about changes.
#[derive(Debug, Default)]
pub struct ThreadInjections {
    pub key: ThreadKey,
    children: u64,
    /// The number of calls of each syscall number that were subject to a rule.
    counts: HashMap<(Abi, u64), u64>,
    /// The rule that changes the call in flight.
    pub rule: Option<usize>,
    /// The result that the call in flight gets when it returns.
    pub owed: Option<i64>,
    /// The register of an argument that gets its value back when the call returns: its position, and the value.
    pub shortened: Option<(usize, u64)>,
}

impl ThreadInjections {
    pub fn new(key: ThreadKey) -> ThreadInjections {
        ThreadInjections { key, ..ThreadInjections::default() }
    }

    /// The key of the next thread that this one makes.
    pub fn next_child(&mut self) -> ThreadKey {
        self.children += 1;
        self.key.child(self.children)
    }

    /// The number of this call among those of its thread, counted from 1.
    pub fn count(&mut self, abi: Abi, nr: u64) -> u64 {
        // Numbers that no kernel knows share a counter: a program may make them up.
        let count = self.counts.entry((abi, nr.min(CallSet::NUMBERS as u64))).or_default();
        *count += 1;
        *count
    }
}
