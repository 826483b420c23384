//! What a command used and made (`--inputs`): files, programs, libraries, directories, addresses, and what it did not find.

mod gathered;
mod listing;
mod names;
mod network;
mod opens;
mod text;
mod users;
mod whole;

use crate::{End, RunInfo, View};
use gathered::InputsOfRun;
use stride_decode::Resolver;
use stride_event::{Call, Event, Outcome, StartKind, Tid};
use stride_syscalls::Effect;
use stride_track::Tracker;
use whole::Wholeness;

/// Reports at the end.
pub struct InputsView {
    gathered: InputsOfRun,
    whole: Wholeness,
    resolver: Box<dyn Resolver>,
}

impl InputsView {
    pub fn new(resolver: Box<dyn Resolver>, info: &RunInfo) -> InputsView {
        InputsView { gathered: InputsOfRun::default(), whole: Wholeness::new(info), resolver }
    }

    fn call(&mut self, call: &Call, tracker: &Tracker) {
        if matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_)) {
            self.gathered.calls += 1;
        }
        self.gathered.call(call, tracker);
        let executed = call.row().is_some_and(|row| row.has_effect(Effect::Executes));
        if executed && call.outcome == Outcome::Value(0) {
            self.started_by(call.tid, tracker);
        }
    }

    /// Asks for the files that the kernel opened to start a program.
    fn started_by(&mut self, tid: Tid, tracker: &Tracker) {
        let Some(seen) = tracker.seen() else { return };
        let Some(program) = seen.subject().map(|program| tracker.name(program)) else { return };
        match self.resolver.interpreters(tid, program) {
            Some(found) => found.iter().for_each(|path| self.gathered.interpreted(path, seen.pid, tracker)),
            None => self.whole.program_unread(),
        }
    }
}

impl View for InputsView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.whole.event(event);
        match *event {
            Event::Exit(call) => self.call(call, tracker),
            Event::Started { tid, process, origin, .. } if tid == process => {
                self.gathered.programs.forget(process);
                if let StartKind::Forked { .. } = origin {
                    // As long as its parent's program is known.
                    self.gathered.programs.of(process, tracker);
                }
            }
            Event::Exited { tid, .. } | Event::Killed { tid, .. } => {
                self.gathered.programs.forget(tid);
                self.gathered.closed(tracker);
            }
            _ => self.gathered.closed(tracker),
        }
    }

    fn note(&mut self, what: &str) {
        self.whole.note(what);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let ending = self.whole.sentence(&self.gathered, end);
        text::text(&self.gathered, &ending)
    }
}
