//! `--diff`, `--repeated`: the recordings of the run that this one is compared with, and further recordings of this run.

use super::scope::CallScope;
use crate::options::Options;
use crate::replay::{self, Replay};
use crate::resolvers;
use crate::run::Before;
use crate::selection::Conditions;
use crate::selection::Selector;
use crate::start::{ENGINES, Needs};
use anyhow::Result;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use stride_compare::{Base, Profile, Tally};
use stride_engine_base::Engine as _;
use stride_event::{Event, StackFrame, WithSource};
use stride_filter::{CallSet, Catalog};
use stride_output::{End, RunInfo};
use stride_record::Metadata;
use stride_track::Tracker;

/// The one of the two runs that a recording has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The run that this one is compared with (`--diff`).
    Base,
    /// This run again (`--repeated`).
    This,
}

/// A recording that `--diff` or `--repeated` names.
pub struct RecordedRun {
    profile: Profile,
    metadata: Metadata,
    caveats: Vec<String>,
    /// The calls that both runs cover. None means all.
    both: Option<CallSet>,
    /// Lines and merged functions are known in both runs.
    sources: bool,
    /// Operations of io_uring are known in both runs.
    operations: bool,
}

impl RecordedRun {
    /// Reads the recording at `path`. The error says why the runs cannot be compared.
    pub fn read(path: &Path, side: Side, before: &Before<'_>) -> Result<RecordedRun> {
        let options = before.options;
        let option = if side == Side::Base { "--diff" } else { "--repeated" };
        let mut base = Replay::open_for(option, "compare with", path)?;
        base.show_progress();
        let metadata = base.metadata().clone();
        if options.filters.called_from.is_some() {
            replay::require_stacks("--called-from", &metadata, path)?;
        }
        let mut caveats = Vec::new();
        let (theirs, ours) = (CallScope::recorded(&metadata, before), CallScope::of_this_run(before));
        let mut both = None;
        match (theirs, ours) {
            (Some(theirs), Some(ours)) => {
                // This run's filters apply to the base, too.
                let theirs = theirs.within(options);
                caveats = match side {
                    Side::Base => theirs.differences(&ours),
                    Side::This if theirs == ours => Vec::new(),
                    Side::This => vec![format!("'{}' was traced with other filters than this run.", path.display())],
                };
                if theirs.calls != ours.calls {
                    both = Some(theirs.calls.inverted().union(&ours.calls.inverted()).inverted());
                }
            }
            _ => caveats.push(
                "This version of Stride does not know all the options with which one of the runs was traced: filters may \
                 differ.".into(),
            ),
        }
        let mut options = Options { replay: Some(path.to_owned()), ..options.clone() };
        replay::adapt(&mut options, &Needs::default(), &metadata);
        if let Some(both) = &both {
            options.filters.trace = both.clone();
        }
        let tracker = Rc::new(RefCell::new(Tracker::partial(metadata.partial)));
        let resolver = resolvers::followed(base.answers());
        let shown = Box::new(resolvers::followed(base.answers()));
        let conditions = Conditions::new(&options, base.answers(), shown, tracker.clone());
        let mut selector = Selector::new(&options, false, base.answers(), conditions);
        let operations =
            [metadata.operations, before.replay.map_or(before.options.spec.operations, |this| this.operations)];
        if side == Side::Base && operations[0] != operations[1] {
            let which = if operations[0] { "the base" } else { "this run" };
            caveats.push(format!("Only {which} was traced with --io-uring: operations of io_uring are not compared."));
        }
        let operations = operations == [true; 2];
        let mut tally = if operations { Tally::default() } else { Tally::without_operations() };
        let mut left = options.syscall_limit.unwrap_or(u64::MAX);
        while left > 0
            && let Some(event) = base.next()?
        {
            tracker.borrow_mut().event(&event, &resolver);
            if let Some(event) = selector.select(event) {
                left -= u64::from(matches!(event, Event::Exit(_)));
                tally.event(&event, &tracker.borrow());
            }
        }
        if let Some(cut) = base.ending()? {
            let which = if side == Side::Base { "The base" } else { "A recording of this run" };
            caveats.push(format!("{which} is incomplete: {cut}."));
        }
        let sources = metadata.sources && before.replay.is_none_or(|this| this.sources);
        let bare = |frame: &Arc<StackFrame>| Arc::new(frame.without_source());
        let with_source: &WithSource<'_> = if sources { &Arc::clone } else { &bare };
        let tracker = tracker.borrow();
        let end = End { tracker: &tracker, lost: base.lost(), with_source };
        let profile = Profile::new(&tally, &end, &|_| true);
        Ok(RecordedRun { profile, metadata, caveats, both, sources, operations })
    }

    /// Why the times of this recording cannot be compared with those of the run that `info` describes.
    fn other_times(&self, info: &RunInfo) -> Option<String> {
        let theirs = &self.metadata;
        if theirs.host != info.host || theirs.machine != info.machine {
            return Some("Times are not compared: the base was traced on another machine.".into());
        }
        (theirs.engine != info.engine).then(|| {
            format!(
                "Times are not compared: the base was traced with --engine={}, this run with --engine={}.",
                theirs.engine.escape_debug(),
                info.engine.escape_debug()
            )
        })
    }
}

/// The recordings of a base and the further recordings of the run that is compared with it. `info` describes this run.
pub fn against(bases: Vec<RecordedRun>, repeated: Vec<RecordedRun>, info: &RunInfo) -> Option<Base> {
    if bases.is_empty() {
        return None;
    }
    let all = || bases.iter().chain(&repeated);
    let mut caveats: Vec<String> = Vec::new();
    let other_times: Vec<String> = all().filter_map(|run| run.other_times(info)).collect();
    for sentence in all().flat_map(|run| &run.caveats).chain(&other_times) {
        if !caveats.contains(sentence) {
            caveats.push(sentence.clone());
        }
    }
    let both = all().filter_map(|run| run.both.as_ref().map(names));
    let only = both.reduce(|names, more| names.intersection(&more).copied().collect());
    Some(Base {
        times: other_times.is_empty().then(|| precision(&info.engine)),
        caveats,
        sources: all().all(|run| run.sources),
        operations: all().all(|run| run.operations),
        only,
        profile: Profile::median(bases.into_iter().map(|run| run.profile).collect()),
        repeated: repeated.into_iter().map(|run| run.profile).collect(),
    })
}

/// The time that the engine itself may add to a call, in nanoseconds.
fn precision(engine: &str) -> u64 {
    ENGINES.iter().find(|known| known.name == engine).map_or(2_000, |known| known.adds)
}

/// The syscalls of a set.
fn names(calls: &CallSet) -> std::collections::BTreeSet<&'static str> {
    Catalog::native().iter().filter(|call| calls.contains(call.abi, call.nr.into())).map(|call| call.name).collect()
}
