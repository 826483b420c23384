//! Names of keys without an object of the tracker.

use super::part::{KeyPart, NameId};
use super::rows::MAX_ROWS;
use crate::brief::frames;
use crate::line::waits::waker_name;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{CallWaits, Event, PerStack, Stack, Tid};
use stride_track::ObjectId;

/// The limit for all names together.
const MAX_BYTES: usize = 64 << 20;

/// Knows the users as whom threads run.
pub trait Users {
    /// Follows the events, also those that filters leave out.
    fn note(&mut self, event: &Event<'_>);
    /// The effective user id of a thread.
    fn user(&self, tid: Tid) -> Option<u32>;
    /// The name of a user, if the machine has it.
    fn name(&self, user: u32) -> Option<String>;
}

#[derive(Default)]
pub struct Names {
    /// Shared with other summaries of the run.
    pub users: Option<Rc<RefCell<Box<dyn Users>>>>,
    user_parts: HashMap<u32, KeyPart>,
    parts: HashMap<Rc<[u8]>, KeyPart>,
    all: Vec<Rc<[u8]>>,
    bytes: usize,
    directories: PerObject,
    peers: PerObject,
    callers: PerStack<Option<KeyPart>>,
    stacks: PerStack<Option<KeyPart>>,
}

impl Names {
    pub fn part(&mut self, name: &[u8]) -> KeyPart {
        if let Some(&part) = self.parts.get(name) {
            return part;
        }
        if self.all.len() >= MAX_ROWS || self.bytes >= MAX_BYTES {
            return KeyPart::Others;
        }
        let part = KeyPart::Name(NameId(self.all.len() as u32));
        let name: Rc<[u8]> = Rc::from(name);
        self.bytes += name.len();
        self.parts.insert(name.clone(), part);
        self.all.push(name);
        part
    }

    /// The thread, by its name and the call that it was in, or the interrupt that ended a call's longest sleep.
    pub fn waker(&mut self, waits: Option<&CallWaits>) -> KeyPart {
        let Some(waker) = waits.and_then(|waits| waits.longest).and_then(|longest| longest.waker) else {
            return KeyPart::None;
        };
        self.part(&waker_name(&waker))
    }

    /// The user as whom a thread runs.
    pub fn user(&mut self, tid: Tid) -> KeyPart {
        let user = self.users.as_ref().and_then(|users| users.borrow().user(tid));
        user.map_or(KeyPart::None, |user| self.user_id(user))
    }

    pub fn user_id(&mut self, user: u32) -> KeyPart {
        if let Some(&part) = self.user_parts.get(&user) {
            return part;
        }
        let name = self.users.as_ref().and_then(|users| users.borrow().name(user)).unwrap_or_else(|| user.to_string());
        let part = self.part(name.as_bytes());
        if self.user_parts.len() < MAX_ROWS {
            self.user_parts.insert(user, part);
        }
        part
    }

    pub fn name(&self, id: NameId) -> &[u8] {
        &self.all[id.0 as usize]
    }

    pub fn directory<'n>(&mut self, object: ObjectId, find: impl FnOnce() -> Option<&'n [u8]>) -> KeyPart {
        let cached = self.directories.get(object);
        cached.unwrap_or_else(|| {
            let part = find().map_or(KeyPart::None, |name| self.part(name));
            self.directories.set(object, part)
        })
    }

    pub fn peer<'n>(&mut self, object: ObjectId, find: impl FnOnce() -> Option<&'n [u8]>) -> KeyPart {
        let cached = self.peers.get(object);
        cached.unwrap_or_else(|| {
            let part = find().map_or(KeyPart::None, |name| self.part(name));
            self.peers.set(object, part)
        })
    }

    /// The function that made the call with this stack.
    pub fn caller(&mut self, stack: Option<&Arc<Stack>>) -> KeyPart {
        self.per_stack(stack, |names| &mut names.callers, frames::caller)
    }

    /// All functions of a stack.
    pub fn stack(&mut self, stack: Option<&Arc<Stack>>) -> KeyPart {
        self.per_stack(stack, |names| &mut names.stacks, frames::folded)
    }

    fn functions(&mut self, names: &[u8]) -> KeyPart {
        match self.part(names) {
            KeyPart::Name(id) => KeyPart::Functions(id),
            other => other,
        }
    }

    fn per_stack(
        &mut self,
        stack: Option<&Arc<Stack>>,
        cache: fn(&mut Names) -> &mut PerStack<Option<KeyPart>>,
        name: fn(&Stack) -> Vec<u8>,
    ) -> KeyPart {
        let Some(stack) = stack else { return self.functions(frames::UNKNOWN) };
        if let Some(part) = *cache(self).get(stack, |_| None) {
            return part;
        }
        let part = self.functions(&name(stack));
        *cache(self).get(stack, |_| None).insert(part)
    }
}

/// Caches what follows from an object's name. Objects are numbered from zero, and their number is limited.
#[derive(Default, Debug)]
struct PerObject(Vec<Option<KeyPart>>);

impl PerObject {
    fn get(&self, object: ObjectId) -> Option<KeyPart> {
        self.0.get(object.index()).copied().flatten()
    }

    fn set(&mut self, object: ObjectId, part: KeyPart) -> KeyPart {
        if self.0.len() <= object.index() {
            self.0.resize(object.index() + 1, None);
        }
        *self.0[object.index()].insert(part)
    }
}
