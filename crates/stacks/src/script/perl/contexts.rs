//! The contexts of an interpreter of Perl, which are in arrays. Each context of a sub or an eval has the index of the one before it.
//!
//! An array holds the contexts of one stack of values. Perl begins a new one where C code calls Perl: for a destructor, a signal handler, the sub of a `sort`.
//!
//! The eBPF engine does the same in the kernel (`bpf/script_contexts.h`).

use crate::script::perl::identity::LastIdentities;
use crate::script::perl::versions::*;
use crate::script::word_size::{WordSize, word_of};
use stride_event::{ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, ThreadMemory};

/// The kind of a frame: what it runs.
pub const RUNS_SUB: u64 = 0;
pub const RUNS_EVAL: u64 = 1;
/// A file, outside of subs.
pub const RUNS_FILE: u64 = 2;
/// A block that compares values for `sort`, of the sub behind.
pub const RUNS_BLOCK: u64 = 3;
pub const RUNS: u64 = 0xff;
/// A call of the evaluation function began with this frame.
pub const FIRST: u64 = 0x100;
/// The same, unless the sub was called at the end of a block that is such a frame itself: nothing is behind it, either.
pub const MAY_BE_FIRST: u64 = 0x200;
/// The sub is a block in a regular expression.
pub const EXPRESSION: u64 = 0x400;
/// The frame is the innermost one of its stack of contexts.
pub const INNERMOST: u64 = 0x800;

/// The contexts that are looked at, at most: those of blocks make no frames, and neither do stacks of contexts.
const STEPS: usize = 4 * ScriptLayout::FRAMES;

/// The frames of a thread as they are in memory. In each, the code is a sub, and the place is the statement that it has reached.
pub fn frames(
    offsets: &Offsets,
    layout: &ScriptLayout,
    thread_pointer: u64,
    memory: &mut dyn ThreadMemory,
) -> ScriptFrames {
    let mut found = ScriptFrames::default();
    let end = match interpreter(layout, thread_pointer, memory) {
        Some(0) => Some(ScriptEnd::NoFrames),
        Some(interpreter) => walk(offsets, layout, interpreter, memory, &mut found.frames),
        None => None,
    };
    found.end = end.unwrap_or(ScriptEnd::Unreadable);
    found
}

/// The interpreter of a thread. 0 if it has none.
fn interpreter(layout: &ScriptLayout, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let words = WordSize::of(layout);
    if layout.threads == ScriptLayout::NONE {
        return words.word(thread_pointer.wrapping_add(layout.interpreters), memory);
    }
    let key = words.word(layout.interpreters, memory)? & u64::from(u32::MAX);
    if key >= ScriptLayout::KEYS {
        return None;
    }
    let values = thread_pointer.wrapping_add(layout.threads.into());
    words.word(values.wrapping_add(key * u64::from(layout.next_thread)), memory)
}

/// The blocks of frames are part of the subs around them.
pub fn join_blocks(frames: &mut [ScriptFrame]) {
    for index in 1..frames.len() {
        let is_block = |frame: &ScriptFrame| frame.kind & RUNS == RUNS_BLOCK || frame.kind & EXPRESSION != 0;
        if is_block(&frames[index]) && frames[index].kind & INNERMOST == 0 {
            // The frame in front was called by a block.
            let last = &mut frames[index - 1];
            if last.kind & FIRST != 0 {
                last.kind = last.kind & !FIRST | MAY_BE_FIRST;
            }
        }
    }
    let mut around = ScriptFrame::default();
    for frame in frames.iter_mut().rev() {
        if frame.kind & RUNS == RUNS_BLOCK {
            (frame.code, frame.kind) = (around.code, around.kind | FIRST);
            frame.identity = frame.identity & u64::from(u32::MAX) | around.identity >> 32 << 32;
        }
        around = *frame;
    }
}

