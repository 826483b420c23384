//! Events in a batch. One function writes them and one reads them, in the same order.

use crate::calls::{self, Stage};
use crate::fact::Coded;
use crate::ids::{abi, tid};
use crate::stream::{BatchSource, Malformed, Streams};
use crate::{Fact, library, stacks};
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::{Event, Fate, Question, SIGINFO_SIZE, Stack, StartKind, Tid};

/// The kinds of records in a batch.
mod kind {
    pub const ENTER: u8 = 0;
    pub const EXIT: u8 = 1;
    pub const STARTED: u8 = 2;
    pub const SIGNAL: u8 = 3;
    pub const STOPPED: u8 = 4;
    pub const ENDING: u8 = 5;
    pub const EXITED: u8 = 6;
    pub const KILLED: u8 = 7;
    pub const SUPERSEDED: u8 = 8;
    pub const DETACHED: u8 = 9;
    pub const STRANGER: u8 = 10;
    pub const PERSONALITY: u8 = 11;
    pub const LOST: u8 = 12;
    pub const FACT: u8 = 13;
    pub const ASIDE: u8 = 14;
    /// The stack of the next call or signal.
    pub const STACK: u8 = 15;
    pub const LIBRARY: u8 = 16;
    pub const OPERATION: u8 = 17;
}

/// An item of a recording: an event, or a fact that the events behind it need.
#[derive(Debug)]
pub enum Recorded<'a> {
    /// Borrowed from the reader until the next item is read.
    Event(Event<'a>),
    /// It holds for the events behind it.
    Fact(Fact),
}

#[derive(Default)]
pub struct BatchWriter {
    pub to: Streams,
    calls: calls::CallWriter,
    stacks: stacks::StackWriter,
    library: library::LibraryWriter,
    /// Stacks that are only samples, for another view, are not written: a recording cannot say that they are samples.
    keeps_stacks: bool,
}

impl BatchWriter {
    pub fn new(keeps_stacks: bool) -> BatchWriter {
        BatchWriter { keeps_stacks, ..BatchWriter::default() }
    }

    pub fn clear(&mut self) {
        self.to.clear();
        self.calls.clear();
        self.stacks.clear();
        self.library.clear();
    }

    /// `limit`: a size in bytes.
    pub fn is_full(&self, limit: usize) -> bool {
        self.to.size() >= limit || self.calls.is_full() || self.stacks.is_full() || self.library.is_full()
    }

    fn stack(&mut self, stack: Option<&Arc<Stack>>) {
        if let Some(stack) = stack.filter(|_| self.keeps_stacks) {
            self.to.byte(kind::STACK);
            self.stacks.put(&mut self.to, stack);
        }
    }

    fn tid(&mut self, tid: Tid) {
        self.to.int(i64::from(tid));
    }

    fn head(&mut self, kind: u8, tid: Tid, at: u64) {
        self.to.byte(kind);
        self.tid(tid);
        self.to.time(at);
    }

    fn maybe(&mut self, v: Option<u64>) {
        self.to.byte(v.is_some().into());
        if let Some(v) = v {
            self.to.uint(v);
        }
    }

