//! One run of Stride: the selected events of an engine go to the views.

use crate::conditions::Conditions;
use crate::files::Files;
use crate::flags::{self, Daemonize, Options, Output};
use crate::intervals::{IntervalClock, Intervals};
use crate::losses::Losses;
use crate::nobody::Nobody;
use crate::replay::{self, Replay};
use crate::select::{Selector, Touched};
use crate::views::{self, Before, Opening, Views, Wanted};
use crate::world::World;
use crate::{circumstances, conditions, debuginfod, engine, library, notices, outputs, rotated_names, spec, stacks};
use anyhow::{Result, bail};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use std::cell::RefCell;
use std::ffi::OsString;
use std::rc::Rc;
use stride_event::{Event, Origin, Tid};
use stride_filter::Quiet;

/// How the run ended. It decides Stride's own exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    /// A signal ended the command, or Stride itself.
    Signaled(i32),
}

pub fn run(mut options: Options) -> Result<Ended> {
    let replay = options.replay.as_deref().map(Replay::open).transpose()?;
    if replay.as_ref().is_some_and(|replay| replay.metadata().whole_machine) {
        options.suit_machine();
    }
    rotated_names::check(&options)?;
    let mut files = Files::open(&views::named_files(&options))?;
    let receipts = files.receipts();
    let wanted = Wanted::of(&options);
    let needs = &wanted.needs;
    let metadata = replay.as_ref().map(Replay::metadata);
    let prepared = wanted.prepare(&Before { options: &options, replay: metadata, parse: recorded_options })?;
    let mut outputs = outputs::Outputs::open(&options)?;
    let world = World::of(&options, replay.as_ref(), needs.answers_noted);
    let offset = outputs::wall_offset();
    // The time is taken before the engine starts, because an engine may let the command run at once.
    let started = outputs::monotonic();
    let mut debug_servers = None;
    let (chosen, info, counted) = match replay {
        Some(mut replay) => {
            // Trace lines on the terminal are progress enough.
            if !(wanted.shows_trace() && outputs.is_terminal()) {
                replay.show_progress();
            }
            replay::adapt(&mut options, needs, replay.metadata()).iter().for_each(|note| outputs.complain(note));
            let info = circumstances::recorded(replay.metadata());
            (engine::replay(replay), info, false)
        }
        None => {
            debug_servers = debuginfod::servers(&options)?;
            let mut spec = spec::spec(&options, needs)?;
            let (probed, remarks) = library::find(&options, spec.command.as_ref())?;
            spec.library = probed;
            remarks.iter().for_each(|remark| outputs.complain(remark));
            let counts = spec.counting.is_some();
            let chosen = engine::start(&options, needs, spec)?;
            outputs::release_stdio();
            let can = chosen.engine.capabilities();
            let info = circumstances::traced(&options, needs, can.name, offset, started);
            let times_known = can.cpu_times || can.counts && counts;
            let by_reader = options.summary.as_mut().filter(|s| !s.wall_clock && !times_known);
            if let Some(summary) = by_reader {
                outputs.complain(
                    "the summary shows wall clock time (-w): CPU times are only known if calls are counted in the kernel, \
                     which other options given here prevent",
                );
                summary.wall_clock = true;
            }
            (chosen, info, counts)
        }
    };
    let opening = Opening {
        options: &options,
        outputs: &mut outputs,
        world: &world,
        files: &mut files,
        info: &info,
        needs,
        command: chosen.engine.command(),
        cpu_times: chosen.engine.capabilities().cpu_times,
        counted,
    };
    let mut views = Views::open(prepared, opening)?;
    // The beginning of a recording has been written by now, or writing has failed.
    if let Some(error) = views.take_error() {
        outputs.complain(&error.to_string());
    }
    if options.debug {
        let early = options.replay.is_none() && !needs.all_calls && !options.switches();
        let name = chosen.engine.capabilities().name;
        conditions::facts(&options, name, early).iter().for_each(|fact| outputs.complain(fact));
        chosen.facts().iter().for_each(|fact| outputs.complain(fact));
        if options.daemonize != Daemonize::No {
            outputs.complain(&format!("new tracer pid is {}", std::process::id()));
        }
    }
    let mut engine = chosen.engine;
    let stacks = stacks::live(&options, needs, debug_servers);
    if let Some(stacks) = &stacks {
        engine.unwind_with(stacks.clone());
    }
    if let Some(touched) = Touched::asked(&options, world.chosen_by.clone()) {
        engine.choose_with(Rc::new(RefCell::new(touched)));
    }
    for failure in engine.failures() {
        outputs.complain(&failure.to_string());
    }
    let conditions = Conditions::new(&options, world.chosen_by.clone(), world.asked_by(&options), views.tracker());
    let mut selector = Selector::new(&options, needs.all_calls, world.chosen_by.clone(), conditions);
    let mut run = Run { command: engine.command(), ended: Ended::Exited(0), shown: 0, limit_told: false };
    let names = spec::naming_calls(&options, needs);
    if let Some(time) = options.time_limit {
        stride_engine_base::signal::end_after(time)?;
    }
    let clock = match (&options.replay, counted && engine.capabilities().counts) {
        (Some(_), _) => IntervalClock::Recorded,
        (None, true) => IntervalClock::Now,
        (None, false) => IntervalClock::Events,
    };
    let mut intervals = needs.every.map(|every| Intervals::new(every, clock, outputs::monotonic(), info.wall_offset));
    let mut nobody = Nobody::new(&options);
    // An interval of which the engine's counts have yet to be taken.
    let mut ended = None;
    loop {
        if let Some(ended) = ended.take() {
            views.merge(&engine.take_counted()?);
            views.interval(ended, &mut outputs);
        }
        let Some(event) = engine.next()? else { break };
        match intervals.as_mut().map(|intervals| intervals.ended(&event)) {
            Some([first, _]) if clock == IntervalClock::Now => ended = first,
            of_reader => {
                of_reader.into_iter().flatten().flatten().for_each(|ended| views.interval(ended, &mut outputs))
            }
        }
        world.note(&event);
        if matches!(event, Event::Named { .. } | Event::IdIn { .. }) {
            continue;
        }
        if let Some(stacks) = &stacks {
            stacks.borrow_mut().note(&event);
        }
        // Events that were already queued when the limit was reached are not shown. Under an engine that does not stop
        // tracees, they run ahead of the trace.
        let beyond = run.limit_told && !matches!(event, Event::Detached { .. });
        if beyond {
            continue;
        }
        run.note(&event);
        if Nobody::is_refuted_by(&event) {
            nobody = None;
        } else if let Some(told) = nobody.as_mut().and_then(Nobody::at_once) {
            outputs.complain(&told);
        }
        views.track(&event);
        notices::tell(&event, &options, &mut views, &outputs);
        if let Some(event) = selector.select(event) {
            run.shown += u64::from(matches!(event, Event::Exit(_)));
            views.event(&event);
        } else if let Event::Enter(call) | Event::Exit(call) = event {
            views.left_out(call);
            if matches!(event, Event::Exit(_)) && names.contains(call.abi, call.nr) {
                views.aside(call);
            }
        }
        if let Some(error) = views.take_error() {
            if let (Event::Started { tid, origin: Origin::Spawned, .. }, None, true) =
                (event, &options.replay, error.is_unopened())
            {
                // The command's own output file could not be opened. Nothing has run yet, so the command is killed.
                let _ = nix::sys::signal::kill(Pid::from_raw(tid), Signal::SIGKILL);
                bail!(error);
            }
            // The reader has left. The run goes on only for other views.
            if options.replay.is_some() && !wanted.outlives_trace() {
                engine.stop();
            }
            if options.replay.is_none() || !error.is_closed_pipe() {
                outputs.complain(&error.to_string());
            }
        }
        while let Some(remark) = views.take_remark() {
            outputs.complain(&remark);
        }
        for remark in engine.remarks() {
            outputs.complain(&remark);
        }
        let over = options.syscall_limit.is_some_and(|limit| run.shown >= limit);
        if over && engine.interrupted().is_none() && !run.limit_told {
            run.limit_told = true;
            outputs.complain("System call limit has been reached, detaching tracees");
            engine.stop();
        }
    }
    if stride_engine_base::signal::is_time_over() {
        outputs.complain("The time of --for is over, tracees were detached");
    }
    let interrupted = engine.interrupted();
    let counted = engine.counted()?;
    let losses = Losses::of(&*engine);
    let ending = engine.ending();
    if options.debug {
        engine.costs().iter().for_each(|cost| outputs.complain(cost));
    }
    drop(engine);
    views.merge(&counted);
    if let Some(intervals) = &intervals {
        views.interval(intervals.last(), &mut outputs);
    }
    match &ending {
        Ok(Some(cut)) => views.note(cut),
        Err(broken) => views.note(&broken.to_string()),
        Ok(None) => {}
    }
    let verdict = views.finish(&losses, &|frame| stacks::with_source(stacks.as_ref(), frame), &mut outputs);
    let calls = views.calls();
    // The output command ends when the last handle to its input is closed.
    drop(views);
    outputs.close();
    losses.tell(&options, &outputs);
    if let Some(nobody) = &nobody {
        outputs.complain(&nobody.at_end());
    }
    if let Some(unsure) = selector.told() {
        outputs.complain(&unsure);
    }
    if let Some(cut) = ending? {
        outputs.complain(&cut);
    }
    // Nothing but JSON goes to an output of JSON lines.
    let among_json = options.json && matches!(options.output, Output::Stderr);
    if !options.is_quiet(Quiet::Files) && !among_json {
        receipts.sentences(calls).iter().for_each(|sentence| outputs.complain(sentence));
    }
    Ok(match (interrupted, verdict) {
        (Some(signal), _) => Ended::Signaled(signal),
        (None, Some(status)) => Ended::Exited(status),
        (None, None) => run.ended,
    })
}

/// The options in a recorder's command line, if this version knows all of them.
fn recorded_options(args: &[OsString]) -> Option<Options> {
    match flags::parse(args.iter().cloned(), true).outcome {
        flags::Outcome::Trace(options) => Some(*options),
        flags::Outcome::Print(_) | flags::Outcome::Doctor | flags::Outcome::Fail => None,
    }
}

/// The state of the run.
struct Run {
    /// The command that was started.
    command: Option<Tid>,
    ended: Ended,
    /// Calls that returned and were shown.
    shown: u64,
    /// True if `shown` has reached `--syscall-limit`.
    limit_told: bool,
}

impl Run {
    fn note(&mut self, event: &Event<'_>) {
        match *event {
            Event::Exited { tid, status, .. } if Some(tid) == self.command => self.ended = Ended::Exited(status),
            Event::Killed { tid, signal, .. } if Some(tid) == self.command => self.ended = Ended::Signaled(signal),
            _ => {}
        }
    }
}
