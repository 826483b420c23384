//! A number that tells code from other code that was at the same address before, and the words of memory that are read for it.

use crate::script::word_size::{WordSize, word_of};
use stride_event::{MIX, ScriptLayout, ThreadMemory, mix};

/// Where the words of code are.
pub fn words_of(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    if layout.code_there == ScriptLayout::NONE {
        return Some(code);
    }
    WordSize::of(layout).word(code.wrapping_add(layout.code_there.into()), memory)
}

/// Tells the code at an address from other code that was there before. `None` if it could not be read.
pub fn identity(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let words = WordSize::of(layout);
    let code = words_of(layout, code, memory)?;
    let mut bytes = [0; 8 * ScriptLayout::CONSTANT_WORDS];
    let bytes = &mut bytes[..8 * (layout.constant_words as usize).min(ScriptLayout::CONSTANT_WORDS)];
    if memory.read(code.wrapping_add(layout.constant.into()), bytes) < bytes.len() {
        return None;
    }
    let mut state = bytes.chunks_exact(8).fold(MIX, |state, word| mix(state, word_of(word, 0)));
    let contents = layout.contents.into_iter().zip(layout.content_there).zip(layout.content_data);
    for ((content, there), data) in contents.filter(|_| layout.compares_contents != 0) {
        let mut object = words.word_of(bytes, content.wrapping_sub(layout.constant));
        if object != 0 && there != ScriptLayout::NONE {
            object = words.word(object.wrapping_add(there.into()), memory)?;
        }
        let number = if object == 0 { MIX } else { mix_content(layout, MIX, object, data, memory)? };
        state = mix(state, number);
    }
    Some(state.max(1))
}

/// Mixes the size, the word behind that and the data of an object: as much as is looked at.
pub fn mix_content(
    layout: &ScriptLayout,
    mut state: u64,
    object: u64,
    data: u32,
    memory: &mut dyn ThreadMemory,
) -> Option<u64> {
    let words = WordSize::of(layout);
    let mut head = [0; 16];
    let head = &mut head[..2 * words.bytes()];
    if memory.read(object.wrapping_add(layout.content_size.into()), head) < head.len() {
        return None;
    }
    let size = words.word_of(head, 0);
    state = head.chunks_exact(8).fold(state, |state, word| mix(state, word_of(word, 0)));
    let mut bytes = [0; 8 * ScriptLayout::CONTENT_WORDS];
    let len = usize::try_from(size).unwrap_or(usize::MAX).min(bytes.len());
    if memory.read(object.wrapping_add(data.into()), &mut bytes[..len]) < len {
        return None;
    }
    // (The bytes behind the last one are 0.)
    let words = bytes[..len.next_multiple_of(8)].chunks_exact(8);
    Some(words.fold(state, |state, word| mix(state, word_of(word, 0))))
}
