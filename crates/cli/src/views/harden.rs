//! `--harden`: rules that allow a program what it did.

use super::declaration::{Declaration, Destination, FileOption, exclude_other_forms};
use super::given_file::GivenFile;
use crate::flags::flag::{Arg, Category, Flag, Value, ask, words};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::{Result, bail};
use std::path::Path;
use stride_output::{CodeFiles, HardenEvidence, HardenFormat, HardenView, View};
use stride_session::{Before, FileLinks, Needs, Opener, Opening, Options, ProgramFiles, Use};

const OPTION: &str = "harden";
pub const WITH: &str = "harden-with";

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

const FLAGS: &[Flag] = &[
    Flag {
        long: Some(OPTION),
        arg: Arg::Required("FORMAT"),
        value: Value::Word(|| words(HardenFormat::ALL.map(HardenFormat::name))),
        own: true,
        help: "write rules that allow the calls that were made, and no others",
        doc: "Writes at the end rules under which the program can do what it did, and little else: which calls it may make, which kinds of sockets, where it may write, and \
          which facilities of the system are taken away from it. Each rule says which calls of which programs need it. Children are followed without -f. The trace itself is not shown.\n\n\
          A run shows only what the program did in it. So begin with rules that log, and add runs with --harden-with. Comments name the calls that were not seen, but that the code of the programs and \
          libraries can make, with a function that leads there.\n\n\
          FORMAT is one of\n\n\
          * systemd: a drop-in for a unit. Other calls fail with EPERM.\n\
          * systemd-log: a drop-in that allows all calls and logs the others.\n\
          * seccomp: a profile for Docker, Podman and other container runtimes. Other calls fail with EPERM.\n\
          * seccomp-log: a profile that allows all calls and logs the others.\n\
          * apparmor: a profile for AppArmor, with the files, sockets and capabilities that the program used.\n\
          * apparmor-log: the same, where everything is allowed, and logged unless a rule allows it.\n\
          * landlock: a ruleset for Landlock, in the TOML form of Landlock Config.\n\
          * diff: the difference between what this run needed and what the earlier runs needed that --harden-with names.\n\
          * json: what the rules are made from, for --harden-with and for programs.",
        update: |raw, given| match format_of(&given.text()) {
            Some(_) => ask(raw, given),
            None => Err(Stop::unknown_word(OPTION, &given.text(), &HardenFormat::ALL.map(HardenFormat::name))),
        },
        ..BASE
    },
    Flag {
        long: Some(WITH),
        arg: Arg::Required("FILE"),
        value: Value::File,
        own: true,
        help: "--harden, with what earlier runs needed",
        doc: "Makes the rules of --harden (without that option, those for systemd) from this run and from those in FILE, which --harden=json wrote. The new FILE of --harden=json has all of them again, so any number of \
          runs can be added, one after the other.",
        update: ask,
        ..BASE
    },
];

const FILES: &[FileOption] = &[FileOption { long: WITH, how: Use::Reads }];

fn format_of(word: &str) -> Option<HardenFormat> {
    HardenFormat::ALL.into_iter().find(|format| format.name() == word)
}

fn asked(options: &Options) -> Option<HardenFormat> {
    HardenFormat::ALL.into_iter().find(|format| options.views.is(OPTION, format.name()))
}

/// True if rules are asked for. They would be of little use without what children do.
fn is_asked(options: &Options) -> bool {
    options.views.has(OPTION) || options.views.has(WITH)
}

pub struct HardenDeclaration;

impl Declaration for HardenDeclaration {
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
        let whys =
            ["--harden=json writes one object", "the rules are about all processes", "other tools have no such rules"];
        exclude_other_forms("--harden", raw, whys)
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::InsteadOfTrace)
    }

    fn follows(&self) -> bool {
        true
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs { entries: false, signals: false, received: false, times: false, ..Needs::everything(options) }
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let format = asked(before.options).unwrap_or(HardenFormat::Systemd);
        if format == HardenFormat::Difference && !before.options.views.has(WITH) {
            bail!(
                "--harden=diff compares this run with earlier ones, and there are none: name the file that --harden=json wrote with --harden-with=FILE"
            );
        }
        let earlier = before.options.views.path(WITH).map(|path| evidence_in(path, format)).transpose()?;
        Ok(Box::new(move |with| open(with, earlier)))
    }
}

/// The evidence of earlier runs.
pub fn evidence_in(path: &Path, format: HardenFormat) -> Result<HardenEvidence> {
    // (There are some hundred calls.)
    let file = GivenFile { path, contents: "earlier runs from", most_mib: 64 };
    let evidence = HardenEvidence::parse(&file.read()?).map_err(|why| file.error(&why))?;
    if format.needs_files() && !evidence.has_files() {
        let why = format!(
            "a run in it was seen by an earlier version of Stride, which did not write down the files that --harden={} needs; \
             make the evidence again with this version",
            format.name()
        );
        return Err(file.error(&why));
    }
    Ok(evidence)
}

fn open(with: &mut Opening<'_>, earlier: Option<HardenEvidence>) -> Result<Box<dyn View>> {
    let format = asked(with.options).unwrap_or(HardenFormat::Systemd);
    let resolver = with.resolvers.for_view(with.options);
    let sink = with.outputs.take_sink()?;
    let code: Option<Box<dyn CodeFiles>> = match with.options.replay {
        None => Some(Box::<ProgramFiles>::default()),
        Some(_) => None,
    };
    Ok(Box::new(HardenView::new(format, earlier, resolver, Box::new(FileLinks), code, with.info, sink)))
}
