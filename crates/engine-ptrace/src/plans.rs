//! Capture plans, each made from its row when a call is first seen, and capturing with them.

use crate::memory::MemoryReader;
use crate::vcpus;
use stride_event::{Call, FdSet, Limits, Outcome, Phase, Tid, TraceSpec, VcpuDetail, actual_call, capture};
use stride_syscalls::plan::{IOV_MAX, Op, Plan};
use stride_syscalls::{Abi, Syscall, table};

#[derive(Debug)]
struct Planned {
    row: &'static Syscall,
    plan: Plan,
    entry: bool,
    exit: bool,
    /// The plan reads something even if the call failed.
    exit_always: bool,
    /// The first argument is a descriptor that the call transfers data through.
    reads: bool,
    writes: bool,
}

#[derive(Debug, Default)]
enum Slot {
    #[default]
    Unseen,
    Nothing,
    Plan(Box<Planned>),
}

#[derive(Debug)]
pub struct Plans {
    by_nr: [Vec<Slot>; Abi::ALL.len()],
    limits: Limits,
    dump_read: FdSet,
    dump_write: FdSet,
    /// True if the sets above are not empty.
    dumps: bool,
    vcpus: VcpuDetail,
    reader: MemoryReader,
}

impl Plans {
    pub fn new(spec: &TraceSpec) -> Plans {
        Plans {
            by_nr: Default::default(),
            limits: spec.limits,
            dump_read: spec.dump_read.clone(),
            dump_write: spec.dump_write.clone(),
            dumps: !spec.dump_read.is_empty() || !spec.dump_write.is_empty(),
            vcpus: spec.vcpus,
            reader: MemoryReader::default(),
        }
    }

    /// This thread has other memory now (execve), or none.
    pub fn forget(&mut self, tid: Tid) {
        self.reader.forget(tid);
    }

    /// The number and the arguments of the call that a thread makes. socketcall(2) and ipc(2) stand for others.
    pub fn demultiplexed(&mut self, tid: Tid, abi: Abi, nr: u64, args: [u64; 6]) -> (u64, [u64; 6]) {
        actual_call(abi, nr, args, &mut self.reader.of(tid))
    }

    /// Overwrites memory of a thread that is stopped. Returns how many bytes could be written.
    pub fn poke(&mut self, tid: Tid, addr: u64, bytes: &[u8]) -> usize {
        self.reader.write(tid, addr, bytes)
    }

    /// Copies what the plan of this call asks for in this phase.
    pub fn capture(&mut self, call: &mut Call, phase: Phase) {
        if self.vcpus != VcpuDetail::None && vcpus::runs(call) {
            vcpus::capture(self.vcpus, call, phase, &mut self.reader.of(call.tid));
        }
        let Some(planned) = planned(&mut self.by_nr[call.abi as usize], call.abi, call.nr) else { return };
        let wanted = match phase {
            Phase::Entry => planned.entry,
            Phase::Exit if matches!(call.outcome, Outcome::Value(_)) => planned.exit,
            Phase::Exit => planned.exit_always,
        };
        if !wanted {
            return;
        }
        let mut limits = self.limits;
        if self.dumps {
            let fd = call.args[0] as i32;
            if planned.reads && self.dump_read.contains(fd) || planned.writes && self.dump_write.contains(fd) {
                limits.text = usize::MAX;
                limits.elements = limits.elements.max(IOV_MAX);
                limits.received = true;
            }
        }
        capture(&planned.plan, planned.row, phase, call, &limits, &mut self.reader.of(call.tid));
    }
}

fn planned(slots: &mut Vec<Slot>, abi: Abi, nr: u64) -> Option<&Planned> {
    let i = usize::try_from(nr).ok()?;
    if i >= slots.len() {
        let table = table(abi);
        if i >= table.len() {
            return None;
        }
        slots.resize_with(table.len(), Slot::default);
    }
    let slot = &mut slots[i];
    if let Slot::Unseen = slot {
        *slot = plan(abi, nr).map_or(Slot::Nothing, |p| Slot::Plan(Box::new(p)));
    }
    match slot {
        Slot::Plan(planned) => Some(planned),
        _ => None,
    }
}

fn plan(abi: Abi, nr: u64) -> Option<Planned> {
    let row = table(abi).get(nr)?.row;
    let plan = Plan::of(row, abi);
    if plan.is_empty() {
        return None;
    }
    let any = |f: fn(&Op) -> bool| plan.all().any(f);
    let entry = any(|op| op.dir.at_entry());
    let exit = any(|op| op.dir.at_exit(true));
    let exit_always = any(|op| op.dir.at_exit(false));
    let (reads, writes) = plan.transfers(row);
    Some(Planned { row, entry, exit, exit_always, reads, writes, plan })
}
