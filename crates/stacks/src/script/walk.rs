//! Walks the list of a thread's frames of scripts in memory that stands still. The eBPF engine does the same in the kernel (`bpf/script.h`).

use crate::script::identity::identity;
use crate::script::waiting;
use crate::script::word_size::WordSize;
use stride_event::{ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, ThreadMemory};

/// The frames of the thread with this thread pointer.
pub fn frames(layout: &ScriptLayout, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> ScriptFrames {
    let mut found = ScriptFrames { several: has_several(layout, memory), ..ScriptFrames::default() };
    let words = WordSize::of(layout);
    let Some((thread, mut next)) = innermost(layout, thread_pointer, memory) else { return found };
    let task = waiting::running_task(layout, thread, memory);
    let mut has_task = false;
    while next != 0 {
        if found.frames.len() == ScriptLayout::FRAMES {
            found.end = ScriptEnd::Limit;
            return found;
        }
        let mut bytes = [0; ScriptLayout::FRAME];
        // (Nothing may be behind the last of frames that lie behind one another.)
        let bytes_of_frame = match layout.frame_size as usize {
            0 => &mut bytes[..words.part_of(ScriptLayout::FRAME)],
            size => bytes.get_mut(..size).unwrap_or_default(),
        };
        if memory.read(next, bytes_of_frame) < bytes_of_frame.len() {
            found.end = ScriptEnd::Unreadable;
            return found;
        }
        let code = words.code(words.word_of(&bytes, layout.code));
        let mut place = words.word_of(&bytes, layout.place);
        let mut kind = if layout.kind == ScriptLayout::NONE { 0 } else { words.word_of(&bytes, layout.kind) };
        if layout.kind_there == ScriptLayout::NONE {
            kind &= 0xffff;
        } else {
            let Some(there) = words.word(kind.wrapping_add(layout.kind_there.into()), memory) else {
                found.end = ScriptEnd::Unreadable;
                return found;
            };
            kind = there & u64::from(u32::MAX);
        }
        if kind >> 16 == layout.outermost.into() {
            break;
        }
        if layout.code_kind != ScriptLayout::NONE {
            kind = kind << 16 | code_kind(layout, code, memory);
        }
        let identity = if has_code(layout, kind) { identity(layout, code, memory).unwrap_or_default() } else { 0 };
        if layout.place_there != ScriptLayout::NONE {
            // (In frames without code, the pointer may be anything.)
            let there = || words.word(place.wrapping_add(layout.place_there.into()), memory);
            place = (identity != 0).then(there).flatten().unwrap_or_default();
        }
        if layout.is_place_short != 0 {
            place &= u64::from(u32::MAX);
        }
        if task.as_ref().is_some_and(|task| task.frame == next) {
            kind |= ScriptLayout::OUTERMOST_OF_TASK;
            has_task = true;
        }
        found.frames.push(ScriptFrame { code, place, identity, kind });
        next = match layout.frame_size {
            0 => words.word_of(&bytes, layout.caller),
            size => next.wrapping_add(size.into()),
        };
    }
    found.end = if found.frames.is_empty() { ScriptEnd::NoFrames } else { ScriptEnd::Reached };
    if let Some(task) = task.filter(|_| has_task) {
        waiting::walk(layout, &task, memory, &mut found.frames);
    }
    found
}

/// True if the process has several interpreters, or if that is not known.
fn has_several(layout: &ScriptLayout, memory: &mut dyn ThreadMemory) -> bool {
    if layout.thread_pointer == ScriptLayout::NONE || layout.next_interpreter == ScriptLayout::NONE {
        return false;
    }
    let words = WordSize::of(layout);
    let next = |first: u64, memory| words.word(first.wrapping_add(layout.next_interpreter.into()), memory);
    words.word(layout.interpreters, memory).is_none_or(|first| next(first, memory) != Some(0))
}

/// The kind of code. 0 if it could not be read.
fn code_kind(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> u64 {
    WordSize::of(layout).word(code.wrapping_add(layout.code_kind.into()), memory).map_or(0, |kind| kind & 0xffff)
}

/// True if a frame of this kind runs code.
pub fn has_code(layout: &ScriptLayout, kind: u64) -> bool {
    layout.without_code == ScriptLayout::NONE || kind & u64::from(layout.without_mask) != layout.without_code.into()
}

/// The thread of the run-time system, and the address of its innermost frame. A thread is in the lists of several interpreters if it has worked for all of them, and then that counts in which it
/// has frames.
fn innermost(layout: &ScriptLayout, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> Option<(u64, u64)> {
    if layout.thread_pointer == ScriptLayout::NONE {
        return Some((layout.interpreters, innermost_of(layout, layout.interpreters, memory)?));
    }
    let words = WordSize::of(layout);
    let mut interpreter = words.word(layout.interpreters, memory)?;
    let (mut thread, mut first) = (0, 0);
    let mut found = None;
    for _ in 0..ScriptLayout::THREADS {
        if thread == 0 {
            if interpreter == 0 {
                return found;
            }
            first = words.word(interpreter.wrapping_add(layout.threads.into()), memory)?;
            thread = first;
            interpreter = match layout.next_interpreter {
                ScriptLayout::NONE => 0,
                next => words.word(interpreter.wrapping_add(next.into()), memory)?,
            };
            continue;
        }
        if is_thread(layout, thread, thread_pointer, memory)? {
            let frame = innermost_of(layout, thread, memory)?;
            if frame != 0 {
                return Some((thread, frame));
            }
            found = Some((thread, 0));
        }
        thread = words.word(thread.wrapping_add(layout.next_thread.into()), memory)?;
        if thread == first {
            thread = 0;
        }
    }
    None
}

/// True if the thread of the run-time system has this thread pointer.
fn is_thread(layout: &ScriptLayout, thread: u64, pointer: u64, memory: &mut dyn ThreadMemory) -> Option<bool> {
    let words = WordSize::of(layout);
    let there = words.word(thread.wrapping_add(layout.thread_pointer.into()), memory)?;
    Some(match layout.thread_pointer_there {
        ScriptLayout::NONE => there == pointer,
        // (What is no thread may be among those that the run-time system lists.)
        at => words.word(there.wrapping_add(at.into()), memory) == Some(pointer),
    })
}

/// The address of the innermost frame of a thread of the run-time system.
fn innermost_of(layout: &ScriptLayout, thread: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let words = WordSize::of(layout);
    let frame = words.word(thread.wrapping_add(layout.innermost.into()), memory)?;
    if layout.innermost_there == ScriptLayout::NONE || frame == 0 {
        return Some(frame);
    }
    words.word(frame.wrapping_add(layout.innermost_there.into()), memory)
}
