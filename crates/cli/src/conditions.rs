//! Which calls are chosen by what happened: `--duration`, `--errno`, `--where`, `--switch-on`, `--switch-off`.

use crate::facts::{Arguments, AskedCall, AskedFunction, lasted};
use crate::flags::Options;
use crate::layout;
use crate::people::People;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use stride_decode::World;
use stride_event::quantity::count;
use stride_event::{Bounds, Call, ErrnoSet, Event, LibraryCall, LibraryPart, Ns, Outcome, Tid};
use stride_filter::{CallField, Expression, ExpressionPart, Fault};
use stride_proc::Source;
use stride_track::{Seen, Tracker};

/// A machine has fewer threads.
const MOST_THREADS: usize = 1 << 18;

pub struct Conditions {
    durations: Bounds<Ns>,
    errors: Option<ErrnoSet>,
    expressions: Vec<Expression>,
    switch_on: Option<Expression>,
    switch_off: Option<Expression>,
    shows_switches: bool,
    /// Calls are shown at present.
    on: bool,
    tracker: Rc<RefCell<Tracker>>,
    /// The objects that calls in flight are about, if an expression asks for them.
    entered: Option<HashMap<Tid, Seen>>,
    people: People,
    arguments: Arguments,
    /// Calls for which an expression has no value, although it asks for nothing that the call lacks.
    faults: u64,
    first_fault: Option<Fault>,
}

impl Conditions {
    /// `source` answers questions about threads. `shown` is the world for arguments.
    pub fn new(
        options: &Options,
        source: Rc<dyn Source>,
        shown: Box<dyn World>,
        tracker: Rc<RefCell<Tracker>>,
    ) -> Conditions {
        let asks = |field| options.expressions().any(|expression| expression.mentions(field));
        let about_files = [CallField::Path, CallField::FdKind, CallField::FdPeer].into_iter().any(asks);
        let people = (asks(CallField::Uid) || asks(CallField::Exe)).then_some(source);
        Conditions {
            durations: options.durations,
            errors: options.errors.clone(),
            expressions: options.conditions.clone(),
            switch_on: options.switch_on.clone(),
            switch_off: options.switch_off.clone(),
            shows_switches: options.show_switches,
            on: options.switch_on.is_none(),
            tracker,
            entered: about_files.then(HashMap::new),
            people: People::new(people),
            arguments: Arguments::new(layout::decoding(options), shown),
            faults: 0,
            first_fault: None,
        }
    }

    /// Follows the events. To be told of each, before calls are asked about.
    pub fn note(&mut self, event: &Event<'_>) {
        self.people.note(event);
        let Some(entered) = &mut self.entered else { return };
        match *event {
            Event::Enter(call) if entered.len() < MOST_THREADS => {
                if let Some(wait) = self.tracker.borrow().wait(call.tid) {
                    entered.insert(call.tid, wait.seen);
                }
            }
            Event::Exited { tid, .. } | Event::Killed { tid, .. } => _ = entered.remove(&tid),
            _ => {}
        }
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
            && self.hold(call, call.entered)
    }

    /// True if this call is shown, which has returned or never will. It has lasted until `until`.
    pub fn leaves(&mut self, call: &Call, until: Ns) -> bool {
        let shown = self.switches_show(call, until) && self.ends_right(call, until) && self.hold(call, until);
        if let Some(entered) = &mut self.entered {
            entered.remove(&call.tid);
        }
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
        (ends || at_entry)
            && (all || call.duration().is_some_and(|time| self.durations.contains(time)))
            && (0..self.expressions.len()).all(|at| {
                let tracker = self.tracker.borrow();
                let holds =
                    self.expressions[at].holds(&AskedFunction { call, tracker: &tracker, people: &self.people });
                holds.unwrap_or(false)
            })
    }

    fn ends_right(&self, call: &Call, until: Ns) -> bool {
        let error = match (&self.errors, call.outcome) {
            (None, _) => true,
            (Some(errors), Outcome::Error(errno)) => errors.contains(errno),
            (Some(_), _) => false,
        };
        let all = self.durations == Bounds::<Ns>::ALL;
        error && (all || lasted(call, until).is_some_and(|time| self.durations.contains(time)))
    }

    fn hold(&mut self, call: &Call, until: Ns) -> bool {
        (0..self.expressions.len()).all(|at| self.is_true(call, until, |own| own.expressions.get(at)))
    }

    fn is_true(&mut self, call: &Call, until: Ns, of: impl Fn(&Conditions) -> Option<&Expression>) -> bool {
        let Some(expression) = of(self) else { return false };
        let tracker = self.tracker.borrow();
        let entered = self.entered.as_ref().and_then(|entered| entered.get(&call.tid));
        let held = expression.holds(&AskedCall::new(call, until, &tracker, &self.people, &self.arguments, entered));
        drop(tracker);
        match held {
            Ok(holds) => holds,
            // A number that the call does not have is neither large nor small.
            Err(Fault::Absent | Fault::Unknown) => false,
            Err(fault) => {
                self.faults += 1;
                self.first_fault.get_or_insert(fault);
                false
            }
        }
    }

    /// As in perf-trace(1): calls are shown after one that switches on, until one that switches off.
    fn switches_show(&mut self, call: &Call, until: Ns) -> bool {
        let switches = match self.on {
            false => self.is_true(call, until, |own| own.switch_on.as_ref()),
            true => self.is_true(call, until, |own| own.switch_off.as_ref()),
        };
        let shown = if switches { self.shows_switches } else { self.on };
        self.on ^= switches;
        shown
    }

    /// A sentence about calls that may be left out by mistake.
    pub fn told(&self) -> Option<String> {
        let why = match self.first_fault? {
            Fault::Mismatch => {
                "a value was of another type than the expression needs; has() and the type of the argument help"
            }
            Fault::Overflow => "a number became too large",
            Fault::DivisionByZero => "a number was divided by zero",
            Fault::Absent | Fault::Unknown => return None,
        };
        let calls = count(self.faults, "call was", "calls were");
        Some(format!("--where: {calls} left out for which the expression has no value; the first time, {why}"))
    }
}

/// For people who debug Stride (`-d`): which parts of the expressions are decided where.
pub fn facts(options: &Options, engine: &str, early: bool) -> Vec<String> {
    // Without the kernel's programs, the number of a call is all that is known before it is stopped.
    let is_early = |part: &ExpressionPart| early && part.early && (engine == "ebpf" || part.fields == ["name"]);
    let describe = |expression: &Expression| {
        let names = |chosen: bool| {
            let parts = expression.parts().into_iter().filter(|part| is_early(part) == chosen);
            let names: Vec<String> = parts.map(|part| part.fields.join("+")).collect();
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        };
        format!("--where: decided in the kernel: {}; by the reader: {}", names(true), names(false))
    };
    options.conditions.iter().map(describe).collect()
}
