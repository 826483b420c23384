//! The facts and resources that views get when they are prepared and opened.

use super::apart::{ApartView, Asks, MakeView, Questions};
use crate::options::Options;
use crate::outputs::{Files, Outputs};
use crate::replay;
use crate::resolvers::Resolvers;
use crate::start::Needs;
use crate::threads;
use anyhow::Result;
use std::ffi::OsString;
use stride_event::Tid;
use stride_output::{RunInfo, View};
use stride_record::Metadata;

/// Opens a view. The engine is ready, and no event has been read yet.
pub type Opener = Box<dyn FnOnce(&mut Opening<'_>) -> Result<Box<dyn View>>>;

/// A view that can be opened.
pub struct PreparedView {
    /// Opens the view.
    pub open: Opener,
    /// The event that the view takes for the command's start.
    pub start: Start,
    /// The view's text at the end comes after that of all others.
    pub comes_last: bool,
}

/// The event that a view takes for the command's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The fork of the command.
    AtFork,
    /// The beginning of the run. The time between fork and execve is Stride's own.
    AtExecve,
}

/// The facts that are known before anything is run.
pub struct Before<'a> {
    /// The options.
    pub options: &'a Options,
    /// The recording that is replayed.
    pub replay: Option<&'a Metadata>,
    /// Parses the command line of a recorder. None if this version of Stride does not know all its options.
    pub parse: fn(&[OsString]) -> Option<Options>,
}

impl Before<'_> {
    /// Refuses a replay without stacks for an option that is of no use without them.
    pub fn require_stacks(&self, option: &str) -> Result<()> {
        match (self.replay, &self.options.replay) {
            (Some(recorded), Some(path)) => replay::require_stacks(option, recorded, path),
            _ => Ok(()),
        }
    }
}

/// The facts that are known when the engine is ready, and what a view writes to.
pub struct Opening<'a> {
    /// The options. In a replay, those that the recording can serve.
    pub options: &'a Options,
    /// The trace's output, and messages.
    pub outputs: &'a mut Outputs,
    /// The answers about descriptors and processes.
    pub resolvers: &'a Resolvers,
    /// The files that views write.
    pub files: &'a mut Files,
    /// Facts about the run.
    pub info: &'a RunInfo,
    /// The joint needs of all views.
    pub needs: &'a Needs,
    /// The command, if one was started.
    pub command: Option<Tid>,
    /// True if the engine reports times on a CPU.
    pub cpu_times: bool,
    /// True if the engine counts calls by itself.
    pub counted: bool,
    /// True if a program waits while the engine's events are handled.
    pub holds_program: bool,
}

impl Opening<'_> {
    /// The view that `make` makes. It works in a thread of its own if there is a CPU for that, and if it writes
    /// and asks nothing that depends on the moment: nobody waits for its output (`eager`), no program waits for it, and its answers can be given there.
    pub fn view(&self, eager: bool, asks: Asks, make: MakeView) -> Result<Box<dyn View>> {
        let answers = self.resolvers.apart(self.options).filter(|_| !eager && !self.holds_program && threads::pay());
        let make = match answers {
            Some(answers) => match ApartView::start(make, asks, answers, || self.questions()) {
                Ok(view) => return Ok(Box::new(view?)),
                Err(make) => make,
            },
            None => make,
        };
        make(self.resolvers.for_view(self.options))
    }

    fn questions(&self) -> Questions {
        Questions::new(self.options.decoder_options(), self.resolvers.for_view(self.options))
    }
}
