//! From the command line's options to the options of engines and views.

use crate::options::{self, Daemonize, Interruptible, LineStyle, Options};
use crate::start::Needs;
use std::rc::Rc;
use stride_engine_ebpf::{Overflow, Settings};
use stride_event::{CallSet, Limits};
use stride_filter::Quiet;
use stride_output::{
    HexStrings, Layout, Leader, NameStyle, Palette, PerfForm, PidPrefix, Show, Style, SummaryLayout, WallClock,
};

/// `to_terminal`: whether the trace goes to a terminal.
pub fn layout(options: &Options, to_terminal: bool) -> Layout {
    Layout {
        column: options.columns,
        elapsed: options.syscall_times.map(|p| p.digits() as u8),
        style: Style {
            names: match options.const_style {
                options::ConstStyle::Raw => NameStyle::Raw,
                options::ConstStyle::Abbrev => NameStyle::Abbrev,
                options::ConstStyle::Verbose => NameStyle::Verbose,
            },
            hex_strings: match options.hex_strings {
                options::HexStrings::No => HexStrings::Never,
                options::HexStrings::NonAsciiChars => HexStrings::NonAsciiChars,
                options::HexStrings::NonAscii => HexStrings::NonAscii,
                options::HexStrings::All => HexStrings::All,
            },
            arg_names: options.arg_names,
            in_comment: false,
        },
        palette: palette(options.color, to_terminal).filter(|_| options.style == LineStyle::Strace),
        form: match options.style {
            LineStyle::Strace => None,
            LineStyle::Perf => Some(Rc::new(PerfForm)),
            LineStyle::Truss(form) => Some(Rc::new(form)),
        },
        leader: Leader {
            pid: match options.pid_prefix {
                options::PidPrefix::WhenSeveral => PidPrefix::WhenSeveral,
                options::PidPrefix::Always => PidPrefix::Always,
                options::PidPrefix::Never => PidPrefix::Never,
            },
            wall: options.timestamps.map(|t| WallClock {
                epoch: t.format == options::TimeFormat::Unix,
                digits: t.precision.digits() as u8,
            }),
            relative: options.relative_timestamps.map(|p| p.digits() as u8),
            number: options.syscall_number,
            ip: options.instruction_pointer,
        },
    }
}

pub fn palette(color: options::Color, to_terminal: bool) -> Option<Palette> {
    color.is_wanted(to_terminal).then(|| Palette::parse(&std::env::var("STRACE_COLORS").unwrap_or_default()))
}

pub fn decoding(options: &Options) -> stride_decode::Options {
    stride_decode::Options {
        text: options.string_limit,
        abbrev: options.abbrev.clone(),
        verbose: options.verbose.clone(),
        raw: options.raw.clone(),
        fds: !options.decode_fds.is_empty(),
        pids: !options.decode_pids.is_empty(),
        namespaces: options.namespaces,
        contexts: false,
        dump_read: options.dump_read.clone(),
        dump_write: options.dump_write.clone(),
    }
}

/// The number of elements of an array that are captured.
pub fn elements(options: &Options) -> usize {
    if options.abbrev != CallSet::all() { Limits::UNLIMITED } else { options.string_limit }
}

/// The bytes of each argument and variable that are captured when a program is executed. Few commands have longer ones.
pub fn command_text(options: &Options, needs: &Needs) -> usize {
    const WHOLE: usize = 4000;
    if needs.whole_commands { options.string_limit.max(WHOLE) } else { options.string_limit }
}

/// Which events are shown.
pub fn show(options: &Options) -> Show {
    let mut show = Show {
        exit: !options.is_quiet(Quiet::Exit),
        // Nobody asked for these of the whole machine's processes, but for the processes that a user named.
        killed: !options.is_quiet(Quiet::Exit) || options.machine.is_none(),
        attach: !options.is_quiet(Quiet::Attach),
        superseded: !options.is_quiet(Quiet::ThreadExecve),
        personality: !options.is_quiet(Quiet::Personality),
        thread_names: options.thread_names,
        stack: options.stack_trace,
        ..Show::default()
    };
    for (signal, shown) in show.signal.iter_mut().enumerate().skip(1) {
        *shown = options.signals.contains(signal as i32);
    }
    show
}

/// True if calls are shown with the files of their descriptors, or chosen by these files.
pub fn needs_descriptors(options: &Options) -> bool {
    !options.decode_fds.is_empty() || !options.paths.is_empty()
}

/// `width`: the width of the terminal, if the summary goes to one.
pub fn summary(summary: &options::Summary, json: bool, width: Option<usize>) -> SummaryLayout {
    SummaryLayout {
        json,
        by: summary.by.clone(),
        width,
        columns: summary.columns.clone(),
        sort: summary.sort,
        wall_clock: summary.wall_clock,
        overhead: summary.overhead.map_or(0, |d| d.as_nanos() as u64),
    }
}

pub fn overflow(options: &Options) -> Settings {
    Settings {
        on_overflow: options.on_overflow.map(|how| match how {
            options::Overflow::Wait => Overflow::Wait,
            options::Overflow::Drop => Overflow::Drop,
        }),
        ring_bytes: options.ring_size,
        ..Settings::default()
    }
}

pub fn daemonize(daemonize: Daemonize) -> u8 {
    match daemonize {
        Daemonize::No => 0,
        Daemonize::Grandchild => 1,
        Daemonize::ProcessGroup => 2,
        Daemonize::Session => 3,
    }
}

pub fn interruptible(interruptible: Interruptible) -> u8 {
    match interruptible {
        Interruptible::Anywhere => 1,
        Interruptible::Waiting => 2,
        Interruptible::Never => 3,
        Interruptible::NeverTstp => 4,
    }
}
