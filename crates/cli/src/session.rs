//! One run of Stride: an engine's events, selected, handed to the views.

use crate::engine::Engine;
use crate::flags::{Daemonize, Options, Output};
use crate::losses::Losses;
use crate::recording::{Recording, same_file};
use crate::replay::Replay;
use crate::{about, command, layout, outputs, replayed, select, select::Selector};
use anyhow::{Result, bail};
use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use std::rc::Rc;
use stride_event::{About, Call, CallSet, Counted, Counting, Event, Fate, Limits, Origin, Seccomp, Tid, TraceSpec};
use stride_filter::{Quiet, Status};
use stride_output::{Column, JsonView, Lost, SortKey, Summary, TextView};
use stride_track::Tracker;
use stride_proc::{Live, Noted, Proc, Source};

/// How the run ended, for Stride's own exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    /// The command, or Stride by a signal to itself.
    Signaled(i32),
}

pub fn run(mut options: Options) -> Result<Ended> {
    let replay = options.replay.as_deref().map(Replay::open).transpose()?;
    let mut recording = options.record.as_deref().map(|path| Recording::open(path, &options)).transpose()?;
    if let (Some(recorded), Output::File(output)) = (&options.replay, &options.output)
        && same_file(recorded, output)
    {
        bail!("-o/--output names the file that is replayed, '{}': give it another name", output.display());
    }
    let mut outputs = outputs::Outputs::open(&options)?;
    let world = World::of(replay.as_ref(), recording.as_ref());
    let mut offset = outputs::wall_offset();
    let mut engine = match replay {
        Some(replay) => {
            offset = replay.metadata().wall_offset.into();
            replayed::adapt(&mut options, replay.metadata()).iter().for_each(|note| outputs.complain(note));
            Engine::replay(replay)
        }
        None => {
            let spec = spec(&options)?;
            let limits = spec.limits;
            let engine = Engine::start(&options, spec)?;
            outputs::release_stdio();
            if let Some(complaint) = recording.as_mut().and_then(|r| r.begin(&options, &engine, &limits, offset)) {
                outputs.complain(&complaint);
            }
            engine
        }
    };
    if options.debug {
        engine.describe().iter().for_each(|fact| outputs.complain(fact));
        if options.daemonize != Daemonize::No {
            outputs.complain(&format!("new tracer pid is {}", std::process::id()));
        }
    }
    for failure in engine.failures() {
        outputs.complain(&failure);
    }
    let mut views = Views::new(&options, &mut outputs, world.shown, offset, recording, &engine)?;
    let mut selector = Selector::new(&options, world.chosen_by);
    let mut run = Run { options: &options, command: engine.command(), ended: Ended::Exited(0), shown: 0 };
    while let Some(event) = engine.next()? {
        // What was on its way when the limit was reached is beyond it.
        if run.limit_told() && !matches!(event, Event::Detached { .. }) {
            continue;
        }
        run.note(&event);
        if run.limit_told() && !matches!(event, Event::Detached { .. }) {
            // An engine that lets tracees run on is ahead of what was shown.
            continue;
        }
        views.tell(&event, &run, &mut outputs);
        views.track(&event);
        if let Some(event) = selector.select(event) {
            if matches!(event, Event::Exit(_)) {
                run.shown += 1;
            }
            if let Some(complaint) = views.event(&event) {
                outputs.complain(&complaint);
            }
        } else if let Event::Enter(call) | Event::Exit(call) = event {
            views.note_call(call);
        }
        let over = options.syscall_limit.is_some_and(|limit| run.shown >= limit);
        if let Some(error) = views.take_error() {
            if let (Event::Started { tid, origin: Origin::Spawned, .. }, None) = (event, &options.replay) {
                // Its own output file: nothing has been run, and nothing shall be.
                let _ = nix::sys::signal::kill(Pid::from_raw(tid), Signal::SIGKILL);
                bail!(error);
            }
            // Whoever reads has left: there is nothing else to do.
            if options.replay.is_some() {
                engine.stop();
            }
            if options.replay.is_none() || !error.ends_with(Errno::EPIPE.desc()) {
                outputs.complain(&error);
            }
        }
        if over && engine.interrupted().is_none() && !run.limit_told() {
            run.shown = u64::MAX;
            outputs.complain("System call limit has been reached, detaching tracees");
            engine.stop();
        }
    }
    let interrupted = engine.interrupted();
    let counted = engine.counted()?;
    let losses = Losses::of(&engine);
    if let Some(complaint) = views.recording.as_mut().and_then(|recording| recording.finish(&engine)) {
        outputs.complain(&complaint);
    }
    let ending = engine.replayed().map_or(Ok(None), Replay::ending);
    drop(engine);
    views.merge(&counted);
    let counted = counting(&options).is_some();
    views.finish(Lost { calls: losses.calls, counted }, losses.threads, &mut outputs);
    // The output command ends when the last handle on its input is closed.
    drop(views);
    outputs.close();
    losses.tell(&options, &outputs);
    if let Some(cut) = ending? {
        outputs.complain(&cut);
    }
    Ok(interrupted.map_or(run.ended, Ended::Signaled))
}

