//! The options of `--top`, the live view.

use super::declaration::{Declaration, Destination};
use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, ask};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use stride_session::options::LIVE_VIEW as OPTION;
use stride_session::{Before, Needs, Opener, Options};
use stride_top::Top;

const OUTPUT: &str = "top-output";

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

const FLAGS: &[Flag] = &[
    Flag {
        long: Some(OPTION),
        help: "show live which processes make which calls",
        brief: Some(HelpEntry { group: HelpGroup::Reports, place: 3, text: "a live view" }),
        habits: &["monitor", "live"],
        own: true,
        doc: "Shows on the terminal, anew each second, which processes make most calls: of the whole machine (--all) unless a program or \
              -p is given. From a process it goes on to its calls, their files and the functions that make them; other tables have sockets, errors, \
              the slowest calls, and the calls in which threads wait, each with the process that is waited for. Keys sort, filter by an expression of --where, \
              show the last minute, pause, and begin a recording; F1 lists them. With --waits, columns have the shares of the time in which threads slept or had no CPU, and a \
              line tells for what the chosen process waits, and who ends that.\n\n\
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

    fn check(&self, raw: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        let asked = &raw.options.views;
        if !asked.has(OPTION) {
            return match asked.has(OUTPUT) {
                true => Err(Stop::usage(
                    "--top-output says where a program's output goes while --top has the terminal: give --top as well",
                )),
                false => Ok(()),
            };
        }
        for (given, other) in [
            (raw.by.is_some(), "--by"),
            (raw.summary_only, "-c/--summary-only"),
            (raw.summary_too, "-C/--summary"),
            (raw.options.json, "--json"),
            (raw.output.is_some(), "-o/--output"),
            (raw.separates_output(), "-ff/--output-separately"),
            (raw.daemonize_count > 0 || raw.daemonize.is_some(), "-D/--daemonize"),
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
        options.views.has(OPTION).then_some(Destination::InsteadOfTrace)
    }

    fn needs(&self, options: &Options) -> Needs {
        Top::needs(options)
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let top = Top::prepare(before.options, before.options.views.path(OUTPUT))?;
        Ok(Box::new(|with| top.open(with)))
    }
}
