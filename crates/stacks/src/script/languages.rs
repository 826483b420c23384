//! The languages, and by what they are known.

use crate::elf::Elf;
use crate::elf::exported::Exported;
use crate::script::runtime::FoundRuntime;
use crate::script::{perl, php, python, ruby};

/// How a language is known.
struct Language {
    /// The name in frames that say what is missing.
    name: &'static str,
    /// The native function that runs scripts.
    evaluation: &'static str,
    /// An object that a file exports which has the evaluation function without its name.
    nameless: Option<&'static [u8]>,
    /// True if a file of this name tends to have the run-time system. It may have another name if a program contains it. Then it is found when a stack
    /// has the evaluation function.
    is_usual: fn(name: &[u8]) -> bool,
    /// Finds the version of the run-time system in the file that has it.
    find: fn(&Elf, path: &[u8]) -> Option<FoundRuntime>,
}

const LANGUAGES: &[Language] = &[
    Language {
        name: "python",
        evaluation: python::EVALUATION,
        nameless: None,
        is_usual: python::is_usual,
        find: python::find,
    },
    Language { name: "php", evaluation: php::EVALUATION, nameless: None, is_usual: php::is_usual, find: php::find },
    Language { name: "perl", evaluation: perl::EVALUATION, nameless: None, is_usual: perl::is_usual, find: perl::find },
    Language {
        name: "ruby",
        evaluation: ruby::EVALUATION,
        nameless: Some(ruby::VERSION),
        is_usual: ruby::is_usual,
        find: ruby::find,
    },
];

/// The name of a language in frames that say what is missing.
pub fn name_of_language(language: usize) -> &'static str {
    LANGUAGES.get(language).map_or("script", |language| language.name)
}

/// The evaluation functions of all languages.
pub fn evaluations() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.evaluation)
}

/// The evaluation function of a file that may have it without its name.
pub fn nameless(elf: &Elf) -> Option<&'static str> {
    let exported = Exported::of(elf)?;
    let is_there = |language: &&Language| language.nameless.is_some_and(|name| exported.find(name).is_some());
    LANGUAGES.iter().find(is_there).map(|language| language.evaluation)
}

/// The language that has this evaluation function.
pub fn language_of(function: &str) -> Option<usize> {
    LANGUAGES.iter().position(|language| is_part_of(function, language.evaluation))
}

/// The language whose run-time system a file of this path tends to have.
pub fn usual_language(path: &[u8]) -> Option<usize> {
    let name = path.rsplit(|&b| b == b'/').next()?;
    LANGUAGES.iter().position(|language| (language.is_usual)(name))
}

/// True if a native function is the evaluation function of the language.
pub fn is_evaluation(function: &str, language: usize) -> bool {
    LANGUAGES.get(language).is_some_and(|language| is_part_of(function, language.evaluation))
}

/// The compiler puts parts of a function elsewhere: `name.cold`, `name.part.0`.
fn is_part_of(function: &str, name: &str) -> bool {
    function.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Finds the run-time system of a language in a file of code. Fewer versions of 32 bits are known.
pub fn find(language: usize, elf: &Elf, path: &[u8]) -> Option<FoundRuntime> {
    Some(match (LANGUAGES.get(language)?.find)(elf, path)? {
        FoundRuntime::Unsupported(what) if elf.form.word == 4 => {
            FoundRuntime::Unsupported(format!("{what} (32-bit)").into())
        }
        found => found,
    })
}
