//! The advice as a view: findings, as text.

pub mod text;

use crate::view::{End, View};
use stride_advise::Advisor;
use stride_event::Event;
use stride_track::Tracker;

/// Says at the end what could be saved.
#[derive(Default)]
pub struct AdviseView {
    advisor: Advisor,
}

impl View for AdviseView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.advisor.event(event, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let findings = self.advisor.findings(end.tracker);
        text::report(&findings, self.advisor.calls(), end.lost_calls)
    }
}
