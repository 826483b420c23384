//! Hands each event to each view.

use super::losses::Losses;
use super::opening::{Opening, PreparedView, Start};
use crate::outputs::Outputs;
use crate::resolvers;
use anyhow::Result;
use std::cell::RefCell;
use std::rc::Rc;
use stride_event::{Call, Counted, Event, Outcome, StartKind, Tid, WithSource};
use stride_output::{End, Interval, View, ViewError};
use stride_proc::Proc;
use stride_track::Tracker;

/// The open views of a run.
pub struct Views {
    /// The tracker. It gets no events if no view needs it.
    tracker: Rc<RefCell<Tracker>>,
    /// The resolver that the tracker asks, if the tracker gets events.
    asked: Option<Proc>,
    views: Vec<Open>,
    /// The command's start, until the run begins. Some views learn of it only then.
    start: Option<(Tid, Tid)>,
    /// The number of calls that passed the filters and returned.
    calls: u64,
}

struct Open {
    view: Box<dyn View>,
    start: Start,
}

impl Views {
    pub fn open(prepared: Vec<PreparedView>, mut with: Opening<'_>) -> Result<Views> {
        let (options, resolvers, needs) = (with.options, with.resolvers, with.needs);
        // The tracker may see calls that filters leave out.
        let partial = with.info.partial && (options.replay.is_some() || !needs.all_calls);
        let is_fed = needs.tracker || needs.tracked_names || resolvers.tracker.is_some();
        let tracker = resolvers.tracker.clone().unwrap_or_default();
        // In a replay, the sources may ask the tracker about descriptors.
        let names_only = !needs.tracker && (resolvers.tracker.is_none() || options.replay.is_none());
        let passing = needs.passing_paths && resolvers.tracker.is_none();
        let follows = || Tracker::partial(partial).passing_paths(passing);
        tracker.replace(if names_only { Tracker::of_names() } else { follows() });
        let mut views = Vec::new();
        for PreparedView { open, start, comes_last } in prepared {
            views.push((comes_last, Open { view: open(&mut with)?, start }));
        }
        views.sort_by_key(|(last, _)| *last);
        let views = views.into_iter().map(|(_, open)| open).collect();
        let asked = is_fed.then(|| resolvers::followed(resolvers.tracked.clone()));
        Ok(Views { tracker, asked, views, start: None, calls: 0 })
    }

    /// The number of calls that were shown or kept, as in summaries.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The tracker, which knows what calls are about if a view or a filter needs that.
    pub fn tracker(&self) -> Rc<RefCell<Tracker>> {
        self.tracker.clone()
    }

    /// Gives the tracker an event, before filters apply.
    pub fn track(&mut self, event: &Event<'_>) {
        if let Some(resolvers) = &self.asked {
            self.tracker.borrow_mut().event(event, resolvers);
        }
    }

    pub fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Started { tid, process, origin: StartKind::Spawned, .. } => {
                self.start = Some((tid, process));
                self.show(event, |start| start == Start::AtFork);
                return;
            }
            Event::Idle => {}
            Event::Exit(call) => {
                self.calls += u64::from(matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_)));
                self.begin();
            }
            _ => self.begin(),
        }
        self.show(event, |_| true);
    }

    fn show(&mut self, event: &Event<'_>, to: impl Fn(Start) -> bool) {
        let tracker = self.tracker.borrow();
        self.views.iter_mut().filter(|open| to(open.start)).for_each(|open| open.view.event(event, &tracker));
    }

    /// Tells the views that wait for it of the command's start, once.
    fn begin(&mut self) {
        if let Some((tid, process)) = self.start.take() {
            let at = self.tracker.borrow().began().unwrap_or_default();
            let event = Event::Started { tid, process, origin: StartKind::Spawned, at };
            self.show(&event, |start| start == Start::AtExecve);
        }
    }

    /// A call that the filters leave out.
    pub fn left_out(&mut self, call: &Call) {
        self.each(|view| view.left_out(call));
    }

    /// A call that the filters leave out, but that changes what its thread runs or its name. It has just returned.
    pub fn naming_call(&mut self, call: &Call) {
        let tracker = self.tracker.borrow();
        self.views.iter_mut().for_each(|open| open.view.naming_call(call, &tracker));
    }

    /// Tells the views something about the whole run.
    pub fn note(&mut self, what: &str) {
        self.each(|view| view.note(what));
    }

    pub fn merge(&mut self, counted: &[Counted]) {
        self.each(|view| view.merge(counted));
    }

    /// An interval of the run has ended.
    pub fn interval(&mut self, ended: Interval, outputs: &mut Outputs) {
        self.flush();
        let tracker = self.tracker.borrow();
        self.views.iter_mut().for_each(|open| outputs.write_tail(&open.view.interval(ended, &tracker)));
    }

    /// Flushes the views before something else is written to the trace's output.
    pub fn flush(&mut self) {
        self.each(|view| view.flush());
    }

    fn each(&mut self, act: impl Fn(&mut dyn View)) {
        self.views.iter_mut().for_each(|open| act(&mut *open.view));
    }

    pub fn take_error(&mut self) -> Option<ViewError> {
        self.views.iter_mut().find_map(|open| open.view.take_error())
    }

    pub fn take_remark(&mut self) -> Option<String> {
        self.views.iter_mut().find_map(|open| open.view.take_remark())
    }

    /// Returns Stride's exit status, if a view decides it.
    pub fn finish(&mut self, losses: &Losses, with_source: &WithSource<'_>, outputs: &mut Outputs) -> Option<i32> {
        self.begin();
        let tracker = self.tracker.borrow();
        let end = End { tracker: &tracker, lost: losses.lost, with_source };
        for Open { view, .. } in &mut self.views {
            outputs.write_tail(&view.finish(&end));
            if let Some(error) = view.take_error().filter(|error| !error.is_closed_pipe()) {
                outputs.complain(&error.to_string());
            }
            while let Some(remark) = view.take_remark() {
                outputs.complain(&remark);
            }
        }
        self.views.iter().find_map(|open| open.view.verdict())
    }
}
