//! The view: events in, reports out.

use crate::diff::Diff;
use crate::profile::Profile;
use crate::report;
use crate::tally::Tally;
use crate::words::count;
use std::collections::BTreeSet;
use stride_event::Event;
use stride_output::{End, View};
use stride_track::Tracker;

/// What to compare with.
pub struct Base {
    pub profile: Profile,
    /// What about how the two runs were traced makes them differ, a sentence each.
    pub circumstances: Vec<String>,
    /// Whether times can be compared.
    pub times: bool,
    /// The syscalls that are compared, if these are not all.
    pub only: Option<BTreeSet<&'static str>>,
}

#[derive(Default)]
pub struct CompareView {
    tally: Tally,
    base: Option<Base>,
}

impl CompareView {
    pub fn new(base: Option<Base>) -> CompareView {
        CompareView { base, ..CompareView::default() }
    }
}

impl View for CompareView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.tally.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let mut out = String::new();
        if let Some(base) = &mut self.base {
            let only = base.only.as_ref();
            let this = Profile::new(&self.tally, end, &|name| only.is_none_or(|only| only.contains(name)));
            for (profile, which) in [(&this, "this run"), (&base.profile, "the base")] {
                if profile.lost_calls > 0 {
                    let lost = count(profile.lost_calls, "call was", "calls were");
                    base.circumstances.push(format!("Of {which}, {lost} lost: it made more than is counted here."));
                }
            }
            out += &report::text(&Diff::new(&base.profile, &this, base.times), &base.circumstances);
        }
        out
    }
}
