//! The options of the command line, checked and typed.

mod long_runs;
mod typed;
mod view_options;

pub use long_runs::{Extent, Flight, Rotation, Trigger};
pub use typed::{Spelling, TypedOption, TypedOptions};
pub use view_options::{LIVE_VIEW, ViewOptions};

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;
use stride_event::{Bounds, Endings, ErrnoSet, Glob, Injection, Machine, Ns, VcpuDetail};
use stride_filter::{
    CallSet, ContextDetail, Expression, FdDetail, FdSet, FramePattern, PathSet, PidDetail, Quiet, SignalSet, Status,
    WordSet,
};
pub use stride_output::{Column, Key, SortKey};
use stride_output::{ReportFormat, ShowStack, TrussForm, shown};

#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// `argv[0]`: Stride's name in messages.
    pub program: String,
    pub engine: Engine,

    // The targets of tracing.
    /// At least one of `command`, `attach`, `machine` and `replay` is there.
    pub command: Option<Command>,
    /// The recording to show, in place of a program.
    pub replay: Option<PathBuf>,
    /// `-p`, without duplicates.
    pub attach: Vec<i32>,
    /// `--all`, which goes with neither of these.
    pub machine: Option<Machine>,
    /// `--cgroup`: their paths.
    pub cgroups: Vec<OsString>,
    /// The filters of `--all`, as they were given.
    pub machine_filters: Vec<MachineFilter>,
    pub follow_forks: bool,
    pub max_depth: Option<u32>,

    // The manner of tracing.
    pub daemonize: Daemonize,
    /// `-b execve`.
    pub detach_on_exec: bool,
    pub interruptible: Interruptible,
    /// Also set by `seccomp_bpf`: a filter left behind in a tracee without a tracer makes its calls fail.
    pub kill_on_exit: bool,
    pub seccomp_bpf: bool,
    pub syscall_limit: Option<u64>,
    /// `--for`: tracing ends after this time.
    pub time_limit: Option<Duration>,
    /// Only for the eBPF engine.
    pub on_overflow: Option<Overflow>,
    pub ring_size: Option<u32>,
    /// `-d`.
    pub debug: bool,

    // The events to report.
    pub trace: CallSet,
    /// A call is reported if it uses one of these descriptors or one of `paths`. If neither is given, all calls are
    /// reported.
    pub trace_fds: Option<FdSet>,
    pub paths: PathSet,
    pub signals: SignalSet,
    pub status: WordSet<Status>,
    /// A call is reported if one of the functions that led to it matches.
    pub called_from: Option<FramePattern>,
    /// A call is reported if it took so long.
    pub durations: Bounds<Ns>,
    /// A call is reported if it failed with one of these errors.
    pub errors: Option<ErrnoSet>,
    /// A call is reported if all these hold.
    pub conditions: Vec<Expression>,
    /// Calls are reported after one for which this holds,
    pub switch_on: Option<Expression>,
    /// until one for which this holds.
    pub switch_off: Option<Expression>,
    /// These two calls are reported, too.
    pub show_switches: bool,
    /// Functions and probes that are shown besides: `--library-calls`, `--usdt`.
    pub library: Vec<LibraryPattern>,
    /// Operations of io_uring are shown besides: `--io-uring`.
    pub io_uring: bool,

    // Calls that are changed.
    /// Rules that change calls. Of several for a call, the last one counts.
    pub injections: Vec<Injection>,

    // The destination.
    pub output: Output,
    /// The options that only views read.
    pub views: ViewOptions,
    /// How the user wrote the options.
    pub typed: TypedOptions,
    /// `--json`: JSON in place of text.
    pub json: bool,
    /// `--format`: the form of reports.
    pub format: ReportFormat,
    /// `--flight`, and the options that go with it.
    pub flight: Option<Flight>,
    /// `--rotate`.
    pub rotation: Option<Rotation>,
    /// `-A`.
    pub append: bool,
    /// `-ff`: a file per thread, named by appending `.TID`. Only with [`Output::File`].
    pub output_separately: bool,
    pub color: Color,

    // The look of lines.
    /// `--style`.
    pub style: LineStyle,
    /// `-a`: the column of `=`.
    pub columns: usize,
    pub pid_prefix: PidPrefix,
    pub timestamps: Option<Timestamps>,
    /// `-r`.
    pub relative_timestamps: Option<Precision>,
    /// `-T`.
    pub syscall_times: Option<Precision>,
    /// `-i`.
    pub instruction_pointer: bool,
    /// `-k`.
    pub stack_trace: Option<ShowStack>,
    pub stack_trace_frame_limit: usize,
    pub debuginfod: bool,
    /// `-n`.
    pub syscall_number: bool,
    /// `-N`.
    pub arg_names: bool,
    pub string_limit: usize,
    pub hex_strings: HexStrings,
    /// `-X`.
    pub const_style: ConstStyle,
    /// Calls whose structures are shortened. `-v` empties the set.
    pub abbrev: CallSet,
    /// Calls whose structures are read at all.
    pub verbose: CallSet,
    /// Calls whose arguments are printed as plain numbers.
    pub raw: CallSet,
    /// Descriptors whose data is dumped.
    pub dump_read: FdSet,
    pub dump_write: FdSet,
    pub decode_fds: WordSet<FdDetail>,
    pub decode_pids: WordSet<PidDetail>,
    /// `--secontext`.
    pub contexts: Option<WordSet<ContextDetail>>,
    /// `--namespace`: the namespaces that calls enter are named.
    pub namespaces: bool,
    /// `--kvm`: what is shown of virtual CPUs.
    pub vcpus: VcpuDetail,
    /// Lines name the thread behind its id, as with `-Y`.
    pub thread_names: bool,
    /// Messages to leave out.
    pub quiet: WordSet<Quiet>,
    /// The options that say which signals to report, and which messages to leave out, were given. Otherwise that depends on what is traced.
    pub signals_asked: bool,
    pub quiet_asked: bool,

    /// `-c`, `-C`.
    pub summary: Option<Summary>,
}

