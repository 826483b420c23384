//! The summary as a view.

use super::{Interval, LostCalls, Summary, SummaryLayout, Users};
use crate::form::RunTimes;
use crate::{End, UNSEEN_OPERATIONS, View};
use std::cell::RefCell;
use std::rc::Rc;
use stride_event::{Call, Counted, Event, Outcome, RingUse};
use stride_track::Tracker;

/// Counts calls, and shows the rows at the end.
pub struct SummaryView {
    summary: Summary,
    /// The functions of libraries. Their rows come behind those of system calls, because their times include those of the
    /// calls that they make.
    functions: Summary,
    any_function: bool,
    /// Operations of io_uring have a table of their own, too: submitting them takes system calls, which would be
    /// counted twice.
    operations: Summary,
    any_operation: bool,
    /// True if the engine counts calls itself, including those that are lost on their way.
    counted: bool,
    /// There is a summary for each interval, and none of the whole run.
    intervals: bool,
    /// The program uses io_uring although its operations are not counted.
    rings: RingUse,
    /// The run is over, and nothing was said about rings.
    tells: bool,
    /// The totals of truss -c in place of the table.
    truss: Option<Box<dyn Fn() -> RunTimes>>,
}

impl SummaryView {
    /// `operations`: operations of io_uring are reported.
    pub fn new(
        layout: SummaryLayout,
        counted: bool,
        intervals: bool,
        users: Option<Box<dyn Users>>,
        operations: bool,
    ) -> SummaryView {
        let functions = Summary::of_functions(&layout);
        let rings = RingUse::new(operations);
        let mut operations = Summary::of_operations(&layout);
        let mut summary = Summary::new(layout);
        summary.names.users = users.map(|users| Rc::new(RefCell::new(users)));
        operations.names.users = summary.names.users.clone();
        SummaryView {
            summary,
            functions,
            any_function: false,
            operations,
            any_operation: false,
            counted,
            intervals,
            rings,
            tells: false,
            truss: None,
        }
    }

    /// The table of operations stands behind that of calls. As objects, they come before: readers know by the total of
    /// the calls that an interval is complete.
    fn with_operations(&self, calls: String, operations: Option<String>) -> String {
        let operations = operations.unwrap_or_default();
        if self.summary.layout.json { operations + &calls } else { calls + &operations }
    }

    /// Shows the totals as truss does. `times` are asked at the end.
    pub fn as_truss(self, times: Box<dyn Fn() -> RunTimes>) -> SummaryView {
        SummaryView { truss: Some(times), ..self }
    }
}

impl View for SummaryView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.summary.note(event);
        self.rings.event(event);
        match event {
            Event::Exit(call) => self.summary.add(call, Some(tracker)),
            Event::Library(call) if call.operation.is_some() => {
                self.any_operation = true;
                self.operations.add_operation(call, Some(tracker));
            }
            Event::Library(call) => {
                self.any_function = true;
                self.functions.add_function(call);
            }
            _ => {}
        }
    }

    fn left_out(&mut self, call: &Call) {
        if call.outcome != Outcome::Pending {
            self.summary.note(&Event::Exit(call));
        }
    }

    fn interval(&mut self, ended: Interval, tracker: &Tracker) -> String {
        if !self.intervals {
            return String::new();
        }
        // Losses are reported at the end.
        let mut text = self.summary.of_interval(ended, LostCalls::default(), Some(tracker));
        if self.any_function {
            text += &self.functions.of_interval(ended, LostCalls::default(), Some(tracker));
        }
        let operations =
            self.any_operation.then(|| self.operations.of_interval(ended, LostCalls::default(), Some(tracker)));
        self.with_operations(text, operations)
    }

    fn merge(&mut self, counted: &[Counted]) {
        for counted in counted {
            self.rings.counted(counted);
            self.summary.merge(counted);
        }
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        self.tells = true;
        if let Some(times) = &self.truss {
            return self.summary.truss(times());
        }
        if self.intervals {
            return String::new();
        }
        let mut text = self.summary.text(LostCalls { calls: end.lost.calls, counted: self.counted }, Some(end.tracker));
        if self.any_function {
            text += &self.functions.text(LostCalls::default(), Some(end.tracker));
        }
        let operations = self.any_operation.then(|| self.operations.text(LostCalls::default(), Some(end.tracker)));
        self.with_operations(text, operations)
    }

    fn take_remark(&mut self) -> Option<String> {
        let unseen = std::mem::take(&mut self.tells) && self.rings.is_unseen();
        unseen.then(|| UNSEEN_OPERATIONS.to_owned())
    }
}
