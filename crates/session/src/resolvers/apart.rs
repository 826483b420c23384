//! Answers for a view that works in a thread of its own.

use crate::options::Options;
use std::path::PathBuf;
use std::rc::Rc;
use stride_decode::Resolver;
use stride_event::Event;
use stride_filter::{ContextDetail, FdDetail, PidDetail, WordSet};
use stride_proc::{LiveSource, Proc, ReplaySource, Source, ended};
use stride_record::Fact;

/// The answers as the main thread has them.
pub struct ApartAnswers {
    /// `None`: they come from /proc.
    recorded: Option<Rc<ReplaySource>>,
    in_thread: AnswersInThread,
}

/// The options and facts from which a view's thread makes its own resolver.
#[derive(Clone)]
pub struct AnswersInThread {
    replays: bool,
    program: Option<PathBuf>,
    fds: WordSet<FdDetail>,
    pids: WordSet<PidDetail>,
    whole_contexts: bool,
}

/// True if SELinux contexts are shown whole.
pub fn shows_whole_contexts(options: &Options) -> bool {
    options.contexts.is_some_and(|detail| detail.contains(ContextDetail::Full))
}

impl ApartAnswers {
    /// `recorded`: the answers of a recording. Without one, /proc answers.
    pub fn new(options: &Options, recorded: Option<Rc<ReplaySource>>) -> ApartAnswers {
        let in_thread = AnswersInThread {
            replays: recorded.is_some(),
            program: options.command.as_ref().map(|command| PathBuf::from(&command.program)),
            fds: options.decode_fds,
            pids: options.decode_pids,
            whole_contexts: shows_whole_contexts(options),
        };
        ApartAnswers { recorded, in_thread }
    }

    pub fn in_thread(&self) -> AnswersInThread {
        self.in_thread.clone()
    }

    /// Tells `listener` each answer of a recording when it begins to hold. False if the answers come from /proc.
    pub fn listen(&self, listener: impl Fn(&Fact) + 'static) -> bool {
        if let Some(recorded) = &self.recorded {
            recorded.tell(listener);
        }
        self.recorded.is_some()
    }
}

impl AnswersInThread {
    /// The resolver for the view, and the answers of a recording, which the thread keeps up to date.
    pub fn open(self) -> (Box<dyn Resolver>, RecordedAnswers) {
        let recorded = self.replays.then(Rc::<ReplaySource>::default);
        let source: Rc<dyn Source> = match &recorded {
            Some(recorded) => recorded.clone(),
            None => Rc::new(LiveSource::new(self.program.as_deref())),
        };
        let resolver = Proc::new(self.fds, self.pids, source).contexts(self.whole_contexts);
        (Box::new(resolver), RecordedAnswers(recorded))
    }
}

/// The answers of a recording, if there is one.
pub struct RecordedAnswers(Option<Rc<ReplaySource>>);

impl RecordedAnswers {
    pub fn set(&self, fact: Fact) {
        if let Some(recorded) = &self.0 {
            recorded.set(fact);
        }
    }

    /// An event has been shown. What held for its thread may be over.
    pub fn shown(&self, event: &Event<'_>) {
        if let (Some(recorded), Some(tid)) = (&self.0, ended(event)) {
            recorded.forget(tid);
        }
    }
}
