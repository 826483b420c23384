//! A trace for <https://ui.perfetto.dev>: a track per thread, a slice per call.
//!
//! A file is a list of packets. Each belongs to a packet sequence, which has its own clock and its own interned strings
//! ([`lane`]). Both ends of a call's slice are written when the call returns, because the eBPF engine reports it then.
//! So the file is not in the order of time, and readers sort it. A single thread is in order, so each living thread has
//! a packet sequence of its own. Its times are differences, and its track need not be named. When a thread ends, the
//! next thread takes over its sequence with all interned strings. Flows from wakers to the calls that they woke lead
//! back into slices that are written already, so they have times of their own ([`WakeFinder`](crate::views::wakes::WakeFinder)).
//!
//! 256 KiB of packets are compressed (deflate) into one. [`schema`] has the field numbers. The tests' reader has its
//! own copy of the schema. It refuses unknown fields, ids that do not resolve, and slices that do not nest.

mod call;
mod flows;
mod global;
mod intern;
mod lane;
mod rate;
mod schema;
mod sink;
mod stacks;
mod text;
mod tracks;
mod waits;
mod wire;

use crate::spelling::names;
use crate::views::wakes::{Wake, WokenCall};
use crate::{Brief, End, RunInfo, Style, View, ViewError};
use call::Slices;
use flows::Flows;
use lane::{Packet, Scratch};
use rate::Rate;
use sink::PacketSink;
use std::io::Write;
use std::sync::Arc;
use stride_decode::{Decoder, Options, Part, Resolver};
use stride_event::quantity::count as counted;
use stride_event::{Call, Event, LibraryCall, LibraryPart, Ns, Outcome, SIGINFO_SIZE, Stack, StartKind, Tid};
use stride_syscalls::{Effect, table};
use stride_track::Tracker;
use text::printable;
use tracks::Tracks;

pub struct Perfetto {
    sink: PacketSink,
    /// `None` once the run has begun.
    run: Option<Box<RunInfo>>,
    decoder: Decoder,
    options: Options,
    resolver: Box<dyn Resolver>,
    slices: Slices,
    brief: Brief,
    scratch: Scratch,
    tracks: Tracks,
    flows: Flows,
    /// The sequence for the beginning and end of the trace, and for losses.
    own_lane: lane::PacketSequence,
    rate: Rate,
    /// Calls come with the waits of their threads.
    waits: bool,
    calls: u64,
    unfinished: u64,
    /// The latest time seen.
    last: Ns,
}

impl Perfetto {
    /// `name` stands for the file in messages.
    pub fn new(
        name: String,
        to: Box<dyn Write + Send>,
        style: Style,
        options: Options,
        resolver: Box<dyn Resolver>,
        run: &RunInfo,
    ) -> Perfetto {
        Perfetto {
            sink: PacketSink::new(name, to),
            run: Some(Box::new(run.clone())),
            decoder: Decoder::default(),
            options,
            resolver,
            slices: Slices::new(Brief::new(style)),
            brief: Brief::new(style),
            scratch: Scratch::default(),
            tracks: Tracks::new(0, 0),
            flows: Flows::default(),
            // These are replaced when the run begins.
            own_lane: lane::PacketSequence::new(0, 0, 0, &mut Vec::new()),
            rate: Rate::new(0),
            waits: run.waits,
            calls: 0,
            unfinished: 0,
            last: 0,
        }
    }

