//! The summary as a view.

use super::{LostCalls, Summary, SummaryLayout};
use crate::form::RunTimes;
use crate::{End, View};
use stride_event::{Counted, Event};
use stride_track::Tracker;

/// Counts calls, and shows the rows at the end.
pub struct SummaryView {
    summary: Summary,
    /// Whether the engine counts calls itself, including those that are lost on their way.
    counted: bool,
    /// The totals of truss -c in place of the table.
    truss: Option<Box<dyn Fn() -> RunTimes>>,
}

impl SummaryView {
    pub fn new(layout: SummaryLayout, counted: bool) -> SummaryView {
        SummaryView { summary: Summary::new(layout), counted, truss: None }
    }

    /// Shows the totals as truss does. `times` are asked at the end.
    pub fn as_truss(self, times: Box<dyn Fn() -> RunTimes>) -> SummaryView {
        SummaryView { truss: Some(times), ..self }
    }
}

impl View for SummaryView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        if let Event::Exit(call) = event {
            self.summary.add(call, Some(tracker));
        }
    }

    fn merge(&mut self, counted: &[Counted]) {
        counted.iter().for_each(|counted| self.summary.merge(counted));
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        if let Some(times) = &self.truss {
            return self.summary.truss(times());
        }
        self.summary.text(LostCalls { calls: end.lost.calls, counted: self.counted }, Some(end.tracker))
    }
}
