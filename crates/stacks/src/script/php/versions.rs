//! Where each version of PHP keeps its frames and functions: the offsets of its headers, which never change within a version.

use crate::script::word_size::WordSize;
use stride_event::ScriptLayout;

/// The offsets by which the frames of one version are walked and named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhpVersion {
    pub minor: u8,
    /// In `executor_globals`: the pointer to the innermost frame.
    pub innermost: u64,
    pub layout: ScriptLayout,
}

/// In a string: its type.
pub const TYPE: u32 = 4;
/// The type of strings.
pub const STRING: u64 = 6;
/// The kind of functions that are written in C.
pub const INTERNAL: u32 = 1;
/// The kinds of functions and files of PHP, and of code that `eval` runs.
pub const OF_PHP: [u64; 2] = [2, 4];

/// In a function: its class, its name, and the name of its file. In a class: its name. In a string: its length and its bytes. All versions have these in the same places, but for the name of the file.
const WIDE: ScriptLayout = ScriptLayout {
    caller: 48,
    code: 24,
    place: 0,
    // In an instruction: its line.
    place_there: 24,
    is_place_short: 1,
    // The upper half of the flags of a call.
    kind: 42,
    code_kind: 0,
    without_code: INTERNAL,
    constant: 0,
    contents: [16, 8, 0],
    content_there: [8, ScriptLayout::NONE, ScriptLayout::NONE],
    content_data: [24; 3],
    content_size: 16,
    compares_contents: 1,
    ..ScriptLayout::LISTED
};

/// The same in programs of 32 bits.
const NARROW: ScriptLayout = ScriptLayout {
    narrow: 1,
    caller: 32,
    code: 12,
    place_there: 20,
    kind: 26,
    contents: [12, 8, 0],
    content_there: [4, ScriptLayout::NONE, ScriptLayout::NONE],
    content_data: [16; 3],
    content_size: 12,
    ..WIDE
};

/// A version whose functions have the name of their file there.
const fn version(minor: u8, file: u32) -> PhpVersion {
    of_layout(WIDE, minor, file, 488)
}

const fn of_layout(of: ScriptLayout, minor: u8, file: u32, innermost: u64) -> PhpVersion {
    let [class, name, _] = of.contents;
    let layout = ScriptLayout { constant_words: file / 8 + 1, contents: [class, name, file], ..of };
    PhpVersion { minor, innermost, layout }
}

/// PHP 8.
const VERSIONS: &[PhpVersion] = &[
    version(0, 144),
    version(1, 144),
    version(2, 152),
    version(3, 144),
    version(4, 168),
    of_layout(NARROW, 2, 92, 296),
    of_layout(NARROW, 4, 100, 296),
    of_layout(WIDE, 5, 168, 512),
];

/// The version of PHP 8 with this number, in programs whose words have so many bytes.
pub fn of_minor(minor: u8, word: usize) -> Option<PhpVersion> {
    let has_words = |version: &PhpVersion| WordSize::of(&version.layout).bytes() == word;
    VERSIONS.iter().copied().find(|version| version.minor == minor && has_words(version))
}
