//! What views get to begin with.

use crate::files::Files;
use crate::flags::Options;
use crate::outputs::Outputs;
use crate::world::World;
use anyhow::Result;
use std::ffi::OsString;
use stride_event::Tid;
use stride_output::{RunInfo, View};
use stride_record::Metadata;

/// Opens a view. The engine is there, and has not been asked for an event yet.
pub type Opener = Box<dyn FnOnce(&mut Opening<'_>) -> Result<Box<dyn View>>>;

/// What is known before anything is run.
pub struct Before<'a> {
    pub options: &'a Options,
    /// The recording that is replayed.
    pub replay: Option<&'a Metadata>,
    /// What the command line of a recorder meant, if this version of Stride knows all of it.
    pub parse: fn(&[OsString]) -> Option<Options>,
}

/// What is known when the engine is there.
pub struct Opening<'a> {
    /// A replay has less to show than was asked for: they are what is left.
    pub options: &'a Options,
    pub outputs: &'a mut Outputs,
    pub world: &'a World,
    pub files: &'a mut Files,
    pub info: &'a RunInfo,
    /// The command, if one was started.
    pub command: Option<Tid>,
    /// The engine tells times on a CPU.
    pub cpu_times: bool,
    /// The engine counts calls by itself.
    pub counted: bool,
}
