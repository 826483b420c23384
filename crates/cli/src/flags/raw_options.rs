//! The options as the command line has them, before they are checked against each other.

use super::raw_flight::RawFlight;
use super::time_format::{Precision, TimeFormat};
use super::tip::Tip;
use std::ffi::OsString;
use std::time::Duration;
use stride_event::Glob;
use stride_filter::{FdDetail, InjectionRule, Quiet, WordSet};
use stride_session::Options;
use stride_session::options::*;

/// Most options stand in `options` as soon as they are read. An option has a field of its own if its meaning depends on
/// other options.
///
/// Short options that can be repeated for a stronger effect are counted. Their long forms are kept apart from the
/// counts, because giving both forms is an error.
#[derive(Debug, Default)]
pub struct RawOptions {
    pub options: Options,

    /// `--all`, and its filters.
    pub all: bool,
    pub comm: Vec<Glob>,
    pub exe: Vec<Glob>,
    pub cgroups: Vec<OsString>,
    pub containers: Vec<Vec<u8>>,

    pub env: Vec<EnvChange>,
    pub user: Option<OsString>,
    pub argv0: Option<OsString>,

    pub daemonize_count: u32,
    pub daemonize: Option<Daemonize>,
    /// `-f`.
    pub follow_count: u32,
    pub follow_forks: bool,
    /// `-F`.
    pub old_follow_count: u32,
    pub output_separately: bool,
    pub interruptible: Option<Interruptible>,

    pub paths: Vec<OsString>,
    /// `-z` and `-Z`.
    pub status_count: u32,

    /// Rules that change calls.
    pub injections: Vec<InjectionRule>,

    pub output: Option<OsString>,
    pub flight: RawFlight,

    pub always_show_pid: bool,
    /// `-t`.
    pub timestamps_count: u32,
    pub timestamps: Option<RawTimestamps>,
    pub stack_trace_frame_limit: Option<usize>,
    /// `-x`.
    pub hex_count: u32,
    pub hex_strings: Option<HexStrings>,
    /// `-y`.
    pub decode_fds_count: u32,
    pub decode_fds: Option<WordSet<FdDetail>>,
    /// `-q`.
    pub quiet_count: u32,
    pub quiet: Option<WordSet<Quiet>>,

    pub summary_only: bool,
    pub summary_too: bool,
    pub wall_clock: bool,
    pub exact_times: bool,
    pub sort: Option<SortKey>,
    pub summary_columns: Option<Vec<Column>>,
    pub by: Option<Vec<Key>>,
    pub every: Option<std::time::Duration>,
    pub overhead: Option<Duration>,

    /// `--tips`.
    pub tip: Option<Tip>,
    /// `-V`.
    pub version: bool,
}

/// `--absolute-timestamps`, which may be given several times with a part of the argument each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawTimestamps {
    pub format: Option<TimeFormat>,
    pub precision: Precision,
}

impl RawOptions {
    /// True if each thread gets a file of its own.
    pub fn separates_output(&self) -> bool {
        self.output_separately || self.follow_count > 1
    }

    /// True if the children of tracees are traced.
    pub fn follows(&self) -> bool {
        self.follow_count > 0 || self.follow_forks
    }

    /// The option by which the whole machine is traced, if there is one.
    pub fn machine(&self, has_command: bool) -> Option<&'static str> {
        let filters_users = !has_command && self.options.spec.attach.is_empty() && self.options.replay.is_none();
        let given = [
            (self.all || self.tops_the_machine(has_command), "--all"),
            (!self.cgroups.is_empty(), "--cgroup"),
            (!self.comm.is_empty(), "--comm"),
            (!self.containers.is_empty(), "--container"),
            (!self.exe.is_empty(), "--exe"),
            (self.user.is_some() && filters_users, "-u/--user"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// `--top` shows the whole machine, if nothing else is given.
    fn tops_the_machine(&self, has_command: bool) -> bool {
        let given = has_command || !self.options.spec.attach.is_empty() || self.options.replay.is_some();
        self.options.views.has(stride_session::options::LIVE_VIEW) && !given
    }

    /// True if there is a summary of either kind.
    pub fn summarizes(&self) -> bool {
        self.summary_only || self.summary_too
    }
}
