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
    /// The recording of the calls, if there is one.
    recording: Option<String>,
}

impl AdviseView {
    pub fn new(json: bool, recording: Option<String>, info: &RunInfo) -> AdviseView {
        AdviseView { advisor: Advisor::new(info.scope()), json, recording }
    }
}

impl View for AdviseView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.advisor.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let findings = self.advisor.findings(end.tracker, end.with_source);
        if self.json {
            let mut out = Vec::new();
            json::lines(&findings, &mut out);
            return String::from_utf8_lossy(&out).into_owned();
        }
        text::report(&findings, self.recording.as_deref(), self.advisor.calls(), end.lost.calls)
    }
}
