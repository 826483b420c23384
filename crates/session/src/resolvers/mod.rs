//! Answers to what calls do not say: what descriptors and ids refer to.

mod followed;

use crate::options::Options;
use crate::replay::Replay;
use followed::{FollowedDescriptors, FollowedNames};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use stride_event::Event;
use stride_filter::{ContextDetail, FdDetail, PidDetail, WordSet};
use stride_proc::{CachedSource, LiveSource, Proc, RecordingSource, Source};
use stride_track::Tracker;

/// The sources of answers, one for each that asks.
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
    /// Is told of events, also about ids if processes are looked up.
    told: Option<Rc<LiveSource>>,
    ids: bool,
}

impl Resolvers {
    /// `noted`: whether the answers are kept.
    pub fn of(options: &Options, replay: Option<&Replay>, noted: bool) -> Resolvers {
        if let Some(replay) = replay {
            let told = replay.told();
            let recorded = replay.metadata().descriptors || !options.needs_descriptors();
            let tracker = (!recorded).then(Rc::<RefCell<Tracker>>::default);
            let known: Rc<dyn Source> = match &tracker {
                Some(tracker) => Rc::new(FollowedDescriptors { recorded: told.clone(), tracker: tracker.clone() }),
                None => told.clone(),
            };
            return Resolvers {
                chosen_by: known.clone(),
                shown: known,
                tracked: told,
                tracker,
                noting: None,
                told: None,
                ids: false,
            };
        }
        let program = options.command.as_ref().map(|command| Path::new(&command.program));
        let live = Rc::new(LiveSource::new(program));
        let (told, ids) = (Some(live.clone()), options.looks_processes_up());
        let tracker = options.follows_names().then(Rc::<RefCell<Tracker>>::default);
        let followed = tracker.clone().map(|tracker| Rc::new(FollowedNames::new(live.clone(), tracker)));
        if noted {
            // The selection asks first, then the recording, then the text, which shows the recorded answers.
            let source = Rc::new(match followed {
                Some(followed) => RecordingSource::new(followed),
                None => RecordingSource::new(live),
            });
            return Resolvers {
                chosen_by: source.clone(),
                shown: Rc::new(CachedSource(source.clone())),
                tracked: source.clone(),
                tracker,
                noting: Some(source),
                told,
                ids,
            };
        }
        let shown: Rc<dyn Source> = match followed {
            Some(followed) => followed,
            None => live.clone(),
        };
        Resolvers { chosen_by: live.clone(), shown, tracked: live, tracker, noting: None, told, ids }
    }

    /// Takes in the names and ids of an event, before anyone asks for them.
    pub fn note(&self, event: &Event<'_>) {
        if let Some(told) = &self.told {
            told.note_name(event);
            if self.ids {
                told.note_ids(event);
            }
        }
    }

    /// The resolver for a view that shows as much as the options say.
    pub fn asked_by(&self, options: &Options) -> Box<dyn stride_decode::Resolver> {
        let whole = options.contexts.is_some_and(|detail| detail.contains(ContextDetail::Full));
        Box::new(Proc::new(options.decode_fds, options.decode_pids, self.shown.clone()).contexts(whole))
    }
}

/// The resolver that the tracker asks.
pub fn followed(source: Rc<dyn Source>) -> Proc {
    let known = WordSet::of(&[FdDetail::Path, FdDetail::Socket]);
    Proc::new(known, WordSet::of(&[PidDetail::Comm]), source)
}
