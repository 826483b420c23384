//! A packet sequence: its interned strings, its clock, and its events.
//!
//! Each living thread has one. Calls of a thread follow one another, so times are differences from the packet before,
//! and the track need not be named. When a thread ends, the next thread takes over its sequence with all interned
//! strings.

use super::intern::{How, InternTable};
use super::stacks::{Callstack, DefinedStacks};
use super::{schema, wire};
use stride_event::Ns;

pub struct PacketSequence {
    id: u64,
    /// The time of the latest packet.
    last: Ns,
    track: u64,
    names: InternTable,
    categories: InternTable,
    keys: InternTable,
    strings: InternTable,
    stacks: DefinedStacks,
}

/// Buffers for the parts of an unfinished packet.
#[derive(Default)]
pub struct Scratch {
    event: Vec<u8>,
    interned: Vec<u8>,
}

impl PacketSequence {
    /// Opens a sequence of events on a track.
    pub fn new(id: u64, track: u64, at: Ns, out: &mut Vec<u8>) -> PacketSequence {
        let mut lane = PacketSequence {
            id,
            last: at,
            track,
            names: InternTable::default(),
            categories: InternTable::default(),
            keys: InternTable::default(),
            strings: InternTable::default(),
            stacks: DefinedStacks::default(),
        };
        lane.restart(out);
        lane
    }

    pub fn last(&self) -> Ns {
        self.last
    }

    /// Moves the following events to another track.
    pub fn turn_to(&mut self, track: u64, out: &mut Vec<u8>) {
        self.track = track;
        let id = self.id;
        wire::message(out, schema::trace::PACKET, |out| {
            wire::uint(out, schema::packet::SEQUENCE_ID, id);
            wire::uint(out, schema::packet::SEQUENCE_FLAGS, schema::packet::NEEDS_STATE);
            defaults(out, track);
        });
    }

    /// Forgets the interned strings if there are more than `limit`.
    pub fn trim(&mut self, limit: usize, out: &mut Vec<u8>) {
        if self.strings.len() + self.names.len() + self.stacks.len() > limit {
            self.restart(out);
        }
    }

    fn restart(&mut self, out: &mut Vec<u8>) {
        for table in [&mut self.names, &mut self.categories, &mut self.keys, &mut self.strings] {
            table.clear();
        }
        self.stacks.clear();
        let (id, track, at) = (self.id, self.track, self.last);
        wire::message(out, schema::trace::PACKET, |out| {
            wire::uint(out, schema::packet::SEQUENCE_ID, id);
            wire::uint(out, schema::packet::SEQUENCE_FLAGS, schema::packet::STATE_CLEARED);
            defaults(out, track);
            wire::message(out, schema::packet::CLOCK_SNAPSHOT, |out| {
                clock(out, schema::clock::OWN, at, true);
                clock(out, schema::clock::MONOTONIC, at, false);
            });
        });
    }

    /// Begins an event. Time does not go back within a sequence.
    pub fn event<'l>(&'l mut self, kind: u64, at: Ns, scratch: &'l mut Scratch) -> Packet<'l> {
        scratch.event.clear();
        scratch.interned.clear();
        wire::uint(&mut scratch.event, schema::event::TYPE, kind);
        Packet { at: at.max(self.last), lane: self, scratch }
    }
}

fn defaults(out: &mut Vec<u8>, track: u64) {
    wire::message(out, schema::packet::DEFAULTS, |out| {
        wire::uint(out, schema::defaults::CLOCK_ID, schema::clock::OWN);
        wire::message(out, schema::defaults::TRACK_EVENT, |out| wire::uint(out, schema::defaults::TRACK, track));
    });
}

/// One clock of a clock snapshot.
pub fn clock(out: &mut Vec<u8>, id: u64, at: Ns, incremental: bool) {
    wire::message(out, schema::snapshot::CLOCKS, |out| {
        wire::uint(out, schema::clock::ID, id);
        wire::uint(out, schema::clock::TIMESTAMP, at);
        if incremental {
            wire::uint(out, schema::clock::IS_INCREMENTAL, 1);
        }
    });
}

