//! The text view: events in, strace's lines out.

mod lines;
mod show;
mod threads;
mod view;

pub use show::Show;

use crate::line::moment::Moment;
use crate::line::stack::StackLines;
use crate::spelling::names;
use crate::{Layout, Line, Sink, ViewError};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use stride_decode::{Decoder, Options, Part, Resolver};
use stride_event::quantity::count as counted;
use stride_event::{Call, Event, Outcome, Stack, Tid};

/// Opens a thread's own output (`-ff`).
pub type OpenSink = Box<dyn FnMut(Tid) -> Result<Sink, ViewError>>;

/// Renders events as text.
pub struct TextView {
    decoder: Decoder,
    options: Options,
    resolver: Box<dyn Resolver>,
    layout: Layout,
    wall_offset: i128,
    show: Show,
    streams: Streams,
    tracees: HashSet<Tid>,
    /// The name of each thread, kept only where leaders show it (`-Y`).
    comms: HashMap<Tid, Vec<u8>>,
    /// The containers of threads, as their latest calls had them, or their SELinux contexts.
    labels: HashMap<Tid, Arc<[u8]>>,
    /// The latest call of each thread, kept only where leaders show it (`-n`).
    last_calls: HashMap<Tid, u64>,
    /// The functions of libraries whose beginning was shown, by thread and depth.
    functions: HashSet<(Tid, u32)>,
    /// Stacks of calls that did not return. They are shown when their threads are gone, as strace does.
    parting: HashMap<Tid, Arc<Stack>>,
    /// With `-k`.
    stack_lines: Option<StackLines>,
    error: Option<ViewError>,
}

enum Streams {
    One(Box<Line>, Sink),
    PerThread { open: OpenSink, streams: HashMap<Tid, (Line, Sink)> },
}

impl TextView {
    pub fn new(
        layout: Layout,
        options: Options,
        resolver: Box<dyn Resolver>,
        wall_offset: i128,
        show: Show,
        sink: Sink,
    ) -> TextView {
        let line = Box::new(Line::new(layout.clone(), wall_offset));
        Self::with(layout, options, resolver, wall_offset, show, Streams::One(line, sink))
    }

    pub fn per_thread(
        layout: Layout,
        options: Options,
        resolver: Box<dyn Resolver>,
        wall_offset: i128,
        show: Show,
        open: OpenSink,
    ) -> TextView {
        Self::with(layout, options, resolver, wall_offset, show, Streams::PerThread { open, streams: HashMap::new() })
    }

    fn with(
        layout: Layout,
        options: Options,
        resolver: Box<dyn Resolver>,
        wall_offset: i128,
        show: Show,
        streams: Streams,
    ) -> TextView {
        TextView {
            decoder: Decoder::default(),
            options,
            resolver,
            layout,
            wall_offset,
            stack_lines: show.stack.map(StackLines::new),
            show,
            streams,
            tracees: HashSet::new(),
            comms: HashMap::new(),
            labels: HashMap::new(),
            last_calls: HashMap::new(),
            functions: HashSet::new(),
            parting: HashMap::new(),
            error: None,
        }
    }

