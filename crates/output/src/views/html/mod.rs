//! `--html`: the run on one page.
//!
//! The view gathers data from events and writes the page when the run is over. A script draws the data in the browser.
//! Each section is a file. Memory is bounded whatever the tracee does: lists keep the heaviest rows and count the rest
//! (`top.rs`), and processes with few calls are merged into their parents.
//!
//! The timeline (`timeline.rs`, `lane.rs`) must be useful for a hundred calls and for a million, and the length and
//! pace of a run are not known beforehand. So every call is kept at first. When there are too many, calls shorter than
//! some width are counted in bins of that width. The width doubles whenever there are too many calls or bins. So a call
//! that is shown by itself is never narrower than a bin. Texts are made only for calls that are kept.
//!
//! The page is HTML, CSS and JavaScript in files of their own, which `template.rs` puts together. The data is JSON
//! without `<`, `>` and `&`. The script makes text nodes of it, never markup, and the page's content security policy
//! names the hashes of the one script and the one style.
//!
//! Architecture invariant: bytes from the tracee reach the page as text only. `crates/cli/tests/html.rs` checks that in
//! a headless Chromium.

mod call_text;
mod calls;
mod data;
mod errors;
pub(crate) mod family;
mod files;
mod findings;
mod gathered;
mod lane;
mod library;
mod marks;
mod overview;
pub(crate) mod page;
mod processes;
pub(crate) mod run_facts;
mod slowest;
mod stacks;
mod states;
pub(crate) mod template;
mod texts;
mod timeline;
mod timeline_data;
mod top;

use call_text::CallText;
use gathered::Gathered;
use run_facts::RunFacts;

use crate::sink::error::why;
use crate::{End, RunInfo, Style, View, ViewError};
use marks::Marks;
use std::io::Write;
use stride_advise::Advisor;
use stride_decode::{Options, Resolver};
use stride_event::{Call, Event};
use stride_track::Tracker;

/// The view. It gathers data, and writes the page at the end.
pub struct HtmlView {
    gathered: Option<Gathered>,
    /// With `--advise` only.
    advisor: Option<Advisor>,
    facts: RunFacts,
    /// The output of the page, and its name in messages.
    to: Box<dyn Write>,
    name: String,
    error: Option<ViewError>,
}

impl HtmlView {
    /// `options` and `resolver` decide how the texts of calls look.
    pub fn new(
        name: String,
        to: Box<dyn Write>,
        style: Style,
        options: Options,
        resolver: Box<dyn Resolver>,
        info: &RunInfo,
    ) -> HtmlView {
        let gathered = Gathered::new(CallText::new(style, options, resolver), info.started, info.command_text);
        HtmlView { gathered: Some(gathered), advisor: None, facts: RunFacts::of(info), to, name, error: None }
    }

    /// Adds a section of findings; with minor ones if `all`.
    pub fn with_advice(self, info: &RunInfo, all: bool) -> HtmlView {
        HtmlView { advisor: Some(Advisor::new(info.scope(), all)), ..self }
    }
}

impl View for HtmlView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        let kind = self.advisor.as_mut().and_then(|advisor| advisor.event(event, tracker));
        if let Some(gathered) = &mut self.gathered {
            gathered.event(event, kind, tracker);
        }
    }

    fn naming_call(&mut self, call: &Call, tracker: &Tracker) {
        if let Some(gathered) = &mut self.gathered {
            gathered.renamed(call, tracker);
        }
    }

    fn note(&mut self, what: &str) {
        self.facts.warnings.push(what.to_owned());
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let Some(gathered) = self.gathered.take() else { return String::new() };
        self.facts.lost(end);
        if let Some(began) = end.tracker.began() {
            self.facts.began(began);
        }
        let findings =
            self.advisor.as_mut().map(|advisor| advisor.findings(end.lost.calls, end.tracker, end.with_source));
        let marks = findings.as_ref().map(|findings| Marks::of(&findings.reported)).unwrap_or_default();
        let findings = findings.as_ref().map(findings::data);
        let mut data = gathered.data(std::mem::take(&mut self.facts), findings, &marks, end.tracker);
        let page = page::render(&mut data);
        if let Err(error) = self.to.write_all(page.as_bytes()).and_then(|()| self.to.flush()) {
            let message = format!("Can't write the page '{}': {}", self.name, why(&error));
            self.error = Some(ViewError::dropped(&error, message));
        }
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}

#[cfg(test)]
mod tests;
