//! The JSON view: events in, lines of JSON out.

use super::call::CallTimes;
use super::event::{Counts, EventContext, ThreadMembers};
use super::library::library;
use super::{CallArguments, Json};
use crate::{End, RunInfo, Show, Sink, View, ViewError};
use std::sync::Arc;
use stride_decode::{Options, Resolver};
use stride_event::{Call, CallWaits, Event, Outcome, SIGINFO_SIZE, Stack};
use stride_syscalls::Effect;
use stride_track::Tracker;

/// Renders events as JSON, one object a line.
pub struct JsonView {
    arguments: CallArguments,
    thread: ThreadMembers,
    wall_offset: i128,
    show: Show,
    /// `-i`.
    ip: bool,
    sink: Sink,
    out: Vec<u8>,
    counts: Counts,
    error: Option<ViewError>,
}

impl JsonView {
    pub fn new(
        info: &RunInfo,
        options: Options,
        resolver: Box<dyn Resolver>,
        show: Show,
        ip: bool,
        sink: Sink,
    ) -> JsonView {
        let mut out = Vec::with_capacity(2 * sink.batch);
        Json::new(&mut out).trace(info);
        JsonView {
            arguments: CallArguments::new(options, resolver),
            thread: ThreadMembers::default(),
            wall_offset: info.wall_offset,
            show,
            ip,
            sink,
            out,
            counts: Counts::default(),
            error: None,
        }
    }