    /// Shows an event that the filters let through. Strace's text needs no tracker.
    pub fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Started { tid, process, .. } => {
                self.tracees.insert(tid);
                self.note_comm(tid);
                let formed = self.layout.form.is_some();
                // The thread's file exists even if nothing is ever written to it.
                if let Some((line, _)) = self.stream(tid).filter(|_| formed) {
                    line.belongs(tid, process);
                }
            }
            // Other forms than strace's have whole lines, and none about threads.
            Event::Enter(call) if self.layout.form.is_some() => self.note_call(call),
            Event::Stopped { .. } | Event::Superseded { .. } | Event::Personality { .. }
                if self.layout.form.is_some() => {}
            Event::Exited { tid, .. } if self.layout.form.is_some() => self.gone(tid),
            Event::Killed { tid, at, .. } if self.layout.form.is_some() => {
                let moment =
                    Moment { tid, at, tracees: self.tracees.len(), nr: None, ip: None, comm: None, label: None };
                if let Some((line, _)) = self.stream(tid) {
                    line.killed(moment);
                }
                self.gone(tid);
            }
            Event::Enter(call) => self.call(call, Part::Entry),
            Event::Exit(call) => {
                let pending = self.stream(call.tid).is_some_and(|(line, _)| line.is_pending(call.tid));
                self.call(call, if pending { Part::Rest } else { Part::Whole });
                match &call.stack {
                    Some(stack) if call.outcome == Outcome::Gone && self.show.stack.is_some() => {
                        self.parting.insert(call.tid, stack.clone());
                    }
                    stack => self.stack(call.tid, stack.as_ref()),
                }
            }
            Event::Library(call) => self.library(call),
            Event::Signal { tid, info, ip, stack, at } => self.signal(tid, info, ip, stack, at),
            Event::Stopped { signal, .. } if !self.show.shows_signal(signal) => {}
            Event::Stopped { tid, signal, at } => self.other(tid, at, |w| {
                w.str("--- stopped by ");
                names::signal(w.out, signal);
                w.str(" ---");
            }),
            Event::Exited { tid, status, at } => {
                // Engines that stop threads have said that it ends, when /proc still had the name.
                self.note_comm(tid);
                if self.show.exit {
                    self.other(tid, at, |w| {
                        w.str("+++ exited with ");
                        w.int(status);
                        w.str(" +++");
                    });
                }
                self.gone(tid);
            }
            Event::Killed { tid, signal, core, at } => {
                self.note_comm(tid);
                if self.show.killed {
                    self.other(tid, at, |w| {
                        w.str("+++ killed by ");
                        names::signal(w.out, signal);
                        w.str(if core { " (core dumped) +++" } else { " +++" });
                    });
                }
                self.gone(tid);
            }
            Event::Superseded { tid, old, call, at } => {
                self.supersede(tid, old, call);
                if self.show.superseded {
                    self.other(tid, at, |w| {
                        w.str("+++ superseded by execve in pid ");
                        w.int(old);
                        w.str(" +++");
                    });
                }
            }
            Event::Detached { tid, call, at } => {
                self.show_entry(tid, call);
                self.detached(tid, call, at);
                self.gone(tid);
            }
            Event::Lost { tid, count, at } => self.other(tid, at, |w| {
                w.str("... ");
                w.str(&counted(count, "call lost", "calls lost"));
                w.str(" here");
            }),
            Event::Ending { tid } => self.note_comm(tid),
            Event::Personality { tid, abi, at } if self.show.personality => {
                let bits = if abi.word() == 4 { "32" } else { "64" };
                self.other(tid, at, |w| {
                    w.str("[ Process PID=");
                    w.int(tid);
                    w.str(" runs in ");
                    w.str(bits);
                    w.str(" bit mode. ]");
                });
            }
            Event::Personality { .. } | Event::Named { .. } | Event::NamespaceId { .. } | Event::Stranger { .. } => {}
            Event::NamingCall(_) => {}
            Event::Idle => self.flush(),
        }
        self.flush_eager();
    }

    fn stream(&mut self, tid: Tid) -> Option<(&mut Line, &mut Sink)> {
        match &mut self.streams {
            Streams::One(line, sink) => Some((line, sink)),
            Streams::PerThread { open, streams } => {
                if let std::collections::hash_map::Entry::Vacant(e) = streams.entry(tid) {
                    let sink = open(tid).unwrap_or_else(|error| {
                        self.error.get_or_insert(error);
                        Sink::dropped()
                    });
                    e.insert((Line::new(self.layout.clone(), self.wall_offset), sink));
                }
                streams.get_mut(&tid).map(|(line, sink)| (line, sink))
            }
        }
    }

    /// Shows the entry of a call that the thread is in when tracing leaves it, unless the entry is shown already.
    fn show_entry(&mut self, tid: Tid, call: Option<&Call>) {
        let pending = self.stream(tid).is_some_and(|(line, _)| line.is_pending(tid));
        if let (Some(call), false) = (call, pending) {
            self.call(call, Part::Entry);
        }
    }

    /// The call that thread `old` began continues as `tid`'s.
    fn supersede(&mut self, tid: Tid, old: Tid, call: Option<&Call>) {
        let call = call.map(|call| Call { tid: old, ..call.clone() });
        self.show_entry(old, call.as_ref());
        let shown = self.stream(old).and_then(|(line, _)| line.change_pid(old, tid));
        if let (Some(shown), Some((line, _))) = (shown, self.stream(tid)) {
            line.expect(tid, shown);
        }
        self.close(old);
        if self.tracees.remove(&old) {
            self.tracees.insert(tid);
        }
        let parting = self.parting.remove(&tid);
        self.stack(tid, parting.as_ref());
        if let Some(nr) = self.last_calls.remove(&old) {
            self.last_calls.insert(tid, nr);
        }
    }

    fn gone(&mut self, tid: Tid) {
        if !self.functions.is_empty() {
            self.functions.retain(|(thread, _)| *thread != tid);
        }
        let parting = self.parting.remove(&tid);
        self.stack(tid, parting.as_ref());
        self.tracees.remove(&tid);
        self.last_calls.remove(&tid);
        self.comms.remove(&tid);
        self.labels.remove(&tid);
        self.close(tid);
    }

    /// Closes the open line of a thread that is gone.
    fn close(&mut self, tid: Tid) {
        match &mut self.streams {
            Streams::One(line, _) => line.forget(tid, None),
            Streams::PerThread { streams, .. } => {
                if let Some((mut line, mut sink)) = streams.remove(&tid) {
                    line.forget(tid, None);
                    Self::write(&mut line, &mut sink, &mut self.error);
                }
            }
        }
    }

    fn write(line: &mut Line, sink: &mut Sink, error: &mut Option<ViewError>) {
        if let Err(failed) = line.write(|out| sink.write(out)) {
            error.get_or_insert(failed);
        }
    }

    /// Writes full buffers, and whatever a reader waits for.
    fn flush_eager(&mut self) {
        self.each(|line, sink| sink.eager || line.buffer().len() >= sink.batch);
    }

    /// Writes everything, and waits until it is written.
    pub fn flush(&mut self) {
        self.each(|_, _| true);
        match &mut self.streams {
            Streams::One(_, sink) => Self::settle(sink, &mut self.error),
            Streams::PerThread { streams, .. } => {
                streams.values_mut().for_each(|(_, sink)| Self::settle(sink, &mut self.error));
            }
        }
    }

    fn settle(sink: &mut Sink, error: &mut Option<ViewError>) {
        if let Err(failed) = sink.flush() {
            error.get_or_insert(failed);
        }
    }

    fn each(&mut self, due: impl Fn(&mut Line, &Sink) -> bool) {
        match &mut self.streams {
            Streams::One(line, sink) => {
                if due(line, sink) {
                    Self::write(line, sink, &mut self.error);
                }
            }
            Streams::PerThread { streams, .. } => {
                for (line, sink) in streams.values_mut() {
                    if due(line, sink) {
                        Self::write(line, sink, &mut self.error);
                    }
                }
            }
        }
    }
}
