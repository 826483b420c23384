//! The part of a run that every reader of an engine's events needs: answers, stacks and the selection.

use crate::options::Options;
use crate::resolvers::Resolvers;
use crate::selection::{Conditions, PathSelector, Selector};
use crate::start::{Needs, stacks};
use std::cell::RefCell;
use std::rc::Rc;
use stride_engine_base::Engine;
use stride_event::Event;
use stride_stacks::{Fetch, Stacks};
use stride_track::Tracker;

pub struct Observation {
    pub resolvers: Resolvers,
    pub selector: Selector,
    /// Makes stacks for the engine, if a view or a filter needs them.
    pub stacks: Option<Rc<RefCell<Stacks>>>,
}

impl Observation {
    /// Tells the engine who knows stacks and who chooses the calls that are changed, before its first event is taken.
    pub fn of(
        engine: &mut dyn Engine,
        options: &Options,
        needs: &Needs,
        resolvers: Resolvers,
        tracker: Rc<RefCell<Tracker>>,
        debug_servers: Option<Box<Fetch>>,
    ) -> Observation {
        let stacks = stacks::live(options, needs, debug_servers);
        if let Some(stacks) = &stacks {
            engine.unwind_with(stacks.clone());
        }
        let source = resolvers.chosen_by.clone();
        if let Some(files) = PathSelector::new(options, source.clone()) {
            engine.choose_with(Rc::new(RefCell::new(files)));
        }
        let conditions = Conditions::new(options, source.clone(), resolvers.for_view(options), tracker);
        let selector = Selector::new(options, needs.all_calls, source, conditions);
        Observation { resolvers, selector, stacks }
    }

    /// Takes in an event, before the tracker and the selection see it. False if the event is for the resolvers alone.
    pub fn note(&self, event: &Event<'_>) -> bool {
        self.resolvers.note(event);
        if matches!(event, Event::Named { .. } | Event::NamespaceId { .. }) {
            return false;
        }
        if let Some(stacks) = &self.stacks {
            stacks.borrow_mut().note(event);
        }
        true
    }
}
