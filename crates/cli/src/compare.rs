//! `--diff`, `--budget`: what a run is held against is read before anything is run.

use crate::command::os_error;
use crate::files::Files;
use crate::flags::{Options, Outcome, parse};
use crate::replay::Replay;
use crate::replayed;
use crate::select::Selector;
use crate::views::followed;
use anyhow::{Result, anyhow, bail};
use std::io::{Read, Write};
use std::path::Path;
use stride_compare::{Base, Budget, CompareView, Limited, MARK, Metric, Mistake, Profile, Tally};
use stride_engine_base::Engine as _;
use stride_event::{Event, Lost};
use stride_filter::{CallSet, Catalog, Status, WordSet};
use stride_output::{End, RunInfo};
use stride_record::Metadata;
use stride_track::Tracker;

/// What the run is held against.
#[derive(Default)]
pub struct Comparison {
    base: Option<Recorded>,
    budget: Option<Budget>,
}

/// The run that `--diff` names.
struct Recorded {
    profile: Profile,
    metadata: Metadata,
    circumstances: Vec<String>,
    /// The calls that both runs were asked for, if these are not all.
    both: Option<CallSet>,
}

impl Comparison {
    pub fn prepare(options: &Options, replay: Option<&Replay>) -> Result<Comparison> {
        let base = options.diff.as_deref().map(|path| Recorded::read(path, options, replay)).transpose()?;
        let budget = options.budget.as_deref().map(|path| budget(path, options, replay)).transpose()?;
        options.budget_write.as_deref().map(replaceable).transpose()?;
        Ok(Comparison { base, budget })
    }

    pub fn view(self, json: bool, info: &RunInfo, files: &mut Files) -> Result<Option<CompareView>> {
        let write = files.take_whole("--budget-write")?;
        if self.base.is_none() && self.budget.is_none() && write.is_none() {
            return Ok(None);
        }
        let write = write.map(|(name, whole)| (name, whole as Box<dyn Write>));
        let base = self.base.map(|base| base.against(info));
        Ok(Some(CompareView::new(base, self.budget, write, json)))
    }
}

fn cannot(what: &str, path: &Path, why: &str) -> anyhow::Error {
    anyhow!("Can't {what} the budget '{}': {why}", path.display())
}

/// Reads a budget, and makes sure that the run can tell what it asks for.
fn budget(path: &Path, options: &Options, replay: Option<&Replay>) -> Result<Budget> {
    // It is written by hand: what is larger is something else.
    const MOST: u64 = 1 << 20;
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| cannot("read", path, &os_error(&e)))?;
    file.take(MOST + 1).read_to_end(&mut text).map_err(|e| cannot("read", path, &os_error(&e)))?;
    if text.len() as u64 > MOST {
        return Err(cannot("read", path, "the file is larger than 1 MiB, which is too large for a budget"));
    }
    let text = String::from_utf8(text)
        .map_err(|_| cannot("read", path, "the file is not text in UTF-8, so it cannot be TOML"))?;
    let all = |mistakes: Vec<Mistake>| anyhow!(mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"));
    let budget = Budget::parse(&path.display().to_string(), &text).map_err(all)?;
    let scope = match replay {
        Some(replay) => Scope::recorded(replay.metadata()).map(|scope| scope.within(options)),
        None => Some(Scope::of(options)),
    };
    if let Some(scope) = scope {
        let blind: Vec<Mistake> =
            budget.limits().iter().filter_map(|limit| Some(budget.mistake(limit, scope.hides(limit)?))).collect();
        if !blind.is_empty() {
            return Err(all(blind));
        }
    }
    Ok(budget)
}

/// A file that somebody wrote by hand must not get lost.
fn replaceable(path: &Path) -> Result<()> {
    let mut start = Vec::new();
    if let Ok(file) = std::fs::File::open(path)
        && file.metadata().is_ok_and(|m| m.is_file())
    {
        let _ = file.take(MARK.len() as u64).read_to_end(&mut start);
    }
    if start.is_empty() || start == MARK.as_bytes() {
        return Ok(());
    }
    bail!(
        "'{}' is not replaced: the file exists, and --budget-write did not write it, or its first line was taken out. \
         Give another name, or delete the file first",
        path.display()
    );
}

impl Recorded {
    fn read(path: &Path, options: &Options, replay: Option<&Replay>) -> Result<Recorded> {
        let mut base = Replay::open_for("--diff", "compare with", path)?;
        base.show_progress();
        let metadata = base.metadata().clone();
        let mut circumstances = Vec::new();
        let theirs = Scope::recorded(&metadata);
        let ours = match replay {
            Some(replay) => Scope::recorded(replay.metadata()).map(|scope| scope.within(options)),
            None => Some(Scope::of(options)),
        };
        let mut both = None;
        match (theirs, ours) {
            (Some(theirs), Some(ours)) => {
                // What is chosen from a recording is chosen from both.
                let theirs = theirs.within(options);
                circumstances = theirs.differences(&ours);
                if theirs.calls != ours.calls {
                    both = Some(theirs.calls.inverted().union(&ours.calls.inverted()).inverted());
                }
            }
            _ => circumstances.push(
                "This version of Stride does not know all the options with which one of the runs was traced: filters may \
                 differ.".into(),
            ),
        }
        let mut options = Options { replay: Some(path.to_owned()), ..options.clone() };
        replayed::adapt(&mut options, &metadata);
        if let Some(both) = &both {
            options.trace = both.clone();
        }
        let mut tracker = Tracker::partial(metadata.partial);
        let world = followed(base.told());
        let mut selector = Selector::new(&options, base.told());
        let mut tally = Tally::default();
        let mut left = options.syscall_limit.unwrap_or(u64::MAX);
        while left > 0
            && let Some(event) = base.next()?
        {
            tracker.event(&event, &world);
            if let Some(event) = selector.select(event) {
                left -= u64::from(matches!(event, Event::Exit(_)));
                tally.event(&event, &tracker);
            }
        }
        if let Some(cut) = base.ending()? {
            circumstances.push(format!("The base is incomplete: {cut}."));
        }
        let Lost { calls: lost_calls, threads: lost_threads, signals: lost_signals } = base.lost();
        let profile =
            Profile::new(&tally, &End { tracker: &tracker, lost_calls, lost_threads, lost_signals }, &|_| true);
        Ok(Recorded { profile, metadata, circumstances, both })
    }

