//! The choice of calls by their outcome: `--duration`, `--errno`, `--where`, `--switch-on`, `--switch-off`.

use super::evaluator::Evaluator;
use crate::options::Options;
use crate::start::ENGINES;
use std::cell::RefCell;
use std::rc::Rc;
use stride_decode::Resolver;
use stride_event::quantity::count;
use stride_event::{Bounds, Call, ErrnoSet, Event, LibraryCall, LibraryPart, Ns, Outcome};
use stride_filter::{Expression, ExpressionPart};
use stride_proc::Source;
use stride_track::Tracker;

pub struct Conditions {
    durations: Bounds<Ns>,
    errors: Option<ErrnoSet>,
    expressions: Vec<Expression>,
    switch_on: Option<Expression>,
    switch_off: Option<Expression>,
    shows_switches: bool,
    /// There are no conditions.
    leave_nothing_out: bool,
    /// Calls are shown at present.
    on: bool,
    tracker: Rc<RefCell<Tracker>>,
    evaluator: Evaluator,
}

impl Conditions {
    /// `source` answers questions about threads. `shown` is the resolver for arguments.
    pub fn new(
        options: &Options,
        source: Rc<dyn Source>,
        shown: Box<dyn Resolver>,
        tracker: Rc<RefCell<Tracker>>,
    ) -> Conditions {
        let filters = &options.filters;
        Conditions {
            leave_nothing_out: filters.deciding().next().is_none()
                && filters.errors.is_none()
                && filters.durations == Bounds::<Ns>::ALL,
            durations: options.filters.durations,
            errors: options.filters.errors.clone(),
            expressions: options.filters.conditions.clone(),
            switch_on: options.filters.switch_on.clone(),
            switch_off: options.filters.switch_off.clone(),
            shows_switches: options.filters.show_switches,
            on: options.filters.switch_on.is_none(),
            tracker,
            evaluator: Evaluator::new(options.filters.deciding(), options, source, shown),
        }
    }

    /// Follows the events. Each event comes here before questions about its call.
    pub fn note(&mut self, event: &Event<'_>) {
        let tracker = &self.tracker;
        self.evaluator.note(event, |tid| tracker.borrow().wait(tid).map(|wait| wait.seen));
    }

    /// True if events that are no calls are shown.
    pub fn are_on(&self) -> bool {
        self.on
    }

    /// True if the entry of a call is shown. An entry is not shown if the call's return has to decide.
    pub fn enters(&mut self, call: &Call) -> bool {
        self.on
            && self.switch_off.is_none()
            && self.durations == Bounds::<Ns>::ALL
            && self.errors.is_none()
            && self.expressions.iter().all(Expression::decides_at_entry)
            && self.hold(call, call.began())
    }

    /// True if this call is shown, which has returned or never will. It has lasted until `until`.
    pub fn leaves(&mut self, call: &Call, until: Ns) -> bool {
        if self.leave_nothing_out {
            return true;
        }
        let shown = self.switches_show(call, until) && self.ends_right(call, until) && self.hold(call, until);
        self.evaluator.forget(call);
        shown
    }

    /// True if this part of a call of a library's function is shown. (Errors are those of system calls.)
    pub fn choose(&mut self, call: &LibraryCall) -> bool {
        let all = self.durations == Bounds::<Ns>::ALL;
        if !self.on || all && self.expressions.is_empty() {
            return self.on;
        }
        let ends = call.part != LibraryPart::Entered;
        let at_entry = all && self.expressions.iter().all(Expression::decides_at_entry);
        (ends || at_entry) && (all || call.duration().is_some_and(|time| self.durations.contains(time))) && {
            let tracker = self.tracker.borrow();
            self.expressions.iter().all(|expression| self.evaluator.holds_for_function(expression, call, &tracker))
        }
    }

    fn ends_right(&self, call: &Call, until: Ns) -> bool {
        let error = match (&self.errors, call.outcome) {
            (None, _) => true,
            (Some(errors), Outcome::Error(errno)) => errors.contains(errno),
            (Some(_), _) => false,
        };
        let all = self.durations == Bounds::<Ns>::ALL;
        error && (all || call.lasted(until).is_some_and(|time| self.durations.contains(time)))
    }

    fn hold(&mut self, call: &Call, until: Ns) -> bool {
        if self.expressions.is_empty() {
            return true;
        }
        let tracker = self.tracker.borrow();
        self.expressions.iter().all(|expression| self.evaluator.holds(expression, call, until, &tracker))
    }

    /// As in perf-trace(1): calls are shown after one that switches on, until one that switches off.
    fn switches_show(&mut self, call: &Call, until: Ns) -> bool {
        let switch = if self.on { &self.switch_off } else { &self.switch_on };
        let tracker = self.tracker.borrow();
        let switches = switch.as_ref().is_some_and(|switch| self.evaluator.holds(switch, call, until, &tracker));
        drop(tracker);
        let shown = if switches { self.shows_switches } else { self.on };
        self.on ^= switches;
        shown
    }

    /// A sentence about calls that may be left out by mistake.
    pub fn uncertainty(&self) -> Option<String> {
        let (faults, why) = self.evaluator.mistakes()?;
        let calls = count(faults, "call was", "calls were");
        Some(format!("--where: {calls} left out for which the expression has no value; the first time, {why}"))
    }
}

/// Facts for debugging Stride (`-d`): which parts of the expressions are decided where.
pub fn facts(options: &Options, engine: &str, early: bool) -> Vec<String> {
    let filters_returns = ENGINES.iter().any(|known| known.name == engine && known.filters_returns);
    let is_early = |part: &ExpressionPart| early && part.early && (filters_returns || part.fields == ["name"]);
    let describe = |expression: &Expression| {
        let names = |chosen: bool| {
            let parts = expression.parts().into_iter().filter(|part| is_early(part) == chosen);
            let names: Vec<String> = parts.map(|part| part.fields.join("+")).collect();
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        };
        format!("--where: decided in the kernel: {}; by the reader: {}", names(true), names(false))
    };
    options.filters.conditions.iter().map(describe).collect()
}
