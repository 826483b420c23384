//! A view that works in a thread of its own, while the next events are read, tracked and chosen.
//!
//! The main thread copies the view's events into batches. The view gets them in their order, with the answers that held when they happened, so it
//! writes what it would write in the main thread. It is told of everything else in the same way. `Opening::view` decides which views work so.
//!
//! Memory is bounded: one batch is being filled, at most [`WAITING`] wait, and one is being shown.

mod batch;
mod questions;
mod worker;

use crate::resolvers::ApartAnswers;
use anyhow::{Result, anyhow};
use batch::{Batch, BatchNote};
pub use questions::Questions;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};
use stride_engine_base::signal::without_signals;
use stride_event::{Call, Event, Ns};
use stride_output::{End, View, ViewError};
use stride_track::{Teller, Tracker};
pub use worker::MakeView;
use worker::{ViewReply, ViewTask};

/// The kinds of facts that a view takes besides its events: from the tracker, and calls that the filters leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asks {
    /// The names of threads.
    pub names: bool,
    /// All that is known about calls: also their objects and descriptors.
    pub subjects: bool,
    /// Calls that the filters leave out.
    pub left_out: bool,
}

/// The batches that wait for the view's thread, at most.
const WAITING: usize = 2;
/// A live view gets its events after so much time, even if they are few.
const OLDEST: Ns = 100_000_000;
const PANICKED: &str = "the thread that shows calls has panicked; please report this";
/// The bytes of the thread's stack. Values may be nested deeply.
const STACK: usize = 2 << 20;

/// The main thread's end of a view that works apart.
pub struct ApartView {
    handle: Rc<RefCell<Handle>>,
    /// Tells the view's tracker what the view may ask.
    teller: Option<Teller>,
    questions: Option<Questions>,
    asks: Asks,
    /// The answers come from a recording.
    replays: bool,
    /// The view has had no event since it was told that none came.
    is_quiet: bool,
}

/// The two channels to the view's thread, and the batches and answers on both sides.
struct Handle {
    /// The events that the view will get next.
    filling: Batch,
    /// None once the thread shall end.
    tasks: Option<SyncSender<ViewTask>>,
    replies: Receiver<ViewReply>,
    /// The tasks that are not done yet.
    pending: usize,
    thread: Option<JoinHandle<()>>,
    /// Batches to fill.
    spare: Vec<Batch>,
    errors: VecDeque<ViewError>,
    remarks: VecDeque<String>,
    has_panicked: bool,
}

impl ApartView {
    /// Starts the thread, and waits until it has made the view. If there can be no thread, `make` comes back.
    pub fn start(
        make: MakeView,
        asks: Asks,
        answers: ApartAnswers,
        questions: impl FnOnce() -> Questions,
    ) -> Result<Result<ApartView>, MakeView> {
        let (tasks, to_do) = sync_channel(WAITING);
        let (reply, replies) = channel();
        let (tell_made, made) = sync_channel(1);
        let (hand_over, maker) = sync_channel::<MakeView>(1);
        let in_thread = answers.in_thread();
        let run = move || {
            if let Ok(make) = maker.recv() {
                worker::work(make, in_thread, &tell_made, &to_do, &reply);
            }
        };
        let thread = without_signals(|| Builder::new().name("stride-view".into()).stack_size(STACK).spawn(run));
        let Ok(thread) = thread else { return Err(make) };
        hand_over.send(make).map_err(|unsent| unsent.0)?;
        let handle = Rc::new(RefCell::new(Handle {
            filling: Batch::default(),
            tasks: Some(tasks),
            replies,
            pending: 0,
            thread: Some(thread),
            spare: Vec::new(),
            errors: VecDeque::new(),
            remarks: VecDeque::new(),
            has_panicked: false,
        }));
        if let Err(error) = made.recv().unwrap_or_else(|_| Err(anyhow!(PANICKED))) {
            return Ok(Err(error));
        }
        let listener = Rc::downgrade(&handle);
        let replays = answers.listen(move |fact| {
            if let Some(handle) = listener.upgrade() {
                handle.borrow_mut().note(BatchNote::Fact(fact.clone()));
            }
        });
        let teller = (asks.names || asks.subjects).then(Teller::default);
        Ok(Ok(ApartView { handle, teller, questions: asks.subjects.then(questions), asks, replays, is_quiet: true }))
    }
}

