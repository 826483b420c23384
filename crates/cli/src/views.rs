//! What is made of the events.

use crate::compare::Comparison;
use crate::files::Files;
use crate::flags::{Daemonize, Options, Output};
use crate::layout;
use crate::losses::Losses;
use crate::outputs::Outputs;
use crate::recording::Recording;
use crate::select;
use crate::session::{Run, World};
use anyhow::Result;
use nix::errno::Errno;
use std::cell::RefCell;
use std::rc::Rc;
use stride_event::{Call, Counted, Event, Fate, Origin, Outcome, Tid};
use stride_filter::{FdDetail, PidDetail, Quiet, WordSet};
use stride_output::{AdviseView, End, HtmlView, Key, LostCalls, Perfetto, RunInfo, Summary, TextView, View};
use stride_proc::{Proc, Source};
use stride_track::Tracker;

pub struct Views {
    /// Who and what the calls are about, for those who want to know.
    tracker: Option<(Rc<RefCell<Tracker>>, Proc)>,
    /// First of all: while others write, more time passes.
    pub recording: Option<Recording>,
    text: Option<TextView>,
    summary: Option<Summary>,
    others: Vec<Box<dyn View>>,
    /// The command's start, of which `others` are told when it is known when the run begins.
    start: Option<(Tid, Tid)>,
    /// Those that filters let through and that returned.
    calls: u64,
}

/// What was opened and read before anything is run.
pub struct Prepared {
    pub files: Files,
    pub comparison: Comparison,
}

/// What the tracker asks of the world.
pub fn followed(source: Rc<dyn Source>) -> Proc {
    let known = WordSet::of(&[FdDetail::Path, FdDetail::Socket]);
    Proc::new(known, WordSet::of(&[PidDetail::Comm]), source)
}

/// Views that are no text. Their files are open; what they hold is gone from here on.
fn others(
    options: &Options,
    outputs: &mut Outputs,
    shown: &Rc<dyn Source>,
    info: &RunInfo,
    Prepared { mut files, comparison }: Prepared,
) -> Result<Vec<Box<dyn View>>> {
    let mut views: Vec<Box<dyn View>> = Vec::new();
    if options.tells_calls_as_json() {
        views.push(Box::new(outputs.json_view(options, shown.clone(), info)?));
    }
    if options.advise {
        // Its lines are those of this run's text.
        let trace = options.replay.as_ref().or(options.record.as_ref()).map(|path| path.to_string_lossy().into_owned());
        views.push(Box::new(AdviseView::new(options.json, trace, info)));
    }
    let style = layout::layout(options, false).style;
    let world = || Box::new(Proc::new(options.decode_fds, options.decode_pids, shown.clone()));
    if let Some((to, whole)) = files.take_whole("--perfetto")? {
        views.push(Box::new(Perfetto::new(to, whole, style, layout::decoding(options), world(), info)));
    }
    if let Some((to, whole)) = files.take_whole("--html")? {
        let page = HtmlView::new(to, whole, style, layout::decoding(options), world(), info);
        views.push(Box::new(if options.advise { page.with_advice(info) } else { page }));
    }
    views.extend(comparison.view(options.json, info, &mut files)?.map(|view| Box::new(view) as Box<dyn View>));
    Ok(views)
}

impl Views {
    pub fn new(
        options: &Options,
        outputs: &mut Outputs,
        World { shown, tracked, tracker, .. }: World,
        info: RunInfo,
        recording: Option<Recording>,
        prepared: Prepared,
    ) -> Result<Views> {
        // Filters may leave out what the tracker gets to see all the same.
        let partial = info.partial && (options.replay.is_some() || !select::needs_all_calls(options));
        let wall_offset = info.wall_offset;
        let asks_tracker = tracker.is_some();
        let tracker = tracker.unwrap_or_default();
        tracker.replace(Tracker::partial(partial));
        let others = others(options, outputs, &shown, &info, prepared)?;
        let summary = options.summary.as_ref();
        let tracks = asks_tracker
            || recording.is_some()
            || !others.is_empty()
            || summary.is_some_and(|s| s.is_by(Key::is_tracked));
        Ok(Views {
            tracker: tracks.then(|| (tracker, followed(tracked))),
            recording,
            text: options.prints_calls().then(|| outputs.text_view(options, shown, wall_offset)).transpose()?,
            summary: summary.map(|s| Summary::new(layout::summary(s, options.json, outputs.width()))),
            others,
            start: None,
            calls: 0,
        })
    }

