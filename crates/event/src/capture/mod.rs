//! Runs a capture plan over a tracee's memory, in user space. The eBPF program interprets the same ops in the kernel.

pub mod memory;

use crate::{Call, FileKind, Outcome, Phase};
use stride_syscalls::plan::{
    Cap, Count, MAX_BYTES, MAX_MESSAGE, MESSAGE_HEADER, Op, OpKind, Plan, ROOT, STACK, is_message,
};
use stride_syscalls::{Abi, Dir, Effect, Flow, Syscall, multiplexed, units};

/// Reads a tracee's memory from `addr` on: as many bytes of `buf` as are readable.
pub trait Peek {
    /// Reads memory from an address on. Returns how many bytes could be read, up to the first that could not.
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize;

    /// The kind of the file that a descriptor refers to, if the tracee stands still while it is asked for.
    fn file_kind(&mut self, _fd: i32) -> Option<FileKind> {
        None
    }
}

/// The number and the arguments of the call that is made. Calls of i386 that stand for others, such as socketcall(2), have those in their
/// arguments and in memory. If that cannot be read, the call stands for itself.
pub fn actual_call(abi: Abi, nr: u64, args: [u64; 6], memory: &mut dyn Peek) -> (u64, [u64; 6]) {
    if abi != Abi::I386 {
        return (nr, args);
    }
    let Some(target) = multiplexed::target(nr, args[0]) else { return (nr, args) };
    let read = |at, words: &mut [u32]| {
        let mut bytes = [0; 6 * size_of::<u32>()];
        let bytes = &mut bytes[..size_of_val(words)];
        let whole = memory.peek(at, bytes) == bytes.len();
        words.iter_mut().zip(bytes.as_chunks().0).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
        whole
    };
    target.args(&args, read).map_or((nr, args), |args| (target.nr.into(), args))
}

/// The limits of copying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `-s`: bytes of strings and buffers.
    pub text: usize,
    /// The least bytes of the arguments and variables that programs are executed with.
    pub command_text: usize,
    /// Elements of arrays.
    pub elements: usize,
    /// The data that calls receive through descriptors, as read(2) does, is copied.
    pub received: bool,
}

impl Limits {
    /// Far beyond all that is ever copied. (What is added to it does not overflow.)
    pub const UNLIMITED: usize = usize::MAX >> 1;

    /// The limits for the calls of a row.
    pub fn of(self, row: &Syscall) -> Limits {
        let text = if row.has_effect(Effect::Executes) { self.text.max(self.command_text) } else { self.text };
        Limits { text, ..self }
    }

    /// True if an op of a row is not copied, because it is data that the call received.
    pub fn leave_out(&self, op: &Op, row: &Syscall) -> bool {
        let data = op.cap == Cap::Text && op.dir == Dir::Out;
        !self.received && data && row.transfer().is_some_and(|transfer| transfer.flow == Flow::In)
    }
}

const PAGE: u64 = 4096;
const PATH_MAX: usize = 4096;
/// When so many bytes of a call were copied, nothing more is copied: vectors of vectors multiply.
const MAX_TOTAL: usize = 4 << 20;
/// The same if more text is asked for than calls usually have: transfers that are dumped whole.
const MAX_TEXT: usize = 1 << 30;
/// The number of bytes that are read at once of memory that may be shorter than its length says.
const CHUNK: usize = 1 << 20;

/// Copies what the plan asks for in this phase into the call's blocks.
pub fn capture(plan: &Plan, row: &Syscall, phase: Phase, call: &mut Call, limits: &Limits, peek: &mut dyn Peek) {
    if plan.is_empty() {
        return;
    }
    let limits = &limits.of(row);
    run(&plan.ops, 0, row, phase, call, limits, peek);
    for choice in &plan.choices {
        let ops = choice.chosen(row, &call.args, call.abi);
        run(ops, choice.base as usize, row, phase, call, limits, peek);
    }
}

