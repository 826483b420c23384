//! Events that are kept for a while, or go to another thread.

use crate::capture::memory::StoredBlock;
use crate::{
    Call, CallWaits, Descriptor, Event, EventOf, FileKind, LibraryCall, Ns, Outcome, SIGINFO_SIZE, Stack, Tampering,
    Tid,
};
use std::sync::Arc;
use stride_syscalls::Abi;

/// Events with their calls and the memory of these, in few pieces of memory that are used again.
#[derive(Debug, Default)]
pub struct EventBatch {
    /// Calls are held in the same order.
    events: Vec<HeldEvent>,
    calls: Vec<StoredCall>,
    /// The rare parts of those calls that have any.
    rare: Vec<RareParts>,
    blocks: Vec<StoredBlock>,
    bytes: Vec<u8>,
}

type HeldEvent = EventOf<HeldCall, Box<[u8; SIGINFO_SIZE]>, Option<Arc<Stack>>, Box<LibraryCall>>;

/// The event's call is the next one.
#[derive(Clone, Copy, Debug)]
struct HeldCall;

/// The parts of a call that most calls have.
#[derive(Debug)]
struct StoredCall {
    tid: Tid,
    abi: Abi,
    is_rare: bool,
    nr: u64,
    args: [u64; 6],
    ip: u64,
    sp: u64,
    entered: Option<Ns>,
    returned: Ns,
    outcome: Outcome,
    /// The numbers of its blocks and of their bytes.
    blocks: usize,
    bytes: usize,
}

/// The parts of a call that few calls have.
#[derive(Debug, Default)]
struct RareParts {
    resumes: Option<u64>,
    held: Ns,
    system_time: Ns,
    tampering: Tampering,
    file_kind: Option<FileKind>,
    counted: bool,
    descriptors: Vec<Descriptor>,
    container: Option<Arc<str>>,
    stack: Option<Arc<Stack>>,
    stack_calls: u32,
    waits: Option<Box<CallWaits>>,
}

impl EventBatch {
    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True if there are no events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The bytes that the events take, without what they share with others.
    pub fn size(&self) -> usize {
        size_of_val(&self.events[..])
            + size_of_val(&self.calls[..])
            + size_of_val(&self.rare[..])
            + size_of_val(&self.blocks[..])
            + self.bytes.len()
    }

    /// Adds a copy of an event.
    pub fn push(&mut self, event: &Event<'_>) {
        let event = match *event {
            Event::Enter(call) => EventOf::Enter(self.keep(call)),
            Event::Exit(call) => EventOf::Exit(self.keep(call)),
            Event::NamingCall(call) => EventOf::NamingCall(self.keep(call)),
            Event::Library(call) => EventOf::Library(Box::new(call.clone())),
            Event::Signal { tid, info, ip, stack, at } => {
                EventOf::Signal { tid, info: Box::new(*info), ip, stack: stack.cloned(), at }
            }
            Event::Superseded { tid, old, call, at } => {
                EventOf::Superseded { tid, old, call: call.map(|call| self.keep(call)), at }
            }
            Event::Detached { tid, call, at } => EventOf::Detached { tid, call: call.map(|call| self.keep(call)), at },
            Event::Started { tid, process, origin, at } => EventOf::Started { tid, process, origin, at },
            Event::Named { tid, name } => EventOf::Named { tid, name },
            Event::NamespaceId { tid, namespace, id } => EventOf::NamespaceId { tid, namespace, id },
            Event::Stopped { tid, signal, at } => EventOf::Stopped { tid, signal, at },
            Event::Ending { tid } => EventOf::Ending { tid },
            Event::Exited { tid, status, at } => EventOf::Exited { tid, status, at },
            Event::Killed { tid, signal, core, at } => EventOf::Killed { tid, signal, core, at },
            Event::Stranger { tid, fate } => EventOf::Stranger { tid, fate },
            Event::Personality { tid, abi, at } => EventOf::Personality { tid, abi, at },
            Event::Lost { tid, count, at } => EventOf::Lost { tid, count, at },
            Event::Idle => EventOf::Idle,
        };
        self.events.push(event);
    }

    fn keep(&mut self, call: &Call) -> HeldCall {
        let Call { tid, abi, nr, args, ip, sp, entered, returned, outcome, .. } = *call;
        let is_rare = RareParts::has(call);
        if is_rare {
            self.rare.push(RareParts::of(call));
        }
        let (blocks, bytes) = call.blocks.store(&mut self.blocks, &mut self.bytes);
        let call = StoredCall { tid, abi, is_rare, nr, args, ip, sp, entered, returned, outcome, blocks, bytes };
        self.calls.push(call);
        HeldCall
    }

    /// Moves all events to another batch, whose own are dropped.
    pub fn move_to(&mut self, other: &mut EventBatch) {
        other.clear();
        other.events.append(&mut self.events);
        other.calls.append(&mut self.calls);
        other.rare.append(&mut self.rare);
        other.blocks.append(&mut self.blocks);
        other.bytes.append(&mut self.bytes);
    }

    /// Drops all events, and keeps the memory for others.
    pub fn clear(&mut self) {
        let EventBatch { events, calls, rare, blocks, bytes } = self;
        events.clear();
        calls.clear();
        rare.clear();
        blocks.clear();
        bytes.clear();
    }

