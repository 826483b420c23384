//! The events for a view that works apart, and what the view must learn between them.

use stride_event::{Call, Event, EventBatch, Ns};
use stride_record::Fact;
use stride_track::{News, Tracker};

/// Events for the thread of a view. All parts are handed over in a few copies, and their memory is used again.
#[derive(Default)]
pub struct Batch {
    events: EventBatch,
    /// The news for the copy of the tracker, before each event. Empty if the view never asks the tracker.
    pub news: News,
    /// Notes, each with the position of the event that it precedes.
    notes: Vec<(usize, BatchNote)>,
    /// The bytes of the answers among these.
    answers: usize,
    /// The time of the first event that has one.
    began: Option<Ns>,
}

/// A note to the view or to its resolver, between two events.
pub enum BatchNote {
    /// An answer that holds from here on.
    Fact(Fact),
    /// The event is a call that the filters leave out.
    LeftOut,
    /// A sentence about the whole run.
    Sentence(String),
}

/// A batch of so many events or bytes is handed over. To wake a thread costs as much as a few calls, and a batch should stay in the CPU's cache.
const EVENTS: usize = 1 << 10;
const BYTES: usize = 1 << 19;

impl Batch {
    pub fn push(&mut self, event: &Event<'_>) {
        if self.began.is_none() {
            self.began = event.at();
        }
        self.events.push(event);
    }

    /// Notes something that comes before the next event.
    pub fn note(&mut self, note: BatchNote) {
        if let BatchNote::Fact(fact) = &note {
            self.answers += fact.answer.as_ref().map_or(0, Vec::len);
        }
        self.notes.push((self.events.len(), note));
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.notes.is_empty() && self.news.is_empty()
    }

    pub fn is_full(&self) -> bool {
        let count = self.events.len().max(self.notes.len());
        // The size is looked at now and then, because adding it up takes time.
        count >= EVENTS
            || self.answers >= BYTES
            || count.is_multiple_of(8) && self.events.size() + self.news.size() >= BYTES
    }

    /// True if the batch has an event that is older than `now` by this much.
    pub fn is_older(&self, now: Ns, than: Ns) -> bool {
        self.began.is_some_and(|began| now.saturating_sub(began) > than)
    }

    /// Moves everything to another batch.
    pub fn move_to(&mut self, other: &mut Batch) {
        self.events.move_to(&mut other.events);
        self.news.move_to(&mut other.news);
        other.notes.clear();
        other.notes.append(&mut self.notes);
        (other.answers, other.began) = (std::mem::take(&mut self.answers), self.began.take());
    }

    /// Hands out everything in order. The tracker learns what belongs to each event.
    pub fn drain(&mut self, call: &mut Call, tracker: &mut Tracker, mut take: impl FnMut(BatchItem<'_>, &Tracker)) {
        let mut notes = self.notes.drain(..).peekable();
        let mut news = self.news.read();
        self.events.drain(call, |i, event| {
            let mut is_left_out = false;
            while let Some((_, note)) = notes.next_if(|(at, _)| *at <= i) {
                match note {
                    BatchNote::LeftOut => is_left_out = true,
                    note => take(BatchItem::Note(note), tracker),
                }
            }
            let piece = match *event {
                Event::Enter(call) | Event::Exit(call) if is_left_out => BatchItem::LeftOut(call),
                event => {
                    tracker.learn(&mut news);
                    BatchItem::Event(event)
                }
            };
            take(piece, tracker);
        });
        notes.for_each(|(_, note)| take(BatchItem::Note(note), tracker));
        // The news behind the last event (`Teller::tell_all`).
        tracker.learn(&mut news);
    }
}

/// A part of a batch.
pub enum BatchItem<'a> {
    Note(BatchNote),
    LeftOut(&'a Call),
    Event(Event<'a>),
}
