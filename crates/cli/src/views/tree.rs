//! `--tree`: the processes of the run, at its end.

use super::declaration::{Declaration, Destination, exclude_other_forms};
use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, ask};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use stride_output::{TreeLayout, TreeView, View};
use stride_session::{Before, Needs, Opener, Opening, Options};

const OPTION: &str = "tree";

const FLAGS: &[Flag] = &[Flag {
    category: Category::Statistics,
    long: Some(OPTION),
    arg: Arg::None,
    help: "show the processes of the run as a tree",
    brief: Some(HelpEntry { group: HelpGroup::Reports, place: 8, text: "processes of a run" }),
    habits: &["pstree", "forks"],
    own: true,
    doc: "Shows at the end which processes there were, each below its parent: how long it lived, its calls, those that failed, its threads, how it \
          ended, and what it ran, as a command line that can be pasted into a shell. Children are followed without -f. The trace itself is not \
          shown.\n\n\
          A line with env: names the variables of the environment that the program was executed with and its parent was not (+), or the other way round (-), or with \
          another value (~). Values are not shown. A line with before: has the command that the process ran until it executed another one. A process in parentheses executed nothing.\n\n\
          Processes that ran before Stride attached to them (-p) have the command line that /proc has. On a terminal, lines that do not fit end in …; with \
          -o FILE, they are whole. A replay shows the same tree; if the recording was made by an older Stride, command lines may be cut to the size of -s. The calls \
          are those that filters leave in. Of many processes, those with most calls are shown.",
    update: ask,
    ..Flag::BASE
}];

/// True if the tree is asked for. Without children, it would have one line.
fn is_asked(options: &Options) -> bool {
    options.views.has(OPTION)
}

pub struct TreeDeclaration;

impl Declaration for TreeDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn check(&self, raw: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        if !is_asked(&raw.options) {
            return Ok(());
        }
        let whys = [
            "--json has the start, the execve and the end of each process as objects",
            "the tree is one text about all processes",
            "other tools have no such tree",
        ];
        exclude_other_forms("--tree", raw, whys)
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::InsteadOfTrace)
    }

    fn follows(&self) -> bool {
        true
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs { entries: false, signals: false, received: false, whole_commands: true, ..Needs::everything(options) }
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let palette = with.options.color.palette(with.outputs.is_terminal());
    Ok(Box::new(TreeView::new(TreeLayout { width: with.outputs.width(), palette }, with.info)))
}
