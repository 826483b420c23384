//! `--html`: a page about the run, for a browser.

use super::advise;
use super::declaration::{Declaration, FileOption};
use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, ask};
use anyhow::Result;
use stride_output::{HtmlView, View};
use stride_session::{Before, Needs, Opener, Opening, Options, Use};

const FILE: &str = "html";

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

const FLAGS: &[Flag] = &[Flag {
    long: Some("html"),
    arg: Arg::Required("FILE"),
    value: Value::File,
    help: "write a report about the run to FILE, for a browser",
    brief: Some(HelpEntry { group: HelpGroup::Reports, place: 5, text: "page for a browser" }),
    habits: &["page"],
    own: true,
    doc: "Writes a report of the whole run as one HTML page, which needs no other file and loads nothing from the \
              network. It has a summary, a timeline of all threads that can be zoomed, calls by count and by time, the \
              distribution of their times, the busiest files and sockets, errors, the slowest calls, the tree of processes, \
              and the number of lost calls.\n\n\
              The page stays below 5 MB, however long the run is: if there are very many calls, the timeline shows the long \
              ones one by one and sums up the others, and tables list the most important rows and say how many are left \
              out.\n\n\
              With -k, a click on a call shows its stack. A replay shows the stacks that were recorded.\n\n\
              Options that choose which calls are shown, and how arguments look (-e, -P, -s, -v, -x, -X, -y), apply to the \
              page, too. The text of the trace is only printed if -o says where to.\n\n\
              FILE is opened before the program starts, and written when tracing ends, also after an interrupt. If FILE cannot be written, Stride says so.",
    update: ask,
    ..BASE
}];

const FILES: &[FileOption] = &[FileOption {
    long: FILE,
    how: Use::Writes(|file| format!("{}: {}, {}; open it in a browser", file.path, file.calls, file.size)),
}];

pub struct HtmlDeclaration;

impl Declaration for HtmlDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    fn needs(&self, options: &Options) -> Needs {
        let everything = Needs::everything(options).and(Needs::shown_stacks(options));
        Needs { sampled_stacks: advise::is_asked(options), whole_commands: true, ..everything }
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let (options, info) = (with.options, with.info);
    let (to, whole) = with.files.take_given(FILE)?.whole()?;
    let style = options.layout(false).style;
    let page = HtmlView::new(to, whole, style, options.decoder_options(), with.resolvers.for_view(options), info);
    Ok(Box::new(if advise::is_asked(options) { page.with_advice(info, advise::shows_all(options)) } else { page }))
}
