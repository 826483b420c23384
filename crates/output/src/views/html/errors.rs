//! Failed calls by syscall, error and object.

use super::data::{self, CallIndex};
use super::stacks::{ShownStack, StacksData};
use super::top::{Top, Weighed};
use crate::spelling::legible::legible;
use crate::spelling::names;
use std::cmp::Reverse;
use stride_event::Ns;
use stride_track::{ObjectId, Tracker};

const ROOM: usize = 1 << 15;
const SHOWN: usize = 200;
const NAME: usize = 240;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    call: CallIndex,
    errno: u32,
    object: Option<ObjectId>,
}

#[derive(Default)]
struct Count {
    count: u64,
    time: Ns,
    /// The stack of the first call.
    stack: Option<ShownStack>,
}

impl Weighed for Count {
    fn merge(&mut self, other: &Count) {
        self.count += other.count;
        self.time += other.time;
        if self.stack.is_none() {
            self.stack = other.stack.clone();
        }
    }

    fn weight(&self) -> u64 {
        self.count
    }
}

pub struct Errors {
    by_key: Top<Key, Count>,
    /// The sums over all objects, for the overview.
    by_call: Top<(CallIndex, u32), Count>,
}

impl Default for Errors {
    fn default() -> Errors {
        Errors { by_key: Top::new(ROOM), by_call: Top::new(ROOM) }
    }
}

impl Errors {
    pub fn add(&mut self, call: CallIndex, errno: u32, object: Option<ObjectId>, took: Ns, stack: Option<&ShownStack>) {
        let count = Count { count: 1, time: took, stack: stack.cloned() };
        self.by_key.get(Key { call, errno, object }).merge(&count);
        self.by_call.get((call, errno)).merge(&count);
    }

    /// The most frequent failure: syscall, error and count.
    pub fn most(&self) -> Option<(CallIndex, String, u64)> {
        let most = self.by_call.iter().max_by_key(|(key, count)| (count.count, Reverse(**key)));
        most.map(|(&(call, errno), count)| (call, name(errno).0, count.count))
    }

    pub fn data(self, tracker: &Tracker, stacks: &mut StacksData) -> data::ErrorsData {
        let (mut all, _, more) = self.by_key.into_parts();
        all.sort_by_key(|(key, count)| (Reverse(count.count), *key));
        let more = more + all.len().saturating_sub(SHOWN) as u64;
        let row = |(key, count): (Key, Count)| {
            let (errno, meaning) = name(key.errno);
            let name = key.object.map(|object| legible(tracker.name(object), NAME));
            let stack = stacks.place(count.stack.as_ref());
            data::ErrorData { call: key.call, errno, meaning, name, count: count.count, time: count.time, stack }
        };
        data::ErrorsData { rows: all.into_iter().take(SHOWN).map(row).collect(), more }
    }
}

fn name(errno: u32) -> (String, &'static str) {
    names::errno(errno).map_or_else(|| (format!("errno {errno}"), ""), |(name, text)| (name.to_owned(), text))
}
