//! One run of Stride: an engine's events, selected, handed to the views.

use crate::compare::Comparison;
use crate::files::Files;
use crate::flags::{Daemonize, Options, Output};
use crate::known::Known;
use crate::losses::Losses;
use crate::recording::Recording;
use crate::replay::Replay;
use crate::views::{Prepared, Views};
use crate::{command, engine, layout, outputs, replayed, select, select::Selector};
use anyhow::{Result, bail};
use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::sys::utsname::UtsName;
use nix::unistd::Pid;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::path::Path;
use std::rc::Rc;
use stride_event::{CallSet, Counting, Event, FileFilter, Limits, Ns, Origin, Seccomp, Tid, TraceSpec};
use stride_filter::{Quiet, Status};
use stride_output::{Column, Key, RunInfo, ShowStack, SortKey};
use stride_proc::{CachedSource, LiveSource, Source};
use stride_record::Metadata;
use stride_stacks::{Stacks, Wanted};
use stride_track::Tracker;

/// How the run ended, for Stride's own exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    /// The command, or Stride by a signal to itself.
    Signaled(i32),
}

pub fn run(mut options: Options) -> Result<Ended> {
    let mut replay = options.replay.as_deref().map(Replay::open).transpose()?;
    let mut files = Files::open(&options)?;
    let receipts = files.receipts();
    let comparison = Comparison::prepare(&options, replay.as_ref())?;
    let mut recording = files.take("--record").map(|file| Recording::new(file, &options));
    let mut outputs = outputs::Outputs::open(&options)?;
    // Lines on the terminal show how far it is.
    let prints = options.prints_calls() || options.tells_calls_as_json();
    if let Some(replay) = replay.as_mut().filter(|_| !(prints && outputs.is_terminal())) {
        replay.show_progress();
    }
    let world = World::of(&options, replay.as_ref(), recording.as_ref());
    let offset = outputs::wall_offset();
    // Before the first call: an engine may let the command run at once.
    let started = outputs::monotonic();
    let (chosen, info) = match replay {
        Some(replay) => {
            replayed::adapt(&mut options, replay.metadata()).iter().for_each(|note| outputs.complain(note));
            let info = recorded_info(replay.metadata());
            (engine::replay(replay), info)
        }
        None => {
            let spec = spec(&options)?;
            let limits = spec.limits;
            let counts = spec.counting.is_some();
            let chosen = engine::start(&options, spec)?;
            outputs::release_stdio();
            let can = chosen.engine.capabilities();
            let info = info(&options, can.name, offset, started);
            let times_known = can.cpu_times || can.counts && counts;
            let by_reader = options.summary.as_mut().filter(|s| !s.wall_clock && !times_known);
            if let Some(summary) = by_reader {
                outputs.complain(
                    "the summary shows wall clock time (-w): CPU times are only known if calls are counted in the kernel, \
                     which other options given here prevent",
                );
                summary.wall_clock = true;
            }
            if let Some(complaint) = recording.as_mut().and_then(|r| r.begin(&options, &*chosen.engine, &limits, &info))
            {
                outputs.complain(&complaint);
            }
            (chosen, info)
        }
    };
    if options.debug {
        chosen.facts().iter().for_each(|fact| outputs.complain(fact));
        if options.daemonize != Daemonize::No {
            outputs.complain(&format!("new tracer pid is {}", std::process::id()));
        }
    }
    let mut engine = chosen.engine;
    let stacks = stacks(&options);
    if let Some(stacks) = &stacks {
        engine.unwind_with(stacks.clone());
    }
    for failure in engine.failures() {
        outputs.complain(&failure.to_string());
    }
    let prepared = Prepared { files, comparison };
    let mut selector = Selector::new(&options, world.chosen_by.clone());
    let mut views = Views::new(&options, &mut outputs, world, info, recording, prepared)?;
    let mut run = Run { options: &options, command: engine.command(), ended: Ended::Exited(0), shown: 0 };
    let names = select::naming_calls(&options);
    while let Some(event) = engine.next()? {
        if let Some(stacks) = &stacks {
            stacks.borrow_mut().note(&event);
        }
        // What was on its way when the limit was reached is beyond it.
        if run.limit_told() && !matches!(event, Event::Detached { .. }) {
            continue;
        }
        run.note(&event);
        if run.limit_told() && !matches!(event, Event::Detached { .. }) {
            // An engine that lets tracees run on is ahead of what was shown.
            continue;
        }
        views.track(&event);
        views.tell(&event, &run, &mut outputs);
        if let Some(event) = selector.select(event) {
            if matches!(event, Event::Exit(_)) {
                run.shown += 1;
            }
            if let Some(complaint) = views.event(&event) {
                outputs.complain(&complaint);
            }
        } else if let Event::Enter(call) | Event::Exit(call) = event {
            views.note_call(call);
            if let Event::Exit(call) = event
                && names.contains(call.abi, call.nr)
                && let Some(complaint) = views.aside(call)
            {
                outputs.complain(&complaint);
            }
        }
        let over = options.syscall_limit.is_some_and(|limit| run.shown >= limit);
        if let Some(error) = views.take_error() {
            if let (Event::Started { tid, origin: Origin::Spawned, .. }, None) = (event, &options.replay) {
                // Its own output file: nothing has been run, and nothing shall be.
                let _ = nix::sys::signal::kill(Pid::from_raw(tid), Signal::SIGKILL);
                bail!(error);
            }
            // Whoever reads has left: there is nothing else to do, unless for other views.
            if options.replay.is_some() && !options.has_files() && !options.advise {
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
    let losses = Losses::of(&*engine);
    if let Some(complaint) = views.recording.as_mut().and_then(|recording| recording.finish(&*engine)) {
        outputs.complain(&complaint);
    }
    let ending = engine.ending();
    if options.debug {
        engine.costs().iter().for_each(|cost| outputs.complain(cost));
    }
    drop(engine);
    views.merge(&counted);
    match &ending {
        Ok(Some(cut)) => views.note(cut),
        Err(broken) => views.note(&broken.to_string()),
        Ok(None) => {}
    }
    let counted = counting(&options).is_some();
    let verdict = views.finish(&losses, counted, &mut outputs);
    let calls = views.calls();
    // The output command ends when the last handle on its input is closed.
    drop(views);
    outputs.close();
    losses.tell(&options, &outputs);
    if let Some(cut) = ending? {
        outputs.complain(&cut);
    }
    // Where lines of JSON go, nothing else does.
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

/// Who knows of the world beside the calls.
pub struct World {
    /// Answers what the choice of calls (`-P`) asks.
    chosen_by: Rc<dyn Source>,
    /// Answers what text and JSON ask.
    pub shown: Rc<dyn Source>,
    /// Answers what the tracker asks.
    pub tracked: Rc<dyn Source>,
    /// The tracker, if the others ask it about descriptors.
    pub tracker: Option<Rc<RefCell<Tracker>>>,
}

impl World {
    fn of(options: &Options, replay: Option<&Replay>, recording: Option<&Recording>) -> World {
        match (replay, recording) {
            (Some(replay), _) => {
                let told = replay.told();
                let recorded = replay.metadata().descriptors || !layout::needs_descriptors(options);
                let tracker = (!recorded).then(Rc::<RefCell<Tracker>>::default);
                let known: Rc<dyn Source> = match &tracker {
                    Some(tracker) => Rc::new(Known { told: told.clone(), tracker: tracker.clone() }),
                    None => told.clone(),
                };
                World { chosen_by: known.clone(), shown: known, tracked: told, tracker }
            }
            // The recording asks before the text, which shows what was recorded. Choosing comes before either.
            (None, Some(recording)) => {
                let source = recording.source();
                World {
                    chosen_by: source.clone(),
                    shown: Rc::new(CachedSource(source.clone())),
                    tracked: source,
                    tracker: None,
                }
            }
            (None, None) => {
                let program = options.command.as_ref().map(|command| Path::new(&command.program));
                let live = Rc::new(LiveSource::new(program));
                World { chosen_by: live.clone(), shown: live.clone(), tracked: live, tracker: None }
            }
        }
    }
}

/// The circumstances, for views that tell of them.
fn info(options: &Options, engine: &str, wall_offset: i128, started: Ns) -> RunInfo {
    let uname = nix::sys::utsname::uname();
    let field =
        |get: fn(&UtsName) -> &OsStr| uname.as_ref().map(|u| get(u).to_string_lossy().into_owned()).unwrap_or_default();
    RunInfo {
        args: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        host: field(UtsName::nodename),
        release: field(UtsName::release),
        machine: field(UtsName::machine),
        engine: engine.into(),
        started,
        partial: !options.sees_all_calls(),
        follows: options.follow_forks,
        wall_offset,
    }
}

/// The circumstances of the run that was recorded.
fn recorded_info(recorded: &Metadata) -> RunInfo {
    RunInfo {
        args: recorded.args.clone(),
        version: recorded.version.clone(),
        host: recorded.host.clone(),
        release: recorded.release.clone(),
        machine: recorded.machine.clone(),
        engine: recorded.engine.clone(),
        started: recorded.started,
        partial: recorded.partial,
        follows: recorded.follows,
        wall_offset: recorded.wall_offset.into(),
    }
}

/// What the run has come to.
pub struct Run<'a> {
    pub options: &'a Options,
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

/// Of the kernel's: a thread's name and its NUL.
const TASK_COMM_LEN: usize = 16;

/// Who knows stacks, if they are asked for. A recording has its own.
fn stacks(options: &Options) -> Option<Rc<RefCell<Stacks>>> {
    let show = options.stack_trace.filter(|_| options.replay.is_none())?;
    let wanted = Wanted { frames: options.stack_trace_frame_limit, source: show == ShowStack::Source };
    Some(Rc::new(RefCell::new(Stacks::new(wanted))))
}

/// What the engine is asked for.
fn spec(options: &Options) -> Result<TraceSpec> {
    let records = options.record.is_some();
    let prints = options.prints_calls() || options.has_views();
    let by_path = !options.paths.is_empty() || options.trace_fds.is_some();
    let unabbreviated = options.abbrev != stride_event::CallSet::all();
    // Names of threads are wanted whole (prctl).
    let names = options.has_views() || options.summary.as_ref().is_some_and(|s| s.is_by(|key| key == Key::Comm));
    let text = if names { options.string_limit.max(TASK_COMM_LEN) } else { options.string_limit };
    let elements = if unabbreviated { usize::MAX >> 1 } else { options.string_limit };
    let cpu_times = records || options.summary.as_ref().is_some_and(|s| !s.wall_clock);
    Ok(TraceSpec {
        command: options.command.as_ref().map(command::resolve).transpose()?,
        attach: options.attach.clone(),
        follow: options.follow_forks,
        calls: if select::needs_all_calls(options) { CallSet::all() } else { options.trace.clone() },
        names: if options.stack_trace.is_some() {
            select::naming_calls(options).union(&stride_stacks::mapping_calls())
        } else {
            select::naming_calls(options)
        },
        limits: Limits { text, elements },
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
        want_times: options.has_views()
            || options.timestamps.is_some()
            || options.relative_timestamps.is_some()
            || options.syscall_times.is_some()
            || options.summary.is_some(),
        want_system_time: cpu_times,
        counting: counting(options),
        about: about(options),
        // The number of a call that is not shown itself may be (`-n`).
        skip_failed: !options.status.contains(Status::Failed) && !select::needs_all_calls(options),
        skip_successful: !options.status.contains(Status::Successful) && !select::needs_all_calls(options),
        signals: prints,
        // Where not all calls are seen, views cannot follow what descriptors refer to.
        descriptors: prints && !options.decode_fds.is_empty()
            || !options.paths.is_empty()
            || options.has_views() && !options.sees_all_calls(),
        stacks: options.stack_trace.is_some(),
        no_memory: !prints && !by_path && !options.summary.as_ref().is_some_and(|s| s.is_by(Key::needs_memory)),
    })
}

/// What `-P` and `--trace-fds` let the engine skip. Descriptors may stand for paths.
fn about(options: &Options) -> Option<FileFilter> {
    match &options.trace_fds {
        _ if select::needs_all_calls(options) => None,
        Some(fds) if options.paths.is_empty() => Some(FileFilter::Fds(fds.clone())),
        None if options.paths.is_empty() => None,
        _ => Some(FileFilter::Files),
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
    let only = !options.prints_calls() && !options.has_views();
    let by = Key::countable(&summary.by)?;
    let shows = |test: fn(Column) -> bool| {
        summary.columns.iter().any(|&c| test(c)) || matches!(summary.sort, SortKey::By(c) if test(c))
    };
    Some(Counting {
        only,
        cpu_time: !summary.wall_clock,
        latencies: options.json || shows(|c| matches!(c, Column::P50 | Column::P99)),
        bytes: options.json || shows(|c| c == Column::Bytes),
        by,
    })
}
