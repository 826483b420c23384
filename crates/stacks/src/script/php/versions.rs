//! Where each version of PHP keeps its frames and functions: the offsets of its headers, which never change within a version.

use stride_event::ScriptLayout;

/// The offsets by which the frames of one version are walked and named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhpVersion {
    pub minor: u8,
    /// In `executor_globals`: the pointer to the innermost frame.
    pub innermost: u64,
    pub layout: ScriptLayout,
}

/// In a function: its name and the class that it belongs to.
pub const NAME: u32 = 8;
pub const CLASS: u32 = 16;
/// In a class: its name.
pub const CLASS_NAME: u32 = 8;
/// In a string: its type, its length and its bytes.
pub const TYPE: u32 = 4;
pub const LENGTH: u32 = 16;
pub const BYTES: u32 = 24;
/// In an instruction: its line.
const LINE: u32 = 24;
/// The type of strings.
pub const STRING: u64 = 6;
/// The kind of functions that are written in C.
pub const INTERNAL: u32 = 1;
/// The kinds of functions and files of PHP, and of code that `eval` runs.
pub const OF_PHP: [u64; 2] = [2, 4];

/// A version whose functions have the name of their file there.
const fn version(minor: u8, file: u32) -> PhpVersion {
    let layout = ScriptLayout {
        caller: 48,
        code: 24,
        place: 0,
        place_there: LINE,
        is_place_short: 1,
        // The upper half of the flags of a call.
        kind: 42,
        code_kind: 0,
        without_code: INTERNAL,
        constant: 0,
        constant_words: file / 8 + 1,
        contents: [CLASS, NAME, file],
        content_there: [CLASS_NAME, ScriptLayout::NONE, ScriptLayout::NONE],
        content_data: [BYTES; 3],
        compares_contents: 1,
        ..ScriptLayout::LISTED
    };
    PhpVersion { minor, innermost: 488, layout }
}

/// PHP 8.
const VERSIONS: &[PhpVersion] = &[version(0, 144), version(1, 144), version(2, 152), version(3, 144), version(4, 168)];

/// The version of PHP 8 with this number.
pub fn of_minor(minor: u8) -> Option<PhpVersion> {
    VERSIONS.iter().copied().find(|version| version.minor == minor)
}
