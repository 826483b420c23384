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
    /// With `all`, minor findings are shown as well.
    pub fn new(json: bool, all: bool, recording: Option<String>, info: &RunInfo) -> AdviseView {
        AdviseView { advisor: Advisor::new(info.scope(), all), json, recording }
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
            json::lines(&findings.told, &mut out);
            return String::from_utf8_lossy(&out).into_owned();
        }
        text::report(&findings, self.recording.as_deref(), end.lost.calls)
    }
}
