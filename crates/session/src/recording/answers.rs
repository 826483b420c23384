//! The answers that a recording has beside its events.

use super::asking::Asking;
use std::cell::RefCell;
use std::rc::Rc;
use stride_event::Event;
use stride_proc::ReplaySource;
use stride_record::Fact;
use stride_track::Tracker;

/// Where the answers come from.
pub enum Answers {
    /// Each event is decoded, and /proc is asked what the decoder asks.
    Asked(Box<Asking>),
    /// Those of the recording that is copied.
    Copied(CopiedAnswers),
}

impl Answers {
    /// The answers that belong in front of the event.
    pub fn about(&mut self, event: &Event<'_>, tracker: &Tracker) -> Vec<Fact> {
        match self {
            Answers::Asked(asking) => asking.about(event, tracker),
            Answers::Copied(copied) => copied.news.take(),
        }
    }

    /// False if the recording that is copied breaks off.
    pub fn are_whole(&self) -> bool {
        match self {
            Answers::Asked(_) => true,
            Answers::Copied(copied) => copied.source.is_whole(),
        }
    }
}

/// The answers of a recording, as they are read. Those in front of events that filters leave out come with the next event that is kept.
pub struct CopiedAnswers {
    source: Rc<ReplaySource>,
    news: Rc<RefCell<Vec<Fact>>>,
}

impl CopiedAnswers {
    pub fn of(source: Rc<ReplaySource>) -> CopiedAnswers {
        let news = Rc::new(RefCell::new(Vec::new()));
        let listener = news.clone();
        source.tell(move |fact| listener.borrow_mut().push(fact.clone()));
        CopiedAnswers { source, news }
    }
}
