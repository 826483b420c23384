//! The calls whose functions take the place of the tracepoints in a long run ([`crate::functions`]).

use super::Tables;
use crate::wire::{bound, call_flag};
use std::collections::BTreeSet;
use stride_syscalls::{Abi, Effect, multiplexed, table};

/// The calls whose functions are wanted.
pub struct HookedCalls {
    /// Native calls, by number.
    pub numbers: Vec<u32>,
    /// 32-bit calls, by name. (The kernel tells no table of them.)
    pub old: BTreeSet<&'static str>,
}

/// The calls whose functions take the place of the tracepoints. `None`: the tracepoints serve this trace as well, or better.
pub fn calls(tables: &Tables) -> Option<HookedCalls> {
    if !tables.few {
        return None;
    }
    let flags = call_flag::CALL_TRACED.0 | call_flag::CALL_EXEC.0;
    // (The end of a thread is seen elsewhere, and the function never returns. Calls without a name, which every filter lets through, are
    // served by functions to which nothing can be attached.)
    let of = |abi: Abi| {
        let start = abi as usize * bound::NUMBERS.0 as usize;
        let is_wanted =
            move |nr: u32| tables.calls.get(start + nr as usize).is_some_and(|call| call.flags & flags != 0);
        table(abi).iter().filter(move |entry| is_wanted(entry.nr) && !entry.row.has_effect(Effect::Exits))
    };
    let numbers: Vec<u32> = of(Abi::NATIVE).map(|entry| entry.nr).collect();
    let mut old = BTreeSet::new();
    for entry in of(Abi::I386) {
        let by = multiplexed::multiplexer(entry.nr);
        old.extend(by.and_then(multiplexer_name));
        if entry.nr < multiplexed::NUMBERS.iter().map(|&(nr, _)| nr).min().unwrap_or(u32::MAX) {
            old.insert(entry.row.name);
        }
    }
    let few = numbers.len() <= bound::MOST_FUNCTIONS.0 as usize && old.len() <= bound::MOST_FUNCTIONS.0 as usize;
    few.then_some(HookedCalls { numbers, old })
}

fn multiplexer_name(nr: u32) -> Option<&'static str> {
    Some(match nr {
        multiplexed::SOCKETCALL => "socketcall",
        multiplexed::IPC => "ipc",
        multiplexed::OLD_SELECT => "old_select",
        multiplexed::OLD_MMAP => "mmap",
        _ => return None,
    })
}
