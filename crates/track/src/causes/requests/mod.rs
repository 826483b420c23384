//! Requests: what the threads of servers did from the bytes that came on a connection to the bytes that answered them.
//!
//! A request begins at the end of the call that received its first bytes, or that accepted its connection. It ends with the last send on the connection
//! before more is received. So requests that came together count as one. Datagrams to and from one client are a connection.
//!
//! Its time is divided from its end back to its beginning, along the thread that sent. Where that thread had been asleep since before the request came, and a
//! traced thread woke it, the time before is that of the waking thread: it handed the request over. Where a thread worked for another connection, the
//! request waited for it: so it did for a thread that had other requests to answer, until that one began to wait for work.

mod account;
pub(crate) mod bands;
mod connection;
pub(crate) mod kinds;
mod log;

use crate::causes::path_parts::ActivityId;
use crate::causes::spent::{Activity, Spent, call_on, in_call};
use crate::{FileId, ObjectId, ObjectKind, Seen, Tracker, names_thread};
use bands::Parts;
use connection::{AnswerTime, ConnectionId, ConnectionTouch, ServedConnection, ServedRequest};
use kinds::{Kinds, RequestKind};
use log::{LogSegment, ThreadLog};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use stride_event::{Call, Event, NamedThread, Ns, Outcome, StartKind, Tid, WaitTimes, Waker, parts_within};
use stride_syscalls::{Effect, Flow, For, Syscall};

const MAX_CONNECTIONS: usize = 1 << 16;
const MAX_THREADS: usize = 1 << 13;
/// An answer is accounted for so many calls later. By then, calls have returned that were under way in threads that woke its thread.
const LATER: u64 = 32;
/// Calls, and times between calls, of all threads that are kept together; and those of one thread that are looked at for one answer. What came before is
/// not known any more.
const MAX_SEGMENTS: usize = 1 << 19;
const MAX_STEPS: usize = 512;

/// A request, by its connection and its beginning.
type RequestId = (ConnectionId, Ns);

/// A thing to do when the calls have returned that are under way.
enum Pending {
    Account(AnswerTime),
    /// The request was answered at this moment, and is over.
    Over(ConnectionId, u32, ServedRequest, Ns),
}

#[derive(Default)]
pub struct Requests {
    /// Names the activities. (Each thread's times are in its log, and not here.)
    spent: Spent,
    logs: FxHashMap<Tid, ThreadLog>,
    connections: FxHashMap<ConnectionId, ServedConnection>,
    /// Those of clients: sockets that were connected, or that spoke first.
    clients: FxHashSet<ConnectionId>,
    /// Sockets to which datagrams came first.
    served: FxHashSet<FileId>,
    kinds: Kinds,
    pending: VecDeque<(u64, Pending)>,
    /// The parts of requests that are not over yet.
    parts: FxHashMap<RequestId, Parts>,
    /// The connections that threads are sending to, if the engine shows entries. Another thread may close one before the send has returned.
    sending: FxHashMap<Tid, ConnectionId>,
    /// Connections that have ended, and when to forget them: the return of a last send may still come.
    ended: VecDeque<(u64, ConnectionId)>,
    calls: u64,
}

