//! The options of the command line, checked and typed.

mod command;
mod filters;
mod library;
mod long_runs;
mod look;
mod machine;
mod output;
mod summary;
mod typed;
mod view_options;

pub use command::{Command, EnvChange, RunAs};
pub use filters::Filters;
pub use library::{LibraryList, LibraryPattern};
pub use long_runs::{Extent, Flight, Rotation, Trigger};
pub use machine::MachineFilter;
pub use output::{Color, LineStyle, Output};
pub use stride_decode::Options as Decoding;
pub use stride_engine_ebpf::{Overflow, Settings as EbpfSettings};
pub use stride_event::{Daemonize, Interruptible, Seccomp};
pub use stride_output::{Column, HexStrings, Key, NameStyle, PidPrefix, SortKey, SummaryLayout, WallClock};
pub use summary::Summary;
pub use typed::{Spelling, TypedOption, TypedOptions};
pub use view_options::{LIVE_VIEW, ViewOptions};

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use stride_event::TraceSpec;
use stride_filter::{ContextDetail, Expression, FdDetail, PidDetail, Quiet, SignalSet, WordSet};
use stride_output::{Layout, Leader, ReportFormat, ShowStack};

/// The options of a run. A setting that an engine, the decoder or the lines read stands in the struct that they read; the others stand here.
#[derive(Clone, Debug)]
pub struct Options {
    /// `argv[0]`: Stride's name in messages.
    pub program: String,
    /// The engine that observes the calls.
    pub engine: Engine,

    // The targets of tracing. At least one of `command`, `replay`, `spec.attach` and `spec.machine` is there.
    /// The program to start.
    pub command: Option<Command>,
    /// The recording to show, in place of a program.
    pub replay: Option<PathBuf>,
    /// `--cgroup`: their paths.
    pub cgroups: Vec<OsString>,
    /// The filters of `--all`, as they were given.
    pub machine_filters: Vec<MachineFilter>,
    /// The request to the engine, as far as options decide it: the targets and the manner of tracing. The rest follows from the filters and
    /// the views when tracing starts.
    pub spec: TraceSpec,
    /// The settings of the eBPF engine.
    pub ebpf: EbpfSettings,
    /// `--syscall-limit`: tracing ends after so many calls.
    pub syscall_limit: Option<u64>,
    /// `--for`: tracing ends after this time.
    pub time_limit: Option<Duration>,
    /// `-d`.
    pub debug: bool,
    /// `--redact`: no view gets secrets. Further patterns of secrets may be in a file.
    pub redact: Option<Option<PathBuf>>,
    /// `--paths-only`: of all texts and data, views get paths only. These are redacted, too.
    pub paths_only: bool,

    /// The events to report.
    pub filters: Filters,
    /// Functions and probes that are shown besides: `--library-calls`, `--usdt`.
    pub library: Vec<LibraryPattern>,

    // The destination.
    /// The destination of the trace.
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
    /// `--color`.
    pub color: Color,

    // The look of calls.
    /// `--style`.
    pub style: LineStyle,
    /// The layout of lines. The palette and the form are chosen when the trace is opened.
    pub lines: Layout,
    /// How deeply calls are decoded.
    pub decoding: Decoding,
    /// `-k`.
    pub stack_trace: Option<ShowStack>,
    /// `--stack-trace-frame-limit`.
    pub stack_trace_frame_limit: usize,
    /// `--debuginfod`.
    pub debuginfod: bool,
    /// `-y`: the facts about descriptors that are shown.
    pub decode_fds: WordSet<FdDetail>,
    /// `-Y`, `--decode-pids`: the facts about processes that are shown.
    pub decode_pids: WordSet<PidDetail>,
    /// `--secontext`.
    pub contexts: Option<WordSet<ContextDetail>>,
    /// Lines name the thread behind its id, as with `-Y`.
    pub thread_names: bool,
    /// Messages to leave out.
    pub quiet: WordSet<Quiet>,
    /// An option says which signals to report. Otherwise that depends on what is traced.
    pub signals_asked: bool,
    /// An option says which messages to leave out. Otherwise that depends on what is traced.
    pub quiet_asked: bool,

