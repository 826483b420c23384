//! The summary as a view.

use super::{LostCalls, Summary, SummaryLayout};
use crate::{End, View};
use stride_event::{Counted, Event};
use stride_track::Tracker;

/// Counts calls, and shows the rows at the end.
pub struct SummaryView {
    summary: Summary,
    /// Those of libraries. They come behind the system calls, because their times include those of the calls that they make.
    functions: Summary,
    any_function: bool,
    /// Whether the engine counts calls itself, including those that are lost on their way.
    counted: bool,
}

impl SummaryView {
    pub fn new(layout: SummaryLayout, counted: bool) -> SummaryView {
        let functions = Summary::of_functions(&layout);
        SummaryView { summary: Summary::new(layout), functions, any_function: false, counted }
    }
}

impl View for SummaryView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        match event {
            Event::Exit(call) => self.summary.add(call, Some(tracker)),
            Event::Library(call) => {
                self.any_function = true;
                self.functions.add_function(call);
            }
            _ => {}
        }
    }

    fn merge(&mut self, counted: &[Counted]) {
        counted.iter().for_each(|counted| self.summary.merge(counted));
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let mut text = self.summary.text(LostCalls { calls: end.lost.calls, counted: self.counted }, Some(end.tracker));
        if self.any_function {
            text += &self.functions.text(LostCalls::default(), Some(end.tracker));
        }
        text
    }
}