impl Requests {
    /// Handles an event that the tracker has taken in.
    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        for file in tracker.gone_files() {
            self.ends_later(ConnectionId::of_socket(*file));
        }
        match *event {
            Event::Started { tid, origin, at, .. } => {
                let made_by = if let StartKind::Forked { parent } = origin { Some((parent, at)) } else { None };
                self.logs.insert(tid, ThreadLog { made_by, ..log_from(at) });
            }
            Event::Enter(call) => {
                let sends = |seen: &&Seen| seen.row.is_some_and(is_send);
                let seen = tracker.wait(call.tid).map(|wait| &wait.seen).filter(sends);
                let to = seen.and_then(|seen| self.connection(call, seen.file?, seen, tracker));
                if let Some(to) = to.filter(|to| self.connections.contains_key(to) && self.sending.len() < MAX_THREADS)
                {
                    self.sending.insert(call.tid, to);
                }
            }
            Event::Exit(call) => {
                if let Some(seen) = tracker.seen() {
                    self.returned(call, seen, tracker);
                }
            }
            _ => {}
        }
        if self.logs.len() > MAX_THREADS {
            self.logs.retain(|tid, _| tracker.thread(*tid).is_some());
            self.sending.retain(|tid, _| tracker.thread(*tid).is_some());
            if self.logs.len() > MAX_THREADS / 2 {
                self.logs.clear();
            }
        }
    }

    /// All kinds of requests, those that took most time first.
    pub fn kinds(&mut self, tracker: &Tracker) -> Vec<RequestKind> {
        self.all_end();
        while let Some((_, pending)) = self.pending.pop_front() {
            self.does(pending, tracker);
        }
        self.kinds.all(&self.spent)
    }

    /// The engine measured waits.
    pub fn measured(&self) -> bool {
        self.spent.measured
    }

    fn returned(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) {
        let mut touch =
            matches!(call.outcome, Outcome::Value(_)).then(|| ConnectionTouch::of(call, seen, tracker)).flatten();
        let mut on = match touch {
            Some(ConnectionTouch::Accepts) => seen.made.map(|(_, file, _)| ConnectionId::of_socket(file)),
            Some(_) => seen.file.and_then(|file| self.connection(call, file, seen, tracker)),
            None => None,
        };
        if let Some(sent_to) = self.sending.remove(&call.tid)
            && matches!(call.outcome, Outcome::Value(_))
        {
            (touch, on) = (Some(ConnectionTouch::Sends), Some(sent_to));
        }
        // A datagram may be empty.
        if touch == Some(ConnectionTouch::FindsEnd) && on.is_some_and(ConnectionId::is_of_datagrams) {
            touch = Some(ConnectionTouch::Receives);
        }
        self.note_time(call, seen, on.filter(|_| touch != Some(ConnectionTouch::Accepts)), tracker);
        self.calls += 1;
        if let Some((touch, on)) = touch.zip(on) {
            self.touched(touch, on, call, seen, tracker);
        }
        if seen.row.is_some_and(|row| row.has_effect(Effect::Connects))
            && let Some(file) = seen.file
        {
            self.is_client(ConnectionId::of_socket(file));
        }
        if let Some(file) = seen.ended {
            self.ends_later(ConnectionId::of_socket(file));
        }
        while self.ended.front().is_some_and(|(due, _)| *due <= self.calls) {
            let Some((_, connection)) = self.ended.pop_front() else { break };
            self.ends(connection);
        }
        while self.pending.front().is_some_and(|(due, _)| *due <= self.calls) {
            let Some((_, pending)) = self.pending.pop_front() else { break };
            self.does(pending, tracker);
        }
    }

    fn later(&mut self, pending: Pending) {
        self.pending.push_back((self.calls + LATER, pending));
    }

    fn does(&mut self, pending: Pending, tracker: &Tracker) {
        match pending {
            Pending::Account(piece) => self.account(&piece, tracker),
            Pending::Over(connection, kind, request, answered) => {
                let parts = self.parts.remove(&(connection, request.since)).unwrap_or_default();
                self.kinds.answered(kind, &request, answered, &parts);
            }
        }
    }

    /// Nothing more comes of a request.
    fn is_over(&mut self, connection: ConnectionId, kind: u32, request: ServedRequest) {
        match request.answered {
            Some(answered) => self.later(Pending::Over(connection, kind, request, answered)),
            None => self.kinds.unanswered(kind),
        }
    }

    /// The connection that a call about a socket is about.
    fn connection(&self, call: &Call, file: FileId, seen: &Seen, tracker: &Tracker) -> Option<ConnectionId> {
        // (A stream of a client that has a name tells this name with the bytes.)
        let accepted = Some(ConnectionId::of_socket(file)).filter(|id| self.connections.contains_key(id));
        accepted.or_else(|| ConnectionId::of(call, file, seen, tracker))
    }

    fn is_client(&mut self, connection: ConnectionId) {
        if self.clients.len() >= MAX_CONNECTIONS {
            self.clients.clear();
        }
        self.clients.insert(connection);
    }

    /// The program sends without having received. If it is the first thing on a socket, answers may come from anywhere.
    fn speaks_first(&mut self, connection: ConnectionId) {
        match self.served.contains(&connection.file) {
            true => self.is_client(connection),
            false => self.is_client(ConnectionId::of_socket(connection.file)),
        }
    }

    /// The program began the conversation: by connect(2), or by the first message.
    fn began_it(&self, connection: ConnectionId) -> bool {
        self.clients.contains(&connection) || self.clients.contains(&ConnectionId::of_socket(connection.file))
    }

    /// Logs the call, and the time before it. `on`: the connection that it is about.
    fn note_time(&mut self, call: &Call, seen: &Seen, on: Option<ConnectionId>, tracker: &Tracker) {
        let on_object = call_on(call, seen, tracker);
        let kept = (MAX_SEGMENTS / (self.logs.len() + 1)).clamp(64, 2 * MAX_STEPS);
        let log = self.logs.entry(call.tid).or_insert_with(|| log_from(0));
        let party = *log.party.get_or_insert_with(|| self.spent.party(call.tid, tracker));
        let before = log.owner;
        // A thread that waits for several descriptors works for no connection.
        if seen.row.is_some_and(|row| matches!(row.waits(), Some(For::Readiness | For::Completion))) {
            log.owner = None;
        }
        let activity = in_call(call, on_object, log.followed_on, tracker);
        let (from, to) = (call.began(), call.returned);
        let waits = call.waits.as_deref();
        if let Some(until) = log.until.filter(|until| *until < from) {
            let off = waits.map(|waits| waits.before).unwrap_or_default();
            let parts = between(&mut self.spent, party, from - until, call.held, &off);
            let (woken, idle, asleep) = (None, false, None);
            log.push(LogSegment { from: until, to: from, parts, owner: before, woken, idle, asleep }, kept);
        }
        let from = log.until.unwrap_or(from).max(from);
        let (parts, asleep) = self.spent.off_cpu(party, on_object, call);
        let parts = whole(parts, to.saturating_sub(from), self.spent.activities.id((party, activity)));
        let (woken, idle) = (woken(call), is_idle(seen, tracker));
        let owner = on.filter(|on| self.connections.contains_key(on)).or(log.owner);
        log.push(LogSegment { from, to, parts, owner, woken, idle, asleep }, kept);
        (log.until, log.followed_on) = (Some(to.max(from)), true);
        if seen.row.is_some_and(names_thread) {
            log.party = None;
        }
    }

    fn touched(&mut self, touch: ConnectionTouch, on: ConnectionId, call: &Call, seen: &Seen, tracker: &Tracker) {
        let (tid, at) = (call.tid, call.returned);
        let object = match touch {
            ConnectionTouch::Accepts => seen.made.map(|(_, _, object)| object),
            _ => seen.object,
        };
        if !self.connections.contains_key(&on) {
            let Some(object) = object.filter(|_| !self.began_it(on)) else { return };
            match touch {
                ConnectionTouch::Sends => return self.speaks_first(on),
                ConnectionTouch::FindsEnd => return,
                ConnectionTouch::Accepts | ConnectionTouch::Receives => {
                    self.connect(on, tracker.group(object), tid, tracker)
                }
            }
        }
        if touch == ConnectionTouch::FindsEnd {
            return self.ends_later(on);
        }
        let Some(connection) = self.connections.get_mut(&on) else { return };
        let kind = connection.kind;
        match (touch, &mut connection.request) {
            (ConnectionTouch::Sends, Some(request)) => {
                let (since, from, receiver) = (request.since, request.unaccounted(), request.receiver);
                let to = at.max(from);
                let next = request.is_answered(call.began(), to);
                let before = next.map(|next| std::mem::replace(request, next));
                self.later(Pending::Account(AnswerTime { since, connection: on, from, to, sender: tid, receiver }));
                before.into_iter().for_each(|before| self.is_over(on, kind, before));
            }
            (ConnectionTouch::Sends, None) => {}
            // More of the same request.
            (_, Some(request)) if request.answered.is_none() => request.goes_on(at, tid),
            (_, request) => {
                let before = request.replace(ServedRequest::new(at, tid));
                before.into_iter().for_each(|before| self.is_over(on, kind, before));
            }
        }
        if let Some(log) = self.logs.get_mut(&tid) {
            // Behind an answer, a thread works for the next request that it touches, if for any.
            log.owner = (touch != ConnectionTouch::Sends).then_some(on);
        }
    }

    fn connect(&mut self, connection: ConnectionId, object: ObjectId, tid: Tid, tracker: &Tracker) {
        if self.connections.len() >= MAX_CONNECTIONS {
            self.all_end();
        }
        if connection.is_of_datagrams() {
            if self.served.len() >= MAX_CONNECTIONS {
                self.served.clear();
            }
            self.served.insert(connection.file);
        }
        let comm: Box<[u8]> = tracker.thread(tid).map(|thread| thread.comm.as_slice().into()).unwrap_or_default();
        let kind = self.kinds.of(object, comm);
        self.connections.insert(connection, ServedConnection { kind, request: None });
    }

    /// Nothing more comes on a connection, except returns of calls that are under way.
    fn ends_later(&mut self, connection: ConnectionId) {
        if self.connections.contains_key(&connection) {
            self.ended.push_back((self.calls + LATER, connection));
        }
        self.clients.remove(&connection);
        self.served.remove(&connection.file);
    }

    /// A connection is forgotten.
    fn ends(&mut self, connection: ConnectionId) {
        if let Some(served) = self.connections.remove(&connection) {
            served.request.into_iter().for_each(|request| self.is_over(connection, served.kind, request));
        }
    }

    fn all_end(&mut self) {
        let open: Vec<ConnectionId> = self.connections.keys().copied().collect();
        open.into_iter().for_each(|connection| self.ends(connection));
    }
}

