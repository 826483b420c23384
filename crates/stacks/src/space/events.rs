//! Follows from the events which code the processes map.

use crate::Stacks;
use stride_event::{Call, CallSet, Event, Outcome, StartKind, Tid};
use stride_syscalls::{Abi, Effect, Syscall, table};

const PROT_EXEC: u64 = 4;
const SHM_EXEC: u64 = 0x8000;

/// The calls that [`Stacks::note`] has to see, whatever else is traced.
pub fn mapping_calls() -> CallSet {
    let mut calls = CallSet::empty();
    for abi in Abi::ALL {
        let mapping = table(abi).iter().filter(|entry| changes_mappings(entry.row));
        mapping.for_each(|entry| calls.insert(abi, entry.nr));
    }
    calls
}

fn changes_mappings(row: &Syscall) -> bool {
    let effects = [Effect::Executes, Effect::Maps, Effect::Unmaps, Effect::Remaps, Effect::Protects, Effect::Attaches];
    effects.into_iter().any(|effect| row.has_effect(effect))
}

impl Stacks {
    /// Takes note of what an event changes. The caller passes every event, in the engine's order.
    pub fn note(&mut self, event: &Event<'_>) {
        match *event {
            Event::Exit(call) | Event::NamingCall(call) => self.returned(call),
            Event::Started { tid, process, origin, .. } => {
                self.threads.insert(tid, process);
                if let StartKind::Forked { parent } = origin {
                    let parent = self.process_of(parent);
                    self.forked(process, parent);
                }
            }
            Event::Superseded { old, .. } => {
                self.threads.remove(&old);
            }
            Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. } => {
                let process = self.process_of(tid);
                self.threads.remove(&tid);
                if tid == process {
                    self.ended(process);
                }
            }
            Event::Enter(_)
            | Event::Library(_)
            | Event::Signal { .. }
            | Event::Stopped { .. }
            | Event::Ending { .. }
            | Event::Named { .. }
            | Event::NamespaceId { .. }
            | Event::Stranger { .. }
            | Event::Personality { .. }
            | Event::Lost { .. }
            | Event::Idle => {}
        }
    }

    fn process_of(&self, tid: Tid) -> Tid {
        self.threads.get(&tid).copied().unwrap_or(tid)
    }

    fn returned(&mut self, call: &Call) {
        let Some(entry) = table(call.abi).get(call.nr).filter(|_| self.mapping.contains(call.abi, call.nr)) else {
            return;
        };
        let Outcome::Value(value) = call.outcome else { return };
        let row = entry.row;
        let process = self.process_of(call.tid);
        if row.has_effect(Effect::Executes) {
            self.executed(process);
            return;
        }
        let value = if call.abi == Abi::I386 { u64::from(value as u32) } else { value as u64 };
        if row.has_effect(Effect::Maps) && row.args.iter().all(|arg| arg.name != "length") {
            // The first mmap of i386 has its arguments in memory.
            self.changed(process, 0, u64::MAX, true);
        } else if row.has_effect(Effect::Attaches) {
            // (Its size is known to the kernel alone.)
            let start = value;
            let is_code = row.value("shmflg", &call.args, call.abi) & SHM_EXEC != 0;
            self.changed(process, start, u64::MAX - start, is_code);
        } else if row.has_effect(Effect::Remaps) {
            let arg = |name| row.value(name, &call.args, call.abi);
            self.changed(process, arg("old_address"), arg("old_size"), false);
            // Code may have been moved there.
            self.changed(process, value, arg("new_size"), true);
        } else {
            let arg = |name| row.value(name, &call.args, call.abi);
            let start = if row.has_effect(Effect::Maps) { value } else { arg("addr") };
            let is_code = !row.has_effect(Effect::Unmaps) && arg("prot") & PROT_EXEC != 0;
            self.changed(process, start, arg("length"), is_code);
        }
    }
}
