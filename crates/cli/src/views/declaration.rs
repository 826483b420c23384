//! What a view says of itself, once.

use super::needs::Needs;
use super::opening::{Before, Opener};
use crate::files::Use;
use crate::flags::Options;
use crate::flags::draft::Draft;
use crate::flags::flag::Flag;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;

pub trait Declaration: Sync {
    /// The options that are its own, sorted by name.
    fn flags(&self) -> &'static [Flag];

    /// The files that these options name.
    fn files(&self) -> &'static [FileOption] {
        &[]
    }

    /// Whether its options are about tracing, so that they make no sense with `--replay`.
    fn is_about_tracing(&self) -> bool {
        false
    }

    /// Whether other options go with its own. The draft is all that was given.
    fn check(&self, _draft: &Draft, _warn: Warn<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// Where it goes, if it is wanted: to the file that its option names, unless it says otherwise. A trace is there only if nothing
    /// takes its place.
    fn destination(&self, options: &Options) -> Option<Destination> {
        self.files().iter().any(|file| options.asked.has(file.long)).then_some(Destination::OwnFile)
    }

    /// What it needs, if it is wanted.
    fn needs(&self, options: &Options) -> Needs {
        Needs::everything(options)
    }

    /// When it learns of the command's start.
    fn start(&self) -> Start {
        Start::AtExecve
    }

    /// Whether what it returns at the end comes behind that of all others.
    fn comes_last(&self, _options: &Options) -> bool {
        false
    }

    /// Reads what has to be read before anything is run. The answer opens the view, when the engine is there.
    fn prepare(&self, before: &Before<'_>) -> Result<Opener>;
}

/// An option that names a file.
pub struct FileOption {
    pub long: &'static str,
    pub how: Use,
}

/// Where a view goes, which decides what else is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// It is the trace, for which there is no option: where views write files of their own, it is shown only if `-o` says where to.
    TraceByDefault,
    /// It is the trace, and was asked for.
    Trace,
    /// Where the trace goes, behind it.
    BehindTrace,
    /// Where the trace would go, in its place.
    InsteadOfTrace,
    /// A file of its own.
    OwnFile,
}

/// When a view learns of the command's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// When it is forked.
    AtFork,
    /// When the run begins: what passes between fork and execve is Stride's own time.
    AtExecve,
}