/// The parts of the time between calls, which add up to it.
fn between(spent: &mut Spent, party: u32, time: Ns, held: Ns, off: &WaitTimes) -> Vec<(ActivityId, Ns)> {
    let id = |(activity, part)| (spent.activities.id((party, activity)), part);
    let off = off.parts().map(|(kind, part)| (Activity::Off(kind), part));
    let parts: Vec<_> = [(Activity::Held, held)].into_iter().chain(off).map(id).collect();
    whole(parts, time, spent.activities.id((party, Activity::Computing)))
}

/// The parts, and the rest of the time that they are of. `rest`: the activity of the rest.
fn whole(parts: impl IntoIterator<Item = (ActivityId, Ns)>, time: Ns, rest: ActivityId) -> Vec<(ActivityId, Ns)> {
    let mut left = time;
    let mut parts: Vec<_> = parts_within(&mut left, parts).collect();
    parts.push((rest, left));
    parts.retain(|(_, part)| *part > 0);
    parts
}

fn log_from(at: Ns) -> ThreadLog {
    ThreadLog { until: (at > 0).then_some(at), ..ThreadLog::default() }
}

fn is_send(row: &'static Syscall) -> bool {
    row.transfer().is_some_and(|transfer| transfer.flow == Flow::Out)
}

/// True for a call in which a thread may wait for work: at a lock or a condition, for descriptors, for bytes of a pipe or the like.
fn is_idle(seen: &Seen, tracker: &Tracker) -> bool {
    let Some(row) = seen.row else { return false };
    let from_others = |object| matches!(tracker.kind(object), ObjectKind::Pipe | ObjectKind::Anonymous);
    let receives = row.transfer().is_some_and(|transfer| transfer.flow == Flow::In);
    matches!(row.waits(), Some(For::Lock | For::Readiness | For::Completion | For::Signal))
        || row.may_wait() == Some(For::Peer)
        || receives && seen.object.is_some_and(from_others)
}

/// The thread that woke the call's thread, and when.
fn woken(call: &Call) -> Option<(Tid, Ns)> {
    match call.woken_by()? {
        (Waker::Thread(NamedThread { tid, .. }, _), at) => Some((tid, at)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