    /// Writes the first packets. The first event tells when the run began.
    fn begin(&mut self, at: Ns) {
        let Some(run) = self.run.take() else { return };
        let at = at.max(run.started);
        let wall = (i128::from(at) + run.wall_offset).clamp(0, u64::MAX.into()) as u64;
        let out = &mut self.sink.packets;
        global::clocks(out, at, wall);
        // The ids of tracks are unlikely to occur in another trace that is opened together with this one.
        self.tracks = Tracks::new(wall.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16 << 16, at);
        let own = self.tracks.next();
        global::track(out, at, own, "Stride");
        self.own_lane = self.tracks.open_lane(own, at, out);
        self.rate = Rate::new(at);
        self.last = at;
        let args: Vec<_> = run.args.iter().map(|arg| printable(arg.as_encoded_bytes())).collect();
        let system = format!("Linux {} {}", printable(run.release.as_bytes()), printable(run.machine.as_bytes()));
        self.own_lane
            .event(schema::event::INSTANT, at, &mut self.scratch)
            .name("tracing began")
            .text("command", &args.join(" "))
            .text("version", &run.version)
            .text("engine", &run.engine)
            .text("host", &printable(run.host.as_bytes()))
            .text("system", &system)
            .write(&mut self.sink.packets);
    }

    /// Writes an event that has no duration.
    fn instant(&mut self, tid: Tid, at: Ns, tracker: &Tracker, write: impl FnOnce(&mut Packet<'_>)) {
        let (thread, _) = self.tracks.thread(tid, at, tracker, &mut self.sink.packets);
        let mut packet = thread.lane.event(schema::event::INSTANT, at, &mut self.scratch);
        write(&mut packet);
        packet.write(&mut self.sink.packets);
    }

    fn call(&mut self, call: &Call, part: Part, tracker: &Tracker) {
        let out = &mut self.sink.packets;
        let decoded = self.decoder.decode(call, part, &self.options, &*self.resolver);
        let does = |effect| call.row().is_some_and(|row| row.has_effect(effect));
        let flow = match call.outcome {
            Outcome::Value(child) if child > 0 && does(Effect::Forks) => {
                Some(self.flows.returned(call, child as Tid, self.tracks.next()))
            }
            _ => None,
        };
        let (thread, process) = self.tracks.thread(call.tid, call.began(), tracker, out);
        call::close(call.began(), thread, &mut self.scratch, out);
        thread.open_call = None;
        self.slices.write(&decoded, tracker, flow, thread, &mut self.scratch, out);
        self.calls += 1;
        self.rate.add(call.began());
        process.rate.add(call.began());
        match call.outcome {
            Outcome::Value(0) if does(Effect::Executes) => {
                let args = self.brief.args(&decoded);
                let mut packet = thread.lane.event(schema::event::INSTANT, call.returned, &mut self.scratch);
                packet.category("process").name("exec").text("args", &args).write(out);
                self.tracks.name(call.tid, call.returned, tracker, out);
            }
            Outcome::Value(0) if does(Effect::NamesThread) => self.tracks.name(call.tid, call.returned, tracker, out),
            Outcome::Gone | Outcome::Pending if !call::never_returns(&decoded) => self.unfinished += 1,
            _ => {}
        }
        if let Some(waits) = &call.waits {
            let returned = matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_));
            let until = if returned { call.returned } else { self.last };
            self.tracks.waits(call, waits, until, &mut self.sink.packets);
        }
        if self.waits {
            self.wakes(call);
        }
    }

    /// Writes the flows from this call to those that it woke, and from the call that woke this one.
    fn wakes(&mut self, call: &Call) {
        let Some(track) = self.tracks.get(call.tid).map(|thread| thread.track) else { return };
        let mut found = Vec::new();
        let mut told = |woken: u64, wake: Option<Wake<u64>>| found.extend(wake.map(|wake| (wake, woken)));
        self.tracks.wakers.reported(call, track, &mut told);
        if let Ok(woken) = WokenCall::of(call, track) {
            self.tracks.wakers.woke(woken, &mut told);
        }
        for (wake, woken) in found {
            global::wake(&mut self.sink.packets, wake, woken, self.tracks.next());
        }
    }

    /// Functions of libraries are slices around those of the calls that they make.
    fn library(&mut self, call: &LibraryCall, tracker: &Tracker) {
        let out = &mut self.sink.packets;
        let (thread, _) = self.tracks.thread(call.tid, call.at, tracker, out);
        // Operations of io_uring overlap with all else that their thread does, so they are marks where they are
        // completed.
        if call.operation.is_some() {
            let mut packet = thread.lane.event(schema::event::INSTANT, call.at, &mut self.scratch);
            let name = printable(call.function.name.as_bytes());
            packet.category("io_uring").name(&name).text("args", &self.brief.library_args(call));
            packet.text("ret", &self.brief.library_result(call));
            packet.write(out);
            return;
        }
        call::close(call.at, thread, &mut self.scratch, out);
        let kind = match call.part {
            LibraryPart::Entered => schema::event::SLICE_BEGIN,
            LibraryPart::Passed => schema::event::INSTANT,
            // Where the beginning was not seen, there is no slice to end.
            LibraryPart::Returned | LibraryPart::Gone if thread.functions == 0 => return,
            LibraryPart::Returned | LibraryPart::Gone => schema::event::SLICE_END,
        };
        let mut packet = thread.lane.event(kind, call.at, &mut self.scratch);
        match call.part {
            LibraryPart::Entered | LibraryPart::Passed => {
                let name = printable(call.function.name.as_bytes());
                packet.category("library").name(&name).text("args", &self.brief.library_args(call));
                thread.functions += u32::from(call.part == LibraryPart::Entered);
            }
            LibraryPart::Returned => {
                packet.text("ret", &self.brief.library_result(call));
                thread.functions -= 1;
            }
            LibraryPart::Gone => thread.functions -= 1,
        }
        packet.write(out);
    }

    fn signal(&mut self, tid: Tid, info: &[u8; SIGINFO_SIZE], stack: Option<&Arc<Stack>>, at: Ns, tracker: &Tracker) {
        let number = i32::from_le_bytes([info[0], info[1], info[2], info[3]]);
        let (thread, _) = self.tracks.thread(tid, at, tracker, &mut self.sink.packets);
        let value = self.decoder.siginfo(tid, info, &self.options, &*self.resolver);
        let mut packet = thread.lane.event(schema::event::INSTANT, at, &mut self.scratch);
        packet.category("signal").name(&signal(number)).text("info", &self.brief.value(&value));
        if let Some(stack) = stack {
            packet.callstack(&self.slices.stacks.of(stack));
        }
        packet.write(&mut self.sink.packets);
    }

    fn started(&mut self, tid: Tid, pid: Tid, origin: StartKind, at: Ns, tracker: &Tracker) {
        self.tracks.start(tid, pid, at, tracker, &mut self.sink.packets);
        let name = if origin == StartKind::Attached { "attached" } else { "started" };
        let flow = match origin {
            StartKind::Forked { parent } => Some(self.flows.started(parent, tid, at, self.tracks.next())),
            StartKind::Attached | StartKind::Spawned => None,
        };
        self.instant(tid, at, tracker, |packet| {
            packet.category("process").name(name);
            if let Some(flow) = flow {
                packet.flow_end(flow);
            }
        });
    }

    fn ended(&mut self, tid: Tid, at: Ns, tracker: &Tracker, name: &str) {
        let out = &mut self.sink.packets;
        let (thread, _) = self.tracks.thread(tid, at, tracker, out);
        if let Some((name, entered)) = thread.open_call.take() {
            call::entered(name, entered, thread, &mut self.scratch, out);
            self.unfinished += 1;
        }
        call::close(at, thread, &mut self.scratch, out);
        thread.lane.event(schema::event::INSTANT, at, &mut self.scratch).category("process").name(name).write(out);
        self.tracks.end(tid, at, out);
    }
}