fn walk(
    offsets: &Offsets,
    layout: &ScriptLayout,
    interpreter: u64,
    memory: &mut dyn ThreadMemory,
    frames: &mut Vec<ScriptFrame>,
) -> Option<ScriptEnd> {
    let mut at = |member: u32| offsets.words.word(interpreter.wrapping_add(member.into()), memory);
    let (mut place, mut before) = (at(layout.innermost)?, at(layout.innermost_there)?);
    let mut identities = LastIdentities::default();
    let mut innermost = 0;
    let mut stack = ContextStack::default();
    for _ in 0..STEPS {
        let (code, kind, after);
        if let Ok(index) = u64::try_from(stack.last_sub) {
            let context = stack.context(offsets, index, memory)?;
            let outer = int(&context, offsets.context_before);
            let within = |at: u32| offsets.words.word_of(&context, at);
            // (So the walk ends.)
            if outer >= stack.last_sub || outer < -1 {
                return None;
            }
            stack.last_sub = outer;
            let first = if within(offsets.context_next) == 0 { FIRST } else { 0 };
            (code, kind) = match (context[0] & KIND, context[0] & OF_BLOCK != 0) {
                (SUB, true) => (within(offsets.context_sub), RUNS_SUB | EXPRESSION | first),
                (SUB, false) | (FORMAT, _) => (within(offsets.context_sub), RUNS_SUB | first),
                // (The block of an eval is part of the sub around it, which has reached a statement in the block.)
                (EVAL, true) => continue,
                (EVAL, false) => (0, RUNS_EVAL | first),
                _ => return None,
            };
            after = within(offsets.context_statement);
        } else if stack.kind == OF_PROGRAM {
            (code, kind, after) = (0, RUNS_FILE | FIRST, 0);
        } else if stack.kind == OF_SORT && stack.last >= 0 {
            // Its first context is that of a block, or of a sub.
            stack.kind = 0;
            let context = stack.context(offsets, 0, memory)?;
            if context[0] & KIND != PLAIN {
                continue;
            }
            (code, kind, after) = (0, RUNS_BLOCK | FIRST, offsets.words.word_of(&context, offsets.context_statement));
        } else {
            if before == 0 {
                return Some(ScriptEnd::Reached);
            }
            stack = ContextStack::read(offsets, before, memory)?;
            before = stack.before;
            innermost = INNERMOST;
            continue;
        }
        if frames.len() == ScriptLayout::FRAMES {
            return Some(ScriptEnd::Limit);
        }
        let identity = identities.of_frame(offsets, code, place, memory);
        frames.push(ScriptFrame { code, place, identity, kind: kind | std::mem::take(&mut innermost) });
        place = after;
        if kind & RUNS == RUNS_FILE {
            return Some(ScriptEnd::Reached);
        }
    }
    Some(ScriptEnd::Limit)
}

/// A stack of contexts.
struct ContextStack {
    contexts: u64,
    before: u64,
    last: i32,
    last_sub: i32,
    kind: i32,
}

impl Default for ContextStack {
    /// One without contexts.
    fn default() -> ContextStack {
        ContextStack { contexts: 0, before: 0, last: -1, last_sub: -1, kind: 0 }
    }
}

impl ContextStack {
    /// `None` if it could not be read or makes no sense.
    fn read(offsets: &Offsets, at: u64, memory: &mut dyn ThreadMemory) -> Option<ContextStack> {
        const MOST: i32 = 1 << 24;
        let mut bytes = [0; INFO];
        let bytes = &mut bytes[..offsets.info_kind as usize + 4];
        (memory.read(at, bytes) == bytes.len()).then_some(())?;
        let (last, places) = (int(bytes, offsets.info_last), int(bytes, offsets.info_places));
        let (last_sub, kind) = (int(bytes, offsets.info_last_sub), int(bytes, offsets.info_kind));
        let makes_sense = (-1..=last).contains(&last_sub) && last <= places && places < MOST && KINDS.contains(&kind);
        let within = |at: u32| offsets.words.word_of(bytes, at);
        let (contexts, before) = (within(offsets.info_contexts), within(offsets.info_before));
        makes_sense.then_some(ContextStack { contexts, before, last, last_sub, kind })
    }

    fn context(&self, offsets: &Offsets, index: u64, memory: &mut dyn ThreadMemory) -> Option<[u8; CONTEXT]> {
        let mut bytes = [0; CONTEXT];
        let at = self.contexts.wrapping_add(index * offsets.context as u64);
        let len = offsets.context.min(CONTEXT);
        (memory.read(at, &mut bytes[..len]) == len).then_some(bytes)
    }
}

/// A number of four bytes.
fn int(bytes: &[u8], at: u32) -> i32 {
    word_of(bytes, at) as i32
}
