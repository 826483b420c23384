//! The events to report.

use stride_event::{Bounds, CallSet, Endings, ErrnoSet, FdSet, Ns};
use stride_filter::{Expression, FramePattern, PathSet, SignalSet, Status, WordSet};

/// The filters. An event is reported if it passes all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Filters {
    /// `-e trace=`.
    pub trace: CallSet,
    /// A call is reported if it uses one of these descriptors or one of `paths`. If neither is given, all calls are
    /// reported.
    pub trace_fds: Option<FdSet>,
    /// `-P`.
    pub paths: PathSet,
    /// `-e signal=`.
    pub signals: SignalSet,
    /// `-e status=`.
    pub status: WordSet<Status>,
    /// A call is reported if one of the functions that led to it matches.
    pub called_from: Option<FramePattern>,
    /// A call is reported if it took so long.
    pub durations: Bounds<Ns>,
    /// A call is reported if it failed with one of these errors.
    pub errors: Option<ErrnoSet>,
    /// A call is reported if all these hold.
    pub conditions: Vec<Expression>,
    /// Calls are reported after one for which this holds,
    pub switch_on: Option<Expression>,
    /// until one for which this holds.
    pub switch_off: Option<Expression>,
    /// These two calls are reported, too.
    pub show_switches: bool,
}

/// Everything is reported.
impl Default for Filters {
    fn default() -> Filters {
        Filters {
            trace: CallSet::all(),
            trace_fds: None,
            paths: PathSet::default(),
            signals: SignalSet::ALL,
            status: WordSet::ALL,
            called_from: None,
            durations: Bounds::<Ns>::ALL,
            errors: None,
            conditions: Vec::new(),
            switch_on: None,
            switch_off: None,
            show_switches: false,
        }
    }
}

impl Filters {
    /// True if calls are chosen by the files that they are about.
    pub fn are_about_files(&self) -> bool {
        !self.paths.is_empty() || self.trace_fds.is_some()
    }

    /// True if no filter leaves calls out.
    pub fn shows_all_calls(&self) -> bool {
        self.sees_all_calls() && self.called_from.is_none()
    }

    /// True if engines report all calls. They may skip those that other filters leave out. Stacks are known only after the engine.
    pub fn sees_all_calls(&self) -> bool {
        self.trace.is_all()
            && self.paths.is_empty()
            && self.trace_fds.is_none()
            && self.conditions.is_empty()
            && !self.switches()
            && self.endings().is_all()
    }

    /// How the calls that filters leave in return, as far as their outcome alone decides.
    pub fn endings(&self) -> Endings {
        let failed = if self.status.contains(Status::Failed) { ErrnoSet::all() } else { ErrnoSet::empty() };
        Endings {
            durations: self.durations,
            errors: self.errors.iter().fold(failed, |all, errors| all.intersection(errors)),
            successes: self.errors.is_none() && self.status.contains(Status::Successful),
            ..Endings::default()
        }
    }

    /// True if some calls switch the reporting of others on or off.
    pub fn switches(&self) -> bool {
        self.switch_on.is_some() || self.switch_off.is_some()
    }

    /// The expressions that decide which calls are reported.
    pub fn deciding(&self) -> impl Iterator<Item = &Expression> + Clone {
        self.conditions.iter().chain(&self.switch_on).chain(&self.switch_off)
    }
}
