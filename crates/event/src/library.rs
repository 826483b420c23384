//! Calls of functions in libraries, and probes that programs have in themselves.

use crate::{Ns, Tid};
use std::sync::Arc;
use stride_syscalls::library::WordType;

/// The most words of a call that are read. USDT probes have no more, and few functions do.
pub const LIBRARY_WORDS: usize = 12;
/// The most bytes of a captured text.
pub const LIBRARY_TEXT: usize = 512;

/// A function or probe of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryFunction {
    /// `libc:malloc`, `libpython3.11:python:function__entry`. No system call has a colon in its name.
    pub name: Box<str>,
    /// At most [`LIBRARY_WORDS`].
    pub params: Box<[Param]>,
    /// `None`: the return is not seen.
    pub result: Option<WordType>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Empty if unknown.
    pub name: Box<str>,
    pub ty: WordType,
}

/// Which part of a call an event is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LibraryPart {
    #[default]
    Entered,
    Returned,
    /// Entered, and its return is not seen; or a probe, which only has a place.
    Passed,
    /// It will not return: its thread ended or executed another program, or it was left by longjmp(3) or an exception.
    Gone,
}

/// A part of a call of a function. At its end, a call has everything that was known at its beginning.
#[derive(Clone, Debug, Default)]
pub struct LibraryCall {
    pub tid: Tid,
    pub function: Arc<LibraryFunction>,
    pub part: LibraryPart,
    /// How many traced functions its thread is in, besides this one.
    pub depth: u32,
    pub at: Ns,
    /// When it was entered. 0 if that was not seen; then there are no words either.
    pub entered: Ns,
    /// The arguments, one for each parameter that could be read, sign-extended or cut to its size.
    pub words: Vec<u64>,
    pub result: u64,
    /// Memory behind arguments and behind the result.
    pub texts: Vec<LibraryText>,
}

/// Captured memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryText {
    /// The argument that points to it. `None`: the result.
    pub word: Option<u8>,
    pub bytes: Box<[u8]>,
    /// There is more.
    pub cut: bool,
}

impl LibraryCall {
    /// The memory behind an argument, or behind the result.
    pub fn text(&self, word: Option<usize>) -> Option<&LibraryText> {
        self.texts.iter().find(|text| text.word.map(usize::from) == word)
    }

    /// True for the part at which the call is counted: its return, or its entry if the return is not watched.
    pub fn is_counted_here(&self) -> bool {
        matches!(self.part, LibraryPart::Returned | LibraryPart::Passed)
    }

    /// How long it took. `None` if it has not returned, or if its beginning was not seen.
    pub fn duration(&self) -> Option<Ns> {
        (self.part == LibraryPart::Returned && self.entered != 0).then(|| self.at.saturating_sub(self.entered))
    }
}

/// Where a word is when a probe is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordPlace {
    Constant(i64),
    /// The offset of the register in the kernel's `struct pt_regs`.
    Register(u16),
    /// In memory, so many bytes behind the address in a register.
    Memory(u16, i64),
}

/// A word that the engine reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbedWord {
    pub place: WordPlace,
    /// 1, 2, 4 or 8.
    pub bytes: u8,
    pub signed: bool,
}

/// A place in a file at which threads are looked at.
#[derive(Clone, Debug)]
pub struct LibraryProbe {
    pub function: Arc<LibraryFunction>,
    /// The offset of the instruction in the file.
    pub offset: u64,
    /// The offset of a counter in the file's data that the program checks before it comes to the probe. 0: there is none.
    pub semaphore: u64,
    /// One for each parameter.
    pub words: Box<[ProbedWord]>,
}

/// The probes in a file.
#[derive(Clone, Debug)]
pub struct ProbedFile {
    pub path: std::path::PathBuf,
    pub probes: Vec<LibraryProbe>,
}
