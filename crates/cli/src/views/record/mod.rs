//! `--record`: everything that was captured, for `--replay`.

mod asking;
mod beginning;
mod recording;

use super::declaration::{Declaration, FileOption, Start};
use super::needs::Needs;
use super::opening::{Before, Opener, Opening};
use crate::files::Use;
use crate::flags::Options;
use crate::flags::flag::{Arg, Category, Flag, Value, ask};
use anyhow::{Result, anyhow};
use asking::Asking;
use recording::Recording;
use std::path::Path;
use stride_output::View;

const FILE: &str = "record";

const BASE: Flag = Flag { category: Category::Tracing, ..Flag::BASE };

const FLAGS: &[Flag] = &[Flag {
    long: Some("record"),
    arg: Arg::Required("FILE"),
    value: Value::File,
    help: "record the run in FILE, to be shown with --replay",
    own: true,
    doc: "Writes the captured data of the run to FILE, before it becomes text. --replay=FILE shows it later, also on \
              another machine and with other options. The trace itself is only printed if -o says where to.\n\n\
              A replay can only show what was captured. Filters (-e trace=..., -P, -z) decide which calls are recorded, -f \
              whose calls, -s how much of each string, and -v that arrays and structures are captured as a whole. Times are \
              always recorded. What descriptors refer to is recorded with -y or -P, names of processes with -Y, instruction \
              pointers with -i, and whole transfers with -e read=... and -e write=....\n\n\
              FILE is compressed. Stride writes to it at least every fifth of a second, and what was written can be replayed even if Stride is killed. If FILE cannot be written any further, Stride says so and the program runs on.",
    update: ask,
    ..BASE
}];

const FILES: &[FileOption] = &[FileOption {
    long: FILE,
    how: Use::Writes(|told| {
        format!("{}: {}, {}; look at it with stride --replay={}", told.path, told.calls, told.size, told.word)
    }),
}];

/// The path of the recording, if the run is recorded.
pub fn path(options: &Options) -> Option<&Path> {
    options.asked.path(FILE)
}

pub struct RecordDeclaration;

impl Declaration for RecordDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    fn rotated(&self) -> &'static [&'static str] {
        &[FILE]
    }

    fn is_about_tracing(&self) -> bool {
        true
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs {
            system_times: true,
            answers_noted: true,
            ..Needs::everything(options).and(Needs::shown_stacks(options))
        }
    }

    /// The fork is recorded like any event. The replay decides what it means.
    fn start(&self) -> Start {
        Start::AtFork
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let target = with.files.take_given(FILE)?;
    let noting = with.world.noting.clone().ok_or_else(|| anyhow!("no answers are noted for --{FILE}"))?;
    Ok(Box::new(Recording::begin(target, Asking::new(with.options, noting), with)))
}
