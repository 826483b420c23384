//! The view: events in, reports out.

use crate::budget::Budget;
use crate::diff::Diff;
use crate::draft::Draft;
use crate::profile::Profile;
use crate::report;
use crate::tally::Tally;
use crate::words::{count, shown};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use stride_event::{Event, Ns};
use stride_output::{End, View};
use stride_track::Tracker;

/// What to compare with.
pub struct Base {
    pub profile: Profile,
    /// What about how the two runs were traced makes them differ, a sentence each.
    pub circumstances: Vec<String>,
    /// How precise times are, in nanoseconds a call, if they can be compared.
    pub times: Option<Ns>,
    /// The syscalls that are compared, if these are not all.
    pub only: Option<BTreeSet<&'static str>>,
}

/// What a run is held against, and what is made of it.
pub struct CompareView {
    base: Option<Base>,
    budget: Option<Budget>,
    write: Option<(String, File)>,
    tally: Tally,
    verdict: Option<i32>,
}

impl CompareView {
    /// `write` is where a budget is written, and how messages name that.
    pub fn new(base: Option<Base>, budget: Option<Budget>, write: Option<(String, File)>) -> CompareView {
        CompareView { base, budget, write, tally: Tally::default(), verdict: None }
    }
}

/// Exit statuses.
const FAILED: i32 = 1;
const BROKEN: i32 = 3;

impl View for CompareView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.tally.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let mut out = String::new();
        if let Some(base) = &mut self.base {
            let only = base.only.as_ref();
            let mut this = Profile::new(&self.tally, end, &|name| only.is_none_or(|only| only.contains(name)));
            if let (Some(theirs), Some(ours)) = (base.profile.home.clone(), this.home.clone())
                && theirs != ours
                && [&theirs, &ours].iter().all(|home| home.len() > 1)
            {
                base.profile.make_relative();
                this.make_relative();
                base.circumstances.push(format!(
                    "The base began in {}, this run in {}: what is below is compared as ./...",
                    shown(&theirs),
                    shown(&ours)
                ));
            }
            for (profile, which) in [(&this, "this run"), (&base.profile, "the base")] {
                if profile.lost_calls > 0 {
                    let lost = count(profile.lost_calls, "call was", "calls were");
                    base.circumstances.push(format!("Of {which}, {lost} lost: it made more than is counted here."));
                }
            }
            out += &report::text(&Diff::new(&base.profile, &this, base.times), &base.circumstances);
        }
        if let Some(budget) = &self.budget {
            let checked = budget.check(&self.tally, end);
            out += &checked.text;
            if !checked.kept {
                self.verdict = Some(BROKEN);
            }
        }
        if let Some((name, file)) = &mut self.write
            && let Err(error) = file.write_all(Draft::text(&self.tally, end).as_bytes())
        {
            let why = error.to_string();
            let why = why.split(" (os error").next().unwrap_or_default();
            out += &format!("Can't write the budget '{}': {why}. What is there is not whole.\n", name.escape_debug());
            self.verdict = Some(FAILED);
        }
        out
    }

    fn verdict(&self) -> Option<i32> {
        self.verdict
    }
}
