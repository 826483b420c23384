//! Finds out if expressions hold for calls (`--where`, `--switch-on`, `--trigger`).

use super::fields::{Arguments, CallFields, FunctionFields};
use super::identities::Identities;
use crate::options::Options;
use std::collections::HashMap;
use std::rc::Rc;
use stride_decode::Resolver;
use stride_event::{Call, Event, LibraryCall, Ns, Tid};
use stride_filter::{CallField, Expression, Fault};
use stride_proc::Source;
use stride_track::{Seen, Tracker};

/// A machine has fewer threads.
const MOST_THREADS: usize = 1 << 18;

pub struct Evaluator {
    /// The objects that calls in flight are about, if an expression asks for them.
    entered: Option<HashMap<Tid, Seen>>,
    identities: Identities,
    arguments: Arguments,
    /// Calls for which an expression has no value, although it asks for nothing that the call lacks.
    faults: u64,
    first_fault: Option<Fault>,
}

impl Evaluator {
    /// `source` answers questions about threads. `shown` is the resolver for arguments.
    pub fn new<'a>(
        expressions: impl Iterator<Item = &'a Expression> + Clone,
        options: &Options,
        source: Rc<dyn Source>,
        shown: Box<dyn Resolver>,
    ) -> Evaluator {
        let asks = |field| expressions.clone().any(|expression| expression.mentions(field));
        let about_files = [CallField::Path, CallField::FdKind, CallField::FdPeer].into_iter().any(asks);
        let identities = (asks(CallField::Uid) || asks(CallField::Exe)).then_some(source);
        Evaluator {
            entered: about_files.then(HashMap::new),
            identities: Identities::new(identities),
            arguments: Arguments::new(options.decoder_options(), shown),
            faults: 0,
            first_fault: None,
        }
    }

    /// Follows the events. Each event comes here before questions about its call.
    pub fn note(&mut self, event: &Event<'_>, wait: impl FnOnce(Tid) -> Option<Seen>) {
        self.identities.note(event);
        let Some(entered) = &mut self.entered else { return };
        match *event {
            Event::Enter(call) if entered.len() < MOST_THREADS => {
                if let Some(seen) = wait(call.tid) {
                    entered.insert(call.tid, seen);
                }
            }
            Event::Exited { tid, .. } | Event::Killed { tid, .. } => _ = entered.remove(&tid),
            _ => {}
        }
    }

    /// The call is over, and will not be asked about again.
    pub fn forget(&mut self, call: &Call) {
        if let Some(entered) = &mut self.entered {
            entered.remove(&call.tid);
        }
    }

    /// True if the expression holds for the call, which has lasted until `until`.
    pub fn holds(&mut self, expression: &Expression, call: &Call, until: Ns, tracker: &Tracker) -> bool {
        let entered = self.entered.as_ref().and_then(|entered| entered.get(&call.tid));
        match expression.holds(&CallFields::new(call, until, tracker, &self.identities, &self.arguments, entered)) {
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

    /// True if the expression holds for this part of a call of a library's function.
    pub fn holds_for_function(&self, expression: &Expression, call: &LibraryCall, tracker: &Tracker) -> bool {
        expression.holds(&FunctionFields { call, tracker, identities: &self.identities }).unwrap_or(false)
    }

    /// The number of calls for which an expression has no value by mistake, and why the first one has none.
    pub fn mistakes(&self) -> Option<(u64, &'static str)> {
        let why = match self.first_fault? {
            Fault::Mismatch => {
                "a value was of another type than the expression needs; has() and the type of the argument help"
            }
            Fault::Overflow => "a number became too large",
            Fault::DivisionByZero => "a number was divided by zero",
            Fault::Absent | Fault::Unknown => return None,
        };
        Some((self.faults, why))
    }
}
