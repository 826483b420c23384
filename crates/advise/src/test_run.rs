//! A made-up run, as the tests of rules show it.

use crate::{Advisor, Findings, Scope};
use std::sync::Arc;
use stride_event::{Event, WithSource};
use stride_track::Tracker;

pub struct TestRun {
    advisor: Advisor,
    tracker: Tracker,
    /// Lost calls.
    pub lost: u64,
}

impl TestRun {
    /// With `all`, minor findings are reported as well.
    pub fn new(all: bool) -> TestRun {
        TestRun::of(Scope::default(), all)
    }

    pub fn of(scope: Scope, all: bool) -> TestRun {
        TestRun { advisor: Advisor::new(scope, all), tracker: Tracker::default(), lost: 0 }
    }

    pub fn show(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &());
        self.advisor.event(&event, &self.tracker);
    }

    /// The ids of the findings that are reported.
    pub fn finding_ids(self) -> Vec<&'static str> {
        self.findings().reported.iter().map(|finding| finding.id).collect()
    }

    pub fn findings(self) -> Findings {
        self.findings_with(&Arc::clone)
    }

    pub fn findings_with(mut self, with_source: &WithSource<'_>) -> Findings {
        self.advisor.findings(self.lost, &self.tracker, with_source)
    }
}
