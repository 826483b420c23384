//! `--time-by`: where the time of each process, thread or kind of request went.

use super::declaration::{Declaration, Destination};
use crate::flags::flag::{Arg, Category, Flag, Value, ask, words};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::{Result, anyhow};
use stride_output::{TimeBy, TimeView, View};
use stride_session::{Before, Needs, Opener, Opening, Options};

const OPTION: &str = "time-by";

const FLAGS: &[Flag] = &[Flag {
    category: Category::Statistics,
    long: Some(OPTION),
    arg: Arg::Required("WHOSE"),
    value: Value::Word(|| words(TimeBy::ALL.map(TimeBy::name))),
    own: true,
    help: "say where the time of each process, thread or request went",
    habits: &["latency", "requests"],
    doc: "Says at the end where the time of each process (--time-by=process), of each thread (thread), or of the requests to servers (request) went: computing, at work in \
          calls, asleep, for what and until who woke the thread, and without a CPU. The parts add up to the whole. The trace itself is only printed if -o says where \
          to. With --json, each is an object.\n\n\
          A request is what happens from the bytes that come on a connection to the bytes that answer them, whichever threads take part. Requests to one address are \
          one kind, with their number, the median and the 99th percentile. The engine measures sleeps and wakers as with --waits, if it can. Use -f for programs that start others.",
    update: |raw, given| match TimeBy::ALL.iter().any(|by| by.name() == given.text()) {
        true => ask(raw, given),
        false => Err(Stop::unknown_word(OPTION, &given.text(), &TimeBy::ALL.map(TimeBy::name))),
    },
    ..Flag::BASE
}];

fn asked(options: &Options) -> Option<TimeBy> {
    TimeBy::ALL.into_iter().find(|by| options.views.is(OPTION, by.name()))
}

pub struct TimeByDeclaration;

impl Declaration for TimeByDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn check(&self, _: &RawOptions, _: Warn<'_>) -> Result<(), Stop> {
        Ok(())
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        asked(options).map(|_| Destination::InsteadOfTrace)
    }

    fn needs(&self, options: &Options) -> Needs {
        // Nothing looks at data that a program has received.
        Needs { waits: true, received: false, ..Needs::everything(options) }
    }

    fn prepare(&self, _: &Before<'_>) -> Result<Opener> {
        Ok(Box::new(open))
    }
}

fn open(with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let by = asked(with.options).ok_or_else(|| anyhow!("no time was asked for"))?;
    Ok(Box::new(TimeView::new(by, with.options.json, with.info)))
}
