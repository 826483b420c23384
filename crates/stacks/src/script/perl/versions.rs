//! Where each version of Perl keeps its contexts and subs: the offsets of its headers, for builds with threads (`MULTIPLICITY`).

/// The offsets of one version. Those of contexts and subs are the same in all of them.
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
}

/// Perl 5.
const VERSIONS: &[PerlVersion] = &[
    PerlVersion { number: [5, 36], size: 3768, statement: 208, contexts: 224, compiled: 2100 },
    PerlVersion { number: [5, 40], size: 3768, statement: 208, contexts: 224, compiled: 1884 },
];

/// The version with this number, if it was built as most distributions build it.
pub fn of_number(number: [u8; 2], size: u16) -> Option<PerlVersion> {
    VERSIONS.iter().copied().find(|version| version.number == number && version.size == size)
}

/// In a stack of contexts: its contexts, the stack that was in use before, and what it is for.
pub const INFO: usize = 48;
pub const INFO_CONTEXTS: u32 = 8;
pub const INFO_BEFORE: u32 = 16;
/// The index of the last context, of the last place, and of the last sub or eval.
pub const INFO_LAST: u32 = 32;
pub const INFO_PLACES: u32 = 36;
pub const INFO_LAST_SUB: u32 = 40;
pub const INFO_KIND: u32 = 44;
/// The program itself, or the file of it that is compiled; a block that compares values for `sort`.
pub const OF_PROGRAM: i32 = 1;
pub const OF_SORT: i32 = 3;
/// The kinds of these stacks.
pub const KINDS: std::ops::RangeInclusive<i32> = -1..=16;

/// A context: its kind, the statement that led to it, the operation behind it, the index of the sub or eval before it, and its sub.
pub const CONTEXT: usize = 104;
pub const CONTEXT_STATEMENT: u32 = 16;
pub const CONTEXT_NEXT: u32 = 48;
pub const CONTEXT_BEFORE: u32 = 56;
pub const CONTEXT_SUB: u32 = 72;
/// The kinds of contexts.
pub const KIND: u8 = 0xf;
pub const PLAIN: u8 = 0;
pub const SUB: u8 = 9;
pub const FORMAT: u8 = 10;
pub const EVAL: u8 = 11;
/// The context is one of `eval { … }`, or of C code that catches exceptions; that of a sub is the block in a regular expression.
pub const OF_BLOCK: u8 = 0x40;

/// In a statement: its line and its file.
pub const STATEMENT_LINE: u32 = 36;
pub const STATEMENT_FILE: u32 = 48;

/// In any value: its body; the kind, and flags; and in a glob, what it holds.
pub const BODY: u32 = 0;
pub const FLAGS: u32 = 12;
pub const HELD: u32 = 16;
/// The kinds of values.
pub const GLOB: u64 = 9;
pub const HASH: u64 = 12;
pub const CODE: u64 = 13;
pub const CODE_OF_FORMAT: u64 = 14;
/// In the body of a sub: its package; its glob, or its name alone if a flag says so.
pub const SUB_PACKAGE: u32 = 32;
pub const SUB_GLOB: u32 = 56;
pub const SUB_FLAGS: u32 = 92;
pub const SUB_IS_NAMED: u64 = 0x8000;
/// Its name has no package (`my sub`).
pub const SUB_IS_LEXICAL: u64 = 0x1_0000;
/// In what a glob holds: the glob whose name it has.
pub const HELD_NAMED: u32 = 56;
/// In the body of a glob: its name and its package.
pub const GLOB_NAME: u32 = 32;
pub const GLOB_PACKAGE: u32 = 40;
/// A package has names if this flag is set; in its body: its name, or an array of names if there is a number of them.
pub const HAS_NAMES: u64 = 0x200_0000;
pub const PACKAGE_NAME: u32 = 32;
pub const PACKAGE_NAMES: u32 = 60;
/// In a name: its length, and its text, with a zero byte and flags behind.
pub const NAME_LEN: u32 = 4;
pub const NAME_TEXT: u32 = 8;
pub const NAME_IS_UTF8: u8 = 1;
