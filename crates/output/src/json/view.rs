//! The JSON view: events in, lines of JSON out.

use super::call::abi_name;
use super::event::{Counts, Moment};
use super::{About, Json};
use crate::{Show, Sink};
use std::collections::HashMap;
use stride_decode::{Decoder, Options, Part, World};
use stride_event::{Call, Event, Ns, Outcome, SIGINFO_SIZE, Tid};
use stride_syscalls::table;

/// Renders events as JSON, one object a line.
pub struct JsonView {
    decoder: Decoder,
    options: Options,
    world: Box<dyn World>,
    wall_offset: i128,
    show: Show,
    /// `-i`.
    ip: bool,
    sink: Sink,
    out: Vec<u8>,
    processes: HashMap<Tid, Tid>,
    /// By thread: the call that it is in, if its entry was told. What is over keeps its memory for the next.
    begun: HashMap<Tid, Begun>,
    counts: Counts,
    error: Option<String>,
}

/// A call that was entered.
#[derive(Default)]
struct Begun {
    in_flight: bool,
    /// What comes before the arguments, and the arguments known by then.
    text: Vec<u8>,
    /// What comes behind them.
    head: Head,
}

/// Size of a buffer that is written even while more events come.
const BATCH: usize = 1 << 16;

/// What does not change between entry and return.
#[derive(Clone, Copy, Default)]
struct Head {
    nr: u64,
    abi: Option<stride_syscalls::Abi>,
    ip: u64,
    entered: Ns,
    raw: bool,
}

impl JsonView {
    pub fn new(
        about: &About,
        options: Options,
        world: Box<dyn World>,
        show: Show,
        ip: bool,
        sink: Sink,
    ) -> JsonView {
        let mut out = Vec::with_capacity(2 * BATCH);
        Json { out: &mut out }.about(about);
        JsonView {
            decoder: Decoder::default(),
            options,
            world,
            wall_offset: about.wall_offset,
            show,
            ip,
            sink,
            out,
            processes: HashMap::new(),
            begun: HashMap::new(),
            counts: Counts::default(),
            error: None,
        }
    }

    /// The first error of the output since last asked, in words.
    pub fn take_error(&mut self) -> Option<String> {
        self.error.take()
    }