    /// Calls that were shown or kept, as summaries count them.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Before filters have their say.
    pub fn track(&mut self, event: &Event<'_>) {
        if let Some((tracker, world)) = &mut self.tracker {
            tracker.borrow_mut().event(event, world);
        }
    }

    /// The answer is a complaint.
    pub fn event(&mut self, event: &Event<'_>) -> Option<String> {
        let complaint = self.recording.as_mut().and_then(|recording| recording.event(event));
        if let Event::Exit(call) = event {
            self.calls += u64::from(matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_)));
        }
        let tracker = self.tracker.as_ref().map(|(tracker, _)| tracker.borrow());
        if let (Some(summary), Event::Exit(call)) = (&mut self.summary, event) {
            summary.add(call, tracker.as_deref());
        }
        drop(tracker);
        match *event {
            Event::Started { tid, process, origin: Origin::Spawned, .. } => self.start = Some((tid, process)),
            Event::Idle => self.show(event),
            _ => {
                self.begin();
                self.show(event);
            }
        }
        if let Some(text) = &mut self.text {
            text.event(event);
        }
        complaint
    }

    fn show(&mut self, event: &Event<'_>) {
        if let Some((tracker, _)) = &self.tracker {
            let tracker = tracker.borrow();
            self.others.iter_mut().for_each(|view| view.event(event, &tracker));
        }
    }

    /// Tells of the command's start, if that was not told yet. What passes between that and its execve is Stride's own time.
    fn begin(&mut self) {
        let began = self.tracker.as_ref().and_then(|(tracker, _)| tracker.borrow().began()).unwrap_or_default();
        if let Some((tid, process)) = self.start.take() {
            self.show(&Event::Started { tid, process, origin: Origin::Spawned, at: began });
        }
    }

    /// A call that is not shown, but says what its thread runs or is called. The answer is a complaint.
    pub fn aside(&mut self, call: &Call) -> Option<String> {
        self.recording.as_mut().and_then(|recording| recording.aside(call))
    }

    /// Messages about tracees that strace writes to stderr, not to the trace.
    pub fn tell(&mut self, event: &Event<'_>, run: &Run<'_>, outputs: &mut Outputs) {
        if run.options.json && matches!(event, Event::Started { .. } | Event::Detached { .. }) {
            // They are objects.
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
    pub fn note_call(&mut self, call: &Call) {
        if let Some(text) = &mut self.text {
            text.note_call(call);
        }
    }

    pub fn take_error(&mut self) -> Option<String> {
        let text = self.text.as_mut().and_then(TextView::take_error);
        text.or_else(|| self.others.iter_mut().find_map(|view| view.take_error()))
    }

    /// Something to know of the whole run.
    pub fn note(&mut self, what: &str) {
        self.others.iter_mut().for_each(|view| view.note(what));
    }

    pub fn merge(&mut self, counted: &[Counted]) {
        if let Some(summary) = &mut self.summary {
            counted.iter().for_each(|counted| summary.merge(counted));
        }
    }

    /// The answer is Stride's exit status, where a view has a say in it.
    pub fn finish(&mut self, losses: &Losses, counted: bool, outputs: &mut Outputs) -> Option<i32> {
        self.begin();
        // A reader that has left has seen enough.
        let worth_telling = |error: &String| !error.ends_with(Errno::EPIPE.desc());
        if let Some(text) = &mut self.text {
            text.flush();
            if let Some(error) = text.take_error().filter(worth_telling) {
                outputs.complain(&error);
            }
        }
        let lost = LostCalls { calls: losses.lost.calls, counted };
        let tracker = self.tracker.as_ref().map(|(tracker, _)| tracker.borrow());
        let tracker = tracker.as_deref();
        let text = |summary: &Summary| summary.text(lost, tracker);
        let (objects, table) = match &self.summary {
            Some(summary) if summary.is_json() => (text(summary), String::new()),
            summary => (String::new(), summary.as_ref().map(text).unwrap_or_default()),
        };
        outputs.write_tail(&table, self.text.as_mut());
        if let Some(tracker) = tracker {
            let stride_event::Lost { calls: lost_calls, threads: lost_threads, signals: lost_signals } = losses.lost;
            let end = End { tracker, lost_calls, lost_threads, lost_signals };
            for view in &mut self.others {
                outputs.write_tail(&view.finish(&end), self.text.as_mut());
                if let Some(error) = view.take_error().filter(worth_telling) {
                    outputs.complain(&error);
                }
            }
        }
        outputs.write_tail(&objects, None);
        self.others.iter().find_map(|view| view.verdict())
    }
}
