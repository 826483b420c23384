//! The languages, and by what they are known.

use crate::elf::Elf;
use crate::jit::runtime::FoundJit;
use crate::jit::{hotspot, pypy, v8};

/// How a language is known.
struct Language {
    /// A native function through which all calls of the language's functions go, if there is one that files export.
    entry: Option<&'static str>,
    /// True if a file of this name tends to have the run-time system.
    is_usual: fn(name: &[u8]) -> bool,
    /// Finds the version of the run-time system in the file that has it.
    find: fn(&Elf, path: &[u8]) -> Option<FoundJit>,
}

const LANGUAGES: &[Language] = &[
    Language { entry: Some(v8::ENTRY), is_usual: v8::is_usual, find: v8::find },
    Language { entry: None, is_usual: hotspot::is_usual, find: hotspot::find },
    Language { entry: None, is_usual: pypy::is_usual, find: pypy::find },
];

/// The language that has this native function.
pub fn language_of(function: &str) -> Option<usize> {
    LANGUAGES.iter().position(|language| language.entry == Some(function))
}

/// The language whose run-time system a file of this path tends to have.
pub fn usual_language(path: &[u8]) -> Option<usize> {
    let name = path.rsplit(|&b| b == b'/').next()?;
    LANGUAGES.iter().position(|language| (language.is_usual)(name))
}

/// Finds the run-time system of a language in a file of code.
pub fn find(language: usize, elf: &Elf, path: &[u8]) -> Option<FoundJit> {
    LANGUAGES.get(language).and_then(|language| (language.find)(elf, path))
}