pub struct Packet<'l> {
    at: Ns,
    lane: &'l mut PacketSequence,
    scratch: &'l mut Scratch,
}

impl Packet<'_> {
    pub fn name(&mut self, name: &str) -> &mut Self {
        let id = interned_id(self.lane.names.always(name), schema::interned::NAMES, name, &mut self.scratch.interned);
        wire::uint(&mut self.scratch.event, schema::event::NAME, id);
        self
    }

    pub fn category(&mut self, name: &str) -> &mut Self {
        let id = interned_id(
            self.lane.categories.always(name),
            schema::interned::CATEGORIES,
            name,
            &mut self.scratch.interned,
        );
        wire::uint(&mut self.scratch.event, schema::event::CATEGORY, id);
        self
    }

    /// Adds a flow that begins here or passes through.
    pub fn flow(&mut self, id: u64) -> &mut Self {
        wire::fixed64(&mut self.scratch.event, schema::event::FLOW, id);
        self
    }

    /// Adds a flow that ends here.
    pub fn flow_end(&mut self, id: u64) -> &mut Self {
        wire::fixed64(&mut self.scratch.event, schema::event::TERMINATING_FLOW, id);
        self
    }

    /// Adds the functions that led to the event.
    pub fn callstack(&mut self, stack: &Callstack) -> &mut Self {
        let id = self.lane.stacks.number(stack, &mut self.scratch.interned);
        wire::uint(&mut self.scratch.event, schema::event::CALLSTACK, id);
        self
    }

    pub fn int(&mut self, key: &'static str, v: i64) -> &mut Self {
        self.annotation(key, |out| wire::uint(out, schema::annotation::INT, v as u64))
    }

    pub fn uint(&mut self, key: &'static str, v: u64) -> &mut Self {
        self.annotation(key, |out| wire::uint(out, schema::annotation::UINT, v))
    }

    pub fn yes(&mut self, key: &'static str) -> &mut Self {
        self.annotation(key, |out| wire::uint(out, schema::annotation::BOOL, 1))
    }

    pub fn text(&mut self, key: &'static str, text: &str) -> &mut Self {
        match self.lane.strings.again(text) {
            How::Inline => self.annotation(key, |out| wire::string(out, schema::annotation::STRING, text)),
            how => {
                let id = interned_id(how, schema::interned::ANNOTATION_STRINGS, text, &mut self.scratch.interned);
                self.annotation(key, |out| wire::uint(out, schema::annotation::STRING_ID, id))
            }
        }
    }

    fn annotation(&mut self, key: &'static str, value: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        let Scratch { event, interned } = &mut *self.scratch;
        let id = interned_id(self.lane.keys.always(key), schema::interned::ANNOTATION_NAMES, key, interned);
        wire::message(event, schema::event::ANNOTATION, |out| {
            wire::uint(out, schema::annotation::NAME, id);
            value(out);
        });
        self
    }

    pub fn write(&mut self, out: &mut Vec<u8>) {
        let since = self.at - self.lane.last;
        self.lane.last = self.at;
        wire::message(out, schema::trace::PACKET, |out| {
            wire::uint(out, schema::packet::TIMESTAMP, since);
            wire::uint(out, schema::packet::SEQUENCE_ID, self.lane.id);
            wire::uint(out, schema::packet::SEQUENCE_FLAGS, schema::packet::NEEDS_STATE);
            if !self.scratch.interned.is_empty() {
                wire::bytes(out, schema::packet::INTERNED_DATA, &self.scratch.interned);
            }
            wire::bytes(out, schema::packet::TRACK_EVENT, &self.scratch.event);
        });
    }
}

/// The number of an interned string. If the string is new, the packet defines it.
fn interned_id(how: How, index: u32, text: &str, interned: &mut Vec<u8>) -> u64 {
    match how {
        How::Known(id) => id,
        How::New(id) => {
            wire::message(interned, index, |out| {
                wire::uint(out, schema::interned::ID, id);
                wire::string(out, schema::interned::TEXT, text);
            });
            id
        }
        How::Inline => 0,
    }
}
