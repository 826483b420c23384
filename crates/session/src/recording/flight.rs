//! `--flight`: the latest calls stay in memory, and a recording is written when something happens.

use super::asking::Asking;
use super::beginning::Beginning;
use super::record::metadata;
use crate::options::{Flight, Options, Trigger};
use crate::os_error;
use crate::outputs::monotonic;
use crate::run::Opening;
use crate::selection::Evaluator;
use anyhow::{Result, anyhow};
use nix::sys::signal::Signal;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stride_engine_base::signal;
use stride_event::quantity::{bytes, count};
use stride_event::{Call, Event, Lost, Ns};
use stride_filter::Quiet;
use stride_output::{End, View, ViewError, own_file};
use stride_record::{FlightRing, Written};
use stride_track::Tracker;

pub struct FlightRecorder {
    ring: FlightRing,
    asking: Asking,
    flight: Flight,
    evaluator: Evaluator,
    path: PathBuf,
    /// The user has named the first recording. Stride names the others.
    named: bool,
    /// Recordings so far, those that could not be written, and those that triggers have asked for.
    written: u32,
    failed: u32,
    triggered: u32,
    /// The number of requests (SIGUSR1, or the quit key) that were answered.
    answered: u32,
    pending: Option<Pending>,
    /// The time of the latest event.
    at: Ns,
    /// The most memory that calls took.
    peak: usize,
    remarks: VecDeque<String>,
    tells: bool,
    debug: bool,
    error: Option<ViewError>,
}

/// A recording that a trigger asked for. What follows the trigger belongs to it.
struct Pending {
    why: String,
    due: Ns,
    /// The recording is also due when so many bytes have come, lest the trigger's call be overwritten.
    total: u64,
}

/// The name of the first recording, unless `--record` says it.
fn default_path() -> PathBuf {
    PathBuf::from(format!("stride-flight.{}", std::process::id()))
}

/// Fails now rather than at the trigger, if the file cannot be written. Nothing is left behind. Returns the name that the first recording
/// probably gets: Stride's own name may be taken.
fn can_be_written(path: &Path, named: bool) -> Result<PathBuf> {
    let cannot = |e: io::Error| anyhow!("Can't open '{}' for --flight: {}", path.display(), os_error(&e));
    if !named {
        let (_, name) = own_file::create(path, 1).map_err(cannot)?;
        return std::fs::remove_file(&name).map_err(cannot).map(|()| name);
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => std::fs::remove_file(path).map_err(cannot)?,
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().write(true).open(path).map(drop).map_err(cannot)?;
        }
        Err(e) => return Err(cannot(e)),
    }
    Ok(path.to_owned())
}

/// True if the keys of a terminal send signals to Stride. (Stride gives up its standard input early, so /dev/tty is asked.)
fn is_in_foreground() -> bool {
    let terminal = File::open("/dev/tty");
    terminal.is_ok_and(|terminal| nix::unistd::tcgetpgrp(terminal) == Ok(nix::unistd::getpgrp()))
}

impl FlightRecorder {
    pub fn begin(flight: Flight, path: Option<&Path>, asking: Asking, with: &Opening<'_>) -> Result<FlightRecorder> {
        let options: &Options = with.options;
        let named = path.is_some();
        let path = path.map_or_else(default_path, Path::to_path_buf);
        let first = can_be_written(&path, named)?;
        let ring = FlightRing::new(&metadata(&asking, with), flight.keep)?;
        let source = with.resolvers.chosen_by.clone();
        let evaluator = Evaluator::new(flight.expressions(), options, source, with.resolvers.for_view(options));
        // With a command, the key would reach the command as well.
        let has_key = options.command.is_none() && is_in_foreground();
        let signals: &[Signal] = if has_key { &[Signal::SIGUSR1, Signal::SIGQUIT] } else { &[Signal::SIGUSR1] };
        signal::count_requests(signals).map_err(|e| anyhow!("Can't take SIGUSR1 for --flight: {}", e.desc()))?;
        let mut recorder = FlightRecorder {
            ring,
            asking,
            flight,
            evaluator,
            path,
            named,
            written: 0,
            failed: 0,
            triggered: 0,
            answered: signal::requests(),
            pending: None,
            at: 0,
            peak: 0,
            remarks: VecDeque::new(),
            tells: !options.is_quiet(Quiet::Files),
            debug: options.debug,
            error: None,
        };
        let (own, name) = (std::process::id(), first.display());
        let key = if has_key { ", or Ctrl-\\ here," } else { "" };
        recorder.remark(format!("flight recorder: kill -USR1 {own}{key} writes the latest calls to '{name}'"));
        Ok(recorder)
    }

