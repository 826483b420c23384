//! The advice as a view: findings, as text or JSON.

mod json;
pub mod text;

use crate::view::{End, View};
use stride_advise::Advisor;
use stride_event::Event;
use stride_track::Tracker;

/// Says at the end what could be saved.
pub struct AdviseView {
    advisor: Advisor,
    json: bool,
}

impl AdviseView {
    pub fn new(json: bool) -> AdviseView {
        AdviseView { advisor: Advisor::default(), json }
    }
}

impl View for AdviseView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.advisor.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let findings = self.advisor.findings(end.tracker);
        if self.json {
            let mut out = Vec::new();
            json::lines(&findings, &mut out);
            return String::from_utf8_lossy(&out).into_owned();
        }
        text::report(&findings, self.advisor.calls(), end.lost_calls)
    }
}
