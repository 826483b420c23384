//! Where each version of Perl keeps its contexts and subs: the offsets of its headers, for builds with threads (`MULTIPLICITY`).

use crate::script::word_size::WordSize;

/// The offsets of one version. Most of those of contexts and subs are the same in all of them whose words have the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerlVersion {
    /// `PL_revision` and `PL_version`: 5 and 36.
    pub number: [u8; 2],
    /// The size of the interpreter's struct (`PL_interp_size`), which depends on how Perl was built.
    pub size: u16,
    /// In an interpreter: the pointer to the statement that runs, and to the innermost stack of contexts.
    pub statement: u32,
    pub contexts: u32,
    /// The number of the statement or block that was compiled last (`PL_cop_seqmax`).
    pub compiled: u32,
    /// Those of contexts, subs and names.
    pub offsets: &'static Offsets,
}

/// Perl 5.
const VERSIONS: &[PerlVersion] = &[
    PerlVersion { number: [5, 36], size: 3768, statement: 208, contexts: 224, compiled: 2100, offsets: &WIDE },
    PerlVersion { number: [5, 40], size: 3768, statement: 208, contexts: 224, compiled: 1884, offsets: &WIDE },
    PerlVersion { number: [5, 42], size: 3768, statement: 208, contexts: 224, compiled: 1884, offsets: &WIDE },
    PerlVersion { number: [5, 44], size: 3776, statement: 208, contexts: 224, compiled: 1884, offsets: &WIDE },
    PerlVersion { number: [5, 36], size: 2320, statement: 124, contexts: 132, compiled: 1412, offsets: &NARROW_5_36 },
    PerlVersion { number: [5, 40], size: 2332, statement: 124, contexts: 132, compiled: 1176, offsets: &NARROW },
    PerlVersion { number: [5, 42], size: 2332, statement: 124, contexts: 132, compiled: 1176, offsets: &NARROW },
];

/// The version with this number, if it was built as most distributions build it, for programs whose words have so many bytes.
pub fn of_number(number: [u8; 2], size: u16, word: usize) -> Option<PerlVersion> {
    let is_it =
        |version: &PerlVersion| (version.number, version.size, version.offsets.words.bytes()) == (number, size, word);
    VERSIONS.iter().copied().find(is_it)
}

/// The offsets of contexts, subs and names, which depend on the size of words.
#[derive(Debug, PartialEq, Eq)]
pub struct Offsets {
    pub words: WordSize,
    /// In glibc's description of a thread: the value of its first key, and the distance to that of the next.
    pub thread_values: u32,
    pub next_value: u32,
    /// In a stack of contexts: its contexts, the stack that was in use before, and what it is for.
    pub info_contexts: u32,
    pub info_before: u32,
    /// The index of the last context, of the last place, and of the last sub or eval.
    pub info_last: u32,
    pub info_places: u32,
    pub info_last_sub: u32,
    pub info_kind: u32,
    /// A context has so many bytes. In it: the statement that led to it, the operation behind it, the index of the sub or eval before it, and its sub. (The kind is its first byte.)
    pub context: usize,
    pub context_statement: u32,
    pub context_next: u32,
    pub context_before: u32,
    pub context_sub: u32,
    /// In a statement: its line and its file.
    pub statement_line: u32,
    pub statement_file: u32,
    /// In any value: the kind, and flags; and in a glob, what it holds. (Its body is the first word.)
    pub flags: u32,
    pub held: u32,
    /// In the body of a sub: its package; its glob, or its name alone if a flag says so.
    pub sub_package: u32,
    pub sub_glob: u32,
    pub sub_flags: u32,
    /// In what a glob holds: the glob whose name it has.
    pub held_named: u32,
    /// In the body of a glob: its name and its package.
    pub glob_name: u32,
    pub glob_package: u32,
    /// In the body of a package: its name, or an array of names if there is a number of them.
    pub package_name: u32,
    pub package_names: u32,
}

pub const WIDE: Offsets = Offsets {
    words: WordSize::EIGHT,
    thread_values: 0x310 + 8,
    next_value: 16,
    info_contexts: 8,
    info_before: 16,
    info_last: 32,
    info_places: 36,
    info_last_sub: 40,
    info_kind: 44,
    context: 104,
    context_statement: 16,
    context_next: 48,
    context_before: 56,
    context_sub: 72,
    statement_line: 36,
    statement_file: 48,
    flags: 12,
    held: 16,
    sub_package: 32,
    sub_glob: 56,
    sub_flags: 92,
    held_named: 56,
    glob_name: 32,
    glob_package: 40,
    package_name: 32,
    package_names: 60,
};

const NARROW: Offsets = Offsets {
    words: WordSize::FOUR,
    thread_values: 0x88 + 4,
    next_value: 8,
    info_contexts: 4,
    info_before: 8,
    info_last: 16,
    info_places: 20,
    info_last_sub: 24,
    info_kind: 28,
    context: 64,
    context_statement: 12,
    context_next: 32,
    context_before: 36,
    context_sub: 44,
    statement_line: 20,
    statement_file: 28,
    flags: 8,
    held: 12,
    sub_package: 16,
    sub_glob: 32,
    sub_flags: 52,
    held_named: 32,
    glob_name: 16,
    glob_package: 24,
    package_name: 16,
    package_names: 32,
};

/// A context has a number of four bytes in front of the statement that later versions have behind it.
const NARROW_5_36: Offsets = Offsets { context_statement: 16, ..NARROW };

/// The most bytes of a stack of contexts, and of a context.
pub const INFO: usize = 48;
pub const CONTEXT: usize = 104;
/// The kind of a stack of contexts tells its use: for the program itself, or its file that is compiled; for a block that compares values for `sort`.
pub const OF_PROGRAM: i32 = 1;
pub const OF_SORT: i32 = 3;
/// The kinds of these stacks.
pub const KINDS: std::ops::RangeInclusive<i32> = -1..=16;

/// The kinds of contexts.
pub const KIND: u8 = 0xf;
pub const PLAIN: u8 = 0;
pub const SUB: u8 = 9;
pub const FORMAT: u8 = 10;
pub const EVAL: u8 = 11;
/// The context is one of `eval { … }`, or of C code that catches exceptions; that of a sub is the block in a regular expression.
pub const OF_BLOCK: u8 = 0x40;

/// In any value: its body.
pub const BODY: u32 = 0;
/// The kinds of values.
pub const GLOB: u32 = 9;
pub const HASH: u32 = 12;
pub const CODE: u32 = 13;
pub const CODE_OF_FORMAT: u32 = 14;
pub const SUB_IS_NAMED: u32 = 0x8000;
/// Its name has no package (`my sub`).
pub const SUB_IS_LEXICAL: u32 = 0x1_0000;
/// A package has names if this flag is set.
pub const HAS_NAMES: u32 = 0x200_0000;
/// In a name: its length, and its text, with a zero byte and flags behind.
pub const NAME_LEN: u32 = 4;
pub const NAME_TEXT: u32 = 8;
pub const NAME_IS_UTF8: u8 = 1;
