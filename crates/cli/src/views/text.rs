//! The text of the trace, which is shown unless options ask for something else.

use super::declaration::{Declaration, Destination};
use crate::flags::flag::Flag;
use anyhow::Result;
use stride_output::{TextView, View};
use stride_session::options::{LineStyle, Seccomp};
use stride_session::{Asks, Before, MakeView, Needs, Opener, Opening, Options, Start};

pub struct TextDeclaration;

impl Declaration for TextDeclaration {
    /// All options of the category of output formats affect the text, so the view has none of its own.
    fn flags(&self) -> &'static [Flag] {
        &[]
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        (!options.json).then_some(Destination::TraceByDefault)
    }

    fn needs(&self, options: &Options) -> Needs {
        let times =
            [options.lines.leader.relative, options.lines.elapsed, options.lines.leader.wall.map(|wall| wall.digits)];
        Needs {
            calls: true,
            entries: true,
            signals: true,
            memory: true,
            received: true,
            times: times.iter().any(Option::is_some) || options.style != LineStyle::Strace,
            descriptors: !options.decode_fds.is_empty(),
            // `-n` shows the number of a thread's latest call before lines that are about no call, whether that call is
            // shown or not.
            all_calls: options.lines.leader.number
                && (options.spec.seccomp != Seccomp::On)
                && !options.filters.trace.is_all(),
            process_ids: options.looks_processes_up(),
            ..Needs::shown_stacks(options)
        }
        .and(needs_of_style(options))
    }

    /// The text's output must be open before the command runs.
    fn start(&self) -> Start {
        Start::AtFork
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

/// Other lines than strace's have times and the names of threads. Strace's have names with `-Y`, and with `--all`.
fn needs_of_style(options: &Options) -> Needs {
    let times = options.style != LineStyle::Strace;
    let named = times || options.thread_names || options.follows_names();
    Needs { times, tracked_names: named, thread_names: named, ..Needs::default() }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let options = with.options;
    let layout = options.layout(with.outputs.is_terminal());
    let mut decoding = options.decoder_options();
    decoding.contexts = options.contexts.is_some();
    let (show, offset) = (options.show(), with.info.wall_offset);
    if let Some(open) = with.outputs.opener(options) {
        let resolver = with.resolvers.for_view(options);
        return Ok(Box::new(TextView::per_thread(layout, decoding, resolver, offset, show, open)));
    }
    let sink = with.outputs.take_sink()?;
    let eager = sink.eager;
    let asks = Asks { names: layout.form.is_some() || show.thread_names, subjects: false, left_out: true };
    let make: MakeView =
        Box::new(move |resolver| Ok(Box::new(TextView::new(layout, decoding, resolver, offset, show, sink))));
    with.view(eager, asks, make)
}
