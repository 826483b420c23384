//! The contexts of an interpreter of Perl, which are in arrays. Each context of a sub or an eval has the index of the one before it.
//!
//! An array holds the contexts of one stack of values. Perl begins a new one where C code calls Perl: for a destructor, a signal handler, the sub of a `sort`.

use crate::script::perl::versions::*;
use crate::script::walk::{word, word_of};
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

/// The frames of an interpreter. In each, the code is a sub, and the place is the statement that it has reached.
pub fn frames(version: &PerlVersion, interpreter: u64, memory: &mut dyn ThreadMemory) -> ScriptFrames {
    let mut found = ScriptFrames::default();
    found.end = walk(version, interpreter, memory, &mut found.frames).unwrap_or(ScriptEnd::Unreadable);
    // The block of a sort is part of the sub around it.
    let mut around = ScriptFrame::default();
    for frame in found.frames.iter_mut().rev() {
        if frame.kind & RUNS == RUNS_BLOCK {
            (frame.code, frame.kind) = (around.code, around.kind | FIRST);
        }
        around = *frame;
    }
    found
}

fn walk(
    version: &PerlVersion,
    interpreter: u64,
    memory: &mut dyn ThreadMemory,
    frames: &mut Vec<ScriptFrame>,
) -> Option<ScriptEnd> {
    let mut at = |member: u32| word(interpreter.wrapping_add(member.into()), memory);
    let (mut place, mut info) = (at(version.statement)?, at(version.contexts)?);
    // (Stacks without subs make no frames.)
    for _ in 0..ScriptLayout::THREADS {
        if info == 0 {
            return Some(ScriptEnd::Reached);
        }
        let stack = ContextStack::read(info, memory)?;
        let mut index = stack.last_sub;
        let outermost = frames.len();
        while let Ok(number) = u64::try_from(index) {
            if frames.len() == ScriptLayout::FRAMES {
                return Some(ScriptEnd::Limit);
            }
            let context = stack.context(number, memory)?;
            let before = int(&context, CONTEXT_BEFORE);
            // (So the walk ends.)
            if before >= index || before < -1 {
                return None;
            }
            let kind = context[0];
            let first = if word_of(&context, CONTEXT_NEXT) == 0 { FIRST } else { 0 };
            let frame = match kind & KIND {
                SUB | FORMAT => ScriptFrame {
                    code: word_of(&context, CONTEXT_SUB),
                    kind: RUNS_SUB | first,
                    ..ScriptFrame::default()
                },
                EVAL => ScriptFrame { kind: RUNS_EVAL | first, ..ScriptFrame::default() },
                _ => return None,
            };
            // (The block of an eval is part of the sub around it, which has reached a statement in the block.)
            if kind & OF_BLOCK == 0 || kind & KIND != EVAL {
                if kind & KIND == SUB && kind & OF_EXPRESSION != 0 {
                    ends_block(&mut frames[outermost..]);
                }
                frames.push(ScriptFrame { place, ..frame });
                place = word_of(&context, CONTEXT_STATEMENT);
            }
            index = before;
        }
        if frames.len() == ScriptLayout::FRAMES {
            return Some(ScriptEnd::Limit);
        }
        match stack.kind {
            OF_PROGRAM => {
                frames.push(ScriptFrame { place, kind: RUNS_FILE | FIRST, ..ScriptFrame::default() });
                return Some(ScriptEnd::Reached);
            }
            OF_SORT if stack.last >= 0 => {
                let context = stack.context(0, memory)?;
                if context[0] & KIND == PLAIN {
                    ends_block(&mut frames[outermost..]);
                    frames.push(ScriptFrame { place, kind: RUNS_BLOCK | FIRST, ..ScriptFrame::default() });
                    place = word_of(&context, CONTEXT_STATEMENT);
                }
            }
            _ => {}
        }
        info = stack.before;
    }
    None
}

/// The outermost of these frames was called by a block.
fn ends_block(frames: &mut [ScriptFrame]) {
    if let Some(last) = frames.last_mut().filter(|last| last.kind & FIRST != 0) {
        last.kind = last.kind & !FIRST | MAY_BE_FIRST;
    }
}

/// A stack of contexts.
struct ContextStack {
    contexts: u64,
    before: u64,
    last: i32,
    last_sub: i32,
    kind: i32,
}

impl ContextStack {
    /// `None` if it could not be read or makes no sense.
    fn read(at: u64, memory: &mut dyn ThreadMemory) -> Option<ContextStack> {
        const MOST: i32 = 1 << 24;
        let mut bytes = [0; INFO];
        (memory.read(at, &mut bytes) == bytes.len()).then_some(())?;
        let (last, places) = (int(&bytes, INFO_LAST), int(&bytes, INFO_PLACES));
        let (last_sub, kind) = (int(&bytes, INFO_LAST_SUB), int(&bytes, INFO_KIND));
        let makes_sense = (-1..=last).contains(&last_sub) && last <= places && places < MOST && KINDS.contains(&kind);
        let (contexts, before) = (word_of(&bytes, INFO_CONTEXTS), word_of(&bytes, INFO_BEFORE));
        makes_sense.then_some(ContextStack { contexts, before, last, last_sub, kind })
    }

    fn context(&self, index: u64, memory: &mut dyn ThreadMemory) -> Option<[u8; CONTEXT]> {
        let mut bytes = [0; CONTEXT];
        let at = self.contexts.wrapping_add(index * CONTEXT as u64);
        (memory.read(at, &mut bytes) == bytes.len()).then_some(bytes)
    }
}

/// A number of four bytes.
fn int(bytes: &[u8], at: u32) -> i32 {
    word_of(bytes, at) as i32
}
