//! `--advise`: calls and time that could be saved.

use super::declaration::{Declaration, Destination};
use super::needs::Needs;
use super::opening::{Before, Opener, Opening};
use super::record;
use crate::flags::Options;
use crate::flags::explain;
use crate::flags::flag::{Arg, Category, Flag, Value, ask};
use anyhow::Result;
use stride_output::{AdviseView, View};

const OPTION: &str = "advise";

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

const FLAGS: &[Flag] = &[
    Flag {
        long: Some("advise"),
        own: true,
        help: "say which calls are wasted, and what to change",
        doc: "Looks for patterns that waste calls or time. At the end it says for each what was found, where, in which \
              process, from which line of the program the calls come, what a change would save, and how sure that is. The finding that saves most comes first. Findings \
              are printed where the trace would go, and the trace itself only if -o says where to. With --replay, a \
              recording is examined; with --json, each finding is an object on a line of its own.\n\n\
              A pattern is left out if a change would save less than a fiftieth of the calls and of the time. No call is counted as saved twice. Line numbers are those of the trace with the same options. Use -f for programs that start others.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some("explain"),
        arg: Arg::Required("ID"),
        value: Value::Word(explain::ids),
        own: true,
        help: "explain a finding of --advise",
        doc: "Prints the reasoning behind the findings with this id, with an example, and exits. --explain=list lists all ids.",
        update: |_, given| Err(explain::explain(&given.text())),
        ..BASE
    },
];

/// Whether `--advise` is given. Other views make room for the findings.
pub fn is_asked(options: &Options) -> bool {
    options.asked.has(OPTION)
}

pub struct AdviseDeclaration;

impl Declaration for AdviseDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::InsteadOfTrace)
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs { stacks: options.stack_trace.is_some(), sampled_stacks: true, ..Needs::everything(options) }
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    // The line numbers are those of this run's text.
    let trace = with.options.replay.as_deref().or(record::path(with.options));
    let trace = trace.map(|path| path.to_string_lossy().into_owned());
    Ok(Box::new(AdviseView::new(with.options.json, trace, with.info)))
}
