//! `--inputs`: what a command used and made.

use super::declaration::{Declaration, Destination};
use crate::flags::flag::{Arg, Category, Flag, Value, ask, words};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use stride_output::{Digests, InputsFormat, InputsView, View};
use stride_session::options::LineStyle;
use stride_session::{Before, FileDigests, Needs, Opener, Opening, Options};

const OPTION: &str = "inputs";

const FLAGS: &[Flag] = &[Flag {
    category: Category::Statistics,
    long: Some(OPTION),
    arg: Arg::Optional("FORMAT"),
    value: Value::Word(|| words(InputsFormat::ALL.map(InputsFormat::name))),
    own: true,
    help: "list the files that a command used and made",
    habits: &["tracefile"],
    doc: "Lists at the end what the command used and made: the programs that were run, their interpreters and libraries, the files that were read, the directories that \
          were listed, what was only asked about, what was looked for and not found, the files that were made, changed and removed, and the addresses of sockets, each with the \
          programs that used it. Children are followed without -f. The trace itself is not shown.\n\n\
          A file that the run made and then read is no input. Temporary files, which the run made and removed again, are listed apart. The last line says how many calls were seen and lost, or why the list may not be whole.\n\n\
          FORMAT is one of\n\n\
          * text: the default.\n\
          * json: one object, with the SHA-256 of each input and product as it is when the run is over. A replay has none.\n\
          * make: a rule for make(1), by which the files that were made depend on those that were used.",
    update: |raw, given| match format_of(&given.text()) {
        Some(_) => ask(raw, given),
        None => {
            Err(Stop::usage(format!("--inputs={} is not known; there are --inputs=text, json and make", given.text())))
        }
    },
    ..Flag::BASE
}];

fn format_of(word: &str) -> Option<InputsFormat> {
    match word {
        "" => Some(InputsFormat::Text),
        word => InputsFormat::ALL.into_iter().find(|format| format.name() == word),
    }
}

fn asked(options: &Options) -> InputsFormat {
    let format = InputsFormat::ALL.into_iter().find(|format| options.views.is(OPTION, format.name()));
    format.unwrap_or(InputsFormat::Text)
}

/// True if the list is asked for. It would be of little use without what children do.
pub fn is_asked(options: &Options) -> bool {
    options.views.has(OPTION)
}

pub struct InputsDeclaration;

impl Declaration for InputsDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn check(&self, raw: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        if !is_asked(&raw.options) {
            return Ok(());
        }
        for (given, other, why) in [
            (raw.options.json, "--json", "--inputs=json writes the list as one object"),
            (raw.separates_output(), "-ff/--output-separately", "the list is about all processes"),
            (raw.options.style != LineStyle::Strace, "--style", "other tools have no such list"),
        ] {
            if given {
                return Err(Stop::usage(format!(
                    "--inputs and {other} exclude each other: {why}; leave one of them out"
                )));
            }
        }
        Ok(())
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::InsteadOfTrace)
    }

    fn needs(&self, options: &Options) -> Needs {
        // Only contents are compared with the times of calls.
        let times = asked(options) == InputsFormat::Json;
        Needs { entries: false, signals: false, received: false, times, ..Needs::everything(options) }
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let format = asked(with.options);
    // What a recording names may have changed, or be another machine's.
    let digests: Option<Box<dyn Digests>> = match with.options.replay {
        None if format == InputsFormat::Json => Some(Box::<FileDigests>::default()),
        _ => None,
    };
    let resolver = with.resolvers.for_view(with.options);
    Ok(Box::new(InputsView::new(format, resolver, digests, with.info, with.outputs.take_sink()?)))
}
