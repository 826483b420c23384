//! The views that the options ask for, and their joint needs.

use super::ALL;
use super::declaration::{Declaration, Destination, FileOption};
use anyhow::Result;
use std::path::Path;
use stride_output::ReportFormat;
use stride_session::options::{Output, ViewOptions};
use stride_session::{Before, NamedFile, Needs, Options, PreparedView, Use, ViewPlan};

/// The views of a run.
pub struct Wanted {
    /// The views, in the order of [`ALL`].
    views: Vec<(&'static dyn Declaration, Destination)>,
    /// The joint needs of all views, and of the filters that look at stacks.
    pub needs: Needs,
}

impl Wanted {
    pub fn of(options: &Options) -> Wanted {
        let asked: Vec<_> = ALL.iter().copied().filter_map(|view| Some((view, view.destination(options)?))).collect();
        let any = |destination| asked.iter().any(|&(_, other)| other == destination);
        let (replaced, elsewhere) = (any(Destination::InsteadOfTrace), any(Destination::OwnFile));
        let is_shown = |destination| match destination {
            Destination::TraceByDefault => !replaced && (!elsewhere || options.names_output()),
            Destination::Trace => !replaced,
            Destination::BehindTrace | Destination::InsteadOfTrace | Destination::OwnFile => true,
        };
        let views: Vec<_> = asked.iter().copied().filter(|&(_, destination)| is_shown(destination)).collect();
        let of_filters = Needs::of_filters(options);
        let needs = views.iter().fold(of_filters, |needs, (view, _)| needs.and(view.needs(options)));
        Wanted { views, needs }
    }

    /// True if calls are shown one by one in the trace's output.
    pub fn shows_trace(&self) -> bool {
        self.views
            .iter()
            .any(|(_, destination)| matches!(destination, Destination::TraceByDefault | Destination::Trace))
    }

    /// True if a view goes on after the reader of the trace has left.
    pub fn outlives_trace(&self) -> bool {
        self.views
            .iter()
            .any(|(_, destination)| matches!(destination, Destination::InsteadOfTrace | Destination::OwnFile))
    }

    /// Prepares each view.
    pub fn plan(self, before: &Before<'_>) -> Result<ViewPlan> {
        if before.options.filters.called_from.is_some() {
            before.require_stacks("--called-from")?;
        }
        let prepare = |&(view, _): &(&'static dyn Declaration, _)| {
            let (start, comes_last) = (view.start(), view.comes_last(before.options));
            Ok(PreparedView { open: view.prepare(before)?, start, comes_last })
        };
        let views = self.views.iter().map(prepare).collect::<Result<_>>()?;
        let (shows_trace, outlives_trace) = (self.shows_trace(), self.outlives_trace());
        Ok(ViewPlan { needs: self.needs, views, shows_trace, outlives_trace })
    }
}

/// True if a view that these options ask for follows threads and children.
pub fn follow(options: &Options) -> bool {
    ALL.iter().any(|view| view.follows() && view.destination(options).is_some())
}

/// Checks that `--format` fits the views that these options ask for. The error is a sentence.
pub fn check_format(options: &Options) -> std::result::Result<(), &'static str> {
    let format = options.format;
    if format == ReportFormat::Text {
        return Ok(());
    }
    if options.json {
        return Err("--format and --json say in different ways how reports are written: leave one of them out");
    }
    let reports = ALL.iter().filter(|view| view.destination(options) == Some(Destination::InsteadOfTrace));
    let forms: Vec<_> = reports.map(|view| view.formats(options)).collect();
    match format {
        _ if !forms.is_empty() && forms.iter().all(|forms| forms.contains(&format)) => Ok(()),
        ReportFormat::Sarif => {
            Err("--format=sarif is for the findings of --advise alone: give --advise, and no other report")
        }
        _ => Err("--format is for the reports of --advise, --budget and --diff: give one of them, and no other report"),
    }
}

/// The options of views that name files.
fn file_options() -> impl Iterator<Item = &'static FileOption> {
    ALL.iter().flat_map(|view| view.files())
}

/// True if a view reads or writes a file, so that the trace is not the only result.
pub fn names_files(asked: &ViewOptions) -> bool {
    file_options().any(|file| asked.has(file.long))
}

/// True if a view that strace does not have stands in the trace's place.
pub fn has_report(options: &Options) -> bool {
    let reports = ALL.iter().filter(|view| view.destination(options) == Some(Destination::InsteadOfTrace));
    reports.flat_map(|view| view.flags()).any(|flag| flag.own && flag.long.is_some_and(|long| options.views.has(long)))
}

/// True if `--rotate` limits the file of this option.
pub fn can_be_rotated(options: &Options, option: &str) -> bool {
    option == TRACE
        || ALL.iter().flat_map(|view| view.rotated(options)).any(|long| option.strip_prefix("--") == Some(long))
}

/// The option that says where the trace goes.
const TRACE: &str = "-o/--output";

/// All files that options name. Files that are read come first.
pub fn named_files(options: &Options) -> Vec<NamedFile<'_>> {
    let files = ALL.iter().flat_map(|view| view.files().iter().map(move |file| (view, file)));
    let given = files.flat_map(|(view, file)| {
        let how = if view.opens_its_files(options) { Use::Trace } else { file.how };
        // Several files may be read; of the names of a file that is written, the last one counts.
        let paths: Vec<&Path> = match how {
            Use::Reads => options.views.paths(file.long).collect(),
            Use::Writes(_) | Use::Trace => options.views.path(file.long).into_iter().collect(),
        };
        paths.into_iter().map(move |path| NamedFile { option: format!("--{}", file.long), path, how })
    });
    let (read, written): (Vec<_>, Vec<_>) = given.partition(|named| matches!(named.how, Use::Reads));
    let replay = options.replay.as_deref().map(|path| ("--replay", path, Use::Reads));
    let trace = match &options.output {
        Output::File(path) => Some((TRACE, path.as_path(), Use::Trace)),
        Output::Stderr | Output::Stdout | Output::Pipe(_) => None,
    };
    let general = |(option, path, how): (&str, _, _)| NamedFile { option: option.into(), path, how };
    let (replay, trace) = (replay.map(general), trace.map(general));
    replay.into_iter().chain(read).chain(written).chain(trace).collect()
}