/// A filter of `--all` as it was given: the long name of its option, and the argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineFilter {
    pub option: &'static str,
    pub text: OsString,
}

/// As a message names it.
impl fmt::Display for MachineFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}={}", self.option, shown(self.text.as_bytes()))
    }
}

/// The tool whose lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LineStyle {
    #[default]
    Strace,
    Perf,
    Truss(TrussForm),
}

/// Which engine observes the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// eBPF if it loads and serves the options, else ptrace.
    #[default]
    Auto,
    Ebpf,
    Ptrace,
}

/// The response to calls that come faster than they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    Wait,
    Drop,
}

/// The program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As typed: a path, or a name to look up in `PATH`.
    pub program: OsString,
    /// `argv` of the program, with `--argv0` applied.
    pub argv: Vec<OsString>,
    /// Changes of the environment, in the order given.
    pub env: Vec<EnvChange>,
    pub user: Option<RunAs>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    Set(OsString, OsString),
    Remove(OsString),
}

/// `-u`, looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAs {
    pub uid: u32,
    pub gid: u32,
    /// Supplementary groups.
    pub groups: Vec<u32>,
}

/// The tracer's place in the process tree, as the command's parent sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Daemonize {
    /// The tracer is the command's parent.
    #[default]
    No,
    /// `-D`: the tracer is a grandchild. The command replaces the process that was started.
    Grandchild,
    /// `-DD`: as `-D`, in a process group of its own.
    ProcessGroup,
    /// `-DDD`: as `-D`, in a session of its own.
    Session,
}

/// When signals may end or stop the tracer (`-I`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruptible {
    Anywhere,
    /// Only between calls.
    Waiting,
    Never,
    /// Not even SIGTSTP stops the tracer.
    NeverTstp,
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Output {
    #[default]
    Stderr,
    /// With `--replay`.
    Stdout,
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
    Always,
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

/// When lines begin with the id of the thread they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PidPrefix {
    /// As `[pid N]`, while more than one thread is traced.
    #[default]
    WhenSeveral,
    /// As a bare number, on every line.
    Always,
    /// The name of the file has the id.
    Never,
}

/// Functions or USDT probes.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryPattern {
    pub library: OsString,
    /// As it was given.
    pub text: String,
    /// Only of USDT probes.
    pub provider: Option<Glob>,
    pub name: Glob,
}

