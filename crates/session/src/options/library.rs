//! Functions of libraries and probes: `--library-calls`, `--usdt`.

use std::ffi::OsString;
use stride_event::Glob;

/// Functions or USDT probes.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryPattern {
    /// The library, as the user names it: `libc`, or the path of a file.
    pub library: OsString,
    /// As it was given.
    pub text: String,
    /// Only of USDT probes.
    pub provider: Option<Glob>,
    /// The names of functions or probes.
    pub name: Glob,
}

/// `--usdt=list` and `--library-calls=list`: a question about what can be traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryList {
    /// The question is about USDT probes, and not about functions.
    pub usdt: bool,
    /// A library, a program, a file, or the id of a process.
    pub of: Option<String>,
    /// For the names of functions, or for PROVIDER:NAME.
    pub pattern: Option<String>,
}
