//! The functions of the program that made a run's calls, for comparison with another run.
//!
//! The two programs may differ, so functions are compared by name, and their lines are only shown.

use crate::tally::Tally;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use stride_event::{CallingFunction, WithSource};

/// A function by the name of its module's file, and its own.
type FunctionName = (Box<[u8]>, Box<str>);

/// The functions that made a syscall's calls.
#[derive(Debug, Default)]
pub struct SyscallCallers {
    /// The calls whose function is known.
    attributed: u64,
    functions: BTreeMap<FunctionName, FunctionCalls>,
}

#[derive(Debug)]
struct FunctionCalls {
    calls: u64,
    /// The function, with the line from which it makes most of them.
    function: CallingFunction,
    from_line: u64,
}

/// A function's calls in both runs.
#[derive(Clone, Debug)]
pub struct CallerChange {
    pub function: CallingFunction,
    pub base: u64,
    pub this: u64,
}

impl CallerChange {
    pub fn more(&self) -> i64 {
        self.this as i64 - self.base as i64
    }
}

/// The callers of all syscalls.
pub fn callers(tally: &Tally, with_source: &WithSource<'_>) -> BTreeMap<Rc<str>, SyscallCallers> {
    let mut found = HashMap::new();
    let mut all: BTreeMap<Rc<str>, SyscallCallers> = BTreeMap::new();
    for (call, stacks) in tally.stacks() {
        let mut by_line: HashMap<CallingFunction, u64> = HashMap::new();
        for (id, count) in stacks {
            let caller =
                found.entry(*id).or_insert_with(|| CallingFunction::of(tally.stack(*id), with_source)).as_ref();
            if let Some(caller) = caller.filter(|caller| caller.function.is_some()) {
                *by_line.entry(caller.clone()).or_default() += count.taken;
            }
        }
        let of = all.entry(call.name.clone()).or_default();
        by_line.into_iter().for_each(|(function, calls)| of.add(function, calls));
    }
    all
}

impl SyscallCallers {
    fn add(&mut self, function: CallingFunction, calls: u64) {
        self.attributed += calls;
        let path = function.module.as_ref().map_or(&b""[..], |module| &module.path);
        let module = path.rsplit(|&b| b == b'/').next().unwrap_or_default();
        let name = (module.into(), function.function.clone().unwrap_or_default());
        let line = |function: &CallingFunction| function.source.as_ref().map(|source| source.line);
        match self.functions.get_mut(&name) {
            Some(entry) => {
                entry.calls += calls;
                if (calls, line(&function)) > (entry.from_line, line(&entry.function)) {
                    (entry.function, entry.from_line) = (function, calls);
                }
            }
            None => _ = self.functions.insert(name, FunctionCalls { calls, function, from_line: calls }),
        }
    }

    /// True if the calling function is known for all or nearly all of `calls` calls.
    fn covers(&self, calls: u64) -> bool {
        calls.saturating_sub(self.attributed) <= 1 + calls / 100
    }

    /// The functions whose calls changed, the largest change first. Empty unless the callers of both runs are known.
    pub fn changes(base: &SyscallCallers, base_calls: u64, this: &SyscallCallers, calls: u64) -> Vec<CallerChange> {
        if !base.covers(base_calls) || !this.covers(calls) {
            return Vec::new();
        }
        let now = this.functions.iter().map(|(name, now)| CallerChange {
            function: now.function.clone(),
            base: base.functions.get(name).map_or(0, |was| was.calls),
            this: now.calls,
        });
        let gone = base.functions.iter().filter(|(name, _)| !this.functions.contains_key(*name));
        let gone = gone.map(|(_, was)| CallerChange { function: was.function.clone(), base: was.calls, this: 0 });
        let mut changes: Vec<CallerChange> = now.chain(gone).filter(|change| change.base != change.this).collect();
        // The functions are in the order of their names.
        changes.sort_by_key(|change| std::cmp::Reverse(change.more().unsigned_abs()));
        changes
    }
}
