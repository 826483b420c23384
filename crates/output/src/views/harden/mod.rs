//! Rules that allow a program the calls that it made, and no others (`--harden`): a drop-in for a systemd unit, or a seccomp profile.

mod evidence;
mod gathered;
mod guards;
mod places;
mod seccomp;
mod systemd;

use crate::spelling::quote::shown;
use crate::views::inputs::Wholeness;
use crate::{End, RunInfo, Sink, View, ViewError};
pub use evidence::HardenEvidence;
use evidence::SeenRun;
use gathered::NeededByRun;
use std::os::unix::ffi::OsStrExt;
use stride_event::Event;
use stride_track::Tracker;

/// The forms of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HardenFormat {
    /// A drop-in for a unit, which refuses all other calls.
    Systemd,
    /// A drop-in that only logs them.
    SystemdLog,
    /// A profile for container runtimes, which refuses all other calls.
    Seccomp,
    /// A profile that only logs them.
    SeccompLog,
    /// The evidence, for later runs and other programs.
    Json,
}

impl HardenFormat {
    pub const ALL: [HardenFormat; 5] = [
        HardenFormat::Systemd,
        HardenFormat::SystemdLog,
        HardenFormat::Seccomp,
        HardenFormat::SeccompLog,
        HardenFormat::Json,
    ];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            HardenFormat::Systemd => "systemd",
            HardenFormat::SystemdLog => "systemd-log",
            HardenFormat::Seccomp => "seccomp",
            HardenFormat::SeccompLog => "seccomp-log",
            HardenFormat::Json => "json",
        }
    }
}

/// Writes the rules at the end.
pub struct HardenView {
    format: HardenFormat,
    needed: NeededByRun,
    whole: Wholeness,
    /// The evidence of earlier runs.
    before: Option<HardenEvidence>,
    info: RunInfo,
    sink: Sink,
    error: Option<ViewError>,
}

impl HardenView {
    pub fn new(format: HardenFormat, before: Option<HardenEvidence>, info: &RunInfo, sink: Sink) -> HardenView {
        let (needed, whole) = (NeededByRun::default(), Wholeness::new(info));
        HardenView { format, needed, whole, before, info: info.clone(), sink, error: None }
    }
}

impl View for HardenView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.whole.event(event);
        self.needed.event(event, tracker);
    }

    fn note(&mut self, what: &str) {
        self.whole.note(what);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let run = SeenRun {
            args: self.info.args.iter().map(|arg| shown(arg.as_bytes())).collect(),
            engine: shown(self.info.engine.as_bytes()),
            calls: self.needed.calls(),
            lost: end.lost.calls,
            missing: self.whole.reasons(self.needed.files(), end),
        };
        let mut evidence = self.needed.evidence(run);
        if let Some(before) = self.before.take() {
            evidence.add(before);
        }
        let text = match self.format {
            HardenFormat::Systemd => systemd::drop_in(&evidence, false),
            HardenFormat::SystemdLog => systemd::drop_in(&evidence, true),
            HardenFormat::Seccomp => seccomp::profile(&evidence, false),
            HardenFormat::SeccompLog => seccomp::profile(&evidence, true),
            HardenFormat::Json => evidence.to_json(),
        };
        self.error = self.sink.write(&mut text.into_bytes()).and_then(|()| self.sink.flush()).err();
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}

#[cfg(test)]
mod tests;