    /// Shows an event; what the filters reject is not handed in.
    pub fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Started { tid, process, origin, at } => {
                self.processes.insert(tid, process);
                if self.show.attach {
                    self.tell("start", tid, at, |j| j.origin(origin));
                }
            }
            Event::Enter(call) => self.enter(call),
            Event::Exit(call) => self.exit(call),
            Event::Signal { tid, info, ip, at } => self.signal(tid, info, ip, at),
            Event::Stopped { tid, signal, at } => self.tell("stopped", tid, at, |j| j.key("signal").signal(signal)),
            Event::Exited { tid, status, at } => {
                self.leave(tid, at);
                if self.show.exit {
                    self.tell("exit", tid, at, |j| j.key("status").int(status));
                }
                self.forget(tid);
            }
            Event::Killed { tid, signal, core, at } => {
                self.leave(tid, at);
                if self.show.exit {
                    self.tell("killed", tid, at, |j| {
                        j.key("signal").signal(signal);
                        j.key("core").bool(core);
                    });
                }
                self.forget(tid);
            }
            Event::Superseded { tid, old, call, at } => {
                // The leader's own call is gone; the execve goes on under the leader's id.
                self.leave(tid, at);
                match self.begun.remove(&old) {
                    Some(begun) if begun.in_flight => _ = self.begun.insert(tid, begun),
                    _ => call.into_iter().for_each(|call| self.enter(&Call { tid, ..call.clone() })),
                }
                self.processes.remove(&old);
                if self.show.superseded {
                    self.tell("superseded", tid, at, |j| j.key("by").int(old));
                }
            }
            Event::Detached { tid, call, at } => {
                if let (Some(call), false) = (call, self.begun.get(&tid).is_some_and(|b| b.in_flight)) {
                    self.enter(call);
                }
                self.leave(tid, at);
                if self.show.attach {
                    self.tell("detach", tid, at, |_| {});
                }
                self.forget(tid);
            }
            Event::Personality { tid, abi, at } if self.show.personality => {
                self.tell("personality", tid, at, |j| j.key("abi").str(abi_name(abi)));
            }
            Event::Lost { tid, count, at } => self.tell("lost", tid, at, |j| j.key("calls").int(count)),
            Event::Personality { .. } | Event::Ending { .. } | Event::Stranger { .. } => {}
            Event::Idle => self.flush(),
        }
        if self.sink.eager || self.out.len() >= BATCH {
            self.flush();
        }
    }

    /// What was begun and not ended, and what there was in all.
    pub fn finish(&mut self, lost_calls: u64, unseen_threads: u64) {
        Json { out: &mut self.out }.end(&self.counts, lost_calls, unseen_threads);
        self.flush();
    }

    fn moment(&self, tid: Tid, at: Ns) -> Moment<'_> {
        Moment { tid, pid: self.processes.get(&tid).copied(), comm: None, at, wall_offset: self.wall_offset }
    }

    fn tell(&mut self, kind: &str, tid: Tid, at: Ns, members: impl FnOnce(&mut Json<'_>)) {
        // Taken apart from the rest, which is borrowed beside it.
        let mut out = std::mem::take(&mut self.out);
        Json { out: &mut out }.event(kind, &self.moment(tid, at), members);
        self.out = out;
    }

    /// Writes what comes before the arguments that are not known yet, and the head.
    fn begin(&mut self, call: &Call, part: Part, out: &mut Vec<u8>) -> Head {
        let raw = self.options.raw.contains(call.abi, call.nr);
        let moment = self.moment(call.tid, call.entered);
        let mut json = Json { out };
        json.out.push(b'{');
        json.key("type").str("call");
        match table(call.abi).get(call.nr) {
            Some(entry) => json.key("name").str(entry.row.name),
            None => json.key("name").str(&format!("syscall_{:#x}", call.nr)),
        }
        json.who(&moment);
        json.begin_args(raw);
        let decoded = self.decoder.decode(call, part, &self.options, &*self.world);
        json.args(&decoded, raw);
        if part != Part::Entry {
            json.end_args(raw);
            json.outcome(call, &decoded, raw);
            json.dump(decoded.dump);
        }
        Head { nr: call.nr, abi: Some(call.abi), ip: call.ip, entered: call.entered, raw }
    }

    /// Writes what comes last.
    fn end(&self, head: &Head, tid: Tid, duration: Option<Ns>, out: &mut Vec<u8>) {
        let mut json = Json { out };
        json.when(&self.moment(tid, head.entered));
        if let Some(ns) = duration {
            json.key("duration_ns").int(ns);
        }
        json.key("nr").int(head.nr);
        json.key("abi").str(head.abi.map_or("", abi_name));
        if self.ip {
            json.key("ip").hex(head.ip);
        }
        json.out.extend_from_slice(b"}\n");
    }

    fn enter(&mut self, call: &Call) {
        let mut begun = self.begun.remove(&call.tid).unwrap_or_default();
        begun.text.clear();
        begun.head = self.begin(call, Part::Entry, &mut begun.text);
        begun.in_flight = true;
        self.begun.insert(call.tid, begun);
    }

    fn exit(&mut self, call: &Call) {
        let mut out = std::mem::take(&mut self.out);
        let head = match self.begun.get_mut(&call.tid).filter(|begun| begun.in_flight) {
            Some(begun) => {
                begun.in_flight = false;
                out.extend_from_slice(&begun.text);
                let head = begun.head;
                let decoded = self.decoder.decode(call, Part::Rest, &self.options, &*self.world);
                let mut json = Json { out: &mut out };
                json.args(&decoded, head.raw);
                json.end_args(head.raw);
                json.outcome(call, &decoded, head.raw);
                json.dump(decoded.dump);
                head
            }
            None => self.begin(call, Part::Whole, &mut out),
        };
        let duration = match call.outcome {
            Outcome::Value(_) | Outcome::Error(_) => Some(call.returned.saturating_sub(head.entered)),
            Outcome::Pending | Outcome::Gone => None,
        };
        self.end(&head, call.tid, duration, &mut out);
        self.out = out;
        self.counts.calls += 1;
        self.counts.errors += u64::from(call.outcome.is_error());
        self.counts.unfinished += u64::from(duration.is_none());
    }

    /// A thread goes: the call it is in will not return.
    fn leave(&mut self, tid: Tid, _at: Ns) {
        let Some(begun) = self.begun.get_mut(&tid).filter(|begun| begun.in_flight) else { return };
        begun.in_flight = false;
        let mut out = std::mem::take(&mut self.out);
        out.extend_from_slice(&begun.text);
        let head = begun.head;
        let mut json = Json { out: &mut out };
        json.end_args(head.raw);
        json.unfinished();
        self.end(&head, tid, None, &mut out);
        self.out = out;
        self.counts.calls += 1;
        self.counts.unfinished += 1;
    }

    fn forget(&mut self, tid: Tid) {
        self.begun.remove(&tid);
        self.processes.remove(&tid);
    }

    fn signal(&mut self, tid: Tid, info: &[u8; SIGINFO_SIZE], ip: Option<u64>, at: Ns) {
        let number = i32::from_le_bytes([info[0], info[1], info[2], info[3]]);
        if !self.show.signal.get(number as usize).copied().unwrap_or(true) {
            return;
        }
        let mut out = std::mem::take(&mut self.out);
        let moment =
            Moment { tid, pid: self.processes.get(&tid).copied(), comm: None, at, wall_offset: self.wall_offset };
        let value = self.decoder.siginfo(tid, info, &self.options, &*self.world);
        Json { out: &mut out }.event("signal", &moment, |j| {
            j.key("signal").signal(number);
            j.key("info").value(&value);
            if let Some(ip) = ip {
                j.key("ip").hex(ip);
            }
        });
        self.out = out;
        self.counts.signals += 1;
    }

    /// Hands on everything.
    pub fn flush(&mut self) {
        if let Err(message) = self.sink.write(&self.out) {
            self.error.get_or_insert(message);
        }
        self.out.clear();
    }
}
