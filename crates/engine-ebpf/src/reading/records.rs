//! From records of the ring to calls.

use crate::stacks::copy::StackCopy;
use crate::wire::{
    block_flag, file_kind, read, rec_block, rec_blocked, rec_call, rec_detach, rec_flag, rec_head, rec_kind, rec_more,
    stack_id,
};
use stride_event::{BlockRef, Call, FileKind, Ns, Outcome, Phase, Tid};
use stride_syscalls::Abi;

pub fn abi(abi: u8) -> Abi {
    Abi::from_value(abi).unwrap_or(Abi::NATIVE)
}

/// The time when a call (or what another record reports) began, and when the record was made. 0 if the record does
/// not say.
fn times(rec: &[u8]) -> (Ns, Ns) {
    let Some(head) = read::<rec_head>(rec) else { return (0, 0) };
    if let rec_kind::REC_CALL | rec_kind::REC_ENTRY = rec_kind(u32::from(head.kind)) {
        let more = read(rec).map_or_else(rec_more::default, |call| more(&call, rec).0);
        return (known(more.entered).unwrap_or(more.at), more.at);
    }
    // Behind the head that all records have.
    let at = read::<rec_detach>(rec).map_or(0, |rec| rec.at);
    (at, at)
}

/// A time, of which records have 0 if they do not say.
fn known(at: Ns) -> Option<Ns> {
    Some(at).filter(|&at| at != 0)
}

/// When the reported thing began.
pub fn began(rec: &[u8]) -> Ns {
    times(rec).0
}

/// When the record was made. 0 for an entered call: it only has to come before the thread's other records.
pub fn made(rec: &[u8]) -> Ns {
    times(rec).1
}

/// Fills in all but the outcome and the memory. The memory is the rest of the record's bytes.
pub fn facts<'r>(call: &mut Call, rec: &rec_call, bytes: &'r [u8]) -> &'r [u8] {
    call.tid = rec.head.tid as Tid;
    call.abi = abi(rec.head.abi);
    // Sign-extended, as the kernel compares it.
    call.nr = rec.head.nr as i64 as u64;
    call.args = rec.args;
    call.resumes = None;
    call.outcome = Outcome::Pending;
    call.file_kind = None;
    call.stack = None;
    call.container = None;
    call.counted = u32::from(rec.head.flags) & rec_flag::FLAG_COUNTED.0 != 0;
    call.waits = None;
    let (more, memory) = more(rec, bytes);
    call.ip = more.ip;
    call.sp = more.sp;
    call.entered = known(more.entered);
    call.returned = more.at;
    memory
}

/// The rare members of a call, and the memory behind them.
pub fn more<'r>(rec: &rec_call, bytes: &'r [u8]) -> (rec_more, &'r [u8]) {
    let rest = bytes.get(size_of::<rec_call>()..).unwrap_or_default();
    if u32::from(rec.head.flags) & rec_flag::FLAG_MORE.0 == 0 {
        return (rec_more::default(), rest);
    }
    (read(rest).unwrap_or_default(), rest.get(size_of::<rec_more>()..).unwrap_or_default())
}

fn kind_of_file(number: u32) -> FileKind {
    const NETLINK: u32 = file_kind::FILE_KIND_NETLINK.0;
    match file_kind(number) {
        file_kind::FILE_KIND_TERMINAL => FileKind::Terminal,
        file_kind::FILE_KIND_BPF_MAP => FileKind::BpfMap,
        file_kind::FILE_KIND_BPF_PROGRAM => FileKind::BpfProgram,
        file_kind::FILE_KIND_BPF_TYPES => FileKind::BpfTypes,
        file_kind::FILE_KIND_BPF_LINK => FileKind::BpfLink,
        _ if number >= NETLINK => FileKind::Netlink(number - NETLINK),
        _ => FileKind::Other,
    }
}

/// A call that has not returned, without its memory.
pub fn blocked(rec: &rec_blocked) -> Call {
    let entered = known(rec.entered);
    Call {
        tid: rec.head.tid as Tid,
        abi: abi(rec.head.abi),
        nr: rec.head.nr as i64 as u64,
        args: rec.args,
        ip: rec.ip,
        sp: rec.sp,
        entered,
        // If its entry was not seen, the time when it was found is the best one known.
        returned: entered.unwrap_or(rec.at),
        ..Call::default()
    }
}

/// How a record tells the stack of its call: not at all, by an id, or by a copy.
pub enum StackSource<'r> {
    /// Nothing.
    Missing,
    /// It has this id.
    Known(u64),
    /// It must be unwound.
    Copied(Box<StackCopy<'r>>),
}

/// The stack that a signal interrupts, from the record before it.
pub fn interrupted<'r>(rec: &rec_call, bytes: &'r [u8]) -> StackSource<'r> {
    let (_, memory) = more(rec, bytes);
    blocks(&mut Call::default(), memory, &[])
}

/// Appends the memory that follows the fixed part of a record, and notes for how many calls its stack stands. `pieces`: the memory that
/// was sent before.
pub fn blocks<'r>(call: &mut Call, mut bytes: &'r [u8], mut pieces: &[u8]) -> StackSource<'r> {
    let mut source = StackSource::Missing;
    while let Some(block) = read::<rec_block>(bytes) {
        bytes = &bytes[size_of::<rec_block>()..];
        let has = |flag: block_flag| u32::from(block.flags) & flag.0 != 0;
        let phase = if has(block_flag::BLOCK_EXIT) { Phase::Exit } else { Phase::Entry };
        let mut push = |bytes: &[u8], faulted| {
            call.blocks.push_block(BlockRef { op: block.op, phase, addr: block.addr, faulted, bytes });
        };
        if has(block_flag::BLOCK_BEFORE) {
            // Pieces that found no room are missing.
            let (own, rest) = pieces.split_at((block.len as usize).min(pieces.len()));
            push(own, has(block_flag::BLOCK_FAULTED) || own.len() < block.len as usize);
            pieces = rest;
            continue;
        }
        let len = (block.len as usize).min(bytes.len());
        if has(block_flag::BLOCK_FILE_KIND) {
            // The file that the descriptor referred to when the call was entered, if that was looked up, too.
            call.file_kind = call.file_kind.or_else(|| read(bytes).map(kind_of_file));
            bytes = &bytes[len.next_multiple_of(8).min(bytes.len())..];
            continue;
        }
        if has(block_flag::BLOCK_STACK) {
            // Records of one size have a block even if there is no stack.
            if block.addr != u64::from(stack_id::STACK_NONE.0) {
                source = StackSource::Known(block.addr);
                call.stack_calls = block.elem.into();
            }
            continue;
        }
        if has(block_flag::BLOCK_COPY) {
            call.stack_calls = block.elem.into();
            if let Some(copy) = StackCopy::of(&bytes[..len]) {
                source = StackSource::Copied(Box::new(copy));
            }
            bytes = &bytes[len.next_multiple_of(8).min(bytes.len())..];
            continue;
        }
        push(&bytes[..len], has(block_flag::BLOCK_FAULTED));
        bytes = &bytes[len.next_multiple_of(8).min(bytes.len())..];
    }
    source
}