    /// `-c`, `-C`.
    pub summary: Option<Summary>,
}

/// The engine that observes the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// eBPF if it loads and serves the options, else ptrace.
    #[default]
    Auto,
    /// eBPF or an error.
    Ebpf,
    /// ptrace and seccomp.
    Ptrace,
}

/// Without any option on the command line.
impl Default for Options {
    fn default() -> Options {
        Options {
            program: String::new(),
            engine: Engine::default(),
            command: None,
            replay: None,
            cgroups: Vec::new(),
            machine_filters: Vec::new(),
            spec: TraceSpec { seccomp: Seccomp::Auto, ..TraceSpec::default() },
            ebpf: EbpfSettings::default(),
            syscall_limit: None,
            time_limit: None,
            debug: false,
            redact: None,
            paths_only: false,
            filters: Filters::default(),
            library: Vec::new(),
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
            lines: Layout {
                column: 40,
                leader: Leader { pid: PidPrefix::WhenSeveral, ..Leader::default() },
                ..Layout::default()
            },
            decoding: Decoding::default(),
            stack_trace: None,
            stack_trace_frame_limit: 256,
            debuginfod: false,
            decode_fds: WordSet::NONE,
            decode_pids: WordSet::NONE,
            contexts: None,
            thread_names: false,
            quiet: WordSet::NONE,
            signals_asked: false,
            quiet_asked: false,
            summary: None,
        }
    }
}

impl Options {
    /// The thing that these options ask for and that only a session serves, and no `Trace`, if there is one.
    pub fn only_for_sessions(&self) -> Option<&'static str> {
        let wanted = [
            (self.replay.is_some(), "a recording"),
            (!self.library.is_empty(), "functions of libraries"),
            (self.time_limit.is_some() || self.syscall_limit.is_some(), "a limit of time or calls"),
        ];
        wanted.into_iter().find(|(wanted, _)| *wanted).map(|(_, what)| what)
    }

    /// True if no view gets all that programs pass to the kernel.
    pub fn redacts(&self) -> bool {
        self.redact.is_some() || self.paths_only
    }

    /// True if a message of this kind is to be left out.
    pub fn is_quiet(&self, message: Quiet) -> bool {
        self.quiet.contains(message)
    }

    /// Adapts the defaults to a trace of many processes that the user has not named. A line says little without the name of its thread,
    /// and signals and the ends of threads are too many. (In JSON all these are data like the rest.)
    pub fn suit_machine(&mut self) {
        if self.json {
            return;
        }
        self.thread_names = true;
        if !self.signals_asked {
            self.filters.signals = SignalSet::NONE;
        }
        if !self.quiet_asked {
            let unshown = [Quiet::Attach, Quiet::Exit, Quiet::Personality, Quiet::ThreadExecve];
            self.quiet = unshown.into_iter().fold(self.quiet, WordSet::with);
        }
    }

    /// True if facts about processes are looked up when a call is shown.
    pub fn looks_processes_up(&self) -> bool {
        !self.decode_pids.is_empty() || self.decoding.namespaces
    }

    /// True if the names of threads (`-Y`) are taken from the calls that set them. The eBPF engine reads /proc too late: a thread may be gone.
    pub fn follows_names(&self) -> bool {
        let ebpf = self.engine == Engine::Ebpf || self.spec.machine.is_some();
        ebpf && self.replay.is_none() && self.decode_pids.contains(PidDetail::Comm)
    }

    /// True if `-o` says where the trace goes.
    pub fn names_output(&self) -> bool {
        !matches!(self.output, Output::Stderr | Output::Stdout)
    }

    /// The form in which reports are written.
    pub fn report_format(&self) -> ReportFormat {
        if self.json { ReportFormat::Json } else { self.format }
    }

    /// All expressions about calls.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> + Clone {
        self.filters.deciding().chain(self.flight.iter().flat_map(Flight::expressions))
    }
}
