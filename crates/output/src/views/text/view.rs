//! The text view among the other views.

use super::TextView;
use crate::{End, View, ViewError};
use stride_event::{Call, Event, Tid};
use stride_track::Tracker;

impl View for TextView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        // Lines that show the names of threads take them from the tracker, which asks nobody.
        if (self.layout.form.is_some() || self.show.thread_names)
            && let Some(thread) = subject(event).and_then(|tid| tracker.thread(tid))
        {
            let is_whole = matches!(event, Event::Exit(_))
                && !self.stream(thread.tid).is_some_and(|(line, _)| line.is_pending(thread.tid));
            let at_entry = tracker.name_before(thread.tid).filter(|_| is_whole && !tracker.is_launch(thread.tid));
            let comm = at_entry.unwrap_or(&thread.comm);
            if comm.is_empty() {
                self.comms.remove(&thread.tid);
            } else if self.comms.get(&thread.tid).is_none_or(|known| known != comm) {
                self.comms.insert(thread.tid, comm.to_vec());
            }
        }
        TextView::event(self, event);
    }

    fn left_out(&mut self, call: &Call) {
        self.note_call(call);
    }

    fn flush(&mut self) {
        TextView::flush(self);
    }

    fn finish(&mut self, _: &End<'_>) -> String {
        TextView::flush(self);
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}

/// The thread that the line of an event is about.
fn subject(event: &Event<'_>) -> Option<Tid> {
    match *event {
        Event::Started { .. }
        | Event::Named { .. }
        | Event::NamespaceId { .. }
        | Event::NamingCall(_)
        | Event::Ending { .. }
        | Event::Stranger { .. }
        | Event::Idle => None,
        _ => event.thread(),
    }
}
