//! How functions are described.

use crate::Set;

/// The type of an argument or result, as far as its register tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordType {
    /// The function returns nothing.
    Void,
    /// Unknown: shown in hexadecimal.
    Raw,
    /// A number.
    Int {
        /// Its size in bytes.
        bytes: u8,
        /// True if it has a sign.
        signed: bool,
    },
    /// A `bool` of C or C++.
    Bool,
    /// A `char`.
    Char,
    /// An address.
    Pointer,
    /// `char *`: a string with a NUL.
    Text,
    /// A number that may be the address of a string.
    MaybeText {
        /// True if the number has a sign.
        signed: bool,
    },
    /// A buffer whose length is the argument of this number, counted from 0.
    Buffer(u8),
    /// A number in a register that probes cannot read (floating point).
    Unreadable,
    // The rest only operations of io_uring have.
    /// A descriptor.
    Fd,
    /// A descriptor or `AT_FDCWD`.
    DirFd,
    /// Flags with these names.
    Flags(&'static Set),
    /// One of these names.
    Enum(&'static Set),
    /// Permission bits.
    Octal,
    /// A number, or an error negated.
    Outcome,
    /// A descriptor, or an error negated.
    FdOutcome,
}

impl WordType {
    /// The bytes of a word of this type, and if it is signed.
    pub fn width(self) -> (u8, bool) {
        match self {
            WordType::Int { bytes, signed } => (bytes, signed),
            WordType::Bool => (1, false),
            WordType::Char => (1, true),
            WordType::Fd | WordType::DirFd | WordType::Outcome | WordType::FdOutcome => (4, true),
            _ => (8, false),
        }
    }
}

/// A function: its name, the names and types of its arguments, and the type of its result.
#[derive(Clone, Copy, Debug)]
pub struct Prototype {
    /// The name of the function.
    pub name: &'static str,
    /// The names and types of its arguments.
    pub params: &'static [(&'static str, WordType)],
    /// The type of its result.
    pub result: WordType,
}

pub const fn function(name: &'static str, params: &'static [(&'static str, WordType)], result: WordType) -> Prototype {
    Prototype { name, params, result }
}

pub const INT: WordType = WordType::Int { bytes: 4, signed: true };
pub const UINT: WordType = WordType::Int { bytes: 4, signed: false };
pub const LONG: WordType = WordType::Int { bytes: 8, signed: true };
/// `size_t` and `unsigned long`.
pub const SIZE: WordType = WordType::Int { bytes: 8, signed: false };
pub const POINTER: WordType = WordType::Pointer;
pub const TEXT: WordType = WordType::Text;
pub const VOID: WordType = WordType::Void;
pub const DOUBLE: WordType = WordType::Unreadable;
