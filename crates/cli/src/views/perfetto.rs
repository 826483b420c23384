//! `--perfetto`: a trace for ui.perfetto.dev.

use super::declaration::{Declaration, FileOption};
use crate::flags::flag::{Arg, Category, Flag, Value, ask};
use anyhow::Result;
use stride_output::{Perfetto, View};
use stride_session::{Before, Needs, Opener, Opening, Options, Use};

const FILE: &str = "perfetto";

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

const FLAGS: &[Flag] = &[Flag {
    long: Some("perfetto"),
    arg: Arg::Required("FILE"),
    value: Value::File,
    help: "write a trace for ui.perfetto.dev to FILE",
    own: true,
    doc: "Writes a trace for https://ui.perfetto.dev and Perfetto's trace_processor. It has a track for each thread \
              under its process; a slice for each call with its arguments, its result and what its descriptor refers to; a flow from each fork to the child; marks for signals, execve, ends of threads and lost calls; and a counter of calls per second. Calls that failed have the category error, and a name with the error in it, such as \"openat ENOENT\".\n\n\
              With -k, each call has the functions that led to it, and the innermost function of the program's own as an argument. A replay has the stacks that were recorded.\n\n\
              With --waits, each call says for how long its thread slept or had no CPU, and flows lead to it from the call that woke the thread.\n\n\
              Options that choose which calls are shown, and how arguments look (-e, -P, -s, -v, -x, -X, -y), apply to this \
              trace, too. The text of the trace is only printed if -o says where to.\n\n\
              FILE is written while the program runs. If it cannot be written any further, Stride says so, and everything else goes on.",
    update: ask,
    ..BASE
}];

const FILES: &[FileOption] = &[FileOption {
    long: FILE,
    how: Use::Writes(|file| {
        format!("{}: {}, {}; open it at https://ui.perfetto.dev", file.path, file.calls, file.size)
    }),
}];

pub struct PerfettoDeclaration;

impl Declaration for PerfettoDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn files(&self) -> &'static [FileOption] {
        FILES
    }

    fn needs(&self, options: &Options) -> Needs {
        Needs::everything(options).and(Needs::shown_stacks(options))
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let (options, info) = (with.options, with.info);
    let (to, whole) = with.files.take_given(FILE)?.whole()?;
    let style = options.layout(false).style;
    let (decoding, resolver) = (options.decoder_options(), with.resolvers.for_view(options));
    Ok(Box::new(Perfetto::new(to, whole, style, decoding, resolver, info)))
}
