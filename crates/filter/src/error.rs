//! The errors in an expression.

use crate::nearest;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A member (or a list without members) that names nothing. `what` is the domain: "system call", "signal"...
    /// `suggestion` is the word that the member probably misspells.
    Invalid { what: &'static str, text: String, suggestion: Option<String> },
    /// `name@ABI` with an ABI that this machine does not have.
    Personality { designator: String, qualification: String },
    /// A regular expression that does not compile. `reason` has the words of the C library's `regcomp`.
    Regex { pattern: String, reason: &'static str },
    /// A regular expression that POSIX allows and Stride cannot match.
    Backreference { pattern: String },
    /// A range of durations without a time that has a unit.
    Duration { text: String },
    /// A mistake in a rule that changes calls. `option` is inject or fault.
    Injection { option: &'static str, text: String, why: String },
    /// A mistake in an expression (`--where`), with the line that shows its place.
    Expression(crate::expression::ExprMistake),
}

impl Error {
    pub(crate) fn invalid(what: &'static str, text: impl Into<String>) -> Error {
        Error::Invalid { what, text: text.into(), suggestion: None }
    }

    /// The same for a domain of a few known words, one of which may be meant.
    pub(crate) fn misspelt(what: &'static str, text: &str, known: impl IntoIterator<Item = &'static str>) -> Error {
        Error::Invalid { what, text: text.into(), suggestion: nearest(text, known).map(str::to_owned) }
    }

    /// True if strace follows this error with a pointer to its `-h`.
    pub fn hints_at_help(&self) -> bool {
        matches!(self, Error::Personality { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Invalid { what, text, suggestion: None } => write!(f, "invalid {what} '{text}'"),
            Error::Invalid { what, text, suggestion: Some(suggestion) } => {
                write!(f, "invalid {what} '{text}'; did you mean '{suggestion}'?")
            }
            Error::Personality { designator, qualification } => {
                write!(f, "incorrect personality designator '{designator}' in qualification '{qualification}'")
            }
            Error::Regex { pattern, reason } => write!(f, "regcomp: {pattern}: {reason}"),
            Error::Backreference { pattern } => write!(
                f,
                "regular expression '{pattern}' uses a back-reference, which Stride cannot match in bounded time; \
                 write the repeated part out"
            ),
            Error::Duration { text } => write!(
                f,
                "invalid duration '{text}'; it is a number with a unit (s, ms, us or ns), such as 10ms, and may follow > or <"
            ),
            Error::Injection { option, text, why } => write!(f, "invalid {option} argument '{text}'; {why}"),
            Error::Expression(mistake) => mistake.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
