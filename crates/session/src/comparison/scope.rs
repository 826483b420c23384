//! The calls of a run that are seen at all.

use crate::options::Options;
use crate::run::Before;
use stride_compare::{Limited, Metric};
use stride_event::{Bounds, Ns};
use stride_filter::{CallSet, Catalog, Expression, Status, WordSet};
use stride_record::Metadata;

/// The calls of a program that are seen at all.
#[derive(PartialEq)]
pub struct CallScope {
    pub calls: CallSet,
    follows: bool,
    about: String,
    statuses: WordSet<Status>,
}

impl CallScope {
    pub fn of(options: &Options) -> CallScope {
        CallScope {
            calls: options.filters.trace.clone(),
            follows: options.spec.follow,
            about: about(options),
            statuses: options.filters.status,
        }
    }

    /// The scope in the command line of the recorder.
    pub fn recorded(metadata: &Metadata, before: &Before<'_>) -> Option<CallScope> {
        (before.parse)(&metadata.args).map(|options| CallScope::of(&options))
    }

    /// The scope of the run that is traced or replayed now.
    pub fn of_this_run(before: &Before<'_>) -> Option<CallScope> {
        match before.replay {
            Some(metadata) => CallScope::recorded(metadata, before).map(|scope| scope.within(before.options)),
            None => Some(CallScope::of(before.options)),
        }
    }

    /// The scope that remains after this run's filters.
    pub fn within(self, options: &Options) -> CallScope {
        let shown = CallScope::of(options);
        CallScope {
            calls: self.calls.inverted().union(&shown.calls.inverted()).inverted(),
            follows: self.follows,
            about: match (self.about.is_empty(), shown.about.is_empty()) {
                (false, false) if self.about != shown.about => format!("{} {}", self.about, shown.about),
                (true, _) => shown.about,
                _ => self.about,
            },
            statuses: if shown.statuses.is_all() { self.statuses } else { shown.statuses },
        }
    }

    /// Why a limit cannot be checked, if the scope hides some of its calls.
    pub fn hides(&self, limit: &Limited) -> Option<String> {
        let text = &limit.limit;
        if let Some(name) = limit.syscall() {
            let mut numbers = Catalog::native().iter().filter(|call| call.name == name).peekable();
            if numbers.peek().is_some() && !numbers.any(|call| self.calls.contains(call.abi, call.nr.into())) {
                return Some(format!("{text} cannot be checked: {name} is not traced (-e trace=...)"));
            }
        }
        let failed = matches!(text.metric, Metric::Errors(_)) && !self.statuses.contains(Status::Failed);
        failed.then(|| format!("{text} cannot be checked: calls that fail are left out (-z or -e status=...)"))
    }

    /// How the scope differs from this run's.
    pub fn differences(&self, this: &CallScope) -> Vec<String> {
        let mut all = Vec::new();
        if self.calls != this.calls {
            all.push(
                "The two runs traced different calls (-e trace=...): only calls that both were asked for are compared."
                    .into(),
            );
        }
        match (self.follows, this.follows) {
            (true, false) => all.push(
                "Only the base was traced with -f: it has the calls of the program's children, \
                                       too."
                    .into(),
            ),
            (false, true) => all.push(
                "Only this run was traced with -f: it has the calls of the program's children, \
                                       too."
                    .into(),
            ),
            _ => {}
        }
        for (differ, what) in [
            (self.about != this.about, "-P, --trace-fds, --called-from, --duration, --errno, --where or --switch-on"),
            (self.statuses != this.statuses, "-z, -Z or -e status"),
        ] {
            if differ {
                all.push(format!(
                    "The runs were traced with different {what}: calls that one run left out seem to be missing there."
                ));
            }
        }
        all
    }
}

/// The filters that look at more than the name and the status of a call.
fn about(options: &Options) -> String {
    let expressions: Vec<&str> = options.expressions().map(Expression::source).collect();
    let by_outcome =
        options.filters.durations != Bounds::<Ns>::ALL || options.filters.errors.is_some() || !expressions.is_empty();
    if options.filters.paths.is_empty()
        && options.filters.trace_fds.is_none()
        && options.filters.called_from.is_none()
        && !by_outcome
    {
        return String::new();
    }
    let (paths, fds, from) = (&options.filters.paths, &options.filters.trace_fds, &options.filters.called_from);
    format!("{paths:?} {fds:?} {from:?} {:?} {:?} {expressions:?}", options.filters.durations, options.filters.errors)
}
