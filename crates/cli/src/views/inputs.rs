//! `--inputs`: what a command used and made.

use super::declaration::{Declaration, Destination, FileOption, exclude_other_forms};
use super::given_file::GivenFile;
use crate::flags::flag::{Arg, Category, Flag, Value, ask, words};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stride_output::{DeclaredInputs, Digests, InputsFormat, InputsView, View};
use stride_session::{Before, FileDigests, Needs, Opener, Opening, Options, Use};

const OPTION: &str = "inputs";
const DECLARED: &str = "inputs-declared";

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

const FLAGS: &[Flag] = &[
    Flag {
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
          * make: a rule for make(1), by which the files that were made depend on those that were used.\n\
          * in-toto: a statement of in-toto about the files that were made, with a runtime trace: what an attestation is signed over. It needs contents, so a replay has none.\n\
          * cyclonedx: a bill of materials, CycloneDX 1.6 in JSON.",
        update: |raw, given| match format_of(&given.text()) {
            Some(_) => ask(raw, given),
            None => Err(Stop::unknown_word(OPTION, &given.text(), &InputsFormat::ALL.map(InputsFormat::name))),
        },
        ..BASE
    },
    Flag {
        long: Some(DECLARED),
        arg: Arg::Required("FILE"),
        value: Value::File,
        own: true,
        help: "--inputs against a list; exit status 3 if one is missing",
        doc: "Like --inputs, and compares the inputs with those that FILE declares, one path or directory on each line; a directory stands for all that is below it. Relative paths begin in \
          the directory where Stride was started. The report has the inputs that were not declared (programs, interpreters, libraries, files that were read, directories that were \
          listed), and the lines of FILE of which nothing was used. The exit status is 3 if an input is not declared, or if the list may not be whole, and else the program's.",
        update: ask,
        ..BASE
    },
];

const FILES: &[FileOption] = &[FileOption { long: DECLARED, how: Use::Reads }];

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
fn is_asked(options: &Options) -> bool {
    options.views.has(OPTION) || options.views.has(DECLARED)
}

pub struct InputsDeclaration;

impl Declaration for InputsDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    fn check(&self, raw: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        if !is_asked(&raw.options) {
            return Ok(());
        }
        if asked(&raw.options) == InputsFormat::InToto && raw.options.replay.is_some() {
            return Err(Stop::usage(
                "--inputs=in-toto has the contents of the files that the run made, and a replay reads no files: trace the command \
                 with it, or take --inputs=json",
            ));
        }
        if raw.options.views.has(DECLARED) && asked(&raw.options) != InputsFormat::Text {
            return Err(Stop::usage(
                "--inputs-declared writes a text about what differs: leave the format of --inputs out",
            ));
        }
        let whys = [
            "--inputs=json writes the list as one object",
            "the list is about all processes",
            "other tools have no such list",
        ];
        exclude_other_forms("--inputs", raw, whys)
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::InsteadOfTrace)
    }

    fn follows(&self) -> bool {
        true
    }

    fn needs(&self, options: &Options) -> Needs {
        // Only contents are compared with the times of calls.
        let times = asked(options).has_digests();
        Needs { entries: false, signals: false, received: false, times, ..Needs::everything(options) }
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let declared = before.options.views.path(DECLARED).map(declared_in).transpose()?;
        Ok(Box::new(move |with| open(with, declared)))
    }
}

/// The paths that a file declares.
fn declared_in(path: &Path) -> Result<DeclaredInputs> {
    // No build has a longer list.
    let file = GivenFile { path, contents: "the inputs in", most_mib: 64 };
    let text = file.read()?;
    let directory = std::env::current_dir().map_err(|error| file.io_error(&error))?;
    Ok(DeclaredInputs::of(&text, directory.as_os_str().as_bytes()))
}

fn open(with: &mut Opening<'_>, declared: Option<DeclaredInputs>) -> Result<Box<dyn View>> {
    let format = asked(with.options);
    // The files that a recording names may have changed, or be another machine's.
    let digests: Option<Box<dyn Digests>> = match with.options.replay {
        None if format.has_digests() => Some(Box::<FileDigests>::default()),
        _ => None,
    };
    let resolver = with.resolvers.for_view(with.options);
    let view = InputsView::new(format, resolver, digests, with.info, with.outputs.take_sink()?);
    Ok(Box::new(view.declaring(declared)))
}