fn run(ops: &[Op], base: usize, row: &Syscall, phase: Phase, call: &mut Call, limits: &Limits, peek: &mut dyn Peek) {
    for (i, op) in ops.iter().enumerate() {
        let wanted = match phase {
            Phase::Entry => op.dir.at_entry(),
            Phase::Exit => op.dir.at_exit(matches!(call.outcome, Outcome::Value(_))),
        };
        if !wanted || limits.leave_out(op, row) {
            continue;
        }
        if op.kind == OpKind::FileKind {
            call.file_kind = call.file_kind.or_else(|| peek.file_kind(descriptor(op, call)?));
            continue;
        }
        let me = (base + i) as u8;
        if op.parent == ROOT {
            let ptr = if op.at == STACK { call.sp } else { call.args[op.at as usize / 8] };
            let n = count(op, call, phase, None);
            copy(op, me, ptr, n, phase, call, limits, peek);
        } else {
            let parent = (op.parent as usize).checked_sub(base).and_then(|i| ops.get(i));
            let step = parent.map_or(1, |p| p.elem as usize).max(1);
            let words = parent.is_some_and(|p| p.kind == OpKind::Words);
            follow(op, me, step, words, phase, call, limits, peek);
        }
    }
}

/// The descriptor at the place of an op: an argument, or a member of a struct that was copied.
fn descriptor(op: &Op, call: &Call) -> Option<i32> {
    let at = usize::from(op.at);
    if op.parent == ROOT {
        return Some(call.args[at / 8] as i32);
    }
    let block = (0..call.blocks.len()).filter_map(|i| call.blocks.block(i)).find(|block| block.op == op.parent)?;
    Some(i32::from_le_bytes(*block.bytes.get(at..)?.first_chunk()?))
}

/// Copies the memory that the elements of each block of the parent op point to.
#[allow(clippy::too_many_arguments)]
fn follow(
    op: &Op,
    me: u8,
    step: usize,
    words: bool,
    phase: Phase,
    call: &mut Call,
    limits: &Limits,
    peek: &mut dyn Peek,
) {
    let word = call.abi.word();
    // If the parent was copied in this phase, its blocks of this phase are followed. Otherwise those of the entry:
    // the memory that readv fills lies behind the vector that was read then. Blocks copied from here on are children.
    let blocks = call.blocks.len();
    let of_parent = |call: &Call, b: usize| call.blocks.get(b).filter(|x| x.0 == op.parent).map(|x| x.2);
    let source = if (0..blocks).any(|b| of_parent(call, b) == Some(phase)) { phase } else { Phase::Entry };
    for b in 0..blocks {
        if of_parent(call, b) != Some(source) {
            continue;
        }
        let mut at = 0;
        // The last element may be a part: a struct of an older kernel is shorter.
        while let Some(elem) =
            call.blocks.get(b).map(|x| x.3.get(at..(at + step).min(x.3.len())).unwrap_or(&[])).filter(|e| !e.is_empty())
        {
            let ptr = int(elem, op.at as usize, word);
            let n = count(op, call, phase, Some(elem));
            if ptr != 0 {
                copy(op, me, ptr, n, phase, call, limits, peek);
            } else if words {
                break;
            }
            at += step;
        }
    }
}

/// The number of elements to copy, before the caps.
fn count(op: &Op, call: &Call, phase: Phase, elem: Option<&[u8]>) -> u64 {
    match op.count {
        Count::Fixed(n) => u64::from(n),
        Count::Open => u64::MAX,
        Count::Ret => match call.outcome {
            Outcome::Value(v) if v > 0 => v as u64,
            _ => 0,
        },
        Count::At { at, width } => match elem {
            Some(elem) => int(elem, at as usize, width as usize),
            None => {
                let v = call.args[at as usize / 8];
                if width >= 8 { v } else { v & ((1 << (8 * width)) - 1) }
            }
        },
        Count::Units { at, width, less, shift } => {
            units(count(&Op { count: Count::At { at, width }, ..*op }, call, phase, elem), less, shift)
        }
        Count::Deref { at } => {
            use crate::Memory;
            let ptr = call.args[at as usize / 8];
            let read = |phase| call.blocks.read(phase, ptr, 4).map(|b| int(b, 0, 4));
            match (phase, read(Phase::Entry), read(Phase::Exit)) {
                // The kernel reports the true length, but fills no more than the room.
                (Phase::Exit, Some(room), Some(len)) => room.min(len),
                (_, Some(n), _) | (_, None, Some(n)) => n,
                (_, None, None) => 0,
            }
        }
    }
}