impl Handle {
    fn note(&mut self, note: BatchNote) {
        self.filling.note(note);
        self.hand_over_if(Batch::is_full);
    }

    fn hand_over_if(&mut self, due: impl FnOnce(&Batch) -> bool) {
        if due(&self.filling) {
            self.hand_over();
        }
    }

    /// Hands the events over that have been gathered.
    fn hand_over(&mut self) {
        if self.filling.is_empty() {
            return;
        }
        while let Ok(reply) = self.replies.try_recv() {
            self.settle(reply);
        }
        let mut batch = self.spare.pop().unwrap_or_default();
        // The copy leaves the memory that is filled next in the cache of this CPU.
        self.filling.move_to(&mut batch);
        self.send(ViewTask::Show(Box::new(batch)));
    }

    fn send(&mut self, task: ViewTask) {
        let sent = self.tasks.as_ref().is_some_and(|tasks| tasks.send(task).is_ok());
        self.pending += usize::from(sent);
        if !sent {
            self.lost_thread();
        }
    }

    fn settle(&mut self, reply: ViewReply) -> Option<String> {
        self.pending -= 1;
        self.spare.extend(reply.spare);
        self.errors.extend(reply.errors);
        self.remarks.extend(reply.remarks);
        reply.text
    }

    /// Waits until all tasks are done. Returns the text of the last one.
    fn wait(&mut self) -> Option<String> {
        let mut text = None;
        while self.pending > 0 {
            match self.replies.recv() {
                Ok(reply) => text = self.settle(reply),
                Err(_) => {
                    self.pending = 0;
                    self.lost_thread();
                }
            }
        }
        text
    }

    fn lost_thread(&mut self) {
        if !std::mem::replace(&mut self.has_panicked, true) {
            let error = std::io::Error::other("panicked");
            self.errors.push_back(ViewError::cut(&error, PANICKED.to_owned()));
        }
    }
}

impl View for ApartView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        let handle = &mut *self.handle.borrow_mut();
        if matches!(event, Event::Idle) && std::mem::replace(&mut self.is_quiet, true) {
            return;
        }
        if let Some(teller) = &mut self.teller {
            let asked = self.questions.as_mut().map_or(&[][..], |questions| questions.about(event, tracker));
            teller.tell(event, tracker, asked, &mut handle.filling.news);
        }
        if matches!(event, Event::Idle) {
            handle.filling.push(event);
            handle.hand_over();
            return;
        }
        self.is_quiet = false;
        handle.filling.push(event);
        // The times of a recording say nothing about when somebody looks at what is shown.
        let now = event.at().filter(|_| !self.replays);
        handle.hand_over_if(|batch| batch.is_full() || now.is_some_and(|now| batch.is_older(now, OLDEST)));
    }

    fn left_out(&mut self, call: &Call) {
        if !self.asks.left_out {
            return;
        }
        let handle = &mut *self.handle.borrow_mut();
        handle.filling.note(BatchNote::LeftOut);
        handle.filling.push(&Event::Exit(call));
        handle.hand_over_if(Batch::is_full);
    }

    fn note(&mut self, what: &str) {
        self.handle.borrow_mut().note(BatchNote::Sentence(what.to_owned()));
    }

    fn flush(&mut self) {
        let handle = &mut *self.handle.borrow_mut();
        handle.hand_over();
        handle.send(ViewTask::Flush);
        handle.wait();
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let handle = &mut *self.handle.borrow_mut();
        if let Some(teller) = &mut self.teller {
            teller.tell_all(end.tracker, &mut handle.filling.news);
        }
        handle.hand_over();
        handle.send(ViewTask::Finish(end.lost));
        handle.wait().unwrap_or_default()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.handle.borrow_mut().errors.pop_front()
    }

    fn take_remark(&mut self) -> Option<String> {
        self.handle.borrow_mut().remarks.pop_front()
    }
}

/// Events that were shown are written even if the run breaks off.
impl Drop for Handle {
    fn drop(&mut self) {
        self.hand_over();
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
