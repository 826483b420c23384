//! `--sweep`: many runs of the command instead of one.

use crate::flags::values;
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::Duration;
use stride_session::Options;
use stride_session::options::{Engine, EnvChange};
use stride_sweep::{FaultKind, SweepOptions, sweep};

const OPTION: &str = "sweep";
/// The options that are only for this one.
const OWN: [&str; 3] = ["sweep-in", "sweep-limit", "sweep-results"];
/// Options of runs that --sweep passes on, or whose effect its runs have anyway.
const SERVED: [&str; 8] = [OPTION, "env", "argv0", "engine", "json", "follow-forks", "stack-trace", "kill-on-exit"];

const LIMIT: Duration = Duration::from_secs(600);

/// True if the command is to be run many times.
pub fn is_asked(options: &Options) -> bool {
    options.views.has(OPTION) || OWN.iter().any(|option| options.views.has(option))
}

/// Makes the runs, and returns the exit status.
pub fn run(options: &Options) -> Result<i32> {
    if let Some(own) = OWN.iter().find(|own| options.views.has(own) && !options.views.has(OPTION)) {
        bail!("--{own} says how --sweep makes its runs: add --sweep");
    }
    let is_known = |longs: &[&str]| options.typed.iter().find(|option| !option.is_any(longs));
    let known: Vec<&str> = SERVED.into_iter().chain(OWN).collect();
    if let Some(other) = is_known(&known) {
        let words: Vec<_> = other.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        bail!(
            "--sweep makes runs of its own and reports on them, so {} has no place there: leave it out",
            words.join(" ")
        );
    }
    let Some(command) = &options.command else { bail!("--sweep needs a command to run") };
    if options.engine == Engine::Ebpf {
        bail!("--sweep changes calls, which the eBPF engine cannot: leave --engine=ebpf out");
    }
    let text =
        |option: &str| options.views.path(option).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let kinds: BTreeSet<FaultKind> = FaultKind::of_list(&text(OPTION)).unwrap_or_default();
    let mut words = command.argv.clone();
    let mut passed = Vec::new();
    if let (Some(first), true) = (words.first_mut(), command.argv.first() != Some(&command.program)) {
        let name = std::mem::replace(first, command.program.clone());
        passed.push(option("--argv0=", &[&name]));
    }
    for change in &command.env {
        passed.push(match change {
            EnvChange::Set(name, value) => option("--env=", &[name, &"=".into(), value]),
            EnvChange::Remove(name) => option("--env=", &[name]),
        });
    }
    sweep(SweepOptions {
        program: options.program.clone(),
        passed,
        command: words,
        kinds,
        copied: options.views.path("sweep-in").map(Into::into),
        limit: values::time(&text("sweep-limit")).unwrap_or(LIMIT),
        results: options.views.path("sweep-results").map(Into::into),
        json: options.json,
    })
}

fn option(name: &str, value: &[&OsString]) -> OsString {
    let mut word = OsString::from(name);
    value.iter().for_each(|part| word.push(part));
    word
}
