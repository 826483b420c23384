//! `--diff`, `--budget`: what a run is held against is read before anything is run.

use crate::flags::{Options, Outcome, parse};
use crate::files::Files;
use crate::replay::Replay;
use crate::select::Selector;
use crate::views::followed;
use crate::replayed;
use anyhow::Result;
use std::path::Path;
use stride_compare::{Base, CompareView, Profile, Tally};
use stride_filter::{CallSet, Catalog};
use stride_event::Event;
use stride_output::{End, RunInfo};
use stride_record::Metadata;
use stride_track::Tracker;

/// What the run is held against.
#[derive(Default)]
pub struct Comparison {
    base: Option<Recorded>,
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
        Ok(Comparison { base })
    }

    pub fn view(self, info: &RunInfo, _files: &mut Files) -> Result<Option<CompareView>> {
        Ok(self.base.map(|base| CompareView::new(Some(base.against(info)))))
    }
}

impl Recorded {
    fn read(path: &Path, options: &Options, replay: Option<&Replay>) -> Result<Recorded> {
        let mut base = Replay::open_to("compare with", path)?;
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
                "How one of the runs was traced is not known to this version of Stride: filters may differ.".into(),
            ),
        }
        let mut options = Options { replay: Some(path.to_owned()), ..options.clone() };
        replayed::adapt(&mut options, &metadata);
        if let Some(both) = &both {
            options.trace = both.clone();
        }
        let mut tracker = Tracker::default();
        let world = followed(base.told());
        let mut selector = Selector::new(&options, base.told());
        let mut tally = Tally::default();
        let mut left = options.syscall_limit.unwrap_or(u64::MAX);
        while left > 0 && let Some(event) = base.next() {
            tracker.event(&event, &world);
            if let Some(event) = selector.select(event) {
                left -= u64::from(matches!(event, Event::Exit(_)));
                tally.event(&event, &tracker);
            }
        }
        if let Some(cut) = base.ending()? {
            circumstances.push(format!("The base is not whole: {cut}."));
        }
        let (lost_calls, lost_threads) = base.lost();
        let profile = Profile::new(&tally, &End { tracker: &tracker, lost_calls, lost_threads }, &|_| true);
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
                "Times are not compared: the base was traced by the engine {}, this run by {}.",
                theirs.engine.escape_debug(),
                info.engine.escape_debug()
            ));
        }
        Base {
            times: !elsewhere && theirs.engine == info.engine,
            profile: self.profile,
            circumstances: self.circumstances,
            only: self.both.map(|calls| names(&calls)),
        }
    }
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
    statuses: stride_filter::WordSet<stride_filter::Status>,
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

    /// From how this run is traced.
    fn differences(&self, this: &Scope) -> Vec<String> {
        let mut all = Vec::new();
        if self.calls != this.calls {
            all.push("Not the same calls were traced (-e trace=...): only those are compared that both runs were asked for.".into());
        }
        match (self.follows, this.follows) {
            (true, false) => all.push("Only the base was traced with -f, and so with the program's children.".into()),
            (false, true) => all.push("Only this run was traced with -f, and so with the program's children.".into()),
            _ => {}
        }
        for (differ, what) in [(self.about != this.about, "-P or --trace-fds"), (self.statuses != this.statuses, "-z, -Z or -e status")] {
            if differ {
                all.push(format!("The runs were not traced with the same {what}: what one left out seems to be missing."));
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