/// `--usdt=list` and `--library-calls=list`: a question about what can be traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryList {
    pub usdt: bool,
    /// A library, a program, a file, or the id of a process.
    pub of: Option<String>,
    /// For the names of functions, or for PROVIDER:NAME.
    pub pattern: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    pub format: TimeFormat,
    pub precision: Precision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeFormat {
    /// `HH:MM:SS` in the local time zone.
    Time,
    /// Seconds since 1970.
    Unix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Precision {
    Seconds,
    Millis,
    #[default]
    Micros,
    Nanos,
}

impl Precision {
    /// Digits after the decimal point.
    pub fn digits(self) -> usize {
        match self {
            Precision::Seconds => 0,
            Precision::Millis => 3,
            Precision::Micros => 6,
            Precision::Nanos => 9,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum HexStrings {
    /// Octal escapes.
    #[default]
    No,
    /// Hexadecimal escapes, where escapes are needed.
    NonAsciiChars,
    /// `-x`: all bytes of a string with a non-ASCII character are escaped.
    NonAscii,
    /// `-xx`: all bytes of all strings are escaped.
    All,
}

/// How named constants are printed (`-X`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ConstStyle {
    /// The number.
    Raw,
    /// The name if there is one.
    #[default]
    Abbrev,
    /// The number with the name in a comment.
    Verbose,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// `-c`: the summary replaces the trace. `-C`: the summary follows the trace.
    pub only: bool,
    /// `-w`: `Time*` columns show wall clock time rather than system time.
    pub wall_clock: bool,
    /// `--exact-times`: all calls are timed, however many there are.
    pub exact_times: bool,
    /// `--by`. The default is the syscall.
    pub by: Vec<Key>,
    pub sort: SortKey,
    /// Always with [`Column::Name`].
    pub columns: Vec<Column>,
    /// `--every`: there is a summary for each interval.
    pub every: Option<Duration>,
    /// `-O`: the time to subtract from each call. `None`: Stride estimates it.
    pub overhead: Option<Duration>,
}

/// Without any option on the command line.
impl Default for Options {
    fn default() -> Options {
        Options {
            program: String::new(),
            engine: Engine::default(),
            command: None,
            replay: None,
            attach: Vec::new(),
            machine: None,
            cgroups: Vec::new(),
            machine_filters: Vec::new(),
            follow_forks: false,
            max_depth: None,
            daemonize: Daemonize::default(),
            detach_on_exec: false,
            interruptible: Interruptible::Waiting,
            kill_on_exit: false,
            seccomp_bpf: false,
            syscall_limit: None,
            time_limit: None,
            on_overflow: None,
            ring_size: None,
            debug: false,
            trace: CallSet::all(),
            trace_fds: None,
            paths: PathSet::default(),
            signals: SignalSet::ALL,
            status: WordSet::ALL,
            called_from: None,
            durations: Bounds::<Ns>::ALL,
            errors: None,
            conditions: Vec::new(),
            library: Vec::new(),
            io_uring: false,
            switch_on: None,
            switch_off: None,
            show_switches: false,
            injections: Vec::new(),
            output: Output::default(),
            views: ViewOptions::default(),
            typed: TypedOptions::default(),
            json: false,
            format: ReportFormat::Text,
            flight: None,
            rotation: None,
            append: false,
            output_separately: false,
            color: Color::default(),
            style: LineStyle::default(),
            columns: 40,
            pid_prefix: PidPrefix::default(),
            timestamps: None,
            relative_timestamps: None,
            syscall_times: None,
            instruction_pointer: false,
            stack_trace: None,
            stack_trace_frame_limit: 256,
            debuginfod: false,
            syscall_number: false,
            arg_names: false,
            string_limit: 32,
            hex_strings: HexStrings::default(),
            const_style: ConstStyle::default(),
            abbrev: CallSet::all(),
            verbose: CallSet::all(),
            raw: CallSet::empty(),
            dump_read: FdSet::none(),
            dump_write: FdSet::none(),
            decode_fds: WordSet::NONE,
            decode_pids: WordSet::NONE,
            contexts: None,
            namespaces: false,
            vcpus: VcpuDetail::None,
            thread_names: false,
            quiet: WordSet::NONE,
            signals_asked: false,
            quiet_asked: false,
            summary: None,
        }
    }
}

impl Options {
    /// True if a message of this kind is to be left out.
    pub fn is_quiet(&self, message: Quiet) -> bool {
        self.quiet.contains(message)
    }

    /// Adapts what was not asked for to a trace of many processes that nobody named. A line says little without the name of its thread,
    /// and signals and the ends of threads are too many. (In JSON all these are data like the rest.)
    pub fn suit_machine(&mut self) {
        if self.json {
            return;
        }
        self.thread_names = true;
        if !self.signals_asked {
            self.signals = SignalSet::NONE;
        }
        if !self.quiet_asked {
            let untold = [Quiet::Attach, Quiet::Exit, Quiet::Personality, Quiet::ThreadExecve];
            self.quiet = untold.into_iter().fold(self.quiet, WordSet::with);
        }
    }

    /// True if facts about processes are looked up when a call is shown.
    pub fn looks_processes_up(&self) -> bool {
        !self.decode_pids.is_empty() || self.namespaces
    }

    /// True if the names of threads (`-Y`) are taken from the calls that set them. The eBPF engine reads /proc too late: a thread may be gone.
    pub fn follows_names(&self) -> bool {
        let ebpf = self.engine == Engine::Ebpf || self.machine.is_some();
        ebpf && self.replay.is_none() && self.decode_pids.contains(PidDetail::Comm)
    }

    /// True if `-o` says where the trace goes.
    pub fn names_output(&self) -> bool {
        !matches!(self.output, Output::Stderr | Output::Stdout)
    }

    /// True if no filter leaves calls out.
    pub fn shows_all_calls(&self) -> bool {
        self.sees_all_calls() && self.called_from.is_none()
    }

    /// True if engines report all calls. They may skip those that other filters leave out. Stacks are known only after the engine.
    pub fn sees_all_calls(&self) -> bool {
        self.trace.is_all()
            && self.paths.is_empty()
            && self.trace_fds.is_none()
            && self.conditions.is_empty()
            && !self.switches()
            && self.endings().is_all()
    }

    /// How the calls that filters leave in return, as far as their outcome alone decides.
    pub fn endings(&self) -> Endings {
        let failed = if self.status.contains(Status::Failed) { ErrnoSet::all() } else { ErrnoSet::empty() };
        Endings {
            durations: self.durations,
            errors: self.errors.iter().fold(failed, |all, errors| all.intersection(errors)),
            successes: self.errors.is_none() && self.status.contains(Status::Successful),
            ..Endings::default()
        }
    }

    /// True if some calls switch the reporting of others on or off.
    pub fn switches(&self) -> bool {
        self.switch_on.is_some() || self.switch_off.is_some()
    }

    /// The form in which reports are written.
    pub fn report_format(&self) -> ReportFormat {
        if self.json { ReportFormat::Json } else { self.format }
    }

    /// The expressions that decide which calls are reported.
    pub fn deciding(&self) -> impl Iterator<Item = &Expression> + Clone {
        self.conditions.iter().chain(&self.switch_on).chain(&self.switch_off)
    }

    /// All expressions about calls.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> + Clone {
        self.deciding().chain(self.flight.iter().flat_map(Flight::expressions))
    }
}

impl Summary {
    /// True if `test` holds for any key.
    pub fn is_by(&self, test: impl Fn(Key) -> bool) -> bool {
        self.by.iter().any(|key| test(*key))
    }
}

impl Command {
    /// The environment of the program: Stride's own, changed by `-E`. A changed variable keeps its position.
    pub fn environment(&self, own: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        let mut env: Vec<(OsString, OsString)> = own.into_iter().collect();
        for change in &self.env {
            match change {
                EnvChange::Set(name, value) => match env.iter_mut().find(|(known, _)| known == name) {
                    Some(variable) => variable.1.clone_from(value),
                    None => env.push((name.clone(), value.clone())),
                },
                EnvChange::Remove(name) => env.retain(|(known, _)| known != name),
            }
        }
        env
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_changes_apply_in_order() {
        let own = [("A", "1"), ("B", "2")].map(|(k, v)| (k.into(), v.into()));
        let command = Command {
            program: "x".into(),
            argv: vec![],
            user: None,
            env: vec![
                EnvChange::Set("A".into(), "3".into()),
                EnvChange::Remove("B".into()),
                EnvChange::Set("C".into(), "".into()),
                EnvChange::Remove("D".into()),
            ],
        };
        let expected = [("A", "3"), ("C", "")].map(|(k, v)| (OsString::from(k), OsString::from(v)));
        assert_eq!(command.environment(own), expected);
    }
}