    pub fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Enter(call) => {
                self.to.byte(kind::ENTER);
                self.calls.put(&mut self.to, call, Stage::Enter);
            }
            Event::Exit(call) => {
                self.stack(call.stack.as_ref());
                self.to.byte(kind::EXIT);
                self.calls.put(&mut self.to, call, Stage::Exit);
            }
            Event::NamingCall(call) => {
                self.to.byte(kind::ASIDE);
                self.calls.put(&mut self.to, call, Stage::Exit);
            }
            Event::Library(call) => {
                self.to.byte(if call.operation.is_some() { kind::OPERATION } else { kind::LIBRARY });
                self.library.put(&mut self.to, call);
            }
            Event::Started { tid, process, origin, at } => {
                self.head(kind::STARTED, tid, at);
                self.tid(process);
                match origin {
                    StartKind::Spawned => self.to.byte(0),
                    StartKind::Attached => self.to.byte(1),
                    StartKind::Forked { parent } => {
                        self.to.byte(2);
                        self.tid(parent);
                    }
                }
            }
            Event::Signal { tid, info, ip, stack, at } => {
                self.stack(stack);
                self.head(kind::SIGNAL, tid, at);
                self.maybe(ip);
                self.to.memory.extend_from_slice(info);
            }
            Event::Stopped { tid, signal, at } => {
                self.head(kind::STOPPED, tid, at);
                self.to.int(signal.into());
            }
            Event::Ending { tid } => {
                self.to.byte(kind::ENDING);
                self.tid(tid);
            }
            Event::Exited { tid, status, at } => {
                self.head(kind::EXITED, tid, at);
                self.to.int(status.into());
            }
            Event::Killed { tid, signal, core, at } => {
                self.head(kind::KILLED, tid, at);
                self.to.int(signal.into());
                self.to.byte(core.into());
            }
            Event::Superseded { tid, old, call, at } => {
                self.head(kind::SUPERSEDED, tid, at);
                self.tid(old);
                self.left(call);
            }
            Event::Detached { tid, call, at } => {
                self.head(kind::DETACHED, tid, at);
                self.left(call);
            }
            Event::Stranger { tid, fate } => {
                self.to.byte(kind::STRANGER);
                self.tid(tid);
                self.to.byte(match fate {
                    Fate::Exited => 0,
                    Fate::Killed => 1,
                    Fate::Detached => 2,
                });
            }
            Event::Personality { tid, abi, at } => {
                self.head(kind::PERSONALITY, tid, at);
                self.to.byte(abi as u8);
            }
            Event::Lost { tid, count, at } => {
                self.head(kind::LOST, tid, at);
                self.to.uint(count);
            }
            // (The answers that follow from names and ids are recorded.)
            Event::Named { .. } | Event::NamespaceId { .. } | Event::Idle => {}
        }
    }

    fn left(&mut self, call: Option<&stride_event::Call>) {
        self.to.byte(call.is_some().into());
        if let Some(call) = call {
            self.calls.put(&mut self.to, call, Stage::Left);
        }
    }

    pub fn fact(&mut self, fact: &Fact) {
        self.to.byte(kind::FACT);
        let coded = Coded::of(fact.question);
        self.to.byte(coded.code);
        self.tid(coded.tid);
        self.to.int(coded.number);
        self.to.byte(fact.answer.is_some().into());
        if let Some(answer) = &fact.answer {
            self.to.bytes(answer);
        }
    }
}

/// A machine has fewer threads, and runtimes give shorter names. A hostile recording may have more.
const MOST_CONTAINED: usize = 1 << 16;
const LONGEST_NAME: usize = 1 << 10;

pub struct BatchReader {
    pub from: BatchSource,
    calls: calls::CallReader,
    stacks: stacks::StackReader,
    library: library::LibraryReader,
    /// The containers that threads are in.
    containers: HashMap<Tid, Arc<str>>,
    /// The stack of the signal that was read last.
    signal_stack: Option<Arc<Stack>>,
    info: [u8; SIGINFO_SIZE],
}

impl Default for BatchReader {
    fn default() -> BatchReader {
        BatchReader {
            from: BatchSource::empty(),
            calls: calls::CallReader::default(),
            stacks: stacks::StackReader::default(),
            library: library::LibraryReader::default(),
            containers: HashMap::new(),
            signal_stack: None,
            info: [0; SIGINFO_SIZE],
        }
    }
}

impl BatchReader {
    /// Begins with the batch in the source's buffer.
    pub fn begin(&mut self) -> Result<(), Malformed> {
        self.calls.clear();
        self.stacks.clear();
        self.library.clear();
        self.from.split()
    }

    fn tid(&mut self) -> Result<Tid, Malformed> {
        tid(self.from.int()?)
    }

    fn number(&mut self) -> Result<i32, Malformed> {
        i32::try_from(self.from.int()?).map_err(|_| Malformed("a signal or status is impossible"))
    }

    fn flag(&mut self) -> Result<bool, Malformed> {
        Ok(self.from.byte()? != 0)
    }

    #[inline]
    pub fn is_at_fact(&self) -> bool {
        self.from.peek() == Some(kind::FACT)
    }

