//! The view: events in, reports out.

use crate::budget::Budget;
use crate::budget::proposal;
use crate::diff::Diff;
use crate::diff::json;
use crate::diff::report;
use crate::profile::Profile;
use crate::tally::Tally;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use stride_event::quantity::count;
use stride_event::{Event, Ns, StackFrame};
use stride_output::{End, ReportFormat, View, shown};
use stride_track::Tracker;

/// The run that `--diff` compares with.
pub struct Base {
    /// The figures of the base. If there are several recordings of it, the median of each figure.
    pub profile: Profile,
    /// Further recordings of the run that is compared.
    pub repeated: Vec<Profile>,
    /// Differences in how the two runs were traced, a sentence each.
    pub caveats: Vec<String>,
    /// How precise times are, in nanoseconds a call. None if the times cannot be compared.
    pub times: Option<Ns>,
    /// The syscalls that are compared. None means all.
    pub only: Option<BTreeSet<&'static str>>,
    /// Lines and merged functions are known in both runs, so functions can be compared with these.
    pub sources: bool,
    /// Operations of io_uring are known of both runs, and are compared as well.
    pub operations: bool,
}

/// Compares a run with a base or a budget, or writes a budget from it.
pub struct CompareView {
    base: Option<Base>,
    budget: Option<Budget>,
    write: Option<(String, Box<dyn Write>)>,
    format: ReportFormat,
    tally: Tally,
    verdict: Option<i32>,
}

impl CompareView {
    /// `write` has the name of the new budget file for messages, and the file.
    pub fn new(
        base: Option<Base>,
        budget: Option<Budget>,
        write: Option<(String, Box<dyn Write>)>,
        format: ReportFormat,
    ) -> CompareView {
        let without = base.as_ref().is_some_and(|base| !base.operations);
        let tally = if without { Tally::without_operations() } else { Tally::default() };
        CompareView { base, budget, write, format, tally, verdict: None }
    }
}

const UNSEEN: &str =
    "The program uses io_uring. Its operations are no system calls, and not compared: trace both runs with --io-uring.";

/// Exit statuses.
const FAILED: i32 = 1;
const BROKEN: i32 = 3;

impl View for CompareView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.tally.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let mut out = Vec::new();
        if let Some(base) = &mut self.base {
            let only = base.only.as_ref();
            let bare = |frame: &Arc<StackFrame>| Arc::new(frame.without_source());
            let end = &End { with_source: if base.sources { end.with_source } else { &bare }, ..*end };
            let this = Profile::new(&self.tally, end, &|name| only.is_none_or(|only| only.contains(name)));
            let mut this = Profile::median(std::iter::once(this).chain(base.repeated.drain(..)).collect());
            if let (Some(theirs), Some(ours)) = (base.profile.home.clone(), this.home.clone())
                && theirs != ours
                && [&theirs, &ours].iter().all(|home| home.len() > 1)
            {
                base.profile.make_relative();
                this.make_relative();
                base.caveats.push(format!(
                    "The base began in {}, this run in {}: paths below these are compared as ./...",
                    shown(&theirs),
                    shown(&ours)
                ));
            }
            for (profile, which) in [(&this, "this run"), (&base.profile, "the base")] {
                if profile.lost_calls > 0 {
                    let lost = count(profile.lost_calls, "call was", "calls were");
                    base.caveats.push(format!(
                        "In {which}, {lost} lost: the program made more calls than are counted \
                                                     here."
                    ));
                }
            }
            if self.tally.has_unseen_operations() {
                base.caveats.push(UNSEEN.to_owned());
            }
            let diff = Diff::new(&base.profile, &this, base.times);
            let caveats = &base.caveats;
            match self.format {
                ReportFormat::Json => json::diff(&mut out, &diff, caveats),
                ReportFormat::Markdown => out.extend(report::markdown(&diff, caveats).into_bytes()),
                ReportFormat::GitHub => out.extend(report::annotation(&diff, caveats).into_bytes()),
                // (SARIF is for findings. The options do not let it come here.)
                ReportFormat::Text | ReportFormat::Sarif => out.extend(report::text(&diff, caveats).into_bytes()),
            }
        }
        if let Some(budget) = &self.budget {
            let checked = budget.check(&self.tally, end);
            match self.format {
                ReportFormat::Json => checked.json(&mut out),
                ReportFormat::Markdown => {
                    // A paragraph of its own, behind the comparison.
                    if !out.is_empty() {
                        out.push(b'\n');
                    }
                    out.extend(checked.markdown().into_bytes());
                }
                ReportFormat::GitHub => out.extend(checked.annotations().into_bytes()),
                ReportFormat::Text | ReportFormat::Sarif => out.extend(checked.text().into_bytes()),
            }
            if !checked.is_kept() {
                self.verdict = Some(BROKEN);
            }
        }
        if let Some((name, file)) = &mut self.write
            && let Err(error) = file.write_all(proposal::text(&self.tally, end).as_bytes())
        {
            let why = error.to_string();
            let why = why.split(" (os error").next().unwrap_or_default();
            let message = format!("Can't write the budget '{}': {why}.\n", name.escape_debug());
            out.extend_from_slice(message.as_bytes());
            self.verdict = Some(FAILED);
        }
        // Both kinds of output are text.
        String::from_utf8_lossy(&out).into_owned()
    }

    fn verdict(&self) -> Option<i32> {
        self.verdict
    }
}
