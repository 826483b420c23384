//! The inputs and products of a command (`--inputs`): files, programs, libraries, directories, addresses, and names that it did not find.

mod declared;
mod digest;
mod gathered;
mod json;
mod listing;
mod make;
mod names;
mod network;
mod opens;
mod text;
mod users;
mod whole;

use crate::{End, RunInfo, Sink, View, ViewError};
pub use declared::DeclaredInputs;
pub use digest::{Digest, Digests};
pub(super) use gathered::{InputsOfRun, TMPFILE, from_root};
use json::AboutList;
pub(super) use listing::{is_below, is_of_kernel};
pub(super) use names::{UsedPath, Uses, tidy};
pub(super) use network::Dealing;
use stride_decode::Resolver;
use stride_event::Event;
use stride_track::Tracker;
pub(super) use users::{UsedBy, UserId};
pub(super) use whole::Wholeness;

/// The forms of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputsFormat {
    Text,
    Json,
    Make,
}

impl InputsFormat {
    /// All of them.
    pub const ALL: [InputsFormat; 3] = [InputsFormat::Text, InputsFormat::Json, InputsFormat::Make];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            InputsFormat::Text => "text",
            InputsFormat::Json => "json",
            InputsFormat::Make => "make",
        }
    }
}

/// Reports at the end.
pub struct InputsView {
    format: InputsFormat,
    gathered: InputsOfRun,
    whole: Wholeness,
    resolver: Box<dyn Resolver>,
    /// Reads the contents of files, in a live run.
    digests: Option<Box<dyn Digests>>,
    /// The list is compared with these.
    declared: Option<DeclaredInputs>,
    verdict: Option<i32>,
    info: RunInfo,
    sink: Sink,
    error: Option<ViewError>,
}

/// The exit status if an input was not declared, or if that cannot be told.
const UNDECLARED: i32 = 3;

impl InputsView {
    pub fn new(
        format: InputsFormat,
        resolver: Box<dyn Resolver>,
        digests: Option<Box<dyn Digests>>,
        info: &RunInfo,
        sink: Sink,
    ) -> InputsView {
        let (gathered, whole) = (InputsOfRun::default(), Wholeness::new(info));
        let (declared, verdict, error, info) = (None, None, None, info.clone());
        InputsView { format, gathered, whole, resolver, digests, declared, verdict, info, sink, error }
    }

    /// Reports how the list differs from what was declared.
    pub fn declaring(self, declared: Option<DeclaredInputs>) -> InputsView {
        InputsView { declared, ..self }
    }
}

impl View for InputsView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.whole.event(event);
        self.gathered.event(event, tracker);
        if let Event::Exit(call) = *event
            && !self.gathered.ask_interpreters(call, &*self.resolver, tracker)
        {
            self.whole.program_unread();
        }
    }

    fn note(&mut self, what: &str) {
        self.whole.note(what);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let reasons = self.whole.reasons(&self.gathered, end);
        let ending = whole::sentence(&self.gathered, end.lost, &reasons);
        let mut out = match (self.format, &self.declared) {
            (InputsFormat::Text, Some(declared)) => {
                let (report, is_so) = declared.report(&self.gathered, &reasons, &ending);
                self.verdict = (!is_so).then_some(UNDECLARED);
                report.into_bytes()
            }
            (InputsFormat::Text, None) => text::text(&self.gathered, &ending).into_bytes(),
            (InputsFormat::Make, _) => make::make(&self.gathered, &ending),
            (InputsFormat::Json, _) => {
                let digests = self.digests.as_deref();
                let about = AboutList { info: &self.info, digests, lost: end.lost.calls, reasons: &reasons };
                json::json(&self.gathered, &about)
            }
        };
        self.error = self.sink.write(&mut out).and_then(|()| self.sink.flush()).err();
        String::new()
    }

    fn verdict(&self) -> Option<i32> {
        self.verdict
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}

#[cfg(test)]
mod tests;
