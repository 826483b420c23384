//! The destination of the trace, and its form.

use std::ffi::OsString;
use std::path::PathBuf;
use stride_output::TrussForm;

/// The tool whose lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LineStyle {
    /// strace's lines.
    #[default]
    Strace,
    /// The lines of `perf trace`.
    Perf,
    /// The lines of `truss`.
    Truss(TrussForm),
}

/// The destination of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Output {
    /// The standard error, which the command shares.
    #[default]
    Stderr,
    /// With `--replay`.
    Stdout,
    /// A file.
    File(PathBuf),
    /// The standard input of this shell command.
    Pipe(OsString),
}

/// The cases in which colour is used. `NO_COLOR` in the environment has already turned `Auto` into `Never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Color {
    /// If the trace goes to a terminal.
    #[default]
    Auto,
    /// Always, also into files.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// True if colours are used. `to_terminal`: whether the output goes to a terminal.
    pub fn is_wanted(self, to_terminal: bool) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => to_terminal && std::env::var_os("TERM").is_some_and(|term| term != "dumb"),
        }
    }
}
