//! Memory that the description calls input must be as the program left it when the call returns.
//!
//! A row says of each pointer in which direction its memory goes ([`Dir`]), and of the members of an exchanged struct
//! which are the kernel's. A wrong direction shows only if the call is made with success. So this test runs all
//! programs in `tests/syscalls/`, and `tests/programs/successes.c`, which makes many calls with success. It keeps the
//! memory that each call was given, and compares that with the memory at the call's return. A byte that the kernel has
//! changed must be one that the description shows as it is after the call.

mod common;

use common::{Scratch, cc, root, sources, stem};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use stride_engine_base::Engine as _;
use stride_engine_ptrace::PtraceEngine;
use stride_event::{Call, CallSet, Command, Event, Interruptible, Limits, Memory, Outcome, Phase, TraceSpec};
use stride_syscalls::plan::{Op, OpKind, Plan, ROOT, STACK};
use stride_syscalls::{Abi, Dir, Effect, Irregular, Struct, Syscall, Ty, table};

#[test]
fn the_kernel_writes_nothing_into_input() {
    let scratch = Scratch::new("directions");
    let mut seen = Seen::default();
    let successes = root().join("tests/programs/successes.c");
    for source in sources("syscalls").into_iter().chain([successes]) {
        let name = stem(&source);
        let program = scratch.path(&name);
        match cc(&source, &program) {
            Ok(()) => run(&scratch.path(""), &program, &name, &mut seen),
            Err(why) => println!("skipped: {name}: {why}"),
        }
    }
    println!("{} calls, forms and requests with input were made with success", seen.made.len());
    println!("never: {}", never(&seen).join(" "));
    let faults: String = seen.faults.iter().map(|(fault, by)| format!("{fault} (in {by})\n")).collect();
    assert!(faults.is_empty(), "the kernel wrote into input:\n{faults}");
    assert!(seen.made.len() > 50, "too few calls to say anything: {}", seen.made.len());
}

#[derive(Default)]
struct Seen {
    /// The calls with input that succeeded: name, and the value of the argument that chooses the form.
    made: BTreeSet<(&'static str, u64)>,
    /// Each fault, and the program that showed it.
    faults: BTreeMap<String, String>,
}

fn run(dir: &Path, program: &Path, name: &str, seen: &mut Seen) {
    let script = format!("cd {} && exec {} >{name}.out 2>&1", dir.display(), program.display());
    let args = ["sh", "-c", &script].map(Into::into).into();
    let command = Command { path: "/bin/sh".into(), args, env: vec![("LC_ALL".into(), "C".into())], user: None };
    let spec = TraceSpec {
        command: Some(command),
        interruptible: Interruptible::Anywhere,
        calls: CallSet::all(),
        limits: Limits { text: 1 << 16, command_text: 0, elements: 1 << 12, received: true },
        ..TraceSpec::default()
    };
    let mut engine = PtraceEngine::start(spec).expect("start");
    while let Some(event) = engine.next().expect("next") {
        // The thread that returned from the call stays stopped until the next event is asked for.
        if let Event::Exit(call) = event {
            check(call, name, seen);
        }
    }
}

fn check(call: &Call, program: &str, seen: &mut Seen) {
    let Some(entry) = table(call.abi).get(call.nr) else { return };
    let row = entry.row.form(&call.args, call.abi);
    // These have other memory afterwards, or a stack on which another thread has worked meanwhile.
    let replaced = [Effect::Executes, Effect::ReturnsFromSignal].iter().any(|effect| row.has_effect(*effect));
    if replaced || matches!(call.outcome, Outcome::Gone | Outcome::Pending) {
        return;
    }
    let plan = Plan::of(entry.row, call.abi);
    let Ok(memory) = File::open(format!("/proc/{}/mem", call.tid)) else { return };
    let now = |addr: u64| {
        let mut byte = [0];
        memory.read_at(&mut byte, addr).is_ok_and(|n| n == 1).then_some(byte[0])
    };
    // Bytes that are shown as they are after the call.
    let mut shown = Shown::default();
    for i in 0..call.blocks.len() {
        let Some(block) = call.blocks.block(i) else { continue };
        let Some(op) = op_of(&plan, entry.row, call, block.op) else { continue };
        if block.phase == Phase::Exit && op.dir.at_exit(true) {
            shown.add(block.addr, block.bytes.len());
        }
    }
    let mut input = false;
    let mut fault = |text: String| {
        seen.faults.entry(text).or_insert_with(|| program.into());
    };
    for i in 0..call.blocks.len() {
        let Some(block) = call.blocks.block(i).filter(|block| block.phase == Phase::Entry) else { continue };
        let Some(op) = op_of(&plan, entry.row, call, block.op) else { continue };
        input |= op.at != STACK;
        if op.dir != Dir::In || op.at == STACK {
            continue;
        }
        let changed = |i: usize, byte: u8| {
            let at = block.addr.wrapping_add(i as u64);
            !shown.holds(at) && now(at).is_some_and(|now| now != byte)
        };
        let mut all = (0..block.bytes.len()).filter(|&i| changed(i, block.bytes[i]));
        if let Some(first) = all.next() {
            let last = all.next_back().unwrap_or(first);
            fault(format!("{}: {}, bytes {first} to {last}", called(call, row), place(row, call, op)));
        }
    }
    // Structs of which the program and the kernel write different members.
    for (i, arg) in row.args.iter().enumerate() {
        let addr = row.held(i, &call.args, call.abi);
        let ty = match arg.ty {
            Ty::Select(select) => row.choose(select, &call.args, call.abi),
            ty => ty,
        };
        let mut of_program = Vec::new();
        members(&ty, addr, call.abi, &mut of_program);
        for (name, at, size) in of_program {
            let Some(before) = call.blocks.read(Phase::Entry, at, size) else { continue };
            if before.iter().enumerate().any(|(i, &byte)| now(at + i as u64).is_some_and(|now| now != byte)) {
                fault(format!("{}: {name} of {}", called(call, row), arg.name));
            }
        }
    }
    if input && matches!(call.outcome, Outcome::Value(_)) {
        seen.made.insert((entry.row.name, key(entry.row, &call.args, call.abi)));
    }
}

/// Ranges of addresses.
#[derive(Default)]
struct Shown(Vec<(u64, u64)>);

impl Shown {
    fn add(&mut self, addr: u64, len: usize) {
        self.0.push((addr, addr.saturating_add(len as u64)));
    }

