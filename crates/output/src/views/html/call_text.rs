//! Texts of the calls that the page shows.

use crate::line::waits::{off_cpu, waits_with};
use crate::spelling::legible::{cut, legible};
use crate::{Brief, Style, Writer};
use std::rc::Rc;
use stride_decode::{Decoder, FdInfo, Options, Part, PidInfo, Resolver};
use stride_event::quantity::duration;
use stride_event::{Call, CallWaits, Descriptor, FdOf, Tid, WaitKind};
use stride_syscalls::{Namespace, PidKind};
use stride_track::{Cause, Tracker};

/// The longest text of a call, and the longest name of a descriptor in one.
const TEXT: usize = 240;
const NAME: usize = 80;

/// The texts of a call that is shown by itself.
#[derive(Clone)]
pub struct SliceText {
    pub call: Rc<str>,
    /// The times that its thread was off the CPU, and why (`--waits`). Empty if it was not, or if that was not measured.
    pub waits: Rc<str>,
}

pub struct CallText {
    decoder: Decoder,
    brief: Brief,
    options: Options,
    resolver: Box<dyn Resolver>,
    /// True if the tracker names descriptors. With `-y` the resolver does.
    followed: bool,
}

impl CallText {
    pub fn new(style: Style, options: Options, resolver: Box<dyn Resolver>) -> CallText {
        let followed = !options.fds;
        let options = Options { fds: true, ..options };
        CallText { decoder: Decoder::default(), brief: Brief::new(style), options, resolver, followed }
    }

    pub fn of(&mut self, call: &Call, part: Part, tracker: &Tracker) -> SliceText {
        let waits = call.waits.as_deref().map(|waits| waited(waits, call, part, tracker)).unwrap_or_default();
        SliceText { call: self.call(call, part, tracker), waits: waits.into() }
    }

    /// The time between two calls, in which the thread was not always on a CPU.
    pub fn between(waits: &CallWaits) -> SliceText {
        let parts = waits.before.parts().map(|(kind, time)| format!("{} {}", off_cpu(kind), duration(time)));
        SliceText { call: "".into(), waits: parts.collect::<Vec<_>>().join(", ").into() }
    }

    fn call(&mut self, call: &Call, part: Part, tracker: &Tracker) -> Rc<str> {
        let followed = Followed { tracker, resolver: &*self.resolver };
        let resolver = if self.followed { &followed as &dyn Resolver } else { &*self.resolver };
        let decoded = self.decoder.decode(call, part, &self.options, resolver);
        cut(&self.brief.call(&decoded), TEXT).into()
    }
}

/// `waited for the other end of a socket: blocked 40.0 ms by redis-server[412] sendto, waited for a CPU 103 µs`.
fn waited(waits: &CallWaits, call: &Call, part: Part, tracker: &Tracker) -> String {
    let mut out = Vec::new();
    let mut w = Writer { out: &mut out, style: Style::default() };
    // (The kinds of waits that have no thing that the thread waits for have words of their own.)
    let cause = tracker.seen().and_then(|seen| Cause::of(call, seen, tracker));
    let blocked = waits.longest.is_some_and(|longest| longest.kind == WaitKind::Blocked);
    if let Some(words) = cause.filter(|cause| blocked && cause.is_blocked()).and_then(Cause::words) {
        w.str("waited for ");
        w.str(words);
        w.str(":");
    }
    // (A call that is shown at its entry has not returned.)
    waits_with(&mut w, waits, part == Part::Entry, |w, time| w.str(&duration(time)));
    cut(String::from_utf8_lossy(&out).trim_start(), TEXT)
}

/// The resolver, with the tracker's names for descriptors.
struct Followed<'a> {
    tracker: &'a Tracker,
    resolver: &'a dyn Resolver,
}

impl Resolver for Followed<'_> {
    fn fd(&self, of: FdOf, _: Option<&Descriptor>) -> Option<FdInfo> {
        // The directory of relative paths is rarely worth the room.
        let object = self.tracker.referent(of).object().filter(|_| of.fd >= 0)?;
        Some(FdInfo { path: Vec::new(), detail: legible(self.tracker.name(object), NAME), deleted: false })
    }

    fn path(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        self.resolver.path(tid, fd, known)
    }

    fn is_terminal(&self, tid: Tid, fd: i32) -> bool {
        self.resolver.is_terminal(tid, fd)
    }

    fn pidfd(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Tid> {
        self.resolver.pidfd(tid, fd, known)
    }

    fn netlink_protocol(&self, tid: Tid, fd: i32) -> Option<u32> {
        self.resolver.netlink_protocol(tid, fd)
    }

    fn interface(&self, index: u32) -> Option<Vec<u8>> {
        self.resolver.interface(index)
    }

    fn generic_family(&self, id: u16) -> Option<Vec<u8>> {
        self.resolver.generic_family(id)
    }

    fn met_generic_family(&self, id: u16, name: &[u8]) {
        self.resolver.met_generic_family(id, name);
    }

    fn pid(&self, tid: Tid, id: i32, kind: PidKind) -> PidInfo {
        self.resolver.pid(tid, id, kind)
    }

    fn process(&self, tid: Tid, id: i32) -> Option<Tid> {
        self.resolver.process(tid, id)
    }

    fn namespace(&self, tid: Tid, kind: Namespace) -> Option<u64> {
        self.resolver.namespace(tid, kind)
    }

    fn comm(&self, tid: Tid) -> Option<Vec<u8>> {
        self.resolver.comm(tid)
    }
}

#[cfg(test)]
impl From<&str> for SliceText {
    fn from(call: &str) -> SliceText {
        SliceText { call: call.into(), waits: "".into() }
    }
}
