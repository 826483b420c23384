//! The text view: events in, strace's lines out.

use crate::moment::Moment;
use crate::stack::StackLines;
use crate::{End, Layout, Line, ShowStack, Sink, View, ViewError, names};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use stride_decode::{Decoder, FdInfo, FdNote, Labelled, Options, Part, Resolver, operation_fds};
use stride_event::quantity::count as counted;
use stride_event::{Call, Event, FdOf, LibraryCall, LibraryPart, Ns, Outcome, SIGINFO_SIZE, Stack, Tid};
use stride_syscalls::Effect;
use stride_track::Tracker;

/// Opens a thread's own output (`-ff`).
pub type OpenSink = Box<dyn FnMut(Tid) -> Result<Sink, ViewError>>;

/// The functions that all threads may be in. A recording can name any number.
const MOST_FUNCTIONS: usize = 1 << 20;

/// Which events are shown.
pub struct Show {
    /// Signals by number; index 0 is unused.
    pub signal: [bool; 65],
    /// Exits with a status.
    pub exit: bool,
    /// Deaths by a signal.
    pub killed: bool,
    pub attach: bool,
    pub superseded: bool,
    /// True if a change of a tracee's ABI is shown.
    pub personality: bool,
    /// True if lines have the names of threads, as the tracker follows them.
    pub thread_names: bool,
    /// `-k`.
    pub stack: Option<ShowStack>,
}

impl Default for Show {
    fn default() -> Show {
        Show {
            signal: [true; 65],
            exit: true,
            killed: true,
            attach: true,
            superseded: true,
            personality: true,
            thread_names: false,
            stack: None,
        }
    }
}

