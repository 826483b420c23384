//! `--advise`: calls and time that could be saved.

use super::declaration::{Declaration, Destination, FileOption};
use super::given_file::GivenFile;
use super::{record, verify};
use crate::flags::explain;
use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, ask, words};
use crate::flags::stop::Stop;
use anyhow::{Result, anyhow};
use std::path::Path;
use stride_advise::config;
use stride_output::{AdviseView, ReportFormat, View};
use stride_session::{Before, Needs, Opener, Opening, Options, Use};

const OPTION: &str = "advise";
const CONFIG: &str = "advise-config";
/// The argument that shows minor findings as well.
const ALL: &str = "all";

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

const FLAGS: &[Flag] = &[
    Flag {
        long: Some("advise"),
        arg: Arg::Optional("all"),
        value: Value::Word(|| words([ALL])),
        own: true,
        help: "say which calls are wasted, and what to change",
        brief: Some(HelpEntry { group: HelpGroup::Reports, place: 4, text: "what is wasted" }),
        habits: &["analyze", "analyse", "profile"],
        doc: "Looks for patterns that waste calls or time. At the end it says for each what was found, where, in which \
              process, from which line of the program the calls come, what a change would save, and how sure that is. The finding that saves most comes first. Findings \
              are printed where the trace would go, and the trace itself only if -o says where to. With --replay, a \
              recording is examined; with --json, each finding is an object on a line of its own.\n\n\
              A pattern is left out if a change would save less than a fiftieth of the calls and of the time. One that would \
              save less than a fiftieth of the time is told in a line only, unless --advise=all is given, or it would save three tenths of the calls and 10 ms. No call is counted as saved twice. Line numbers are those of the trace with the same options. Threads and children are followed without -f.",
        update: |raw, given| match &*given.text() {
            "" | ALL => ask(raw, given),
            other => Err(Stop::usage(format!("--advise={other} is not known; there are --advise and --advise=all"))),
        },
        ..BASE
    },
    Flag {
        long: Some(CONFIG),
        arg: Arg::Required("FILE"),
        value: Value::File,
        own: true,
        help: "--advise with thresholds from a TOML file",
        doc: "Like --advise, and reads from FILE from which numbers on something is a pattern. FILE is a TOML file with a table for each \
              kind of finding, such as [short-children], and below it thresholds, such as short-children = 20. \
              --generate=advise-config prints such a file with all thresholds, their defaults and their meaning. If FILE has a \
              mistake, Stride says so and does not start the program.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some("explain"),
        arg: Arg::Required("WHAT"),
        value: Value::Word(explain::ids),
        own: true,
        help: "explain a finding of --advise, or a system call",
        brief: Some(HelpEntry { group: HelpGroup::Stride, place: 2, text: "explain a call" }),
        habits: &["describe"],
        doc: "Prints the reasoning behind the findings with this id, with an example, and exits. --explain=list lists all ids. With \
              the name of a system call, prints what Stride shows of the call: its arguments with the names of their values, when the \
              memory behind them is read, and what the call does.",
        update: |_, given| Err(explain::explain(&given.text())),
        ..BASE
    },
    Flag {
        long: Some(verify::TRY),
        own: true,
        help: "--advise, and try changes that need no other program",
        doc: "Like --advise, and then tries what can be changed without touching the program: variables of the environment such as TZ and MALLOC_TRIM_THRESHOLD_, and a larger buffer for its \
              standard output (stdbuf). For each such change that a finding proposes, the traced command runs as it is and with the change, three times each, in turn and without tracing, and the \
              report ends with the medians of their times. The commands run as those of --verify do.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some(verify::OPTION),
        arg: Arg::Required("COMMAND"),
        own: true,
        help: "--advise, and measure what a change has saved",
        doc: "Like --advise, and then runs the traced command and COMMAND, which is the same work after a change, three times each, in turn and without tracing. The report \
              ends with the medians of their times, beside what the findings predicted. COMMAND is for the shell. Neither reads input, and their output is dropped. \
              Both have to end with the same status, because a run that fails early would seem fast. All effects of both commands happen three times, so use commands that may run again.",
        update: ask,
        ..BASE
    },
];

/// True if `--advise` is given. Other views make room for the findings.
pub fn is_asked(options: &Options) -> bool {
    [OPTION, CONFIG, verify::OPTION, verify::TRY].into_iter().any(|option| options.views.has(option))
}

/// True if minor findings are shown as well.
pub fn shows_all(options: &Options) -> bool {
    options.views.is(OPTION, ALL)
}

pub struct AdviseDeclaration;

impl Declaration for AdviseDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        &[FileOption { long: CONFIG, how: Use::Reads }]
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::InsteadOfTrace)
    }

    fn follows(&self) -> bool {
        true
    }

    fn needs(&self, options: &Options) -> Needs {
        // No rule looks at data that a program has read.
        Needs {
            sampled_stacks: true,
            waits: true,
            received: false,
            ..Needs::everything(options).and(Needs::shown_stacks(options))
        }
    }

    fn formats(&self, _: &Options) -> &'static [ReportFormat] {
        &[ReportFormat::Markdown, ReportFormat::GitHub, ReportFormat::Sarif]
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        before.options.views.path(CONFIG).map(configure).transpose()?;
        for option in [verify::OPTION, verify::TRY] {
            if before.options.views.has(option) {
                verify::check(option, before.options)?;
            }
        }
        Ok(Box::new(open))
    }
}

/// Sets the thresholds that a file has.
fn configure(path: &Path) -> Result<()> {
    // It is written by hand, so a larger file is not one.
    let file = GivenFile { path, contents: "the thresholds in", most_mib: 1 };
    let text = String::from_utf8(file.read()?).map_err(|_| file.error("stream did not contain valid UTF-8"))?;
    let thresholds = config::parse(&path.display().to_string(), &text);
    stride_advise::choose(thresholds.map_err(|mistakes| anyhow!(mistakes.join("\n")))?);
    Ok(())
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    // The line numbers are those of this run's text.
    let trace = with.options.replay.as_deref().or(record::path(with.options));
    let trace = trace.map(|path| path.to_string_lossy().into_owned());
    let all = shows_all(with.options);
    let home = std::env::current_dir().ok().map(|home| home.to_string_lossy().into_owned());
    let view = AdviseView::new(with.options.report_format(), all, trace, home, with.info);
    let changed = with.options.views.path(verify::OPTION).map(|command| command.as_os_str().to_owned());
    let view = match changed.and_then(|changed| verify::verify(with.options, changed)) {
        Some(verify) => view.verified_by(verify),
        None => view,
    };
    let attempt = with.options.views.has(verify::TRY).then(|| verify::attempt(with.options)).flatten();
    let view = match attempt {
        Some(attempt) => view.tried_by(attempt),
        None => view,
    };
    Ok(Box::new(view.in_colour(with.options.color.is_wanted(with.outputs.is_terminal()))))
}
