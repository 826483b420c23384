//! Where each version of Ruby keeps its threads, frames and code.

use crate::script::word_size::WordSize;
use stride_event::ScriptLayout;

/// A call of the evaluation function began with this frame.
pub const FINISH: u64 = 0x20;
/// The frame is one of C.
const OF_C: u32 = 0x80;
/// The frame below all others.
const DUMMY: u32 = 0x7999;

/// The versions of which layouts are known.
const VERSIONS: [(&str, ScriptLayout); 5] =
    [("3.1.", V3_1), ("3.3.", V3_3), ("3.1.", V3_1_NARROW), ("3.3.", V3_3_NARROW), ("3.4.", V3_4)];

/// The layout of a version that a program tells, such as `3.3.8`, and whose words have so many bytes.
pub fn layout(told: &str, word: usize) -> Option<ScriptLayout> {
    let is_it =
        |(version, layout): &&(&str, ScriptLayout)| told.starts_with(version) && WordSize::of(layout).bytes() == word;
    VERSIONS.iter().find(is_it).map(|&(_, layout)| layout)
}

/// True if the version's own backtraces have no frames for the parts of functions behind `rescue` and `ensure`.
pub fn hides_rescues(told: &str) -> bool {
    !["3.1.", "3.3."].iter().any(|version| told.starts_with(version))
}

pub fn all() -> impl Iterator<Item = ScriptLayout> {
    VERSIONS.into_iter().map(|(_, layout)| layout)
}

const V3_1: ScriptLayout = ScriptLayout {
    next_interpreter: ScriptLayout::NONE,
    // In the machine, its first thread; in threads, the list of those of one machine.
    threads: 40,
    next_thread: 0,
    thread_pointer: 80,
    innermost: 40,
    innermost_there: 16,
    frame_size: 64,
    code: 16,
    code_there: 16,
    place: 0,
    kind: 32,
    kind_there: 0,
    outermost: DUMMY,
    without_code: OF_C,
    without_mask: OF_C,
    constant: 0,
    constant_words: 19,
    // In code: the path, the name of the function, and the table of lines.
    contents: [64, 80, 120],
    has_values: 1,
    value_text: 16,
    ..ScriptLayout::LISTED
};

/// Threads have a description of the native thread that runs them, and texts the word with their length.
const V3_3: ScriptLayout = ScriptLayout {
    thread_pointer: 40,
    thread_pointer_there: 16,
    innermost: 48,
    frame_size: 56,
    constant_words: 18,
    contents: [64, 80, 112],
    value_text: 24,
    ..V3_1
};

/// The code around that of an `eval` has the name of both.
const V3_4: ScriptLayout = ScriptLayout { constant_words: 21, ..V3_3 };

/// 3.1 and 3.3 in programs of 32 bits.
const V3_1_NARROW: ScriptLayout = ScriptLayout {
    narrow: 1,
    threads: 24,
    thread_pointer: 40,
    innermost: 20,
    innermost_there: 8,
    frame_size: 32,
    code: 8,
    code_there: 8,
    kind: 16,
    constant_words: 13,
    contents: [52, 60, 88],
    value_text: 8,
    ..V3_1
};

const V3_3_NARROW: ScriptLayout = ScriptLayout {
    thread_pointer: 20,
    thread_pointer_there: 8,
    innermost: 24,
    frame_size: 28,
    value_text: 12,
    ..V3_1_NARROW
};
