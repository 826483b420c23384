//! `--diff`, `--budget`, `--budget-write`: compares a run with another run or with limits.

use super::declaration::{Declaration, Destination, FileOption};
use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, ask};
use anyhow::{Result, bail};
use std::io::Write;
use stride_compare::CompareView;
use stride_output::ReportFormat;
use stride_session::{Before, Needs, Opener, Options, Target, Use};
use stride_session::{RecordedRun, Side, against, read_budget, replaceable};

const DIFF: &str = "diff";
const REPEATED: &str = "repeated";
const BUDGET: &str = "budget";
const BUDGET_WRITE: &str = "budget-write";

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

const FLAGS: &[Flag] = &[
    Flag {
        long: Some("budget"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        help: "check the limits in FILE; exit status 3 if one is broken",
        own: true,
        doc: "Checks the run against limits instead of printing the trace. FILE is a TOML file with a list of limits, such \
              as limits = \
              [\"total <= 5000\", \"errors.openat <= 50\"], and with [[path]] sections, each with a glob and limits for the \
              calls on paths that match it. A limit is a metric, one of <=, <, >=, > and ==, and a number. Metrics are:\n\n\
              * NAME: calls of this syscall; total for all calls, and %class for those of a class, as in -e trace=%class\n\
              * errors.NAME: calls of NAME that failed\n\
              * NAME.bytes: bytes that calls of NAME transferred\n\
              * NAME.mean_bytes: average bytes of a successful call of NAME\n\
              * NAME.time_ms: milliseconds spent in calls of NAME; on most test machines this differs too much from run to \
              run\n\
              * processes: number of processes\n\n\
              If all limits are kept, the exit status is the program's. Each broken limit is reported in a line that says what broke it, and the exit status is 3. The exit status is also 3 if a limit cannot be checked because calls were lost. If FILE has a mistake, Stride says so and does not start the program.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some("budget-write"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        help: "write limits for --budget: this run's figures plus a fifth",
        own: true,
        doc: "Writes a file for --budget that allows what this run did and a fifth more. It has no limits for what differs \
              from run to run anyway: times, and calls whose number depends on how fast other threads are, such as futex. An existing FILE is replaced only if its first line still says that --budget-write wrote it.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some("diff"),
        arg: Arg::Required("BASE"),
        value: Value::Recording,
        help: "show what differs from the run recorded in BASE",
        brief: Some(HelpEntry { group: HelpGroup::Reports, place: 9, text: "what differs" }),
        habits: &["compare"],
        own: true,
        doc: "Compares the run with the one that --record wrote to BASE, instead of printing the trace. A verdict comes \
              first. Then come the syscalls and paths that differ, with the calls, errors, time and bytes of both runs; the \
              largest change comes first. Differences that chance explains are left out, and so are process ids, addresses \
              and the random part of temporary names. Filters (-e trace=..., -P, -z) apply to both runs.\n\n\
              Times are compared only if both runs were traced by the same engine on the same machine.\n\n\
              Several recordings of the base may be given, with an option each, and several of the other run with \
              --repeated. Figures are then compared by their medians, and differ if no recording of the one run has what \
              one of the other has; a sentence tells which syscalls were left out because they differ from recording to \
              recording.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some(REPEATED),
        arg: Arg::Required("FILE"),
        value: Value::Recording,
        help: "with --diff: another recording of the run that is compared",
        own: true,
        doc: "Names a further recording of the run that --diff compares with the base: the same command, run and recorded \
              once more. May be given several times. --budget checks the run itself, not its further recordings.",
        update: ask,
        ..BASE
    },
];

const FILES: &[FileOption] = &[
    FileOption { long: DIFF, how: Use::Reads },
    FileOption { long: REPEATED, how: Use::Reads },
    FileOption { long: BUDGET, how: Use::Reads },
    FileOption {
        long: BUDGET_WRITE,
        how: Use::Writes(|file| {
            format!(
                "{}: limits for a run of {}, {}; hold runs to them with stride --budget={}",
                file.path, file.calls, file.size, file.word
            )
        }),
    },
];

pub struct CompareDeclaration;

impl Declaration for CompareDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    /// Writing limits does not change where the trace goes.
    fn destination(&self, options: &Options) -> Option<Destination> {
        let asked = |long| options.views.has(long);
        let compares = asked(DIFF) || asked(REPEATED) || asked(BUDGET);
        compares.then_some(Destination::InsteadOfTrace).or_else(|| asked(BUDGET_WRITE).then_some(Destination::OwnFile))
    }

    /// With stacks, the comparison tells which functions make more or fewer calls. All are needed, because they are counted.
    fn needs(&self, options: &Options) -> Needs {
        Needs { stacks: options.stack_trace.is_some() && options.views.has(DIFF), ..Needs::everything(options) }
    }

    /// Limits that are written (`--budget-write`) are no report.
    fn formats(&self, options: &Options) -> &'static [ReportFormat] {
        let reports = options.views.has(DIFF) || options.views.has(BUDGET);
        if reports { &[ReportFormat::Markdown, ReportFormat::GitHub] } else { &[] }
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let asked = &before.options.views;
        if asked.has(REPEATED) && !asked.has(DIFF) {
            bail!("--repeated names further recordings of a run for --diff: give --diff=BASE, too");
        }
        let read = |option, side| -> Result<Vec<RecordedRun>> {
            asked.paths(option).map(|path| RecordedRun::read(path, side, before)).collect()
        };
        let (bases, repeated) = (read(DIFF, Side::Base)?, read(REPEATED, Side::This)?);
        let budget = asked.path(BUDGET).map(|path| read_budget(path, before)).transpose()?;
        asked.path(BUDGET_WRITE).map(replaceable).transpose()?;
        Ok(Box::new(|with| {
            let write = with.files.take(BUDGET_WRITE).map(Target::whole).transpose()?;
            let write = write.map(|(name, whole)| (name, whole as Box<dyn Write>));
            let base = against(bases, repeated, with.info);
            Ok(Box::new(CompareView::new(base, budget, write, with.options.report_format())))
        }))
    }
}
