//! The advice as a view: findings, as text or JSON.

mod json;
pub mod text;

use crate::view::{End, RunInfo, View};
use stride_advise::Advisor;
use stride_event::Event;
use stride_track::Tracker;

/// Reports the findings at the end.
pub struct AdviseView {
    advisor: Advisor,
    json: bool,
    /// Minor findings are shown as well.
    all: bool,
    /// The recording of the calls, if there is one.
    recording: Option<String>,
}

impl AdviseView {
    pub fn new(json: bool, all: bool, recording: Option<String>, info: &RunInfo) -> AdviseView {
        AdviseView { advisor: Advisor::new(info.scope()), json, all, recording }
    }
}

impl View for AdviseView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.advisor.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let mut findings = self.advisor.findings(end.tracker, end.with_source);
        let found = findings.len();
        findings.retain(|finding| self.all || !finding.minor);
        let left_out = found - findings.len();
        if self.json {
            let mut out = Vec::new();
            json::lines(&findings, &mut out);
            return String::from_utf8_lossy(&out).into_owned();
        }
        text::report(&findings, left_out, self.recording.as_deref(), self.advisor.calls(), end.lost.calls)
    }
}
