//! The thread of a view that works apart.

use super::batch::{Batch, BatchItem, BatchNote};
use crate::resolvers::AnswersInThread;
use anyhow::Result;
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use stride_decode::Resolver;
use stride_event::{Call, Lost};
use stride_output::{End, View, ViewError};
use stride_track::Tracker;

/// Makes a view, in the thread in which it works. The resolver answers its questions.
pub type MakeView = Box<dyn FnOnce(Box<dyn Resolver>) -> Result<Box<dyn View>> + Send>;

/// A task for the view's thread.
pub enum ViewTask {
    Show(Box<Batch>),
    /// To write everything.
    Flush,
    /// The run is over.
    Finish(Lost),
}

/// The answer to a task that is done.
#[derive(Default)]
pub struct ViewReply {
    /// A batch whose events have been shown.
    pub spare: Option<Batch>,
    pub errors: Vec<ViewError>,
    pub remarks: Vec<String>,
    /// The view's text for the end.
    pub text: Option<String>,
}

/// Makes the view, and does all tasks.
pub fn work(
    make: MakeView,
    answers: AnswersInThread,
    made: &SyncSender<Result<()>>,
    tasks: &Receiver<ViewTask>,
    replies: &Sender<ViewReply>,
) {
    let (resolver, answers) = answers.open();
    let mut view = match make(resolver) {
        Ok(view) => view,
        Err(error) => {
            let _ = made.send(Err(error));
            return;
        }
    };
    let _ = made.send(Ok(()));
    let mut tracker = Tracker::copy();
    let mut call = Call::default();
    for task in tasks {
        let mut reply = ViewReply::default();
        match task {
            ViewTask::Show(mut batch) => {
                batch.drain(&mut call, &mut tracker, |piece, tracker| match piece {
                    BatchItem::Event(event) => {
                        view.event(&event, tracker);
                        answers.shown(&event);
                    }
                    BatchItem::LeftOut(call) => view.left_out(call),
                    BatchItem::Note(BatchNote::Fact(fact)) => answers.set(fact),
                    BatchItem::Note(BatchNote::Sentence(what)) => view.note(&what),
                    BatchItem::Note(BatchNote::LeftOut) => {}
                });
                reply.spare = Some(*batch);
            }
            ViewTask::Flush => view.flush(),
            ViewTask::Finish(lost) => {
                let end = End { tracker: &tracker, lost, with_source: &|frame| frame.clone() };
                reply.text = Some(view.finish(&end));
            }
        }
        reply.errors.extend(std::iter::from_fn(|| view.take_error()));
        reply.remarks.extend(std::iter::from_fn(|| view.take_remark()));
        if replies.send(reply).is_err() {
            return;
        }
    }
}
