//! `--record`: everything that was captured, for `--replay`.

mod flags;

use super::declaration::{Declaration, Destination, FileOption};
use crate::flags::flag::Flag;
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use flags::FLAGS;
use std::path::Path;
use stride_event::CallSet;
use stride_session::options::Trigger;
use stride_session::{Before, Needs, Opener, Options, Start, Use, keep_latest, record};

const FILE: &str = "record";

const FILES: &[FileOption] = &[FileOption {
    long: FILE,
    how: Use::Writes(|file| {
        format!("{}: {}, {}; look at it with stride --replay={}", file.path, file.calls, file.size, file.word)
    }),
}];

/// The path of the recording, if the run is recorded.
pub fn path(options: &Options) -> Option<&Path> {
    options.views.path(FILE)
}

pub struct RecordDeclaration;

impl Declaration for RecordDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    fn rotated(&self, options: &Options) -> &'static [&'static str] {
        if options.flight.is_some() { &[] } else { &[FILE] }
    }

    fn opens_its_files(&self, options: &Options) -> bool {
        options.flight.is_some()
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        (options.views.has(FILE) || options.flight.is_some()).then_some(Destination::OwnFile)
    }

    fn check(&self, raw: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        if let Some(stray) = raw.flight.stray() {
            return Err(Stop::usage(format!("{stray} says when a flight recorder writes: give --flight=SIZE as well")));
        }
        if raw.options.replay.is_some() && raw.options.views.has(FILE) && raw.options.rotation.is_some() {
            return Err(Stop::usage(
                "--rotate cannot begin a copy of a recording anew in the middle: leave --rotate out, or choose a part of the recording with --where",
            ));
        }
        for expression in raw.flight.triggers.iter().filter_map(Trigger::expression) {
            let possible = expression.early().calls.clone().intersection(&raw.options.filters.trace);
            if possible == CallSet::empty() {
                return Err(Stop::usage(format!(
                    "--trigger='{}' can hold for no call that --trace leaves in: add its calls to --trace",
                    expression.source()
                )));
            }
        }
        Ok(())
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs {
            system_times: true,
            answers_noted: true,
            whole_commands: true,
            ..Needs::everything(options).and(Needs::shown_stacks(options))
        }
    }

    /// The fork is recorded like any event. The replay decides what it means.
    fn start(&self) -> Start {
        Start::AtFork
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let replayed = before.replay.cloned();
        Ok(Box::new(|with| match with.options.flight.clone() {
            Some(flight) => keep_latest(flight, path(with.options), with),
            None => record(with.files.take_given(FILE)?, replayed, with),
        }))
    }
}