impl Show {
    /// True if signals of this number are shown, and the stops that they cause.
    pub fn shows_signal(&self, number: i32) -> bool {
        self.signal.get(number as usize).copied().unwrap_or(true)
    }
}

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
    /// Size of a buffer that is written even while more events come.
    batch: usize,
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
            batch: 1 << 16,
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
            Event::Detached { tid, call, .. } => {
                self.show_entry(tid, call);
                if let Some((line, _)) = self.stream(tid) {
                    line.forget(tid, Some(b" <detached ...>"));
                }
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

    /// Takes note of a call for leaders with the thread's latest call (`-n`), whether the call is shown or not.
    fn note_call(&mut self, call: &Call) {
        if self.layout.leader.number {
            self.last_calls.insert(call.tid, call.nr);
        }
        if let Some(container) = &call.container {
            self.labels.insert(call.tid, container.as_bytes().into());
        } else if !self.options.contexts && !self.labels.is_empty() {
            self.labels.remove(&call.tid);
        }
    }

    /// Takes note of a thread's SELinux context, which it may change. A thread that is gone has none.
    fn note_context(&mut self, tid: Tid) {
        if !self.options.contexts {
            return;
        }
        match self.resolver.context(tid, Labelled::Thread) {
            Some(context) => self.labels.insert(tid, context.into()),
            None => self.labels.remove(&tid),
        };
    }

    /// Takes note of a thread's name while it can still be looked up.
    fn note_comm(&mut self, tid: Tid) {
        if self.options.pids
            && let Some(comm) = self.resolver.comm(tid)
        {
            self.comms.insert(tid, comm);
        }
    }

    /// The same for the line of a call that has returned, which begins with the name from its entry.
    fn note_comm_at_entry(&mut self, tid: Tid) {
        if self.options.pids
            && let Some(comm) = self.resolver.comm_at_entry(tid)
        {
            self.comms.insert(tid, comm);
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

    fn last_call(&self, tid: Tid) -> Option<u64> {
        self.last_calls.get(&tid).copied()
    }

    fn call(&mut self, call: &Call, part: Part) {
        self.note_call(call);
        if part == Part::Whole {
            self.note_comm_at_entry(call.tid);
        } else {
            self.note_comm(call.tid);
        }
        self.note_context(call.tid);
        // The stream is taken out, so that the decoder can be borrowed at the same time.
        let tracees = self.tracees.len();
        if self.stream(call.tid).is_none() {
            return;
        }
        let decoded = self.decoder.decode(call, part, &self.options, &*self.resolver);
        let line = match &mut self.streams {
            Streams::One(line, _) => line,
            Streams::PerThread { streams, .. } => match streams.get_mut(&call.tid) {
                Some((line, _)) => line,
                None => return,
            },
        };
        let (comm, label) = (self.comms.get(&call.tid), self.labels.get(&call.tid));
        line.call(&decoded, part, tracees, comm.map(Vec::as_slice), label.map(|label| &**label));
        if decoded.row.is_some_and(|row| row.has_effect(Effect::Executes) || row.has_effect(Effect::NamesThread)) {
            self.note_comm(call.tid);
        }
    }

    fn library(&mut self, call: &LibraryCall) {
        let key = (call.tid, call.depth);
        let shown = match call.part {
            // A function that finds no room is shown as a whole when it returns.
            LibraryPart::Entered if self.functions.len() >= MOST_FUNCTIONS => return,
            LibraryPart::Entered => !self.functions.insert(key),
            LibraryPart::Passed => false,
            _ if call.operation.is_some() => false,
            LibraryPart::Returned | LibraryPart::Gone => self.functions.remove(&key),
        };
        if call.part == LibraryPart::Gone && !shown && call.operation.is_none() {
            return;
        }
        self.note_comm(call.tid);
        self.note_context(call.tid);
        let (tid, tracees, nr) = (call.tid, self.tracees.len(), self.last_call(call.tid));
        let (comm, label) = (self.comms.remove(&tid), self.labels.get(&tid).cloned());
        // A line that is whole stands at the time of the entry, as that of a system call does. But operations overlap,
        // so their lines stand at the time of the completion.
        let whole = call.part == LibraryPart::Returned && !shown && call.entered != 0 && call.operation.is_none();
        let at = if whole { call.entered } else { call.at };
        let seen = self.referents(call);
        let notes: Vec<(i32, FdNote<'_>)> = seen
            .iter()
            .map(|(fd, info)| (*fd, FdNote { path: &info.path, detail: &info.detail, deleted: info.deleted }))
            .collect();
        if let Some((line, _)) = self.stream(tid) {
            let (comm, label) = (comm.as_deref(), label.as_deref());
            line.library(Moment { tid, at, tracees, nr, ip: None, comm, label }, call, shown, &notes);
        }
        self.comms.extend(comm.map(|comm| (tid, comm)));
    }

    /// The referents of the descriptors of an operation, with `-y`.
    fn referents(&self, call: &LibraryCall) -> Vec<(i32, FdInfo)> {
        if !self.options.fds || call.operation.is_none() {
            return Vec::new();
        }
        let found =
            |(fd, made)| Some((fd, self.resolver.fd(FdOf { tid: call.tid, fd, made }, call.descriptor(fd, made))?));
        operation_fds(call).filter_map(found).collect()
    }

    fn signal(&mut self, tid: Tid, info: &[u8; SIGINFO_SIZE], ip: Option<u64>, stack: Option<&Arc<Stack>>, at: Ns) {
        let number = i32::from_le_bytes([info[0], info[1], info[2], info[3]]);
        if !self.show.shows_signal(number) {
            return;
        }
        if self.stream(tid).is_none() {
            return;
        }
        self.note_comm(tid);
        self.note_context(tid);
        let (tracees, nr) = (self.tracees.len(), self.last_call(tid));
        let value = self.decoder.siginfo(tid, info, &self.options, &*self.resolver);
        let line = match &mut self.streams {
            Streams::One(line, _) => line,
            Streams::PerThread { streams, .. } => match streams.get_mut(&tid) {
                Some((line, _)) => line,
                None => return,
            },
        };
        let comm = self.comms.get(&tid).map(Vec::as_slice);
        let label = self.labels.get(&tid).map(|label| &**label);
        line.signal(Moment { tid, at, tracees, nr, ip, comm, label }, number, &value);
        self.stack(tid, stack);
    }

    fn other(&mut self, tid: Tid, at: Ns, write: impl FnOnce(&mut crate::Writer<'_>)) {
        self.note_context(tid);
        let (tracees, nr) = (self.tracees.len(), self.last_call(tid));
        let comm = self.comms.remove(&tid);
        let label = self.labels.get(&tid).cloned();
        if let Some((line, _)) = self.stream(tid) {
            line.other(
                Moment { tid, at, tracees, nr, ip: None, comm: comm.as_deref(), label: label.as_deref() },
                write,
            );
        }
        self.comms.extend(comm.map(|comm| (tid, comm)));
    }

    /// Shows the stack after its call's line.
    fn stack(&mut self, tid: Tid, stack: Option<&Arc<Stack>>) {
        let Some(stack) = stack else { return };
        let Some(mut lines) = self.stack_lines.take() else { return };
        if let Some((line, _)) = self.stream(tid) {
            line.stack(stack, &mut lines);
        }
        self.stack_lines = Some(lines);
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
        if let Err(failed) = sink.write(line.buffer()) {
            error.get_or_insert(failed);
        }
        line.written();
    }

    /// Writes full buffers, and whatever a reader waits for.
    fn flush_eager(&mut self) {
        let batch = self.batch;
        self.each(|line, sink| sink.eager || line.buffer().len() >= batch);
    }

    /// Writes everything.
    pub fn flush(&mut self) {
        self.each(|_, _| true);
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

/// The thread that the line of an event is about.
fn subject(event: &Event<'_>) -> Option<Tid> {
    match *event {
        Event::Enter(call) | Event::Exit(call) => Some(call.tid),
        Event::Library(call) => Some(call.tid),
        Event::Signal { tid, .. }
        | Event::Stopped { tid, .. }
        | Event::Exited { tid, .. }
        | Event::Killed { tid, .. }
        | Event::Superseded { tid, .. }
        | Event::Detached { tid, .. }
        | Event::Personality { tid, .. }
        | Event::Lost { tid, .. } => Some(tid),
        Event::Started { .. }
        | Event::Named { .. }
        | Event::NamespaceId { .. }
        | Event::NamingCall(_)
        | Event::Ending { .. }
        | Event::Stranger { .. }
        | Event::Idle => None,
    }
}

impl View for TextView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        // Lines that show the names of threads take them from the tracker, which asks nobody.
        if (self.layout.form.is_some() || self.show.thread_names)
            && let Some(thread) = subject(event).and_then(|tid| tracker.thread(tid))
        {
            let is_whole = matches!(event, Event::Exit(_))
                && !self.stream(thread.tid).is_some_and(|(line, _)| line.is_pending(thread.tid));
            let at_entry = tracker.name_before(thread.tid).filter(|_| is_whole && !tracker.is_launch(thread.tid));
            let comm = at_entry.unwrap_or(&thread.comm);
            if comm.is_empty() {
                self.comms.remove(&thread.tid);
            } else if self.comms.get(&thread.tid).is_none_or(|known| known != comm) {
                self.comms.insert(thread.tid, comm.to_vec());
            }
        }
        TextView::event(self, event);
    }

    fn left_out(&mut self, call: &Call) {
        self.note_call(call);
    }

    fn flush(&mut self) {
        TextView::flush(self);
    }

    fn finish(&mut self, _: &End<'_>) -> String {
        TextView::flush(self);
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}
