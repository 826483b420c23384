//! The answers that are needed to show the events of a recording.

use crate::options::Options;
use crate::selection::Identities;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use stride_decode::{Decoder, Part, Resolver};
use stride_event::{Call, Event, Outcome, Question};
use stride_filter::WordSet;
use stride_proc::{Proc, RecordingSource, ended};
use stride_record::Fact;
use stride_syscalls::plan::is_message;
use stride_syscalls::{Class, Effect, Thing, table};
use stride_track::{Seen, Tracker};

/// Finds the answers that are needed to show an event, by decoding it. A replay's decoder asks the same questions.
pub struct Asking {
    decoder: Decoder,
    options: stride_decode::Options,
    resolver: Proc,
    noting: Rc<RecordingSource>,
    /// The threads in a call whose entry was seen. The questions of the entry have been asked.
    entered: std::collections::HashSet<stride_event::Tid>,
    /// The containers of threads, as the reader knows them.
    containers: HashMap<stride_event::Tid, Arc<str>>,
    /// Asks for the users of threads, which `--by=user` and `--where uid` need.
    identities: Identities,
}

impl Asking {
    /// All resolvers ask `noting`, which keeps the answers.
    pub fn new(options: &Options, noting: Rc<RecordingSource>) -> Asking {
        let fds = if options.needs_descriptors() { WordSet::ALL } else { WordSet::NONE };
        let decoding = stride_decode::Options {
            fds: !fds.is_empty(),
            verbose: stride_event::CallSet::all(),
            raw: stride_event::CallSet::empty(),
            dump_read: stride_event::FdSet::none(),
            dump_write: stride_event::FdSet::none(),
            ..options.decoder_options()
        };
        Asking {
            decoder: Decoder::default(),
            options: decoding,
            resolver: Proc::new(fds, options.decode_pids, noting.clone()),
            identities: Identities::new(Some(noting.clone())),
            noting,
            entered: Default::default(),
            containers: HashMap::new(),
        }
    }

    /// The answers that a reader of the recording has.
    pub fn noting(&self) -> &RecordingSource {
        &self.noting
    }

    /// Notes an answer that is about to be written.
    pub fn note(&self, question: Question, answer: Option<Vec<u8>>) {
        self.noting.note(&Fact { question, answer });
    }

    pub fn tells_descriptors(&self) -> bool {
        self.options.fds
    }

    pub fn tells_names(&self) -> bool {
        self.options.pids
    }

    /// The answers since the last time, including those that this event needs.
    pub fn about(&mut self, event: &Event<'_>, tracker: &Tracker) -> Vec<Fact> {
        match event {
            Event::Enter(call) => {
                self.entered.insert(call.tid);
                self.call(call, Part::Entry);
            }
            Event::Exit(call) => {
                let entered = self.entered.remove(&call.tid);
                self.call(call, if entered { Part::Rest } else { Part::Whole });
                self.program(call, tracker);
            }
            Event::Superseded { call: Some(call), .. } | Event::Detached { call: Some(call), .. } => {
                self.call(call, Part::Entry);
            }
            Event::Signal { tid, info, .. } => {
                self.name(*tid);
                self.decoder.siginfo(*tid, &info[..], &self.options, &self.resolver);
            }
            Event::Started { tid, .. } | Event::Ending { tid } => self.name(*tid),
            _ => {}
        }
        self.identities.note(event);
        if let Event::Exit(call) = event {
            self.identities.user(call.tid);
        }
        let mut news = self.noting.take_new_facts();
        news.extend(self.container(event));
        self.noting.event(event);
        news
    }

    /// The container of a thread, if it is another one than the reader knows.
    fn container(&mut self, event: &Event<'_>) -> Option<Fact> {
        if let Some(tid) = ended(event) {
            self.containers.remove(&tid);
        }
        let (Event::Enter(call) | Event::Exit(call)) = event else { return None };
        if self.containers.get(&call.tid) == call.container.as_ref() {
            return None;
        }
        match &call.container {
            Some(name) => self.containers.insert(call.tid, name.clone()),
            None => self.containers.remove(&call.tid),
        };
        let answer = call.container.as_ref().map(|name| name.as_bytes().to_vec());
        let fact = Fact { question: Question::Container(call.tid), answer };
        self.noting.note(&fact);
        Some(fact)
    }

    fn call(&mut self, call: &Call, part: Part) {
        if part == Part::Whole && self.options.pids {
            self.resolver.comm_at_entry(call.tid);
        } else {
            self.name(call.tid);
        }
        if self.options.fds || self.options.pids || self.options.namespaces || may_ask(call) {
            self.decoder.decode(call, part, &self.options, &self.resolver);
        }
    }

    /// Asks what the kernel opened to start a program: no call tells that.
    fn program(&self, call: &Call, tracker: &Tracker) {
        let executed =
            call.row().is_some_and(|row| row.has_effect(Effect::Executes)) && call.outcome == Outcome::Value(0);
        let program = tracker.seen().filter(|_| executed).and_then(Seen::subject);
        if let Some(program) = program {
            self.resolver.interpreters(call.tid, tracker.name(program));
        }
    }

    fn name(&self, tid: stride_event::Tid) {
        if self.options.pids {
            self.resolver.comm(tid);
        }
    }
}

/// True if decoding a call may need answers even if neither descriptors nor processes are shown: requests to terminals
/// and interfaces, questions about objects of bpf(2), and netlink messages. Other calls are not decoded, because decoding costs more than all the rest of
/// a recording.
fn may_ask(call: &Call) -> bool {
    let Some(row) = table(call.abi).get(call.nr).map(|entry| entry.row) else { return false };
    let message = |bytes: &[u8]| bytes.first_chunk().is_some_and(|first| is_message(u32::from_le_bytes(*first)));
    row.has_effect(Effect::ControlsDevice)
        || row.makes() == Some(Thing::Anonymous("bpf"))
        || row.class.intersects(Class::NETWORK)
        || (0..call.blocks.len()).any(|i| call.blocks.get(i).is_some_and(|(.., bytes)| message(bytes)))
}