    fn holds(&self, addr: u64) -> bool {
        self.0.iter().any(|&(from, to)| (from..to).contains(&addr))
    }
}

/// The members of an exchanged struct that are shown as the program left them: name, address and size.
fn members(ty: &Ty, addr: u64, abi: Abi, found: &mut Vec<(&'static str, u64, usize)>) {
    let s: &'static Struct = match *ty {
        Ty::Exchange(s) => s,
        Ty::Custom(Irregular::BpfAttr(..), &Ty::Extensible(dir, s, ..)) if dir.is_lost() => s,
        Ty::Custom(_, inner) => return members(inner, addr, abi, found),
        _ => return,
    };
    for field in s.fields {
        let place = field.place(abi);
        // These decoders show both.
        let both = |which| matches!(which, Irregular::Changed(_) | Irregular::UffdFeatures);
        let after = match field.ty {
            Ty::Custom(which, _) => both(which),
            ty => matches!(ty, Ty::Reply(_) | Ty::Struct(_)),
        };
        if !after && place.bits.1 == 0 && addr != 0 {
            let size = usize::from(place.size) * usize::from(place.count).max(1);
            found.push((field.name, addr.wrapping_add(place.offset.into()), size));
        }
    }
}

/// The op of a call's plan that has copied a block.
fn op_of<'a>(plan: &'a Plan, row: &Syscall, call: &Call, number: u8) -> Option<&'a Op> {
    if let Some(op) = plan.ops.get(usize::from(number)) {
        return Some(op);
    }
    plan.choices.iter().find_map(|choice| {
        let key = row.key(&choice.key, &call.args, call.abi);
        let ops = choice.cases.iter().find(|(k, _)| *k == key).map_or(&choice.default, |(_, ops)| ops);
        ops.get(usize::from(number.checked_sub(choice.base)?))
    })
}

/// The value of the argument on which the types of others depend.
fn key(row: &'static Syscall, args: &[u64; 6], abi: Abi) -> u64 {
    let by_form = row.forms.as_ref().map(|forms| row.key(&forms.on, args, abi));
    let by_case = || {
        row.args.iter().find_map(|arg| match arg.ty {
            Ty::Select(select) => Some(row.key(&select.on, args, abi)),
            _ => None,
        })
    };
    by_form.or_else(by_case).unwrap_or(0)
}

fn called(call: &Call, row: &Syscall) -> String {
    let entry = table(call.abi).get(call.nr).map(|entry| entry.row);
    let key = entry.map_or(0, |entry| key(entry, &call.args, call.abi));
    if key == 0 { row.name.into() } else { format!("{} {key:#x}", row.name) }
}

fn place(row: &Syscall, call: &Call, op: &Op) -> String {
    if op.parent != ROOT {
        return format!("memory behind offset {}", op.at);
    }
    let named = |&(i, _): &(usize, _)| 8 * row.register(i, call.abi) == usize::from(op.at);
    row.args.iter().enumerate().find(named).map_or("?", |(_, arg)| arg.name).into()
}

/// The calls, forms and cases with input that no program makes with success.
fn never(seen: &Seen) -> Vec<String> {
    let mut all = BTreeSet::new();
    for nr in 0..CallSet::NUMBERS as u64 {
        let Some(entry) = table(Abi::NATIVE).get(nr) else { continue };
        let plan = Plan::of(entry.row, Abi::NATIVE);
        let input = |op: &Op| op.dir.at_entry() && op.at != STACK && matches!(op.kind, OpKind::Bytes | OpKind::Words);
        if plan.ops.iter().any(input) && plan.choices.is_empty() {
            all.insert((entry.row.name, 0));
        }
        for (value, ops) in plan.choices.iter().flat_map(|choice| &choice.cases) {
            if ops.iter().any(input) {
                all.insert((entry.row.name, *value));
            }
        }
    }
    all.difference(&seen.made)
        .map(|(name, key)| if *key == 0 { name.to_string() } else { format!("{name}:{key:#x}") })
        .collect()
}
