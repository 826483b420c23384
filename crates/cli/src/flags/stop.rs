//! Reasons why Stride does not trace: a mistake, or an option that asks for something else.

use super::artefact::Artefact;
use stride_session::options::LibraryList;

/// Prints warnings. Warnings come before the error.
pub type Warn<'a> = &'a mut dyn FnMut(String);

#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// A mistake: one line on stderr, and exit status 1.
    Fail {
        message: String,
        /// True if a line pointing to `-h` follows.
        hint: bool,
    },
    /// `-h`, which overrides everything after it.
    Brief,
    /// `--help`, which does the same.
    Help,
    /// `--doctor`, which does the same.
    Doctor,
    /// `--explain`, which does the same, with the text to print.
    Explain(String),
    /// `--usdt=list` or `--library-calls=list`, which does the same.
    List(LibraryList),
    /// `--generate`, which does the same.
    Generate(Artefact),
}

impl Stop {
    pub fn fail(message: impl Into<String>) -> Stop {
        Stop::Fail { message: message.into(), hint: false }
    }

    /// A mistake in how options are used.
    pub fn usage(message: impl Into<String>) -> Stop {
        Stop::Fail { message: message.into(), hint: true }
    }

    /// The error about a word that an option does not know, with the words that the option knows.
    pub fn unknown_word(option: &str, word: &str, known: &[&str]) -> Stop {
        let known = match known.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => known.concat(),
        };
        Stop::usage(format!("--{option}={word} is not known; there are --{option}={known}"))
    }
}

impl From<stride_filter::Error> for Stop {
    fn from(error: stride_filter::Error) -> Stop {
        Stop::Fail { message: error.to_string(), hint: error.hints_at_help() }
    }
}
