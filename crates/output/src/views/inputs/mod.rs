//! The inputs and products of a command (`--inputs`): files, programs, libraries, directories, addresses, and names that it did not find.

mod about;
mod cyclonedx;
mod declared;
mod digest;
mod environment;
mod gathered;
mod in_toto;
mod json;
mod listing;
mod make;
pub(super) mod manager;
mod names;
mod network;
mod opens;
mod resolve;
mod text;
mod users;
mod whole;

use crate::{End, RunInfo, Sink, View, ViewError};
use about::AboutList;
pub use declared::DeclaredInputs;
pub use digest::{Digest, Digests};
pub(super) use gathered::{InputsOfRun, TMPFILE};
pub(super) use listing::{ListPart, files, is_of_kernel};
pub(super) use names::{UsedPath, Uses, is_below, tidy};
pub(super) use network::Dealing;
pub(super) use resolve::from_root;
use std::io;
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
    InToto,
    CycloneDx,
}

impl InputsFormat {
    /// All of them.
    pub const ALL: [InputsFormat; 5] =
        [InputsFormat::Text, InputsFormat::Json, InputsFormat::Make, InputsFormat::InToto, InputsFormat::CycloneDx];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            InputsFormat::Text => "text",
            InputsFormat::Json => "json",
            InputsFormat::Make => "make",
            InputsFormat::InToto => "in-toto",
            InputsFormat::CycloneDx => "cyclonedx",
        }
    }

    /// True if the format has digests of files, where they can be read.
    pub fn has_digests(self) -> bool {
        matches!(self, InputsFormat::Json | InputsFormat::InToto | InputsFormat::CycloneDx)
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
/// The exit status if there is nothing that a statement could be about.
const NO_STATEMENT: i32 = 1;

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
        self.whole.event(event, tracker);
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
        let digests = self.digests.as_deref();
        let about = AboutList { info: &self.info, digests, lost: end.lost.calls, reasons: &reasons };
        let mut out = match (self.format, &self.declared) {
            (InputsFormat::Text, Some(declared)) => {
                let (report, is_so) = declared.report(&self.gathered, &reasons, &ending);
                self.verdict = (!is_so).then_some(UNDECLARED);
                report.into_bytes()
            }
            (InputsFormat::Text, None) => text::text(&self.gathered, &ending).into_bytes(),
            (InputsFormat::Make, _) => make::make(&self.gathered, &ending),
            (InputsFormat::Json, _) => json::json(&self.gathered, &about),
            (InputsFormat::CycloneDx, _) => cyclonedx::cyclonedx(&self.gathered, &about),
            (InputsFormat::InToto, _) => match in_toto::in_toto(&self.gathered, &about) {
                Some(statement) => statement,
                None => {
                    self.error = Some(no_subject());
                    self.verdict = Some(NO_STATEMENT);
                    return String::new();
                }
            },
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

fn no_subject() -> ViewError {
    let message = "nothing was written for --inputs=in-toto: such a statement is about files that the command made, and this \
                   command left none that can be read; --inputs=json has the list";
    ViewError::dropped(&io::Error::from(io::ErrorKind::NotFound), message.to_owned())
}

#[cfg(test)]
mod tests;
