//! The declaration of a view.

use crate::flags::flag::Flag;
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::{Stop, Warn};
use anyhow::Result;
use stride_output::ReportFormat;
use stride_session::Start;
use stride_session::options::LineStyle;
use stride_session::{Before, Needs, Opener, Options, Use};

pub trait Declaration: Sync {
    /// The view's own options, sorted by name.
    fn flags(&self) -> &'static [Flag];

    /// The files that these options name.
    fn files(&self) -> &'static [FileOption] {
        &[]
    }

    /// The options whose files `--rotate` limits.
    fn rotated(&self, _options: &Options) -> &'static [&'static str] {
        &[]
    }

    /// True if the view opens its files by itself, when there is something to write.
    fn opens_its_files(&self, _options: &Options) -> bool {
        false
    }

    /// Checks whether other options fit the view's own. The raw options are complete, but not yet checked.
    fn check(&self, _raw: &RawOptions, _warn: Warn<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// The destination of the view, if it is wanted. The default is the file that its option names. The trace is shown only if
    /// nothing takes its place.
    fn destination(&self, options: &Options) -> Option<Destination> {
        self.files().iter().any(|file| options.views.has(file.long)).then_some(Destination::OwnFile)
    }

    /// True if the view is of the whole run: threads and children are followed without `-f`.
    fn follows(&self) -> bool {
        false
    }

    /// The events and facts that a run with this view must provide. ViewOptions only if the view is wanted.
    fn needs(&self, options: &Options) -> Needs {
        Needs::everything(options)
    }

    /// The forms beside text and JSON in which the view's report can be written (`--format`).
    fn formats(&self, _options: &Options) -> &'static [ReportFormat] {
        &[]
    }

    /// The event that the view takes for the command's start.
    fn start(&self) -> Start {
        Start::AtExecve
    }

    /// True if the view's text at the end comes after that of all others.
    fn comes_last(&self, _options: &Options) -> bool {
        false
    }

    /// Reads what has to be read before anything is run. The result opens the view when the engine is ready.
    fn prepare(&self, before: &Before<'_>) -> Result<Opener>;
}

/// An option that names a file.
pub struct FileOption {
    pub long: &'static str,
    pub how: Use,
}

/// The destination of a view. It decides what else is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The view is the trace, by default and without an option. If other views write files, it is shown only if `-o`
    /// says where.
    TraceByDefault,
    /// The view is the trace, and an option asked for it.
    Trace,
    /// The view goes to the trace's output, after the trace.
    BehindTrace,
    /// The view goes to the trace's output, in place of the trace.
    InsteadOfTrace,
    /// The view has a file of its own.
    OwnFile,
}

/// Refuses the other forms of the trace beside a view that is one text in place of the trace. The reasons are those why the view is not JSON, not a
/// file for each process, and not in another tool's style.
pub fn exclude_other_forms(view: &str, raw: &RawOptions, [json, separately, style]: [&str; 3]) -> Result<(), Stop> {
    let others = [
        (raw.options.json, "--json", json),
        (raw.separates_output(), "-ff/--output-separately", separately),
        (raw.options.style != LineStyle::Strace, "--style", style),
    ];
    exclude(view, &others)
}

/// Refuses options beside which a view does not stand: whether each was given, its name, and the reason.
pub fn exclude(view: &str, others: &[(bool, &str, &str)]) -> Result<(), Stop> {
    match others.iter().find(|(given, ..)| *given) {
        Some((_, other, why)) => {
            Err(Stop::usage(format!("{view} and {other} exclude each other: {why}; leave one of them out")))
        }
        None => Ok(()),
    }
}
