//! `--inputs`: what a command used and made.

use super::declaration::{Declaration, Destination};
use crate::flags::flag::{Arg, Category, Flag, ask};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use stride_output::{InputsView, View};
use stride_session::{Before, Needs, Opener, Opening, Options};

const OPTION: &str = "inputs";

const FLAGS: &[Flag] = &[Flag {
    category: Category::Statistics,
    long: Some(OPTION),
    arg: Arg::None,
    own: true,
    help: "list the files that a command used and made",
    habits: &["tracefile"],
    doc: "Lists at the end what the command used and made: the programs that were run, their interpreters and libraries, the files that were read, the directories that \
          were listed, what was only asked about, what was looked for and not found, the files that were made, changed and removed, and the addresses of sockets, each with the \
          programs that used it. Children are followed without -f. The trace itself is not shown.\n\n\
          A file that the run made and then read is no input. Temporary files, which the run made and removed again, are listed apart. The last line says how many calls were seen and lost, or why the list may not be whole.",
    update: ask,
    ..Flag::BASE
}];

/// True if the list is asked for. It would be of little use without what children do.
pub fn is_asked(options: &Options) -> bool {
    options.views.has(OPTION)
}

pub struct InputsDeclaration;

impl Declaration for InputsDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn check(&self, _: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        Ok(())
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::InsteadOfTrace)
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs { entries: false, signals: false, received: false, times: false, ..Needs::everything(options) }
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    Ok(Box::new(InputsView::new(with.resolvers.for_view(with.options), with.info)))
}