/// Reads on behind the first `done` bytes of a buffer of `n` bytes, if they begin a netlink message.
fn message(ptr: u64, done: usize, n: u64, call: &mut Call, peek: &mut dyn Peek) {
    let all = usize::try_from(n).unwrap_or(usize::MAX).min(MAX_MESSAGE);
    let first = call.blocks.last_bytes();
    if first.len() == done && done < all && is_message(int(first, 0, 4) as u32) {
        call.blocks.extend_last(all - done, |buf| peek.peek(ptr.wrapping_add(done as u64), buf));
    }
}

#[allow(clippy::too_many_arguments)]
fn copy(op: &Op, me: u8, ptr: u64, n: u64, phase: Phase, call: &mut Call, limits: &Limits, peek: &mut dyn Peek) {
    let (total, most) = match op.cap {
        Cap::Text | Cap::Message if limits.text >= MAX_BYTES => (MAX_TEXT, MAX_TEXT.saturating_sub(call.blocks.size())),
        _ => (MAX_TOTAL, MAX_BYTES),
    };
    if ptr == 0 || n == 0 || call.blocks.size() >= total {
        return;
    }
    let cap = match op.cap {
        Cap::Text => limits.text.saturating_add(1),
        Cap::Message => limits.text.saturating_add(1).max(MESSAGE_HEADER as usize),
        Cap::Path => PATH_MAX,
        Cap::Elements => limits.elements.saturating_add(1),
        Cap::Max(n) => n as usize,
    };
    let elem = (op.elem as usize).max(1);
    let bytes = cap.min(usize::try_from(n).unwrap_or(usize::MAX)).saturating_mul(elem).min(most);
    match op.kind {
        OpKind::FileKind => {}
        OpKind::Bytes => {
            let mut done = call.blocks.push(me, phase, ptr, bytes.min(CHUNK), |buf| peek.peek(ptr, buf));
            while done < bytes && done.is_multiple_of(CHUNK) && done > 0 {
                let at = ptr.wrapping_add(done as u64);
                let step = CHUNK.min(bytes - done);
                let got = call.blocks.extend_last(step, |buf| peek.peek(at, buf));
                if got == 0 {
                    break;
                }
                done += got;
            }
            if op.cap == Cap::Message {
                message(ptr, bytes, n, call, peek);
            }
        }
        OpKind::Str => until(me, ptr, bytes, phase, call, peek, |b, from| {
            b[from..].iter().position(|&c| c == 0).map(|i| from + i + 1)
        }),
        OpKind::Words => {
            let word = call.abi.word();
            until(me, ptr, bytes, phase, call, peek, |b, from| {
                // The word in which the new bytes begin may have begun before them.
                let first = from / word;
                b[first * word..]
                    .chunks_exact(word)
                    .position(|w| w.iter().all(|&c| c == 0))
                    .map(|i| (first + i + 1) * word)
            });
        }
    }
}

/// Copies up to the terminator that `end` finds (given the bytes, and how many of them it has seen before). It reads
/// beyond a page only if the text goes on there, because the next page may not be readable.
fn until(
    me: u8,
    ptr: u64,
    max: usize,
    phase: Phase,
    call: &mut Call,
    peek: &mut dyn Peek,
    end: impl Fn(&[u8], usize) -> Option<usize>,
) {
    const CHUNK: usize = 256;
    let mut asked = 0;
    while asked < max {
        let addr = ptr.wrapping_add(asked as u64);
        let to_page_end = (PAGE - addr % PAGE) as usize;
        // If the array is not aligned, a word may straddle the page boundary. Then the next page is needed anyway.
        let step = CHUNK.min(max - asked).min(to_page_end.max(1));
        let got = if asked == 0 {
            call.blocks.push(me, phase, addr, step, |buf| peek.peek(addr, buf))
        } else {
            call.blocks.extend_last(step, |buf| peek.peek(addr, buf))
        };
        if let Some(n) = end(call.blocks.last_bytes(), asked) {
            call.blocks.truncate_last(n);
            return;
        }
        if got < step {
            return;
        }
        asked += step;
    }
}

/// A little-endian unsigned value of `width` bytes.
fn int(bytes: &[u8], at: usize, width: usize) -> u64 {
    let mut v = [0; 8];
    if let Some(b) = bytes.get(at..at + width.min(8)) {
        v[..b.len()].copy_from_slice(b);
    }
    u64::from_le_bytes(v)
}

#[cfg(test)]
mod tests;