    fn settle(&mut self, written: Result<(), ViewError>) {
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    fn write(&mut self, event: &Event<'_>, tracker: &Tracker, out: &mut Vec<u8>) {
        let wall_offset = self.wall_offset;
        let moment = |tid, at| {
            let thread = tracker.thread(tid);
            EventContext {
                tid,
                pid: thread.map(|thread| thread.pid),
                comm: thread.map(|thread| &thread.comm[..]).filter(|comm| !comm.is_empty()),
                container: None,
                at,
                wall_offset,
            }
        };
        match *event {
            Event::Started { tid, origin, at, .. } if self.show.attach => {
                Json::new(out).event("start", &moment(tid, at), |j| j.origin(origin));
            }
            Event::Enter(call) => self.arguments.enter(call, tracker),
            Event::Exit(call) => {
                let moment_of_call =
                    EventContext { container: call.container.as_deref(), ..moment(call.tid, call.began()) };
                self.exit(call, &moment_of_call, tracker, out);
                if executes(call) {
                    exec(&moment(call.tid, call.returned), tracker, out);
                }
            }
            Event::Library(call) => library(&moment(call.tid, call.entered), call, out),
            Event::Signal { tid, info, ip, stack, at } => self.signal(&moment(tid, at), info, ip, stack, out),
            Event::Stopped { tid, signal, at } if self.show.shows_signal(signal) => {
                Json::new(out).event("stopped", &moment(tid, at), |j| j.key("signal").signal(signal));
            }
            Event::Exited { tid, status, at } => {
                let moment = moment(tid, at);
                self.leave(&moment, None, out);
                if self.show.exit {
                    Json::new(out).event("exit", &moment, |j| j.key("status").int(status));
                }
                self.arguments.forget(tid);
            }
            Event::Killed { tid, signal, core, at } => {
                let moment = moment(tid, at);
                self.leave(&moment, None, out);
                if self.show.killed {
                    Json::new(out).event("killed", &moment, |j| {
                        j.key("signal").signal(signal);
                        j.key("core").bool(core);
                    });
                }
                self.arguments.forget(tid);
            }
            Event::Superseded { tid, old, call, at } => {
                let moment = moment(tid, at);
                // The leader's own call is gone. The execve continues under the leader's id.
                self.leave(&moment, None, out);
                self.arguments.superseded(tid, old, call, tracker);
                if self.show.superseded {
                    Json::new(out).event("superseded", &moment, |j| j.key("by").int(old));
                }
            }
            Event::Detached { tid, call, at } => {
                let moment = moment(tid, at);
                if let (Some(call), false) = (call, self.arguments.is_in_call(tid)) {
                    self.arguments.enter(call, tracker);
                }
                self.leave(&moment, call.and_then(|call| call.waits.as_deref()), out);
                if self.show.attach {
                    Json::new(out).event("detach", &moment, |_| {});
                }
                self.arguments.forget(tid);
            }
            Event::Personality { tid, abi, at } if self.show.personality => {
                Json::new(out).event("personality", &moment(tid, at), |j| j.key("abi").str(abi.name()));
            }
            Event::Lost { tid, count, at } => {
                Json::new(out).event("lost", &moment(tid, at), |j| j.key("calls").int(count));
            }
            Event::Started { .. } | Event::Personality { .. } => {}
            Event::NamingCall(_)
            | Event::Named { .. }
            | Event::NamespaceId { .. }
            | Event::Ending { .. }
            | Event::Stopped { .. }
            | Event::Stranger { .. }
            | Event::Idle => {}
        }
    }

    fn exit(&mut self, call: &Call, moment: &EventContext<'_>, tracker: &Tracker, out: &mut Vec<u8>) {
        let mut json = Json { descriptors: Some((tracker, call.tid)), ..Json::new(out) };
        json.begin_call(call.abi, call.nr, self.thread.of(moment));
        json.args_key(self.arguments.head(call).raw);
        let (head, decoded) = self.arguments.exit(call, tracker, json.out);
        json.outcome(call, &decoded, head.raw);
        json.tampering(call.tampering);
        json.dump(decoded.dump);
        if let Some(path) = tracker.seen().and_then(|seen| seen.path) {
            json.name("path", tracker.name(path));
        }
        let returned = matches!(call.outcome, Outcome::Value(_) | Outcome::Error(_));
        let duration = head.entered.filter(|_| returned).map(|entered| call.returned.saturating_sub(entered));
        json.when(&EventContext { at: head.entered.unwrap_or(moment.at), ..*moment });
        let stack = call.stack.as_deref().filter(|_| self.show.stack.is_some());
        let times = CallTimes { duration, waits: call.waits.as_deref() };
        json.end_call(head.abi, head.nr, times, self.ip.then_some(head.ip), stack);
        self.counts.calls += 1;
        self.counts.errors += u64::from(call.outcome.is_error());
        self.counts.unfinished += u64::from(!returned);
    }

    /// A thread goes, so its call will not return. `waits`: those so far.
    fn leave(&mut self, moment: &EventContext<'_>, waits: Option<&CallWaits>, out: &mut Vec<u8>) {
        let mut args = Vec::new();
        let Some(head) = self.arguments.leave(moment.tid, &mut args) else { return };
        let mut json = Json::new(out);
        json.begin_call(head.abi, head.nr, self.thread.of(moment));
        json.args_key(head.raw);
        json.out.extend_from_slice(&args);
        json.unfinished();
        json.when(&EventContext { at: head.entered.unwrap_or(moment.at), ..*moment });
        json.end_call(head.abi, head.nr, CallTimes { duration: None, waits }, self.ip.then_some(head.ip), None);
        self.counts.calls += 1;
        self.counts.unfinished += 1;
    }

    fn signal(
        &mut self,
        moment: &EventContext<'_>,
        info: &[u8; SIGINFO_SIZE],
        ip: Option<u64>,
        stack: Option<&Arc<Stack>>,
        out: &mut Vec<u8>,
    ) {
        let number = i32::from_le_bytes([info[0], info[1], info[2], info[3]]);
        if !self.show.shows_signal(number) {
            return;
        }
        let value = self.arguments.siginfo(moment.tid, info);
        Json::new(out).event("signal", moment, |j| {
            j.key("signal").signal(number);
            j.key("info").value(&value);
            if let Some(ip) = ip {
                j.key("ip").hex(ip);
            }
            if let Some(stack) = stack.filter(|_| self.show.stack.is_some()) {
                j.stack(stack);
            }
        });
        self.counts.signals += 1;
    }
}

impl View for JsonView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        // The buffer is taken out, because `self` is borrowed beside it.
        let mut out = std::mem::take(&mut self.out);
        self.write(event, tracker, &mut out);
        self.out = out;
        // A start is written together with the next event: the program must run even if the output cannot be written.
        let due = self.sink.eager && !matches!(event, Event::Started { .. });
        if matches!(event, Event::Idle) {
            self.flush();
        } else if due || self.out.len() >= self.sink.batch {
            let written = self.sink.write(&mut self.out);
            self.settle(written);
        }
    }

    fn flush(&mut self) {
        let written = self.sink.write(&mut self.out);
        let written = written.and(self.sink.flush());
        self.settle(written);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        Json::new(&mut self.out).end(&self.counts, end);
        self.flush();
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}

/// True if the call starts another program.
fn executes(call: &Call) -> bool {
    matches!(call.outcome, Outcome::Value(_)) && call.row().is_some_and(|row| row.has_effect(Effect::Executes))
}

fn exec(moment: &EventContext<'_>, tracker: &Tracker, out: &mut Vec<u8>) {
    let process = moment.pid.and_then(|pid| tracker.process(pid));
    Json::new(out).event("exec", moment, |j| {
        if let Some(program) = process.and_then(|process| process.program) {
            j.name("program", tracker.name(program));
        }
        j.key("command").array(|j| {
            process.into_iter().flat_map(|process| process.command.iter()).for_each(|word| j.word_of(word));
        });
    });
}
