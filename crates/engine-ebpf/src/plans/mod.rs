//! Capture plans as the kernel side's tables.

pub mod file_filter;
pub mod globs;
pub mod hooked;

use file_filter::Fds;

use crate::error;
use crate::wire::{bound, call_flag, call_plan, case_key, choice, op, op_count, op_dir, op_kind, op_run};
use stride_engine_base::StartError;
use stride_event::{CallSet, FileFilter, Limits, TraceSpec};
use stride_syscalls::plan::{Cap, Choice, Count, IOV_MAX, MAX_BYTES, MESSAGE_HEADER, Op, OpKind, Plan, ROOT, STACK};
use stride_syscalls::{Abi, Dir, Effect, Syscall, multiplexed, table};

const NUMBERS: usize = bound::NUMBERS.0 as usize;
const PATH_MAX: u32 = 4096;

/// The contents of the maps.
pub struct Tables {
    pub ops: Vec<op>,
    /// By `abi * NUMBERS + nr`.
    pub calls: Vec<call_plan>,
    pub choices: Vec<choice>,
    pub case_keys: Vec<case_key>,
    pub case_runs: Vec<op_run>,
    /// Some call must be seen at its entry.
    pub needs_entry: bool,
    /// execve is wanted.
    pub execs: bool,
    /// Not all calls are wanted.
    pub few: bool,
    /// Some calls are wanted however they return.
    pub names: bool,
}

impl Tables {
    pub fn of(spec: &TraceSpec) -> Result<Tables, StartError> {
        // Calls that are only counted need no names: the kernel side knows those that its filters look at.
        let none = CallSet::empty();
        let names = if spec.counting.is_some_and(|counting| counting.only) { &none } else { &spec.names };
        let mut tables = Tables {
            ops: Vec::new(),
            calls: vec![call_plan::default(); NUMBERS * bound::ABIS.0 as usize],
            choices: Vec::new(),
            case_keys: Vec::new(),
            case_runs: Vec::new(),
            needs_entry: false,
            execs: false,
            few: !spec.calls.is_all() || spec.file_filter.is_some(),
            names: *names != none,
        };
        let reported = spec.calls.clone().union(names);
        for &abi in Abi::SERVED {
            tables.mark(abi, &reported);
            if let Some(filter) = &spec.file_filter {
                tables.narrow(abi, filter);
            }
            tables.keep(abi, names, &spec.calls);
            if !spec.no_memory {
                for entry in table(abi).iter() {
                    if reported.contains(abi, u64::from(entry.nr)) {
                        tables.lower(entry.row, abi, entry.nr, spec)?;
                    }
                }
            }
            tables.simplify(abi);
        }
        Ok(tables)
    }

    /// The numbers, as bits, of the calls in any ABI that have one of these flags.
    pub fn numbers(&self, flags: &[call_flag]) -> [u64; NUMBERS / 64] {
        let flags = flags.iter().fold(0, |all, flag| all | flag.0);
        let mut bits = [0; NUMBERS / 64];
        for (at, call) in self.calls.iter().enumerate() {
            bits[at % NUMBERS / 64] |= u64::from(call.flags & flags != 0) << (at % 64);
        }
        // A call of i386 may be made by a multiplexed call.
        let start = Abi::I386 as usize * NUMBERS;
        for (nr, call) in (0..).zip(self.calls.get(start..start + NUMBERS).unwrap_or_default()) {
            if let Some(by) = multiplexed::multiplexer(nr).filter(|_| call.flags & flags != 0) {
                bits[by as usize / 64] |= 1 << (by % 64);
            }
        }
        bits
    }

    /// Marks the wanted calls, and those that are found by their number alone.
    fn mark(&mut self, abi: Abi, wanted: &CallSet) {
        let start = abi as usize * NUMBERS;
        for (nr, call) in self.calls[start..start + NUMBERS].iter_mut().enumerate() {
            if wanted.contains(abi, nr as u64) {
                call.flags |= call_flag::CALL_TRACED.0;
            }
        }
        for entry in table(abi).iter() {
            let flags = &mut self.calls[start + entry.nr as usize].flags;
            if entry.row.returns_moved() {
                *flags |= call_flag::CALL_MOVES.0;
            }
            for (effect, flag) in [
                (Effect::Executes, call_flag::CALL_EXEC),
                (Effect::Forks, call_flag::CALL_CLONE),
                (Effect::Maps, call_flag::CALL_MAPS),
                (Effect::Protects, call_flag::CALL_MAPS),
                (Effect::Remaps, call_flag::CALL_REMAPS),
                (Effect::Attaches, call_flag::CALL_ATTACHES),
                (Effect::SetsUser, call_flag::CALL_SETS_USER),
            ] {
                if entry.row.has_effect(effect) {
                    *flags |= flag.0;
                }
            }
        }
    }