/// Who knows of the world beside the calls.
struct World {
    chosen_by: Rc<dyn Source>,
    shown: Rc<dyn Source>,
}

impl World {
    fn of(replay: Option<&Replay>, recording: Option<&Recording>) -> World {
        match (replay, recording) {
            (Some(replay), _) => World { chosen_by: replay.told(), shown: replay.told() },
            // The recording asks before the text, which shows what was recorded. Choosing comes before either.
            (None, Some(recording)) => {
                World { chosen_by: recording.source(), shown: Rc::new(Noted(recording.source())) }
            }
            (None, None) => {
                let live = Rc::<Live>::default();
                World { chosen_by: live.clone(), shown: live }
            }
        }
    }
}

/// What the run has come to.
pub struct Run<'a> {
    options: &'a Options,
    /// The command that was started.
    command: Option<Tid>,
    ended: Ended,
    shown: u64,
}

impl Run<'_> {
    fn note(&mut self, event: &Event<'_>) {
        match *event {
            Event::Exited { tid, status, .. } if Some(tid) == self.command => self.ended = Ended::Exited(status),
            Event::Killed { tid, signal, .. } if Some(tid) == self.command => self.ended = Ended::Signaled(signal),
            _ => {}
        }
    }

    fn limit_told(&self) -> bool {
        self.shown == u64::MAX
    }
}

/// What the engine is asked for.
fn spec(options: &Options) -> Result<TraceSpec> {
    let records = options.record.is_some();
    let prints = options.prints_calls() || records;
    let by_path = !options.paths.is_empty() || options.trace_fds.is_some();
    let unabbreviated = options.abbrev != stride_event::CallSet::all();
    let elements = if unabbreviated { usize::MAX >> 1 } else { options.string_limit };
    let cpu_times = records || options.summary.as_ref().is_some_and(|s| !s.wall_clock);
    Ok(TraceSpec {
        command: options.command.as_ref().map(command::resolve).transpose()?,
        attach: options.attach.clone(),
        follow: options.follow_forks,
        calls: if select::needs_all_calls(options) { CallSet::all() } else { options.trace.clone() },
        limits: Limits { text: options.string_limit, elements },
        dump_read: options.dump_read.clone(),
        dump_write: options.dump_write.clone(),
        seccomp: if options.seccomp_bpf { Seccomp::On } else { Seccomp::Auto },
        kill_on_exit: options.kill_on_exit,
        detach_on_execve: options.detach_on_exec,
        daemonize: layout::daemonize(options.daemonize),
        interruptible: layout::interruptible(options.interruptible),
        // What a path or descriptor stands for may change during the call.
        entries: prints || by_path,
        want_ip: options.instruction_pointer,
        want_times: records
            || options.timestamps.is_some()
            || options.relative_timestamps.is_some()
            || options.syscall_times.is_some()
            || options.summary.is_some()
            || options.json,
        want_system_time: cpu_times,
        counting: counting(options),
        about: about(options),
        // The number of a call that is not shown itself may be (`-n`).
        skip_failed: !options.status.contains(Status::Failed) && !select::needs_all_calls(options),
        skip_successful: !options.status.contains(Status::Successful) && !select::needs_all_calls(options),
        signals: prints,
        descriptors: prints && !options.decode_fds.is_empty() || !options.paths.is_empty(),
        no_memory: !prints && !by_path,
    })
}

/// What `-P` and `--trace-fds` let the engine skip. Descriptors may stand for paths.
fn about(options: &Options) -> Option<About> {
    match &options.trace_fds {
        _ if select::needs_all_calls(options) => None,
        Some(fds) if options.paths.is_empty() => Some(About::Fds(fds.clone())),
        None if options.paths.is_empty() => None,
        _ => Some(About::Files),
    }
}

