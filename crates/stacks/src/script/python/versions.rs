//! Where versions of CPython up to 3.12 keep their frames and code: the offsets of their headers, which never change within a version. Later ones tell them
//! ([`crate::script::python::debug_offsets`]).

use crate::script::word_size::WordSize;
use stride_event::ScriptLayout;

/// The offsets by which the frames of one version of CPython are walked and named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub minor: u8,
    /// The layout, with the offset in `_PyRuntime` in place of an address.
    pub layout: ScriptLayout,
    /// In a code object: the first line, the file's name, the function's name, the table of lines.
    pub first_line: u32,
    pub file: u32,
    pub name: u32,
    pub lines: u32,
    /// In a code object: the instructions, if a frame's place is an address. 0: the place counts from the first instruction.
    pub instructions: u32,
    /// In a string: what tells its form; the text, if it is ASCII, and if it is not.
    pub form: u32,
    pub ascii: u32,
    pub text: u32,
    /// In a `bytes`: the bytes.
    pub bytes: u32,
}

/// `FRAME_OWNED_BY_CSTACK`, since 3.14 `FRAME_OWNED_BY_INTERPRETER`: the frame with which a call of the evaluation loop begins.
pub const OWNED_BY_C_STACK: u32 = 3;

/// In a `bytes` up to 3.12: the bytes.
const BYTES: u32 = 32;

const NONE: u32 = ScriptLayout::NONE;

/// 3.8 to 3.10 have a frame object for each call.
const FRAME_OBJECTS: Version = Version {
    minor: 8,
    layout: ScriptLayout {
        interpreters: 32,
        next_interpreter: 0,
        threads: 8,
        next_thread: 8,
        thread_pointer: 176,
        innermost: 24,
        innermost_there: NONE,
        caller: 24,
        code: 32,
        place: 104,
        is_place_short: 1,
        kind: NONE,
        without_code: NONE,
        constant: 40,
        constant_words: 11,
        contents: [104, 112, 120],
        content_data: [48, 48, BYTES],
        compares_contents: 1,
        ..ScriptLayout::LISTED
    },
    first_line: 40,
    file: 104,
    name: 112,
    lines: 120,
    instructions: 0,
    form: 32,
    ascii: 48,
    text: 72,
    bytes: BYTES,
};

const V3_9: Version = Version { minor: 9, ..FRAME_OBJECTS };
const V3_10: Version =
    Version { minor: 10, layout: ScriptLayout { place: 96, ..FRAME_OBJECTS.layout }, ..FRAME_OBJECTS };

const V3_11: Version = Version {
    minor: 11,
    layout: ScriptLayout {
        interpreters: 40,
        next_interpreter: 0,
        threads: 16,
        next_thread: 8,
        thread_pointer: 152,
        innermost: 56,
        innermost_there: 8,
        caller: 48,
        code: 32,
        place: 56,
        is_place_short: 0,
        kind: 68,
        without_code: NONE,
        constant: 72,
        constant_words: 9,
        contents: [112, 128, 136],
        content_data: [48, 48, BYTES],
        compares_contents: 1,
        ..ScriptLayout::LISTED
    },
    first_line: 72,
    file: 112,
    name: 128,
    lines: 136,
    instructions: 184,
    form: 32,
    ascii: 48,
    text: 72,
    bytes: BYTES,
};

/// The same in programs of 32 bits.
const V3_11_NARROW: Version = Version {
    layout: ScriptLayout {
        narrow: 1,
        interpreters: 28,
        threads: 12,
        next_thread: 4,
        thread_pointer: 88,
        innermost: 40,
        innermost_there: 4,
        caller: 24,
        code: 16,
        place: 28,
        kind: 36,
        constant: 48,
        constant_words: 6,
        contents: [80, 88, 92],
        content_data: [24, 24, 16],
        content_size: 8,
        ..V3_11.layout
    },
    first_line: 48,
    file: 80,
    name: 88,
    lines: 92,
    instructions: 116,
    form: 16,
    ascii: 24,
    text: 36,
    bytes: 16,
    ..V3_11
};

/// Code objects have a number that no other one gets (`co_version`), so their contents need not be compared.
const V3_12: Version = Version {
    minor: 12,
    layout: ScriptLayout {
        interpreters: 40,
        next_interpreter: 0,
        threads: 72,
        next_thread: 8,
        thread_pointer: 136,
        innermost: 56,
        innermost_there: 0,
        caller: 8,
        code: 0,
        place: 56,
        is_place_short: 0,
        kind: 70,
        without_code: OWNED_BY_C_STACK,
        constant: 64,
        constant_words: 10,
        contents: [112, 128, 136],
        content_data: [40, 40, BYTES],
        compares_contents: 0,
        ..ScriptLayout::LISTED
    },
    first_line: 68,
    file: 112,
    name: 128,
    lines: 136,
    instructions: 192,
    form: 32,
    ascii: 40,
    text: 56,
    bytes: BYTES,
};

/// The version before 3.13 with this number, in programs whose words have so many bytes.
pub fn before_debug_offsets(minor: u8, word: usize) -> Option<Version> {
    let has_words = |version: &Version| WordSize::of(&version.layout).bytes() == word;
    let versions = [FRAME_OBJECTS, V3_9, V3_10, V3_11, V3_11_NARROW, V3_12];
    versions.into_iter().find(|version| version.minor == minor && has_words(version))
}