impl View for Perfetto {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        if self.sink.failed() {
            return;
        }
        // An event without a time may come before the command's execve, with which the run begins.
        if self.run.is_some()
            && let Some(at) = event.at()
        {
            self.begin(tracker.began().unwrap_or(at));
        }
        self.last = self.last.max(event.at().unwrap_or(0));
        match *event {
            Event::Started { tid, process, origin, at } => self.started(tid, process, origin, at, tracker),
            Event::Enter(call) => {
                let (thread, _) = self.tracks.thread(call.tid, call.began(), tracker, &mut self.sink.packets);
                let name = table(call.abi).shown(call.nr).map_or("syscall", |row| row.name);
                thread.open_call = Some((name, call.began()));
            }
            Event::Exit(call) => self.call(call, Part::Whole, tracker),
            Event::Library(call) => self.library(call, tracker),
            Event::Signal { tid, info, stack, at, .. } => self.signal(tid, info, stack, at, tracker),
            Event::Stopped { tid, signal: number, at } => self.instant(tid, at, tracker, |packet| {
                packet.category("signal").name(&format!("stopped by {}", signal(number)));
            }),
            Event::Exited { tid, status, at } => {
                self.ended(tid, at, tracker, &format!("exited with {status}"));
            }
            Event::Killed { tid, signal: number, core, at } => {
                let core = if core { " (core dumped)" } else { "" };
                self.ended(tid, at, tracker, &format!("killed by {}{core}", signal(number)));
            }
            Event::Superseded { tid, old, at, .. } => {
                // The execve continues under the new id, and is reported there.
                if let Some(thread) = self.tracks.get(old) {
                    thread.open_call = None;
                }
                self.ended(old, at, tracker, &format!("goes on as {tid}: execve"));
            }
            Event::Detached { tid, call, at } => {
                if let Some(call) = call {
                    self.call(call, Part::Entry, tracker);
                }
                self.detached(tid, at, tracker);
            }
            Event::Lost { tid, count, at } => self.instant(tid, at, tracker, |packet| {
                packet.category("lost").name(&counted(count, "call lost", "calls lost")).uint("lost", count);
            }),
            Event::Personality { tid, abi, at } => self.instant(tid, at, tracker, |packet| {
                let bits = 8 * abi.word();
                packet.category("process").name(&format!("runs in {bits} bit mode"));
            }),
            Event::Idle => self.sink.flush(self.calls),
            Event::NamingCall(_)
            | Event::Named { .. }
            | Event::NamespaceId { .. }
            | Event::Ending { .. }
            | Event::Stranger { .. } => {}
        }
        self.sink.hand_on(self.calls);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        if let Some(run) = &self.run {
            self.begin(run.started);
        }
        for tid in self.tracks.tids() {
            self.left(tid, self.last);
            self.tracks.end(tid, self.last, &mut self.sink.packets);
        }
        let out = &mut self.sink.packets;
        let track = self.tracks.next();
        global::counter(out, self.last, track, None, &self.rate);
        if !end.lost.is_none() {
            self.own_lane
                .event(schema::event::INSTANT, self.last, &mut self.scratch)
                .category("lost")
                .name(&format!("in all, {}", end.lost))
                .uint("lost", end.lost.calls)
                .uint("lost_threads", end.lost.threads)
                .uint("lost_signals", end.lost.signals)
                .write(out);
        }
        self.own_lane
            .event(schema::event::INSTANT, self.last, &mut self.scratch)
            .name("tracing ended")
            .uint("calls", self.calls)
            .uint("unfinished", self.unfinished)
            .uint("lost", end.lost.calls)
            .write(out);
        self.sink.flush(self.calls);
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.sink.take_error()
    }
}

impl Perfetto {
    /// Tracing left the thread. The call that it is in stays open, because its end is not known.
    fn left(&mut self, tid: Tid, at: Ns) {
        let Some(thread) = self.tracks.get(tid) else { return };
        if let Some((name, entered)) = thread.open_call.take() {
            call::entered(name, entered, thread, &mut self.scratch, &mut self.sink.packets);
            self.unfinished += 1;
        }
        self.last = self.last.max(at);
    }

    fn detached(&mut self, tid: Tid, at: Ns, tracker: &Tracker) {
        self.left(tid, at);
        self.instant(tid, at, tracker, |packet| {
            packet.category("process").name("detached");
        });
        self.tracks.end(tid, at, &mut self.sink.packets);
    }
}

fn signal(number: i32) -> String {
    let mut name = Vec::new();
    names::signal(&mut name, number);
    String::from_utf8_lossy(&name).into_owned()
}
