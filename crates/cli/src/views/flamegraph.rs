//! `--flamegraph`: all calls, or the waits in them, by the functions that led to them, as a page or as text for other tools.

use super::declaration::{Declaration, FileOption};
use crate::flags::flag::{Arg, Category, Flag, Given, Value};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use stride_output::{FlameFormat, FlameView, FlameWeight, View};
use stride_session::{Before, Needs, Opener, Opening, Options, Use};

const FILE: &str = "flamegraph";
/// The weight of the last graph: calls, or waits.
const WEIGHT: &str = "flamegraph weight";
const WAITS: &str = "waits";

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

const FLAGS: &[Flag] = &[Flag {
    long: Some(FILE),
    arg: Arg::Required("[waits:]FILE"),
    value: Value::File,
    help: "write a flame graph of the functions that lead to calls to FILE",
    own: true,
    doc: "Writes a graph of the functions that lead to system calls. Each function is a box below its caller, and the wider a \
              box, the more calls, time or errors the function led to. The outermost boxes are programs, and the innermost are system \
              calls. Stacks are taken for it; -k is not needed.\n\n\
              The end of the name decides what is written:\n\n\
              * .html: (or .htm) a page for a browser, on which the width can stand for calls, time or errors, and which can be \
              zoomed and searched. It needs no other file and loads nothing from the network\n\
              * .folded: (or .txt) text that other tools for flame graphs read: a line for each stack, with semicolons between the \
              functions and the number of calls at the end. A pipe or a device gets this text under any name\n\n\
              With waits: in front of FILE, the graph shows for how long threads were off the CPU in calls, instead of the calls. Below each call stands \
              why: blocked, disk, stopped, runnable (it had no CPU) or throttled, and below a sleep who ended it, such as \"woken by redis-server: sendto\". In text, the numbers are \
              microseconds. This measures the waits, and needs the eBPF engine, as --waits does. (./waits:FILE is a file of such a name.)\n\n\
              Options that choose which calls are shown (-e, -P, -z, --called-from) apply to the graph, too; with -Z the numbers \
              are those of failed calls. Calls that do not return are not counted. The text of the trace is only printed if -o says where to.",
    update: |raw, given| {
        let (weight, file) = weighed(given);
        raw.options.views.add(WEIGHT, weight.into());
        raw.options.views.add(FILE, file);
        Ok(())
    },
    ..BASE
}];

const FILES: &[FileOption] = &[FileOption {
    long: FILE,
    how: Use::Writes(|file| {
        let what = match format(Path::new(&file.path)) {
            Some(FlameFormat::Folded) => "other tools make a flame graph of it",
            _ => "open it in a browser",
        };
        format!("{}: {}, {}; {what}", file.path, file.calls, file.size)
    }),
}];

pub struct FlamegraphDeclaration;

impl Declaration for FlamegraphDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    /// Refuses names that do not say what to write.
    fn check(&self, raw: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        let Some(path) = raw.options.views.path(FILE).filter(|path| format(path).is_none()) else { return Ok(()) };
        Err(Stop::usage(format!(
            "--{FILE}: the end of the name '{}' does not say what to write: .html stands for a page, and .folded for text that other \
             tools read",
            path.display()
        )))
    }

    fn needs(&self, _: &Options) -> Needs {
        Needs {
            calls: true,
            times: true,
            // Programs are known by the names of their threads.
            memory: true,
            tracker: true,
            naming_calls: true,
            thread_names: true,
            ..Needs::functions()
        }
    }

    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        before.require_stacks(&format!("--{FILE}"))?;
        Ok(Box::new(open))
    }
}

/// The prefix that chooses the weight, and the file behind the prefix.
fn weighed(given: &Given) -> (&'static str, OsString) {
    let argument = given.os();
    match argument.as_bytes().strip_prefix(b"waits:") {
        Some(file) => (WAITS, OsString::from_vec(file.to_vec())),
        None => ("", argument.to_owned()),
    }
}

/// True if a graph of waits is asked for.
pub fn needs_waits(options: &Options) -> bool {
    options.views.is(WEIGHT, WAITS)
}

/// The format of a file of this name. Tools read text from pipes, whatever their names.
fn format(path: &Path) -> Option<FlameFormat> {
    let end = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    match end.as_deref() {
        Some("html" | "htm") => Some(FlameFormat::Page),
        Some("folded" | "txt") => Some(FlameFormat::Folded),
        _ if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) => Some(FlameFormat::Folded),
        _ => None,
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let target = with.files.take_given(FILE)?;
    let format = format(&target.path).unwrap_or(FlameFormat::Page);
    let (name, to) = target.whole()?;
    let weight = if needs_waits(with.options) { FlameWeight::Waits } else { FlameWeight::Calls };
    let mut view = FlameView::new(format, weight, name, to, with.info);
    if weight == FlameWeight::Waits && !with.options.spec.waits {
        view.note("What threads waited for was not recorded.");
    }
    Ok(Box::new(view))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::options_of;

    #[test]
    fn what_the_last_graph_counts() {
        for (arguments, path, waits) in [
            (&["--flamegraph=waits:a.html"][..], "a.html", true),
            (&["--flamegraph=a.html"], "a.html", false),
            (&["--flamegraph=waits:a.html", "--flamegraph=b.html"], "b.html", false),
            (&["--flamegraph=b.html", "--flamegraph=waits:waits:a.folded"], "waits:a.folded", true),
            (&["--flamegraph=./waits:a.html"], "./waits:a.html", false),
        ] {
            let options = options_of(&[arguments, &["true"]].concat());
            assert_eq!(options.views.path(FILE), Some(Path::new(path)), "{arguments:?}");
            assert_eq!((needs_waits(&options), options.spec.waits), (waits, waits), "{arguments:?}");
        }
    }
}