    /// Hands out all events in order, each with its position. `call` is where calls are put together; its memory is used again.
    pub fn drain(&mut self, call: &mut Call, mut take: impl FnMut(usize, &Event<'_>)) {
        let (mut calls, mut rare) = (self.calls.drain(..), self.rare.drain(..));
        let (mut blocks, mut bytes) = (&self.blocks[..], &self.bytes[..]);
        for (i, event) in self.events.drain(..).enumerate() {
            if event.holds_call()
                && let Some(stored) = calls.next()
            {
                let parts = if stored.is_rare { rare.next() } else { None };
                let (here, others) = blocks.split_at(stored.blocks);
                let (memory, rest) = bytes.split_at(stored.bytes);
                (blocks, bytes) = (others, rest);
                call.blocks.restore(here, memory);
                stored.restore(parts, call);
            }
            let held = &*call;
            let event = match &event {
                EventOf::Enter(HeldCall) => Event::Enter(held),
                EventOf::Exit(HeldCall) => Event::Exit(held),
                EventOf::NamingCall(HeldCall) => Event::NamingCall(held),
                EventOf::Library(call) => Event::Library(call),
                &EventOf::Signal { tid, ref info, ip, ref stack, at } => {
                    Event::Signal { tid, info, ip, stack: stack.as_ref(), at }
                }
                &EventOf::Superseded { tid, old, call, at } => {
                    Event::Superseded { tid, old, call: call.map(|HeldCall| held), at }
                }
                &EventOf::Detached { tid, call, at } => Event::Detached { tid, call: call.map(|HeldCall| held), at },
                &EventOf::Started { tid, process, origin, at } => Event::Started { tid, process, origin, at },
                &EventOf::Named { tid, name } => Event::Named { tid, name },
                &EventOf::NamespaceId { tid, namespace, id } => Event::NamespaceId { tid, namespace, id },
                &EventOf::Stopped { tid, signal, at } => Event::Stopped { tid, signal, at },
                &EventOf::Ending { tid } => Event::Ending { tid },
                &EventOf::Exited { tid, status, at } => Event::Exited { tid, status, at },
                &EventOf::Killed { tid, signal, core, at } => Event::Killed { tid, signal, core, at },
                &EventOf::Stranger { tid, fate } => Event::Stranger { tid, fate },
                &EventOf::Personality { tid, abi, at } => Event::Personality { tid, abi, at },
                &EventOf::Lost { tid, count, at } => Event::Lost { tid, count, at },
                EventOf::Idle => Event::Idle,
            };
            take(i, &event);
        }
        drop((calls, rare));
        self.clear();
    }
}

impl HeldEvent {
    /// True if a call belongs to the event.
    fn holds_call(&self) -> bool {
        match self {
            EventOf::Enter(HeldCall) | EventOf::Exit(HeldCall) | EventOf::NamingCall(HeldCall) => true,
            EventOf::Superseded { call, .. } | EventOf::Detached { call, .. } => call.is_some(),
            _ => false,
        }
    }
}

impl StoredCall {
    /// Sets all parts of the call but its blocks.
    fn restore(self, rare: Option<RareParts>, call: &mut Call) {
        let StoredCall { tid, abi, is_rare: _, nr, args, ip, sp, entered, returned, outcome, blocks: _, bytes: _ } =
            self;
        (call.tid, call.abi, call.nr, call.args, call.ip, call.sp) = (tid, abi, nr, args, ip, sp);
        (call.entered, call.returned, call.outcome) = (entered, returned, outcome);
        match rare {
            Some(rare) => rare.restore(call),
            None if RareParts::has(call) => RareParts { stack_calls: 1, ..RareParts::default() }.restore(call),
            None => {}
        }
    }
}

impl RareParts {
    fn has(call: &Call) -> bool {
        call.resumes.is_some()
            || call.held != 0
            || call.system_time != 0
            || call.tampering != Tampering::default()
            || call.file_kind.is_some()
            || call.counted
            || !call.descriptors.is_empty()
            || call.container.is_some()
            || call.stack.is_some()
            || call.stack_calls != 1
            || call.waits.is_some()
    }

    fn of(call: &Call) -> RareParts {
        // Every part is named, so that a new one is not forgotten.
        let Call {
            tid: _,
            abi: _,
            nr: _,
            args: _,
            ip: _,
            sp: _,
            resumes,
            entered: _,
            returned: _,
            held,
            system_time,
            outcome: _,
            tampering,
            file_kind,
            counted,
            blocks: _,
            descriptors,
            container,
            stack,
            stack_calls,
            waits,
        } = call;
        RareParts {
            resumes: *resumes,
            held: *held,
            system_time: *system_time,
            tampering: *tampering,
            file_kind: *file_kind,
            counted: *counted,
            descriptors: descriptors.clone(),
            container: container.clone(),
            stack: stack.clone(),
            stack_calls: *stack_calls,
            waits: waits.clone(),
        }
    }

    fn restore(self, call: &mut Call) {
        let RareParts {
            resumes,
            held,
            system_time,
            tampering,
            file_kind,
            counted,
            descriptors,
            container,
            stack,
            stack_calls,
            waits,
        } = self;
        (call.resumes, call.held, call.system_time, call.tampering) = (resumes, held, system_time, tampering);
        (call.file_kind, call.counted, call.stack_calls) = (file_kind, counted, stack_calls);
        (call.descriptors, call.container, call.stack, call.waits) = (descriptors, container, stack, waits);
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
