//! `--json`: an object for each call.

use super::declaration::{Declaration, Destination};
use crate::flags::flag::{Category, Flag, HelpEntry, HelpGroup};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use stride_output::{JsonView, View};
use stride_session::{Asks, Before, MakeView, Needs, Opener, Opening, Options};

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

const FLAGS: &[Flag] = &[Flag {
    long: Some("json"),
    help: "write JSON instead of text, one object per line",
    brief: Some(HelpEntry { group: HelpGroup::Reports, place: 6, text: "objects in lines" }),
    own: true,
    doc: "Writes one JSON object per line for each call and each signal, for processes that start, execute a program or \
              end, and for calls that were lost. The first object says where the trace comes from, and the last has the \
              totals. They go where the text would go: to the file of -o, else to stderr, or to stdout with --replay. \
              Stride's own messages go to stderr as well, so -o is the better choice.\n\n\
              Filters apply, and so do options that choose how much is shown (-s, -v, -y, -Y, -i, -e read=..., -q). Options \
              that choose how text looks have no effect: times, thread ids, numbers and names are always there. With -e \
              raw=..., a call has its registers instead of arguments.\n\n\
              docs/json.md in Stride's documentation describes the objects for people, and docs/json.schema.json describes them for programs.",
    update: |raw, _| {
        raw.options.json = true;
        Ok(())
    },
    ..BASE
}];

pub struct JsonDeclaration;

impl Declaration for JsonDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    /// Rejects options that would make more than one stream of objects.
    fn check(&self, raw: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        if raw.options.json && raw.separates_output() {
            return Err(Stop::usage(
                "--json and -ff/--output-separately are mutually exclusive: \
                 every object tells its pid and tid, so that one file will do",
            ));
        }
        Ok(())
    }

    /// Findings and rows are objects as well, and replace the objects of calls.
    fn destination(&self, options: &Options) -> Option<Destination> {
        options.json.then_some(Destination::Trace)
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs {
            process_ids: options.looks_processes_up(),
            passing_paths: true,
            ..Needs::everything(options).and(Needs::shown_stacks(options))
        }
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let options = with.options;
    let (decoding, show, ip) = (options.decoder_options(), options.show(), options.lines.leader.ip);
    let (info, sink) = (with.info.clone(), with.outputs.take_sink()?);
    let eager = sink.eager;
    let asks = Asks { names: true, subjects: true, left_out: false };
    let make: MakeView =
        Box::new(move |resolver| Ok(Box::new(JsonView::new(&info, decoding, resolver, show, ip, sink))));
    with.view(eager, asks, make)
}