/// What the engine may count by itself: all calls of the summary, where it can tell which ones these are.
fn counting(options: &Options) -> Option<Counting> {
    let summary = options.summary.as_ref()?;
    if options.replay.is_some()
        || options.syscall_limit.is_some()
        || !options.paths.is_empty()
        || options.trace_fds.is_some()
        || select::needs_all_calls(options)
    {
        return None;
    }
    let only = !options.prints_calls() && options.record.is_none();
    let by_latency = |c: Column| matches!(c, Column::P50 | Column::P99);
    let latencies =
        summary.columns.iter().any(|&c| by_latency(c)) || matches!(summary.sort, SortKey::By(c) if by_latency(c));
    Some(Counting { only, cpu_time: !summary.wall_clock, latencies })
}

/// What is made of the events.
struct Views {
    /// First of all: while others write, more time passes.
    recording: Option<Recording>,
    text: Option<TextView>,
    json: Option<(Tracker, Proc, JsonView)>,
    summary: Option<Summary>,
}

impl Views {
    fn new(
        options: &Options,
        outputs: &mut outputs::Outputs,
        source: Rc<dyn Source>,
        offset: i128,
        recording: Option<Recording>,
        engine: &Engine,
    ) -> Result<Views> {
        let json = options.json.then(|| {
            let world = Proc::new(stride_filter::WordSet::ALL, stride_filter::WordSet::ALL, source.clone());
            let view = outputs.json_view(options, source.clone(), &about::about(engine, offset))?;
            anyhow::Ok((Tracker::default(), world, view))
        });
        Ok(Views {
            recording,
            json: json.transpose()?,
            text: (options.prints_calls() && !options.json).then(|| outputs.text_view(options, source, offset)).transpose()?,
            summary: options.summary.as_ref().map(|s| Summary::new(layout::summary(s))),
        })
    }

    /// The answer is a complaint.
    fn event(&mut self, event: &Event<'_>) -> Option<String> {
        let complaint = self.recording.as_mut().and_then(|recording| recording.event(event));
        if let (Some(summary), Event::Exit(call)) = (&mut self.summary, event) {
            summary.add(call);
        }
        if let Some(text) = &mut self.text {
            text.event(event);
        }
        if let Some((tracker, _, json)) = &mut self.json {
            json.event(event, tracker);
        }
        complaint
    }

    fn track(&mut self, event: &Event<'_>) {
        if let Some((tracker, world, _)) = &mut self.json {
            tracker.event(event, world);
        }
    }

    /// Messages about tracees that strace writes to stderr, not to the trace.
    fn tell(&mut self, event: &Event<'_>, run: &Run<'_>, outputs: &mut outputs::Outputs) {
        if self.json.is_some() && matches!(event, Event::Started { .. } | Event::Detached { .. }) {
            // It tells them itself.
            return;
        }
        let quiet = |message| run.options.is_quiet(message);
        let message = match *event {
            Event::Started { tid, origin, .. } if !quiet(Quiet::Attach) => {
                if origin == Origin::Spawned && run.options.daemonize == Daemonize::No {
                    return;
                }
                format!("Process {tid} attached")
            }
            Event::Detached { tid, .. } if !quiet(Quiet::Attach) => format!("Process {tid} detached"),
            Event::Stranger { tid, .. } if outputs.is_own_child(tid) => return,
            Event::Stranger { tid, fate: Fate::Detached } if !quiet(Quiet::Attach) => {
                format!("Detached unknown pid {tid}")
            }
            Event::Stranger { tid, fate: Fate::Exited } if !quiet(Quiet::Exit) => {
                format!("Exit of unknown pid {tid} ignored")
            }
            Event::Stranger { tid, fate: Fate::Killed } if !quiet(Quiet::Exit) => {
                format!("Termination of unknown pid {tid} ignored")
            }
            _ => return,
        };
        if let Some(text) = &mut self.text
            && matches!(run.options.output, Output::Stderr)
        {
            text.flush();
        }
        outputs.complain(&message);
    }

    /// A call that is not shown.
    fn note_call(&mut self, call: &Call) {
        if let Some(text) = &mut self.text {
            text.note_call(call);
        }
    }

    fn take_error(&mut self) -> Option<String> {
        let json = self.json.as_mut().and_then(|(.., json)| json.take_error());
        json.or_else(|| self.text.as_mut()?.take_error())
    }

    fn merge(&mut self, counted: &[Counted]) {
        if let Some(summary) = &mut self.summary {
            counted.iter().for_each(|counted| summary.merge(counted));
        }
    }

    fn finish(&mut self, lost: Lost, threads: u64, outputs: &mut outputs::Outputs) {
        if let Some((.., json)) = &mut self.json {
            json.finish(lost.calls, threads);
        }
        if let Some(text) = &mut self.text {
            text.flush();
        }
        if let Some(summary) = &self.summary {
            let mut table = String::new();
            summary.render(lost, &mut table);
            outputs.write_summary(&table, self.text.as_mut());
        }
    }
}
