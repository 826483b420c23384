//! Resolvers: they answer which files and processes the descriptors and ids in calls refer to.

mod apart;
mod followed;

pub use apart::{AnswersInThread, ApartAnswers};

use crate::options::Options;
use crate::redaction::Redactor;
use crate::replay::Replay;
use apart::shows_whole_contexts;
use followed::{FollowedDescriptors, FollowedNames};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use stride_event::{Event, Question};
use stride_filter::{FdDetail, PidDetail, WordSet};
use stride_proc::{CachedSource, LiveSource, Proc, RecordingSource, ReplaySource, Source};
use stride_track::Tracker;

/// The sources of answers, one for each part that asks.
pub struct Resolvers {
    /// Answers the questions of the selection (`-P`).
    pub chosen_by: Rc<dyn Source>,
    /// Answers the questions of views.
    shown: Rc<dyn Source>,
    /// Answers the questions of the tracker.
    pub tracked: Rc<dyn Source>,
    /// The tracker, if the sources ask it about descriptors.
    pub tracker: Option<Rc<RefCell<Tracker>>>,
    /// Keeps the answers, if a view needs them.
    pub noting: Option<Rc<RecordingSource>>,
    /// The recorded answers, in a replay.
    recorded: Option<Rc<ReplaySource>>,
    /// Gets the names in events, and the ids if processes are looked up (`ids`).
    live: Option<Rc<LiveSource>>,
    ids: bool,
}

impl Resolvers {
    /// With `noted`, the answers are kept. With a redactor, they have no secrets.
    pub fn of(options: &Options, replay: Option<&Replay>, noted: bool, redactor: Option<Rc<Redactor>>) -> Resolvers {
        let clean = move |question: Question, answer: &mut [u8]| {
            if let Some(redactor) = &redactor {
                redactor.answer(question, answer);
            }
        };
        if let Some(replay) = replay {
            let recorded = replay.answers();
            recorded.clean_with(clean);
            let has_descriptors = replay.metadata().descriptors || !options.needs_descriptors();
            let tracker = (!has_descriptors).then(Rc::<RefCell<Tracker>>::default);
            let shown: Rc<dyn Source> = match &tracker {
                Some(tracker) => Rc::new(FollowedDescriptors { recorded: recorded.clone(), tracker: tracker.clone() }),
                None => recorded.clone(),
            };
            return Resolvers {
                chosen_by: shown.clone(),
                shown,
                tracked: recorded.clone(),
                tracker,
                noting: None,
                recorded: Some(recorded),
                live: None,
                ids: false,
            };
        }
        let program = options.command.as_ref().map(|command| Path::new(&command.program));
        let live = Rc::new(LiveSource::new(program).cleaned_by(clean));
        let ids = options.looks_processes_up();
        let tracker = options.follows_names().then(Rc::<RefCell<Tracker>>::default);
        let followed = tracker.clone().map(|tracker| Rc::new(FollowedNames::new(live.clone(), tracker)));
        if noted {
            // The selection asks first, then the recording, then the text, which shows the recorded answers.
            let source = Rc::new(match followed {
                Some(followed) => RecordingSource::new(followed),
                None => RecordingSource::new(live.clone()),
            });
            return Resolvers {
                chosen_by: source.clone(),
                shown: Rc::new(CachedSource(source.clone())),
                tracked: source.clone(),
                tracker,
                noting: Some(source),
                recorded: None,
                live: Some(live),
                ids,
            };
        }
        let shown: Rc<dyn Source> = match followed {
            Some(followed) => followed,
            None => live.clone(),
        };
        Resolvers {
            chosen_by: live.clone(),
            shown,
            tracked: live.clone(),
            tracker,
            noting: None,
            recorded: None,
            live: Some(live),
            ids,
        }
    }

    /// The recorded answers, in a replay.
    pub fn recorded(&self) -> Option<Rc<ReplaySource>> {
        self.recorded.clone()
    }

    /// Takes in the names and ids of an event, before anyone asks for them.
    pub fn note(&self, event: &Event<'_>) {
        if let Some(live) = &self.live {
            live.note_name(event);
            if self.ids {
                live.note_ids(event);
            }
        }
    }

    /// The answers for a view that works apart. `None` if the answers are only true while the event is in the main thread: those of the tracker, and
    /// those of /proc about descriptors and processes.
    pub fn apart(&self, options: &Options) -> Option<ApartAnswers> {
        let looks_up = !options.decode_fds.is_empty() || options.contexts.is_some() || options.looks_processes_up();
        if self.tracker.is_some() || self.noting.is_some() || self.recorded.is_none() && looks_up {
            return None;
        }
        Some(ApartAnswers::new(options, self.recorded.clone()))
    }

    /// The resolver for a view that shows as much as the options say.
    pub fn for_view(&self, options: &Options) -> Box<dyn stride_decode::Resolver> {
        let proc = Proc::new(options.decode_fds, options.decode_pids, self.shown.clone());
        Box::new(proc.contexts(shows_whole_contexts(options)))
    }
}

/// The resolver that the tracker asks.
pub fn followed(source: Rc<dyn Source>) -> Proc {
    let known = WordSet::of(&[FdDetail::Path, FdDetail::Socket]);
    Proc::new(known, WordSet::of(&[PidDetail::Comm]), source)
}
