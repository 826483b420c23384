//! The ways in which views are shown hostile input.
//!
//! The unit tests of the views include this file as well. They fail if a view, an option of a view that names a file,
//! or a form of a report has no fixture here.
#![allow(dead_code)] // Each test uses its part.

/// The kind of output that a view writes. It decides how a test checks the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines for people.
    Text,
    /// An object on each line.
    JsonLines,
    /// One JSON text.
    Json,
    Markdown,
    /// Workflow commands of GitHub Actions.
    Commands,
    /// A page for a browser.
    Page,
    /// A line for each stack, with a number at its end.
    Folded,
    Perfetto,
    /// A directory of files in Parquet.
    Tables,
    /// A recording of Stride.
    Recording,
    /// Limits that --budget reads.
    Budget,
    /// Metrics in Prometheus' text format.
    Metrics,
    /// The screen of a terminal.
    Screen,
}

pub struct Fixture {
    /// The options that ask for the view.
    pub options: &'static [&'static str],
    /// The file that the view writes. The trace goes to `out`.
    pub file: &'static str,
    pub form: Form,
    /// The view needs a program that runs: it is no view of recordings.
    pub live: bool,
}

impl Fixture {
    /// Removes what the view wrote before.
    pub fn remove_output(&self, directory: &std::path::Path) {
        let path = directory.join(self.file);
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}

const fn replayed(options: &'static [&'static str], file: &'static str, form: Form) -> Fixture {
    Fixture { options, file, form, live: false }
}

const fn live(options: &'static [&'static str], file: &'static str, form: Form) -> Fixture {
    Fixture { options, file, form, live: true }
}

/// The file of `--harden-with`: a run without calls.
pub const EARLIER_RUNS: &str = r#"{"type": "stride-harden", "version": 1, "runs": [], "calls": {}, "families": {}, "guards": {}, "written": {}, "made": {}}"#;

/// `base` is another recording, and `limits.toml` has limits that are broken.
pub const FIXTURES: &[Fixture] = &[
    live(&["--record=again"], "again", Form::Recording),
    replayed(&[], "out", Form::Text),
    replayed(&["-yy", "-Y", "-kk", "-s999", "-v", "-ttt", "-T"], "out", Form::Text),
    replayed(&["--style=perf"], "out", Form::Text),
    replayed(&["--style=truss"], "out", Form::Text),
    live(&["--top"], "screen", Form::Screen),
    replayed(&["-c"], "out", Form::Text),
    replayed(&["-C"], "out", Form::Text),
    replayed(&["--by=path,peer,comm,fd,errno"], "out", Form::Text),
    replayed(&["--by=caller,container,directory,user"], "out", Form::Text),
    replayed(&["--by=path,comm", "--json"], "out", Form::JsonLines),
    replayed(&["--tree"], "out", Form::Text),
    replayed(&["--inputs"], "out", Form::Text),
    replayed(&["--inputs=json"], "out", Form::Json),
    replayed(&["--inputs=make"], "out", Form::Text),
    replayed(&["--inputs-declared=declared"], "out", Form::Text),
    replayed(&["--harden=systemd"], "out", Form::Text),
    replayed(&["--harden=seccomp"], "out", Form::Json),
    replayed(&["--harden=json"], "out", Form::Json),
    replayed(&["--harden-with=earlier.json"], "out", Form::Text),
    replayed(&["--json", "-kk", "-s999"], "out", Form::JsonLines),
    replayed(&["--advise=all"], "out", Form::Text),
    replayed(&["--advise=all", "--json"], "out", Form::JsonLines),
    replayed(&["--advise=all", "--format=markdown"], "out", Form::Markdown),
    replayed(&["--advise=all", "--format=github"], "out", Form::Commands),
    replayed(&["--advise=all", "--format=sarif"], "out", Form::Json),
    replayed(&["--advise", "--advise-config=advise.toml"], "out", Form::Text),
    replayed(&["--time-by=process"], "out", Form::Text),
    replayed(&["--time-by=thread", "--json"], "out", Form::JsonLines),
    replayed(&["--time-by=request"], "out", Form::Text),
    replayed(&["--time-by=request", "--json"], "out", Form::JsonLines),
    replayed(&["--perfetto=pf", "-kk"], "pf", Form::Perfetto),
    replayed(&["--parquet=tables", "-kk"], "tables", Form::Tables),
    replayed(&["--export=prometheus:metrics.prom"], "metrics.prom", Form::Metrics),
    replayed(&["--html=page.html", "-kk"], "page.html", Form::Page),
    replayed(&["--flamegraph=flames.html"], "flames.html", Form::Page),
    replayed(&["--flamegraph=flames.folded"], "flames.folded", Form::Folded),
    replayed(&["--diff=base", "-kk"], "out", Form::Text),
    replayed(&["--diff=base", "--repeated=base"], "out", Form::Text),
    replayed(&["--diff=base", "--json"], "out", Form::JsonLines),
    replayed(&["--diff=base", "--format=markdown"], "out", Form::Markdown),
    replayed(&["--diff=base", "--format=github"], "out", Form::Commands),
    replayed(&["--budget=limits.toml"], "out", Form::Text),
    replayed(&["--budget=limits.toml", "--json"], "out", Form::JsonLines),
    replayed(&["--budget=limits.toml", "--format=markdown"], "out", Form::Markdown),
    replayed(&["--budget=limits.toml", "--format=github"], "out", Form::Commands),
    replayed(&["--budget-write=written.toml"], "written.toml", Form::Budget),
];