    /// `info` is of the run that is compared with it.
    fn against(mut self, info: &RunInfo) -> Base {
        let theirs = &self.metadata;
        let elsewhere = theirs.host != info.host || theirs.machine != info.machine;
        if elsewhere {
            self.circumstances.push("Times are not compared: the base was traced on another machine.".into());
        } else if theirs.engine != info.engine {
            self.circumstances.push(format!(
                "Times are not compared: the base was traced with --engine={}, this run with --engine={}.",
                theirs.engine.escape_debug(),
                info.engine.escape_debug()
            ));
        }
        Base {
            times: (!elsewhere && theirs.engine == info.engine).then(|| precision(&info.engine)),
            profile: self.profile,
            circumstances: self.circumstances,
            only: self.both.map(|calls| names(&calls)),
        }
    }
}

/// What the engine itself may add to the time of a call, in nanoseconds.
fn precision(engine: &str) -> u64 {
    // Each call waits for the tracer to be run, twice.
    if engine == "ptrace" { 1_000_000 } else { 2_000 }
}

/// The syscalls of a set.
fn names(calls: &CallSet) -> std::collections::BTreeSet<&'static str> {
    Catalog::native().iter().filter(|call| calls.contains(call.abi, call.nr.into())).map(|call| call.name).collect()
}

/// Which calls of a program are seen at all.
#[derive(PartialEq)]
struct Scope {
    calls: CallSet,
    follows: bool,
    about: String,
    statuses: WordSet<Status>,
}

impl Scope {
    fn of(options: &Options) -> Scope {
        Scope {
            calls: options.trace.clone(),
            follows: options.follow_forks,
            about: about(options),
            statuses: options.status,
        }
    }

    /// As the command line of its recorder says.
    fn recorded(metadata: &Metadata) -> Option<Scope> {
        match parse(metadata.args.iter().cloned(), true).outcome {
            Outcome::Trace(options) => Some(Scope::of(&options)),
            _ => None,
        }
    }

    /// What options that say what is shown leave of it.
    fn within(self, options: &Options) -> Scope {
        let shown = Scope::of(options);
        Scope {
            calls: self.calls.inverted().union(&shown.calls.inverted()).inverted(),
            follows: self.follows,
            about: if shown.about.is_empty() { self.about } else { shown.about },
            statuses: if shown.statuses.is_all() { self.statuses } else { shown.statuses },
        }
    }

    /// Why a limit cannot be checked, if it cannot.
    fn hides(&self, limit: &Limited) -> Option<String> {
        let text = &limit.limit;
        if let Some(name) = limit.syscall() {
            let mut numbers = Catalog::native().iter().filter(|call| call.name == name).peekable();
            if numbers.peek().is_some() && !numbers.any(|call| self.calls.contains(call.abi, call.nr.into())) {
                return Some(format!("{text} cannot be checked: {name} is not traced (-e trace=...)"));
            }
        }
        let failed = matches!(text.metric, Metric::Errors(_)) && !self.statuses.contains(Status::Failed);
        failed.then(|| format!("{text} cannot be checked: calls that fail are left out (-z or -e status=...)"))
    }

    /// From how this run is traced.
    fn differences(&self, this: &Scope) -> Vec<String> {
        let mut all = Vec::new();
        if self.calls != this.calls {
            all.push(
                "The two runs traced different calls (-e trace=...): only calls that both were asked for are compared."
                    .into(),
            );
        }
        match (self.follows, this.follows) {
            (true, false) => all.push(
                "Only the base was traced with -f: it has the calls of the program's children, \
                                       too."
                    .into(),
            ),
            (false, true) => all.push(
                "Only this run was traced with -f: it has the calls of the program's children, \
                                       too."
                    .into(),
            ),
            _ => {}
        }
        for (differ, what) in
            [(self.about != this.about, "-P or --trace-fds"), (self.statuses != this.statuses, "-z, -Z or -e status")]
        {
            if differ {
                all.push(format!(
                    "The runs were traced with different {what}: calls that one run left out seem to be missing there."
                ));
            }
        }
        all
    }
}

/// `-P` and `--trace-fds`.
fn about(options: &Options) -> String {
    if options.paths.is_empty() && options.trace_fds.is_none() {
        return String::new();
    }
    format!("{:?} {:?}", options.paths, options.trace_fds)
}
