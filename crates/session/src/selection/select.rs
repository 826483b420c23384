//! The choice of calls to show: `-P`, `--trace-fds`, `-e status`, `--called-from`, and outcomes ([`Conditions`]).

use super::called_from::CalledFrom;
use super::conditions::Conditions;
use crate::options::Options;
use std::collections::HashMap;
use std::rc::Rc;
use stride_decode::{Resolver, Touch, touches};
use stride_engine_base::Choose;
use stride_event::{Call, CallSet, Event, FdOf, FdSet, Ns, Outcome, Tid};
use stride_filter::{PathSet, Status, WordSet};
use stride_proc::{Proc, Source};

pub struct Selector {
    /// Calls are chosen by path or descriptor.
    files: Option<PathSelector>,
    status: WordSet<Status>,
    /// The requested calls, if the engine reports more than these.
    calls: Option<CallSet>,
    called_from: Option<CalledFrom>,
    conditions: Conditions,
    /// The decisions made when calls were entered. The descriptor may be closed when a call returns.
    decided: HashMap<Tid, Decision>,
}

struct Decision {
    nr: u64,
    args: [u64; 6],
    chosen: bool,
}

impl Decision {
    /// The decision for this call. None if it was made for another call: an engine that filters by itself may skip a
    /// call's return.
    fn on(&self, call: &Call) -> Option<bool> {
        (self.nr == call.nr && self.args == call.args).then_some(self.chosen)
    }
}

impl Selector {
    /// `all_calls`: the engine reports all calls, because a shown call may depend on calls that are not shown.
    pub fn new(options: &Options, all_calls: bool, source: Rc<dyn Source>, conditions: Conditions) -> Selector {
        Selector {
            files: PathSelector::new(options, source),
            status: options.filters.status,
            calls: (all_calls
                || options.replay.is_some()
                || options.filters.switches()
                || !options.filters.trace.is_all())
            .then(|| options.filters.trace.clone()),
            called_from: options.filters.called_from.clone().map(CalledFrom::new),
            conditions,
            decided: HashMap::new(),
        }
    }

    /// The part of an event that is shown: all of it, the event without its call, or nothing.
    pub fn select<'e>(&mut self, event: Event<'e>) -> Option<Event<'e>> {
        self.conditions.note(&event);
        match event {
            Event::Enter(call) => {
                let chosen = self.enters(call) && self.led_to(call) && self.conditions.enters(call);
                // The status of a call is not known until it returns.
                (chosen && self.status.is_all()).then_some(event)
            }
            Event::Exit(call) => {
                // A call that is not chosen may still switch others on or off.
                let holds = self.conditions.leaves(call, call.returned);
                let chosen = self.leaves(call) && holds && self.led_to(call);
                (chosen && self.status.contains(status(call.outcome))).then_some(event)
            }
            Event::Detached { tid, call, at } => {
                let call = call.filter(|call| self.leaves(call) && self.is_left(call, at));
                self.decided.remove(&tid);
                Some(Event::Detached { tid, call, at })
            }
            // Under the thread's former id, the call ends as if the thread had been detached from.
            Event::Superseded { tid, old, call, at } => {
                if let Some(decision) = self.decided.remove(&old) {
                    self.decided.insert(tid, decision);
                }
                let call = call.filter(|call| self.stays(call) && self.is_left(call, at));
                Some(Event::Superseded { tid, old, call, at })
            }
            Event::Library(call) => self.conditions.choose(call).then_some(event),
            Event::Signal { .. } | Event::Stopped { .. } => self.conditions.are_on().then_some(event),
            _ => Some(event),
        }
    }

    fn enters(&mut self, call: &Call) -> bool {
        let chosen = self.chosen(call);
        if self.files.is_some() {
            self.decided.insert(call.tid, Decision { nr: call.nr, args: call.args, chosen });
        }
        chosen
    }

    fn stays(&self, call: &Call) -> bool {
        self.decided.get(&call.tid).and_then(|d| d.on(call)).unwrap_or_else(|| self.chosen(call))
    }

    fn leaves(&mut self, call: &Call) -> bool {
        let decided = if self.decided.is_empty() { None } else { self.decided.remove(&call.tid) };
        decided.and_then(|d| d.on(call)).unwrap_or_else(|| self.chosen(call))
    }

    /// True if a call is shown that had not returned when its thread was left.
    fn is_left(&mut self, call: &Call, at: Ns) -> bool {
        self.led_to(call) && self.status.contains(Status::Detached) && self.conditions.leaves(call, at)
    }

    fn led_to(&mut self, call: &Call) -> bool {
        self.called_from.as_mut().is_none_or(|functions| functions.led_to(call))
    }

    /// A sentence about calls that may be left out by mistake.
    pub fn uncertainty(&self) -> Option<String> {
        self.called_from.as_ref().and_then(CalledFrom::uncertainty).or_else(|| self.conditions.uncertainty())
    }

    fn chosen(&self, call: &Call) -> bool {
        self.calls.as_ref().is_none_or(|calls| calls.contains(call.abi, call.nr))
            && self.files.as_ref().is_none_or(|files| files.matches(call))
    }
}

/// Chooses calls by their paths and descriptors: `-P`, `--trace-fds`.
pub struct PathSelector {
    paths: PathSet,
    fds: Option<FdSet>,
    resolver: Proc,
}

impl PathSelector {
    /// `None` if calls are not chosen by these.
    pub fn new(options: &Options, source: Rc<dyn Source>) -> Option<PathSelector> {
        let asked = !options.filters.paths.is_empty() || options.filters.trace_fds.is_some();
        asked.then(|| PathSelector {
            paths: options.filters.paths.clone(),
            fds: options.filters.trace_fds.clone(),
            resolver: Proc::paths_only(source),
        })
    }

    fn matches(&self, call: &Call) -> bool {
        touches(call, &mut |touch| match touch {
            Touch::Path(path) => self.paths.contains_bytes(path),
            Touch::Fd(fd) => {
                fd >= 0 && self.fds.as_ref().is_some_and(|set| set.contains(fd))
                    || !self.paths.is_empty()
                        && self
                            .resolver
                            .fd(FdOf { tid: call.tid, fd, made: false }, call.given(fd))
                            .is_some_and(|info| self.paths.contains_bytes(&info.path))
            }
        })
    }
}

impl Choose for PathSelector {
    fn chooses(&mut self, call: &Call) -> bool {
        self.matches(call)
    }
}

fn status(outcome: Outcome) -> Status {
    match outcome {
        Outcome::Value(_) => Status::Successful,
        Outcome::Error(_) => Status::Failed,
        Outcome::Gone => Status::Unfinished,
        Outcome::Pending => Status::Unavailable,
    }
}
