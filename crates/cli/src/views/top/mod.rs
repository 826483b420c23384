//! `--top`: a live view of the machine or of a program.
//!
//! The main thread runs the engine, which counts calls in the kernel where it can, and sends a sample each second to a thread that draws and
//! reads keys. What is shown is a pure function ([`draw`]) of the [`model`], and [`keys`] change the model. Tables and filters that need single
//! calls have another Stride look at them ([`source`]), only while they are shown. Threads that wait are looked at in /proc
//! ([`wait_source`]), also only while their table is shown.

mod colors;
mod complete;
mod curve;
mod draw;
mod families;
mod filter;
mod gather;
mod head;
mod help;
mod history;
mod keys;
mod model;
mod processes;
mod sample;
mod scope;
mod source;
mod table;
mod tables;
mod terminal;
mod ui;
mod view;
mod wait_source;
mod waits;

use super::declaration::{Declaration, Destination};
use super::needs::Needs;
use super::opening::{Before, Opener, Opening};
use crate::flags::Options;
use crate::flags::asked::LIVE_VIEW as OPTION;
use crate::flags::draft::Draft;
use crate::flags::flag::{Arg, Brief, Category, Flag, Group, Value, ask};
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use colors::TopColors;
use curve::CurveGlyphs;
use families::Whose;
use model::Model;
use source::OwnWords;
use std::os::unix::ffi::OsStrExt;
use std::sync::mpsc::channel;
use std::time::Duration;
use stride_event::{CountBy, Counting, Machine};
use stride_output::{View, shown};
use terminal::OwnTerminal;
use ui::{Signals, Ui};
use view::TopView;

const OUTPUT: &str = "top-output";
/// The length of the intervals that are shown.
const EVERY: Duration = Duration::from_secs(1);

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

const FLAGS: &[Flag] = &[
    Flag {
        long: Some(OPTION),
        help: "show live which processes make which calls",
        brief: Some(Brief { group: Group::Reports, place: 3, text: "a live view" }),
        habits: &["monitor", "live"],
        own: true,
        doc: "Shows on the terminal, anew each second, which processes make most calls: of the whole machine (--all) unless a program or \
              -p is given. From a process it goes on to its calls, their files and the functions that make them; other tables have sockets, errors, \
              the slowest calls, and the calls in which threads wait, each with the process that is waited for. Keys sort, filter by an expression of --where, \
              show the last minute, pause, and begin a recording; F1 lists them.\n\n\
              The eBPF engine counts in the kernel. Tables of files, sockets and callers need single calls, and so do filters by more than name, pid, comm and \
              errno; another Stride looks at them while they are shown.\n\n\
              A program that is started gets neither the terminal's keys nor its screen: its input is empty, and its output is thrown away unless \
              --top-output names a file. When the program ends, the totals stay until a key q. q quits, and the program runs on; Ctrl-C quits and \
              sends SIGINT to the program.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some(OUTPUT),
        arg: Arg::Required("WHERE"),
        // The file is no result of the view, which is what the files of views are.
        value: Value::Free,
        help: "with --top, write the program's output to the file WHERE",
        own: true,
        doc: "Writes the standard output and the standard error of the program that --top starts to the file WHERE.",
        update: ask,
        ..BASE
    },
];

pub struct TopDeclaration;

impl Declaration for TopDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn check(&self, draft: &Draft, _: Warn<'_>) -> Result<(), Stop> {
        let asked = &draft.options.asked;
        if !asked.has(OPTION) {
            return match asked.has(OUTPUT) {
                true => Err(Stop::usage(
                    "--top-output says where a program's output goes while --top has the terminal: give --top as well",
                )),
                false => Ok(()),
            };
        }
        for (given, other) in [
            (draft.by.is_some(), "--by"),
            (draft.summary_only, "-c/--summary-only"),
            (draft.summary_too, "-C/--summary"),
            (draft.options.json, "--json"),
            (draft.output.is_some(), "-o/--output"),
            (draft.separates_output(), "-ff/--output-separately"),
            (draft.daemonize_count > 0 || draft.daemonize.is_some(), "-D/--daemonize"),
        ] {
            if given {
                return Err(Stop::usage(format!(
                    "--top has the terminal to itself, and {other} asks for other output: leave one of them out"
                )));
            }
        }
        Ok(())
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        options.asked.has(OPTION).then_some(Destination::InsteadOfTrace)
    }

    fn needs(&self, _: &Options) -> Needs {
        let by = CountBy { syscall: true, pid: true, comm: true, errno: true, ..CountBy::default() };
        Needs {
            counting: Some(Counting {
                only: true,
                cpu_time: false,
                estimated: false,
                latencies: false,
                bytes: true,
                by,
                intervals: true,
            }),
            memory: true,
            received: true,
            times: true,
            tracker: true,
            thread_names: true,
            every: Some(EVERY),
            ..Needs::default()
        }
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let options = before.options;
        let stage = OwnTerminal::prepare(options.command.is_some(), options.asked.path(OUTPUT))?;
        Ok(Box::new(|with| open(stage, with)))
    }
}

fn open(mut stage: OwnTerminal, with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let options = with.options;
    let operands = options.command.as_ref().map_or(0, |command| command.argv.len());
    let args: Vec<_> = std::env::args_os().collect();
    let replays = options.replay.is_some();
    let subject = subject(options);
    let (send, told) = channel();
    let origin =
        OwnWords::new(&args, operands, with.command, options.follow_forks && options.machine.is_none(), replays);
    let signals = Signals::watch()?;
    let terminal = stage.begin()?;
    // The view has no other place than the terminal.
    let colors = TopColors { on: options.color.is_wanted(true) };
    ratatui::crossterm::style::force_color_output(colors.on);
    let only_seen = options.machine.as_ref().is_some_and(|machine| *machine != Machine::default());
    let whose = whose(options, with.command);
    let ui = move || {
        let mut model = Model::new(subject, replays);
        (model.colors, model.glyphs, model.only_seen) = (colors, CurveGlyphs::of_environment(), only_seen);
        Ui { terminal, model, told, origin, signals, source: None, recorder: None, whose, lookout: None }
    };
    Ok(Box::new(TopView::start(ui, send, stage, replays)?))
}

/// The processes that are traced.
fn whose(options: &Options, command: Option<i32>) -> Whose {
    let pids: Vec<i32> = command.into_iter().chain(options.attach.iter().copied()).collect();
    match pids.is_empty() {
        true => Whose::Machine,
        false => Whose::Processes { pids, and_descendants: options.follow_forks },
    }
}

/// The subject of the view in words: the machine, a program, or a recording.
fn subject(options: &Options) -> String {
    if let Some(file) = &options.replay {
        return shown(file.as_os_str().as_bytes());
    }
    match &options.command {
        Some(command) => shown(command.program.as_bytes()),
        None if !options.attach.is_empty() => {
            let pids: Vec<String> = options.attach.iter().map(ToString::to_string).collect();
            format!("process {}", pids.join(", "))
        }
        None => "the machine".into(),
    }
}

#[cfg(test)]
mod tests;
