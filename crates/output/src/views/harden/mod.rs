//! Rules that allow a program what it did, and little else (`--harden`): a drop-in for a systemd unit, a profile for seccomp or AppArmor, or a ruleset for Landlock. Calls
//! become evidence (`gathered`, `access`), and each format is made from evidence alone, so runs add up.

mod access;
mod apparmor;
mod apparmor_files;
mod bounding;
mod bounding_files;
mod bounding_sockets;
mod capabilities;
mod capability_set;
mod denials;
mod difference;
mod evidence;
mod files;
mod gathered;
mod guards;
mod landlock;
mod landlock_files;
mod places;
mod reachable;
mod seccomp;
mod sockets;
mod systemd;

use crate::spelling::quote::shown;
use crate::views::inputs::Wholeness;
use crate::{End, RunInfo, Sink, View, ViewError};
pub use denials::explain_denials;
pub use evidence::HardenEvidence;
use evidence::SeenRun;
pub use files::Links;
use gathered::NeededByRun;
pub use reachable::CodeFiles;
use std::os::unix::ffi::OsStrExt;
use stride_decode::Resolver;
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
    /// A profile for AppArmor, which refuses everything else.
    AppArmor,
    /// A profile for AppArmor that only logs.
    AppArmorLog,
    /// A ruleset for Landlock.
    Landlock,
    /// The difference between the run and earlier ones.
    Difference,
    /// The evidence, for later runs and other programs.
    Json,
}

impl HardenFormat {
    pub const ALL: [HardenFormat; 9] = [
        HardenFormat::Systemd,
        HardenFormat::SystemdLog,
        HardenFormat::Seccomp,
        HardenFormat::SeccompLog,
        HardenFormat::AppArmor,
        HardenFormat::AppArmorLog,
        HardenFormat::Landlock,
        HardenFormat::Difference,
        HardenFormat::Json,
    ];

    /// True if the rules cannot be made without single files, which the evidence of version 1 does not have.
    pub fn needs_files(self) -> bool {
        matches!(self, HardenFormat::AppArmor | HardenFormat::AppArmorLog | HardenFormat::Landlock)
    }

    /// True if files are gathered.
    pub fn has_files(self) -> bool {
        self.needs_files() || matches!(self, HardenFormat::Difference | HardenFormat::Json)
    }

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            HardenFormat::Systemd => "systemd",
            HardenFormat::SystemdLog => "systemd-log",
            HardenFormat::Seccomp => "seccomp",
            HardenFormat::SeccompLog => "seccomp-log",
            HardenFormat::AppArmor => "apparmor",
            HardenFormat::AppArmorLog => "apparmor-log",
            HardenFormat::Landlock => "landlock",
            HardenFormat::Difference => "diff",
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
    resolver: Box<dyn Resolver>,
    links: Box<dyn Links>,
    /// Reads programs, in a live run.
    code: Option<Box<dyn CodeFiles>>,
    info: RunInfo,
    sink: Sink,
    error: Option<ViewError>,
}

impl HardenView {
    pub fn new(
        format: HardenFormat,
        before: Option<HardenEvidence>,
        resolver: Box<dyn Resolver>,
        links: Box<dyn Links>,
        code: Option<Box<dyn CodeFiles>>,
        info: &RunInfo,
        sink: Sink,
    ) -> HardenView {
        let needed = if format.has_files() { NeededByRun::with_files() } else { NeededByRun::default() };
        let (whole, info) = (Wholeness::new(info), info.clone());
        HardenView { format, needed, whole, before, resolver, links, code, info, sink, error: None }
    }
}

impl View for HardenView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.whole.event(event, tracker);
        self.needed.event(event, tracker);
        if let Event::Exit(call) = *event
            && self.format.has_files()
            && !self.needed.ask_interpreters(call, &*self.resolver, tracker)
        {
            self.whole.program_unread();
        }
    }

    fn note(&mut self, what: &str) {
        self.whole.note(what);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let mut missing = self.whole.reasons(self.needed.files(), end);
        // (Directories to write to are told from this machine's root on.)
        if self.format.has_files() && self.needed.files().root_changed {
            missing.push("A process changed its root (chroot): its files are told by the paths that it saw.".into());
        }
        let run = SeenRun {
            args: self.info.args.iter().map(|arg| shown(arg.as_bytes())).collect(),
            engine: shown(self.info.engine.as_bytes()),
            calls: self.needed.calls(),
            lost: end.lost.calls,
            missing,
            has_files: false,
            program: None,
        };
        let mut evidence = self.needed.evidence(run, &*self.links, self.code.as_deref());
        let mut difference = String::new();
        if let Some(before) = self.before.take() {
            if self.format == HardenFormat::Difference {
                difference = difference::lines(&before, &evidence);
            }
            evidence.add(before);
            files::bound(&mut evidence, 0);
        }
        let text = match self.format {
            HardenFormat::Systemd => systemd::drop_in(&evidence, false),
            HardenFormat::SystemdLog => systemd::drop_in(&evidence, true),
            HardenFormat::Seccomp => seccomp::profile(&evidence, false),
            HardenFormat::SeccompLog => seccomp::profile(&evidence, true),
            HardenFormat::AppArmor => apparmor::profile(&evidence, false),
            HardenFormat::AppArmorLog => apparmor::profile(&evidence, true),
            HardenFormat::Landlock => landlock::ruleset(&evidence),
            HardenFormat::Difference => difference,
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
