//! The start of a run: the engine, and the views that it feeds.

use super::Session;
use super::dispatch::Dispatcher;
use super::ended::Ended;
use super::intervals::{IntervalClock, Intervals};
use super::observation::Observation;
use super::opening::{Opening, PreparedView};
use super::unmatched_filters::UnmatchedFilters;
use super::views::Views;
use super::{announce, run_info};
use crate::library;
use crate::options::Options;
use crate::outputs::{self, Files, Outputs};
use crate::redaction::{Redacted, Redactor};
use crate::replay::{self, Replay};
use crate::resolvers::{self, Resolvers};
use crate::start::{self, Chosen, Needs};
use anyhow::Result;
use stride_output::RunInfo;
use stride_record::Metadata;
use stride_stacks::Fetch;

/// The source of events: a recording, or an engine that is started later.
pub struct EventSource(Option<Replay>);

impl EventSource {
    /// Opens the recording that the options name, if they do. The options are adapted to a recording of a whole machine.
    pub fn open(options: &mut Options) -> Result<EventSource> {
        let replay = options.replay.as_deref().map(Replay::open).transpose()?;
        if replay.as_ref().is_some_and(|replay| replay.metadata().whole_machine) {
            options.suit_machine();
        }
        Ok(EventSource(replay))
    }

    /// The beginning of the recording that is replayed.
    pub fn metadata(&self) -> Option<&Metadata> {
        self.0.as_ref().map(Replay::metadata)
    }
}

/// The views of a run, and what they ask for together.
pub struct ViewPlan {
    /// The joint needs of all views, and of the filters that look at stacks.
    pub needs: Needs,
    /// The views, in the order in which they get each event.
    pub views: Vec<PreparedView>,
    /// Calls are shown one by one in the trace's output.
    pub shows_trace: bool,
    /// A view goes on after the reader of the trace has left.
    pub outlives_trace: bool,
}

/// An engine that has been started, with facts about the run.
struct Started {
    chosen: Chosen,
    info: RunInfo,
    /// The engine counts calls by itself.
    counted: bool,
    debug_servers: Option<Box<Fetch>>,
}

impl Session {
    /// Starts the engine, and opens the views. `files` are those that the views write.
    pub fn start(mut options: Options, source: EventSource, mut files: Files, plan: ViewPlan) -> Result<Session> {
        let needs = &plan.needs;
        let notices = files.completion_notices();
        let mut outputs = Outputs::open(&options)?;
        let redactor = Redactor::of(&options)?;
        let resolvers = Resolvers::of(&options, source.0.as_ref(), needs.answers_noted, redactor.clone());
        let started = match source.0 {
            Some(replay) => start_replay(replay, &mut options, &plan, &outputs),
            None => start_engine(&mut options, needs, &outputs)?,
        };
        let Started { mut chosen, mut info, counted, debug_servers } = started;
        if let Some(redactor) = redactor {
            redactor.words(&mut info.args);
            let resolver = Box::new(resolvers::followed(resolvers.tracked.clone()));
            chosen.engine = Box::new(Redacted::new(chosen.engine, redactor, resolver, info.partial));
        }
        let can = chosen.engine.capabilities();
        let opening = Opening {
            options: &options,
            outputs: &mut outputs,
            resolvers: &resolvers,
            files: &mut files,
            info: &info,
            needs,
            command: chosen.engine.command(),
            cpu_times: can.cpu_times,
            counted,
            holds_program: can.holds_program,
        };
        let mut views = Views::open(plan.views, opening)?;
        // The beginning of a recording has been written by now, or writing has failed.
        if let Some(error) = views.take_error() {
            outputs.complain(&error.to_string());
        }
        announce::details(&options, needs, &chosen, &outputs);
        let mut engine = chosen.engine;
        let tracker = views.tracker();
        let observation = Observation::of(&mut *engine, &options, needs, resolvers, tracker, debug_servers);
        announce::failures(&options, &*engine, &outputs);
        if let Some(time) = options.time_limit {
            stride_engine_base::signal::end_after(time)?;
        }
        let clock = match (&options.replay, counted && can.counts) {
            (Some(_), _) => IntervalClock::Recorded,
            (None, true) => IntervalClock::Now,
            (None, false) => IntervalClock::Events,
        };
        let intervals = |every| (Intervals::new(every, clock, outputs::monotonic(), info.wall_offset), clock);
        let dispatcher = Dispatcher {
            intervals: needs.every.map(intervals),
            unmatched: UnmatchedFilters::new(&options),
            naming: start::naming_calls(&options, needs),
            command: engine.command(),
            outlives_trace: plan.outlives_trace,
            options,
            outputs,
            observation,
            views,
            notices,
            ended: Ended::Exited(0),
            shown: 0,
            limit_reported: false,
        };
        Ok(Session { engine, ended_interval: None, dispatcher })
    }
}

fn start_replay(mut replay: Replay, options: &mut Options, plan: &ViewPlan, outputs: &Outputs) -> Started {
    // Trace lines on the terminal are progress enough.
    if !(plan.shows_trace && outputs.is_terminal()) {
        replay.show_progress();
    }
    replay::adapt(options, &plan.needs, replay.metadata()).iter().for_each(|note| outputs.complain(note));
    let info = run_info::recorded(replay.metadata());
    Started { chosen: start::replay(replay), info, counted: false, debug_servers: None }
}

fn start_engine(options: &mut Options, needs: &Needs, outputs: &Outputs) -> Result<Started> {
    let offset = outputs::wall_offset();
    // The time is taken before the engine starts, because an engine may let the command run at once.
    let began = outputs::monotonic();
    let debug_servers = start::servers(options)?;
    let mut spec = start::spec(options, needs)?;
    let (probed, remarks) = library::find(options, spec.command.as_ref())?;
    spec.library = probed;
    remarks.iter().for_each(|remark| outputs.complain(remark));
    let counted = spec.counting.is_some();
    let chosen = start::start(options, needs, spec)?;
    outputs::release_stdio();
    let can = chosen.engine.capabilities();
    let info = run_info::traced(options, needs, can.name, offset, began);
    let times_known = can.cpu_times || can.counts && counted;
    if let Some(summary) = options.summary.as_mut().filter(|summary| !summary.layout.wall_clock && !times_known) {
        outputs.complain(
            "the summary shows wall clock time (-w): CPU times are only known if calls are counted in the kernel, \
             which other options given here prevent",
        );
        summary.layout.wall_clock = true;
    }
    Ok(Started { chosen, info, counted, debug_servers })
}