    /// Leaves out the calls that cannot be about the wanted files, and marks those that the kernel side can decide.
    fn narrow(&mut self, abi: Abi, wanted: &FileFilter) {
        let start = abi as usize * NUMBERS;
        for entry in table(abi).iter() {
            let call = &mut self.calls[start + entry.nr as usize];
            match (wanted, file_filter::fds(entry.row, abi)) {
                (FileFilter::Files, _) if file_filter::names_files(entry.row) => {}
                (FileFilter::Fds(_), Fds::Somewhere) => {}
                (FileFilter::Fds(_), Fds::Registers(mask)) if mask != 0 => {
                    call.fds = mask;
                    call.flags |= call_flag::CALL_FDS.0;
                }
                _ => call.flags &= !call_flag::CALL_TRACED.0,
            }
        }
    }

    /// Has calls reported whatever the filters say about them, and notes whether execve is among the reported ones.
    fn keep(&mut self, abi: Abi, names: &CallSet, shown: &CallSet) {
        let start = abi as usize * NUMBERS;
        for (nr, call) in self.calls[start..start + NUMBERS].iter_mut().enumerate() {
            if names.contains(abi, nr as u64) {
                call.flags = call.flags & !call_flag::CALL_FDS.0 | call_flag::CALL_TRACED.0 | call_flag::CALL_NAMES.0;
                if !shown.contains(abi, nr as u64) {
                    call.flags |= call_flag::CALL_UNSHOWN.0;
                }
            }
            let exec = call_flag::CALL_EXEC.0 | call_flag::CALL_TRACED.0;
            self.execs |= call.flags & exec == exec;
        }
    }

    /// Finds the calls that need no interpreter.
    fn simplify(&mut self, abi: Abi) {
        let start = abi as usize * NUMBERS;
        for call in &mut self.calls[start..start + NUMBERS] {
            let special = call_flag::CALL_ENTRY.0 | call_flag::CALL_EXEC.0;
            let simple = match call.ops.n {
                0 => true,
                1 => is_simple(&self.ops[call.ops.first as usize]),
                _ => false,
            };
            if simple && call.choices == 0 && call.flags & special == 0 {
                call.flags |= call_flag::CALL_SIMPLE.0;
            }
        }
    }

    fn lower(&mut self, row: &'static Syscall, abi: Abi, nr: u32, spec: &TraceSpec) -> Result<(), StartError> {
        let plan = Plan::of(row, abi);
        if plan.is_empty() {
            return Ok(());
        }
        let mut limits = spec.limits.of(row);
        let (reads, writes) = plan.transfers(row);
        if reads && !spec.dump_read.is_empty() || writes && !spec.dump_write.is_empty() {
            // For all descriptors. Calls whose data is not dumped show what they always do.
            limits = Limits { text: usize::MAX, elements: limits.elements.max(IOV_MAX), received: true, ..limits };
        }
        let limits = &limits;
        let too_much = |what: &str| error::plan(&format!("{}: {what}", row.name));
        if plan.choices.len() > bound::MAX_CHOICES.0 as usize {
            return Err(too_much("too many choices"));
        }
        let first_choice = self.choices.len() as u16;
        let ops = self.run(&plan.ops, 0, row, limits).ok_or_else(|| too_much("too many ops, or too far apart"))?;
        for choice in &plan.choices {
            self.choice(row, abi, choice, limits).ok_or_else(|| too_much("too many ops, or too far apart"))?;
        }
        // Overwritten when the call returns, or found through a register that is.
        let at_entry = |op: &Op| op.dir.is_lost() || op.parent == ROOT && op.at == STACK;
        let has = |f: fn(&Op) -> bool| plan.ops.iter().any(f);
        let mixed = has(|op| op.dir == Dir::In && op.kind == OpKind::Bytes) && has(|op| op.dir.at_exit(true));
        let entry = plan.all().any(at_entry);
        let call = &mut self.calls[abi as usize * NUMBERS + nr as usize];
        call.ops = ops;
        call.choice = first_choice;
        call.choices = plan.choices.len() as u16;
        if mixed {
            call.flags |= call_flag::CALL_MIXED.0;
            self.needs_entry = true;
        }
        if entry {
            call.flags |= call_flag::CALL_ENTRY.0;
            self.needs_entry = true;
        }
        Ok(())
    }

    fn choice(&mut self, row: &Syscall, abi: Abi, from: &Choice, limits: &Limits) -> Option<()> {
        let base = from.base as usize;
        let register = |name| row.register(row.index(name), abi) as u8;
        let otherwise = self.run(&from.default, base, row, limits)?;
        let index = self.choices.len() as u64;
        self.choices.push(choice {
            mask: from.key.mask,
            arg: register(from.key.arg),
            second: from.key.second.map_or(ROOT, register),
            shift: from.key.shift,
            otherwise,
            ..choice::default()
        });
        for (value, ops) in &from.cases {
            let run = self.run(ops, base, row, limits)?;
            self.case_keys.push(case_key { value: *value, choice: index });
            self.case_runs.push(run);
        }
        Some(())
    }