    pub fn next(&mut self) -> Result<Recorded<'_>, Malformed> {
        let mut kind = self.from.byte()?;
        let mut stack = None;
        if kind == kind::STACK {
            stack = Some(self.stacks.get(&mut self.from)?);
            kind = self.from.byte()?;
            if kind != kind::EXIT && kind != kind::SIGNAL {
                return Err(Malformed("a stack belongs to nothing"));
            }
        }
        let event = match kind {
            kind::ENTER => {
                let id = self.calls.get(&mut self.from, Stage::Enter)?;
                self.calls.set_stack(id, None);
                self.calls.set_container(id, self.containers.get(&self.calls.call(id).tid).cloned());
                Event::Enter(self.calls.call(id))
            }
            kind::EXIT => {
                let id = self.calls.get(&mut self.from, Stage::Exit)?;
                self.calls.set_stack(id, stack);
                self.calls.set_container(id, self.containers.get(&self.calls.call(id).tid).cloned());
                Event::Exit(self.calls.call(id))
            }
            kind::ASIDE => {
                let id = self.calls.get(&mut self.from, Stage::Exit)?;
                self.calls.set_stack(id, None);
                Event::NamingCall(self.calls.call(id))
            }
            kind::FACT => {
                let fact = self.fact()?;
                self.note_container(&fact);
                return Ok(Recorded::Fact(fact));
            }
            kind::LIBRARY => Event::Library(self.library.get(&mut self.from, false)?),
            kind::OPERATION => Event::Library(self.library.get(&mut self.from, true)?),
            kind::ENDING => Event::Ending { tid: self.tid()? },
            kind::STRANGER => {
                let tid = self.tid()?;
                let fate = match self.from.byte()? {
                    0 => Fate::Exited,
                    1 => Fate::Killed,
                    2 => Fate::Detached,
                    _ => return Err(Malformed("a process has an unknown fate")),
                };
                Event::Stranger { tid, fate }
            }
            _ => {
                let (tid, at) = (self.tid()?, self.from.time()?);
                self.signal_stack = stack;
                self.of_thread(kind, tid, at)?
            }
        };
        Ok(Recorded::Event(event))
    }

    fn note_container(&mut self, fact: &Fact) {
        let Question::Container(tid) = fact.question else { return };
        let name = fact.answer.as_deref().and_then(|name| std::str::from_utf8(name).ok());
        match name.filter(|name| name.len() <= LONGEST_NAME) {
            Some(name) if self.containers.len() < MOST_CONTAINED || self.containers.contains_key(&tid) => {
                self.containers.insert(tid, name.into());
            }
            _ => _ = self.containers.remove(&tid),
        }
    }

    fn of_thread(&mut self, kind: u8, tid: Tid, at: u64) -> Result<Event<'_>, Malformed> {
        Ok(match kind {
            kind::STARTED => {
                let process = self.tid()?;
                let origin = match self.from.byte()? {
                    0 => StartKind::Spawned,
                    1 => StartKind::Attached,
                    2 => StartKind::Forked { parent: self.tid()? },
                    _ => return Err(Malformed("a thread comes from nowhere")),
                };
                Event::Started { tid, process, origin, at }
            }
            kind::SIGNAL => {
                let ip = if self.flag()? { Some(self.from.uint()?) } else { None };
                self.info.copy_from_slice(self.from.memory(SIGINFO_SIZE as u64)?);
                Event::Signal { tid, info: &self.info, ip, stack: self.signal_stack.as_ref(), at }
            }
            kind::STOPPED => Event::Stopped { tid, signal: self.number()?, at },
            kind::EXITED => Event::Exited { tid, status: self.number()?, at },
            kind::KILLED => Event::Killed { tid, signal: self.number()?, core: self.flag()?, at },
            kind::SUPERSEDED => {
                let old = self.tid()?;
                let left = self.left()?;
                Event::Superseded { tid, old, call: left.map(|id| self.calls.call(id)), at }
            }
            kind::DETACHED => {
                let left = self.left()?;
                Event::Detached { tid, call: left.map(|id| self.calls.call(id)), at }
            }
            kind::PERSONALITY => Event::Personality { tid, abi: abi(self.from.byte()?)?, at },
            kind::LOST => Event::Lost { tid, count: self.from.uint()?, at },
            _ => return Err(Malformed("an event is of an unknown kind")),
        })
    }

    fn left(&mut self) -> Result<Option<usize>, Malformed> {
        if !self.flag()? {
            return Ok(None);
        }
        let id = self.calls.get(&mut self.from, Stage::Left)?;
        self.calls.set_stack(id, None);
        Ok(Some(id))
    }

    fn fact(&mut self) -> Result<Fact, Malformed> {
        let coded = Coded { code: self.from.byte()?, tid: self.tid()?, number: self.from.int()? };
        let question = coded.question().ok_or(Malformed("an answer to an unknown question"))?;
        let answer = if self.flag()? { Some(self.from.bytes()?.to_vec()) } else { None };
        Ok(Fact { question, answer })
    }
}