    fn remark(&mut self, text: String) {
        if self.tells {
            self.remarks.push_back(text);
        }
    }

    /// Keeps an event, and the answers that are needed to show it.
    fn keep(&mut self, event: &Event<'_>, tracker: &Tracker) {
        let news = self.asking.about(event, tracker);
        let kept = news.iter().try_for_each(|fact| self.ring.fact(fact)).and_then(|()| self.ring.event(event));
        self.check(kept);
    }

    /// Memory does not fail, but the compressor says that it could.
    fn check(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            let message = format!("The flight recorder failed: {}; the program goes on.", os_error(&error));
            self.error.get_or_insert(ViewError::cut(&error, message));
        }
    }

    fn next_piece(&mut self, tracker: &Tracker) {
        let beginning = Beginning::now(tracker, &self.asking, self.at, self.ring.room_for_state());
        let begun = self.ring.begin(&beginning.facts, &beginning.threads);
        self.check(begun);
        self.peak = self.peak.max(self.ring.memory());
    }

    /// The trigger that the event is.
    fn trigger(&mut self, event: &Event<'_>, tracker: &Tracker) -> Option<String> {
        let is_process = |tid| tracker.thread(tid).is_none_or(|thread| thread.pid == tid);
        let evaluator = &mut self.evaluator;
        let mut pulls = |trigger: &Trigger| match (trigger, *event) {
            (Trigger::Call(expression), Event::Exit(call)) => {
                let early = expression.early();
                // Most calls are out of question at once.
                early.calls.contains(call.abi, call.nr)
                    && early.endings.contain(call)
                    && evaluator.holds(expression, call, call.returned, tracker)
            }
            (Trigger::Killed | Trigger::Failed, Event::Killed { tid, .. }) => is_process(tid),
            (Trigger::Failed, Event::Exited { tid, status, .. }) => status != 0 && is_process(tid),
            _ => false,
        };
        let pulled = self.flight.triggers.iter().find(|trigger| pulls(trigger))?;
        Some(pulled.text().to_owned())
    }

    fn watch(&mut self, event: &Event<'_>, tracker: &Tracker) {
        if self.flight.triggers.is_empty() {
            return;
        }
        self.evaluator.note(event, |tid| tracker.wait(tid).map(|wait| wait.seen));
        if self.pending.is_none()
            && self.triggered < self.flight.most
            && let Some(why) = self.trigger(event, tracker)
        {
            self.triggered += 1;
            let after = self.flight.after;
            let due = self.at.saturating_add(u64::try_from(after.as_nanos()).unwrap_or(Ns::MAX));
            let total = self.ring.total() + self.flight.keep.bytes as u64 / 4;
            self.pending = Some(Pending { why, due, total });
            // Perhaps nothing happens any more.
            if let Err(e) = signal::nudge_after(after + Duration::from_millis(20)) {
                let remark =
                    format!("flight recorder: no clock for the trigger: {}; the next call is waited for", os_error(&e));
                self.remarks.push_back(remark);
            }
        }
        if let Event::Exit(call) = event {
            self.evaluator.forget(call);
        }
    }

    /// Writes what is due.
    fn act(&mut self, event: &Event<'_>) {
        let requests = signal::requests();
        if requests != self.answered {
            self.answered = requests;
            self.dump("asked for", Lost::default());
        }
        let Some(pending) = &self.pending else { return };
        let now = if matches!(event, Event::Idle) { monotonic() } else { self.at };
        if now >= pending.due || self.ring.total() >= pending.total {
            self.dump_pending(Lost::default());
        }
    }

    fn dump_pending(&mut self, lost: Lost) {
        if let Some(pending) = self.pending.take() {
            self.dump(&pending.why, lost);
        }
    }

    fn dump(&mut self, why: &str, lost: Lost) {
        // The request has what the trigger would have had.
        let why = match self.pending.take() {
            Some(pending) => format!("{}, {why}", pending.why),
            None => why.to_owned(),
        };
        let (path, result) = self.write(lost);
        let name = path.display();
        match result {
            Ok(written) => {
                self.written += 1;
                let (calls, size) = (count(written.calls, "call", "calls"), bytes(written.bytes));
                self.remark(format!(
                    "flight recorder: {name}: {calls}, {size} ({why}); look at it with stride --replay={name}"
                ));
            }
            Err(error) => {
                self.failed += 1;
                self.remarks.push_back(format!(
                    "flight recorder: Can't write '{name}' ({why}): {}. Nothing of it was kept; the latest calls stay in memory, \
                     and kill -USR1 {} tries again",
                    os_error(&error),
                    std::process::id()
                ));
            }
        }
    }

    /// Opens the file of the next recording. The error comes with the name that the file would have had.
    fn open(&self) -> Result<(File, PathBuf), (PathBuf, io::Error)> {
        if self.named && self.written == 0 {
            let file = File::create(&self.path).map_err(|e| (self.path.clone(), e))?;
            return Ok((file, self.path.clone()));
        }
        let number = self.written + 1;
        own_file::create(&self.path, number).map_err(|e| (own_file::name(&self.path, number), e))
    }

    fn write(&mut self, lost: Lost) -> (PathBuf, io::Result<Written>) {
        let (file, path) = match self.open() {
            Ok(opened) => opened,
            Err((path, error)) => return (path, Err(error)),
        };
        let is_regular = file.metadata().is_ok_and(|m| m.is_file());
        let mut to = BufWriter::with_capacity(1 << 20, file);
        let written = self.ring.dump(&mut to, lost);
        if written.is_err() {
            // The bytes that are left in the buffer must not be written when the buffer is dropped. The file is removed, so that the
            // disk's last bytes are free for others.
            let (file, _) = to.into_parts();
            if is_regular {
                let _ = file.set_len(0);
                let _ = std::fs::remove_file(&path);
            }
        }
        (path, written)
    }

    /// The sentence for a run that wrote nothing.
    fn nothing(&self) -> String {
        if self.failed > 0 {
            let recordings = count(u64::from(self.failed), "recording was", "recordings were");
            return format!(
                "flight recorder: nothing was kept: {recordings} asked for and could not be written, for the reason above"
            );
        }
        let waited = if self.flight.triggers.is_empty() { "no SIGUSR1" } else { "neither a trigger nor SIGUSR1" };
        format!("flight recorder: nothing was written, because {waited} came")
    }
}

impl View for FlightRecorder {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.keep(event, tracker);
        if let Some(at) = event.at().filter(|at| *at > 0) {
            self.at = at;
        }
        self.watch(event, tracker);
        if self.ring.is_complete() {
            self.next_piece(tracker);
        }
        self.act(event);
    }

    fn naming_call(&mut self, call: &Call, tracker: &Tracker) {
        self.keep(&Event::NamingCall(call), tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let requests = signal::requests();
        if requests != self.answered {
            self.answered = requests;
            self.dump("asked for", end.lost);
        }
        self.dump_pending(end.lost);
        if self.written == 0 {
            self.remark(self.nothing());
        }
        if let Some((faults, why)) = self.evaluator.mistakes() {
            let calls = count(faults, "call", "calls");
            self.remarks
                .push_back(format!("--trigger: the expression has no value for {calls}; the first time, {why}"));
        }
        if self.debug {
            let (kept, work) = (self.peak.max(self.ring.memory()), self.ring.working_memory());
            self.remarks.push_back(format!(
                "flight recorder: memory for calls: {kept} bytes at most, for the latest ones: {work} bytes"
            ));
        }
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }

    fn take_remark(&mut self) -> Option<String> {
        self.remarks.pop_front()
    }
}
