//! Made-up calls and events.

use std::sync::Arc;
use stride_event::{
    BlockRef, Call, Event, LibraryCall, LibraryFunction, LibraryPart, LibraryText, Limits, Ns, OperationFacts, Outcome,
    Peek, Phase, StartKind, Tid, capture,
};
use stride_syscalls::plan::Plan;
use stride_syscalls::{Abi, table};

/// The number of a syscall.
#[track_caller]
pub fn number(abi: Abi, name: &str) -> u64 {
    let entry = table(abi).by_name(name).next();
    entry.unwrap_or_else(|| panic!("{abi:?} has no syscall {name}")).nr.into()
}

/// A call without captured memory, at no particular time.
#[track_caller]
pub fn call_of(abi: Abi, tid: Tid, name: &str, args: &[u64], outcome: Outcome) -> Call {
    let mut all = [0; 6];
    all[..args.len()].copy_from_slice(args);
    Call { tid, abi, nr: number(abi, name), args: all, outcome, ..Call::default() }
}

/// A call for x86-64. Its syscalls are known on every machine that runs the tests.
#[track_caller]
pub fn call(tid: Tid, name: &str, args: &[u64], outcome: Outcome) -> Call {
    call_of(Abi::X86_64, tid, name, args, outcome)
}

/// A completed operation of io_uring, by its name without prefix. Arguments that are not given are 0.
#[track_caller]
pub fn operation(tid: Tid, name: &str, words: &[u64], texts: &[(u8, &str)], result: i32) -> LibraryCall {
    let function = LibraryFunction::of_operation_named(&format!("io_uring:{name}"));
    let function = function.unwrap_or_else(|| panic!("there is no operation {name}"));
    let text = |&(word, text): &(u8, &str)| LibraryText { word: Some(word), bytes: text.as_bytes().into(), cut: false };
    LibraryCall {
        tid,
        words: (0..function.params.len()).map(|i| words.get(i).copied().unwrap_or(0)).collect(),
        function: Arc::new(function),
        part: LibraryPart::Returned,
        entered: 1000,
        at: 3000,
        result: result as i64 as u64,
        texts: texts.iter().map(text).collect(),
        operation: Some(OperationFacts::default()),
        ..LibraryCall::default()
    }
}

/// Adds captured memory to the call.
pub fn holding(mut call: Call, phase: Phase, addr: u64, bytes: &[u8]) -> Call {
    call.blocks.push_block(BlockRef { op: 0, phase, addr, faulted: false, bytes });
    call
}

/// Adds a captured string to the call.
pub fn naming(call: Call, addr: u64, path: impl AsRef<[u8]>) -> Call {
    holding(call, Phase::Entry, addr, &[path.as_ref(), b"\0"].concat())
}

/// A call whose arguments are these words. The captured strings are at 0x1000, 0x2000, ...
pub fn naming_each(tid: Tid, name: &str, words: &[u64], paths: &[&str], result: i64) -> Call {
    let made = call(tid, name, words, Outcome::from_raw(result));
    paths.iter().zip(1u64..).fold(made, |made, (path, place)| naming(made, 0x1000 * place, path))
}

/// Gives the call a start and a duration.
pub fn lasting(call: Call, entered: Ns, took: Ns) -> Call {
    Call { entered: Some(entered), returned: entered + took, ..call }
}

/// A tracee's memory: these bytes at 0x1000, and zeros at any other address but NULL.
pub struct Memory<'m>(pub &'m [u8]);

impl Peek for Memory<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        for (i, byte) in buf.iter_mut().enumerate() {
            let at = (addr.wrapping_sub(0x1000) as usize).wrapping_add(i);
            *byte = self.0.get(at).copied().unwrap_or(0);
        }
        if addr == 0 { 0 } else { buf.len() }
    }
}

/// Captures for both phases what the call's plan says, as an engine would.
pub fn capture_all(call: &mut Call, memory: &mut impl Peek) {
    let Some(entry) = table(call.abi).get(call.nr) else { return };
    let plan = Plan::of(entry.row, call.abi);
    let limits = Limits { text: 32, command_text: 0, elements: 32, received: true };
    for phase in [Phase::Entry, Phase::Exit] {
        capture(&plan, entry.row, phase, call, &limits, memory);
    }
}

/// A process that ran before tracing began.
pub fn attached(pid: Tid, at: Ns) -> Event<'static> {
    Event::Started { tid: pid, process: pid, origin: StartKind::Attached, at }
}

/// The command that is traced.
pub fn spawned(pid: Tid, at: Ns) -> Event<'static> {
    Event::Started { tid: pid, process: pid, origin: StartKind::Spawned, at }
}

/// A thread that a traced thread made. It is a process if `tid` is `process`.
pub fn forked(parent: Tid, tid: Tid, process: Tid, at: Ns) -> Event<'static> {
    Event::Started { tid, process, origin: StartKind::Forked { parent }, at }
}

pub fn exited(tid: Tid, at: Ns) -> Event<'static> {
    Event::Exited { tid, status: 0, at }
}
