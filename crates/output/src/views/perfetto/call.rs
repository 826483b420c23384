//! A call as a slice.

use super::lane::{Packet, Scratch};
use super::schema::event::{SLICE_BEGIN, SLICE_END};
use super::stacks::Callstacks;
use super::text::printable;
use super::tracks::ThreadTrack;
use super::waits;
use crate::Brief;
use crate::spelling::names;
use stride_decode::{Decoded, PidNote, Return, Value};
use stride_event::{Call, Ns, Outcome};
use stride_syscalls::{Class, Ret, Syscall};
use stride_track::Tracker;

/// The category of a call: the most telling of its classes.
pub fn category(row: Option<&Syscall>) -> &'static str {
    const BY_WEIGHT: [(Class, &str); 9] = [
        (Class::NETWORK, "network"),
        (Class::SIGNAL, "signal"),
        (Class::IPC, "ipc"),
        (Class::MEMORY, "memory"),
        (Class::PROCESS, "process"),
        (Class::FILE, "file"),
        (Class::DESC, "desc"),
        (Class::CREDS, "creds"),
        (Class::CLOCK, "clock"),
    ];
    let class = row.map_or(Class::NONE, |row| row.class);
    BY_WEIGHT.iter().find(|(weighty, _)| class.0 & weighty.0 != 0).map_or("other", |(_, name)| name)
}

/// True if a missing return is normal, as with exit.
pub fn never_returns(decoded: &Decoded<'_>) -> bool {
    decoded.row.is_some_and(|row| matches!(row.ret, Ret::Never))
}

/// Writes slices.
pub struct Slices {
    brief: Brief,
    name: String,
    pub stacks: Callstacks,
}

impl Slices {
    pub fn new(brief: Brief) -> Slices {
        Slices { brief, name: String::new(), stacks: Callstacks::default() }
    }

    /// Writes a whole call. If it does not return, its slice stays open. `flow` leads to the thread that it made.
    pub fn write(
        &mut self,
        decoded: &Decoded<'_>,
        tracker: &Tracker,
        flow: Option<u64>,
        thread: &mut ThreadTrack,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) {
        let call = decoded.call;
        let returned = match call.outcome {
            Outcome::Value(_) | Outcome::Error(_) => decoded.ret.as_ref(),
            Outcome::Gone | Outcome::Pending => None,
        };
        let mut begin = thread.lane.event(SLICE_BEGIN, call.began(), scratch);
        begin.category(category(decoded.row));
        self.named(&mut begin, decoded, call);
        begin.text("args", &self.brief.args(decoded));
        add_subject(&mut begin, tracker);
        if let Some(stack) = &call.stack {
            let stack = self.stacks.of(stack);
            begin.text("caller", &stack.caller).callstack(&stack);
        }
        if let Some(waits) = &call.waits {
            waits::add(&mut begin, waits, &mut self.brief);
        }
        if let Some(flow) = flow {
            begin.flow(flow);
        }
        if returned.is_none() && !never_returns(decoded) {
            begin.yes("unfinished");
        }
        if call.entered.is_none() {
            begin.yes("entry_unseen");
        }
        begin.write(out);
        let Some(ret) = returned else {
            thread.open = true;
            return;
        };
        let mut end = thread.lane.event(SLICE_END, call.returned, scratch);
        self.returned(&mut end, decoded, ret);
        end.write(out);
    }

    /// Failed calls have names of their own, so they get a colour, a row in statistics, and a category of their own.
    fn named(&mut self, begin: &mut Packet<'_>, decoded: &Decoded<'_>, call: &Call) {
        self.name.clear();
        self.name.push_str(&self.brief.name(decoded));
        if let Outcome::Error(errno) = call.outcome {
            begin.category("error");
            self.name.push(' ');
            self.name.push_str(names::errno(errno).map_or("error", |(name, _)| name));
        }
        begin.name(&self.name);
    }

    fn returned(&mut self, end: &mut Packet<'_>, decoded: &Decoded<'_>, ret: &Return<'_>) {
        match (ret.outcome, ret.value, ret.note) {
            (Outcome::Value(_), Value::Int(v), None) => end.int("ret", v),
            (Outcome::Value(_), Value::UInt(v), None) => end.uint("ret", v),
            (Outcome::Value(_), Value::Fd { fd, note: None, .. }, None) => end.int("ret", fd.into()),
            (Outcome::Value(_), Value::Pid { id, note: PidNote { comm: None, outer: None }, .. }, None) => {
                end.int("ret", id.into())
            }
            _ => end.text("ret", &self.brief.outcome(decoded)),
        };
        if let Outcome::Error(errno) = ret.outcome
            && let Some((name, _)) = names::errno(errno)
        {
            end.text("errno", name);
        }
    }
}

/// The object of the latest call's descriptor, and the path in the call.
fn add_subject(begin: &mut Packet<'_>, tracker: &Tracker) {
    let Some(seen) = tracker.seen() else { return };
    if let Some(object) = seen.object {
        begin.text("fd", &printable(tracker.name(object)));
    }
    if let Some(path) = seen.path {
        begin.text("path", &printable(tracker.name(path)));
    }
}

/// A call of which only the entry is known.
pub fn entered(name: &str, at: Ns, thread: &mut ThreadTrack, scratch: &mut Scratch, out: &mut Vec<u8>) {
    thread.lane.event(SLICE_BEGIN, at, scratch).name(name).yes("unfinished").write(out);
    thread.open = true;
}

/// Closes the slice of a call that did not return.
pub fn close(at: Ns, thread: &mut ThreadTrack, scratch: &mut Scratch, out: &mut Vec<u8>) {
    if std::mem::take(&mut thread.open) {
        thread.lane.event(SLICE_END, at, scratch).write(out);
    }
}
