//! Walks the list of a thread's frames of scripts in memory that stands still. The eBPF engine does the same in the kernel (`bpf/script.h`).

use crate::script::waiting;
use stride_event::{MIX, ScriptEnd, ScriptFrame, ScriptFrames, ScriptLayout, ThreadMemory, mix};

/// The frames of the thread with this thread pointer.
pub fn frames(layout: &ScriptLayout, thread_pointer: u64, memory: &mut dyn ThreadMemory) -> ScriptFrames {
    let mut found = ScriptFrames { several: has_several(layout, memory), ..ScriptFrames::default() };
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
            0 => &mut bytes[..],
            size => bytes.get_mut(..size).unwrap_or_default(),
        };
        if memory.read(next, bytes_of_frame) < bytes_of_frame.len() {
            found.end = ScriptEnd::Unreadable;
            return found;
        }
        let code = word_of(&bytes, layout.code) & !ScriptLayout::TAG;
        let mut place = word_of(&bytes, layout.place);
        let mut kind = if layout.kind == ScriptLayout::NONE { 0 } else { word_of(&bytes, layout.kind) };
        if layout.kind_there == ScriptLayout::NONE {
            kind &= 0xffff;
        } else {
            let Some(there) = word(kind.wrapping_add(layout.kind_there.into()), memory) else {
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
            let there = || word(place.wrapping_add(layout.place_there.into()), memory);
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
            0 => word_of(&bytes, layout.caller),
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
    let next = |first: u64, memory| word(first.wrapping_add(layout.next_interpreter.into()), memory);
    word(layout.interpreters, memory).is_none_or(|first| next(first, memory) != Some(0))
}

/// The kind of code. 0 if it could not be read.
fn code_kind(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> u64 {
    word(code.wrapping_add(layout.code_kind.into()), memory).map_or(0, |kind| kind & 0xffff)
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
    let mut interpreter = word(layout.interpreters, memory)?;
    let (mut thread, mut first) = (0, 0);
    let mut found = None;
    for _ in 0..ScriptLayout::THREADS {
        if thread == 0 {
            if interpreter == 0 {
                return found;
            }
            first = word(interpreter.wrapping_add(layout.threads.into()), memory)?;
            thread = first;
            interpreter = match layout.next_interpreter {
                ScriptLayout::NONE => 0,
                next => word(interpreter.wrapping_add(next.into()), memory)?,
            };
            continue;
        }
        if word(thread.wrapping_add(layout.thread_pointer.into()), memory)? == thread_pointer {
            let frame = innermost_of(layout, thread, memory)?;
            if frame != 0 {
                return Some((thread, frame));
            }
            found = Some((thread, 0));
        }
        thread = word(thread.wrapping_add(layout.next_thread.into()), memory)?;
        if thread == first {
            thread = 0;
        }
    }
    None
}

/// The address of the innermost frame of a thread of the run-time system.
fn innermost_of(layout: &ScriptLayout, thread: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let frame = word(thread.wrapping_add(layout.innermost.into()), memory)?;
    if layout.innermost_there == ScriptLayout::NONE || frame == 0 {
        return Some(frame);
    }
    word(frame.wrapping_add(layout.innermost_there.into()), memory)
}

/// Where the words of code are.
pub fn words_of(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    if layout.code_there == ScriptLayout::NONE {
        return Some(code);
    }
    word(code.wrapping_add(layout.code_there.into()), memory)
}

/// Tells the code at an address from other code that was there before. `None` if it could not be read.
pub fn identity(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let code = words_of(layout, code, memory)?;
    let mut bytes = [0; 8 * ScriptLayout::CONSTANT_WORDS];
    let bytes = &mut bytes[..8 * (layout.constant_words as usize).min(ScriptLayout::CONSTANT_WORDS)];
    if memory.read(code.wrapping_add(layout.constant.into()), bytes) < bytes.len() {
        return None;
    }
    let mut state = bytes.chunks_exact(8).fold(MIX, |state, word| mix(state, word_of(word, 0)));
    let contents = layout.contents.into_iter().zip(layout.content_there).zip(layout.content_data);
    for ((content, there), data) in contents.filter(|_| layout.compares_contents != 0) {
        let mut object = word_of(bytes, content.wrapping_sub(layout.constant));
        if object != 0 && there != ScriptLayout::NONE {
            object = word(object.wrapping_add(there.into()), memory)?;
        }
        let number = if object == 0 { MIX } else { mix_content(MIX, object, layout.content_size, data, memory)? };
        state = mix(state, number);
    }
    Some(state.max(1))
}

/// Mixes the size, the word behind that and the data of an object: as much as is looked at.
pub fn mix_content(mut state: u64, object: u64, size_at: u32, data: u32, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut head = [0; 16];
    if memory.read(object.wrapping_add(size_at.into()), &mut head) < head.len() {
        return None;
    }
    let size = word_of(&head, 0);
    state = mix(mix(state, size), word_of(&head, 8));
    let mut bytes = [0; 8 * ScriptLayout::CONTENT_WORDS];
    let len = usize::try_from(size).unwrap_or(usize::MAX).min(bytes.len());
    if memory.read(object.wrapping_add(data.into()), &mut bytes[..len]) < len {
        return None;
    }
    // (The bytes behind the last one are 0.)
    let words = bytes[..len.next_multiple_of(8)].chunks_exact(8);
    Some(words.fold(state, |state, word| mix(state, word_of(word, 0))))
}

/// A word of memory.
pub fn word(address: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut bytes = [0; 8];
    (memory.read(address, &mut bytes) == bytes.len()).then_some(u64::from_le_bytes(bytes))
}

/// The word that begins at an offset; the bytes behind the end are 0.
pub fn word_of(bytes: &[u8], at: u32) -> u64 {
    let mut word = [0; 8];
    let rest = bytes.get(at as usize..).unwrap_or_default();
    let len = rest.len().min(8);
    word[..len].copy_from_slice(&rest[..len]);
    u64::from_le_bytes(word)
}