    /// Appends ops. `None` if they exceed the kernel side's bounds.
    fn run(&mut self, ops: &[Op], base: usize, row: &Syscall, limits: &Limits) -> Option<op_run> {
        if ops.len() > bound::MAX_RUN.0 as usize {
            return None;
        }
        let first = self.ops.len() as u32;
        for from in ops {
            let word_end = from.at as u32 + 8;
            if from.parent != ROOT && word_end > bound::MAX_AT.0 {
                return None;
            }
            let cap = if limits.leave_out(from, row) { 0 } else { u32::MAX };
            let op = lower(from, limits);
            let me = base + self.ops.len() - first as usize;
            let leaf = u8::from(ops.iter().all(|other| usize::from(other.parent) != me));
            self.ops.push(op { cap: op.cap.min(cap), leaf, ..op });
        }
        Some(op_run { first, n: ops.len() as u16, base: base as u16 })
    }
}

fn is_simple(op: &op) -> bool {
    let count = u32::from(op.count);
    let sized = count == op_count::COUNT_FIXED.0 || count == op_count::COUNT_RET.0 || count == op_count::COUNT_AT.0;
    // The kernel side leaves a call to the interpreter if there is more. Most calls of epoll_wait find few events.
    let least = if count == op_count::COUNT_FIXED.0 { op.cap.min(op.n) } else { 1 };
    op.parent == ROOT
        && u32::from(op.at) < bound::AT_STACK.0
        && u32::from(op.kind) == op_kind::OP_BYTES.0
        && sized
        && (op.less, op.shift) == (0, 0)
        && op.message == 0
        && u64::from(least) * u64::from(op.elem) <= u64::from(bound::SIMPLE_MAX.0)
}

fn lower(from: &Op, limits: &Limits) -> op {
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let (mut width, mut less, mut shift) = (4, 0, 0);
    let (count, n) = match from.count {
        Count::Fixed(n) => (op_count::COUNT_FIXED, n),
        Count::At { at, width: w } => {
            width = w;
            (op_count::COUNT_AT, u32::from(at))
        }
        Count::Units { at, width: w, less: l, shift: s } => {
            (width, less, shift) = (w, l, s);
            (op_count::COUNT_AT, u32::from(at))
        }
        Count::Deref { at } => (op_count::COUNT_DEREF, u32::from(at)),
        Count::Ret => (op_count::COUNT_RET, 0),
        Count::Open => (op_count::COUNT_FIXED, u32::MAX),
    };
    let at_most = |n: u32| n.min((MAX_BYTES / usize::from(from.elem.max(1))) as u32);
    op {
        parent: from.parent,
        kind: match from.kind {
            OpKind::Bytes => op_kind::OP_BYTES.0,
            OpKind::Str => op_kind::OP_STR.0,
            OpKind::Words => op_kind::OP_WORDS.0,
            OpKind::FileKind => op_kind::OP_FILE_KIND.0,
        } as u8,
        dir: match from.dir {
            Dir::In | Dir::InLost => op_dir::DIR_ENTRY.0,
            Dir::Out => op_dir::DIR_EXIT.0,
            Dir::InOut => op_dir::DIR_ENTRY.0 | op_dir::DIR_EXIT.0,
            Dir::OutAlways => op_dir::DIR_EXIT.0 | op_dir::DIR_ALWAYS.0,
            Dir::InOutAlways => op_dir::DIR_ENTRY.0 | op_dir::DIR_EXIT.0 | op_dir::DIR_ALWAYS.0,
        } as u8,
        count: count.0 as u8,
        at: from.at,
        elem: from.elem.max(1),
        n,
        cap: match from.cap {
            Cap::Text => small(limits.text.saturating_add(1)),
            Cap::Message => small(limits.text.saturating_add(1)).max(MESSAGE_HEADER),
            Cap::Path => PATH_MAX,
            Cap::Elements => at_most(small(limits.elements.saturating_add(1))),
            Cap::Max(n) => at_most(n),
        },
        width,
        less,
        shift,
        message: u8::from(from.cap == Cap::Message),
        ..op::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> TraceSpec {
        TraceSpec { follow: true, ..TraceSpec::default() }
    }

    #[test]
    fn every_row_fits_the_kernel_side() {
        let tables = Tables::of(&spec()).unwrap();
        assert!(tables.ops.len() > 100);
        for &abi in Abi::SERVED {
            let names: Vec<&str> = table(abi)
                .iter()
                .filter(|e| tables.calls[abi as usize * NUMBERS + e.nr as usize].flags & call_flag::CALL_ENTRY.0 != 0)
                .map(|e| e.row.name)
                .collect();
            println!("{abi:?}: {} need their entry: {}", names.len(), names.join(" "));
        }
        println!("{} ops, {} choices, {} cases", tables.ops.len(), tables.choices.len(), tables.case_keys.len());
    }
}
