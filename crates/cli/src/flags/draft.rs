//! The options as collected so far, before it is known whether they fit together.

use super::asked::Asked;
use super::options::*;
use std::ffi::OsString;
use std::time::Duration;
use stride_filter::{CallSet, Catalog, FdDetail, FdSet, PidDetail, Quiet, SignalSet, Status, WordSet};
use stride_output::ShowStack;

/// Short options that can be repeated for a stronger effect are counted. Their long forms are kept apart from the
/// counts, because giving both forms is an error.
#[derive(Debug)]
pub struct Draft {
    /// The syscalls that expressions can name.
    pub catalog: &'static Catalog,
    pub engine: Engine,

    pub env: Vec<EnvChange>,
    pub attach: Vec<i32>,
    pub user: Option<OsString>,
    pub argv0: Option<OsString>,

    pub daemonize_count: u32,
    pub daemonize: Option<Daemonize>,
    pub detach_on_exec: bool,
    /// `-f`.
    pub follow_count: u32,
    pub follow_forks: bool,
    /// `-F`.
    pub old_follow_count: u32,
    pub output_separately: bool,
    pub interruptible: Option<Interruptible>,
    pub kill_on_exit: bool,
    pub seccomp_bpf: bool,
    pub syscall_limit: Option<u64>,
    pub on_overflow: Option<Overflow>,
    pub ring_size: Option<u32>,
    pub debug: bool,

    pub trace: CallSet,
    pub trace_fds: Option<FdSet>,
    pub paths: Vec<OsString>,
    pub signals: SignalSet,
    pub status: WordSet<Status>,
    /// `-z` and `-Z`.
    pub status_count: u32,

    pub replay: Option<OsString>,
    pub output: Option<OsString>,
    /// The options that only views read.
    pub asked: Asked,
    pub json: bool,
    pub append: bool,
    pub color: Color,

    pub columns: usize,
    pub always_show_pid: bool,
    /// `-t`.
    pub timestamps_count: u32,
    pub timestamps: Option<TimestampsDraft>,
    pub relative_timestamps: Option<Precision>,
    pub syscall_times: Option<Precision>,
    pub instruction_pointer: bool,
    pub stack_trace: Option<ShowStack>,
    pub stack_trace_frame_limit: Option<usize>,
    pub debuginfod: bool,
    pub syscall_number: bool,
    pub arg_names: bool,
    pub string_limit: usize,
    /// `-x`.
    pub hex_count: u32,
    pub hex_strings: Option<HexStrings>,
    pub const_style: ConstStyle,
    pub abbrev: CallSet,
    pub verbose: CallSet,
    pub raw: CallSet,
    pub dump_read: FdSet,
    pub dump_write: FdSet,
    /// `-y`.
    pub decode_fds_count: u32,
    pub decode_fds: Option<WordSet<FdDetail>>,
    pub decode_pids: WordSet<PidDetail>,
    /// `-q`.
    pub quiet_count: u32,
    pub quiet: Option<WordSet<Quiet>>,

    pub summary_only: bool,
    pub summary_too: bool,
    pub wall_clock: bool,
    pub sort: Option<SortKey>,
    pub summary_columns: Option<Vec<Column>>,
    pub by: Option<Vec<Key>>,
    pub overhead: Option<Duration>,

    /// `-V`.
    pub version: bool,
}

/// `--absolute-timestamps`, which may be given several times with a part of the argument each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampsDraft {
    pub format: Option<TimeFormat>,
    pub precision: Precision,
}

impl Draft {
    pub fn new(catalog: &'static Catalog) -> Draft {
        Draft {
            catalog,
            engine: Engine::default(),
            env: Vec::new(),
            attach: Vec::new(),
            user: None,
            argv0: None,
            daemonize_count: 0,
            daemonize: None,
            detach_on_exec: false,
            follow_count: 0,
            follow_forks: false,
            old_follow_count: 0,
            output_separately: false,
            interruptible: None,
            kill_on_exit: false,
            seccomp_bpf: false,
            syscall_limit: None,
            on_overflow: None,
            ring_size: None,
            debug: false,
            trace: CallSet::all(),
            trace_fds: None,
            paths: Vec::new(),
            signals: SignalSet::ALL,
            status: WordSet::ALL,
            status_count: 0,
            replay: None,
            output: None,
            asked: Asked::default(),
            json: false,
            append: false,
            color: Color::default(),
            columns: 40,
            always_show_pid: false,
            timestamps_count: 0,
            timestamps: None,
            relative_timestamps: None,
            syscall_times: None,
            instruction_pointer: false,
            stack_trace: None,
            stack_trace_frame_limit: None,
            debuginfod: false,
            syscall_number: false,
            arg_names: false,
            string_limit: 32,
            hex_count: 0,
            hex_strings: None,
            const_style: ConstStyle::default(),
            abbrev: CallSet::all(),
            verbose: CallSet::all(),
            raw: CallSet::empty(),
            dump_read: FdSet::none(),
            dump_write: FdSet::none(),
            decode_fds_count: 0,
            decode_fds: None,
            decode_pids: WordSet::NONE,
            quiet_count: 0,
            quiet: None,
            summary_only: false,
            summary_too: false,
            wall_clock: false,
            sort: None,
            summary_columns: None,
            by: None,
            overhead: None,
            version: false,
        }
    }

    /// Whether each thread gets a file of its own.
    pub fn separates_output(&self) -> bool {
        self.output_separately || self.follow_count > 1
    }

    /// Whether the children of tracees are traced.
    pub fn follows(&self) -> bool {
        self.follow_count > 0 || self.follow_forks
    }

    /// Whether there is a summary of either kind.
    pub fn summarizes(&self) -> bool {
        self.summary_only || self.summary_too
    }
}
