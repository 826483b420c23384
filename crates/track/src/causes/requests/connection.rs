//! The connections of servers, and the request on each: from bytes that came to the bytes that answered them.

use crate::{FileId, ObjectKind, Seen, Tracker, address_name};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use stride_event::{Call, Ns, Tid};
use stride_syscalls::{Flow, Thing};

/// A call's part in a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionTouch {
    /// Accepts a client.
    Accepts,
    /// Takes bytes from the socket.
    Receives,
    /// Gives bytes to the socket.
    Sends,
    /// Finds that the other end is done.
    FindsEnd,
}

impl ConnectionTouch {
    /// That of a call that succeeded.
    pub fn of(call: &Call, seen: &Seen, tracker: &Tracker) -> Option<ConnectionTouch> {
        let row = seen.row?;
        if row.makes() == Some(Thing::Connection) {
            return seen.made.map(|_| ConnectionTouch::Accepts);
        }
        let is_socket = seen.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Socket);
        let (transfer, bytes) = row.transfer().zip(seen.bytes.filter(|_| is_socket))?;
        match transfer.flow {
            Flow::In if bytes == 0 => Some(ConnectionTouch::FindsEnd),
            Flow::In => Some(ConnectionTouch::Receives),
            Flow::Out => Some(ConnectionTouch::Sends),
            // The first descriptor is the one that bytes go to, or the one that they come from.
            Flow::Between => call.arg("out_fd").map(|_| ConnectionTouch::Sends),
        }
    }
}

/// A socket and, because the datagrams of all clients come through one socket, what stands for the client's address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConnectionId {
    pub file: FileId,
    /// 0 for a socket that is one end of a connection.
    client: u64,
}

impl ConnectionId {
    /// The only connection of a socket.
    pub fn of_socket(file: FileId) -> ConnectionId {
        ConnectionId { file, client: 0 }
    }

    /// The connection that a call is about. `None`: the other end is not known.
    pub fn of(call: &Call, file: FileId, seen: &Seen, tracker: &Tracker) -> Option<ConnectionId> {
        const STREAMS: [&[u8]; 3] = [b"TCP", b"VSOCK", b"socket pair"];
        let name = tracker.name(seen.object?);
        let begins = |protocol: &[u8]| name.starts_with(protocol);
        if STREAMS.into_iter().any(begins) {
            return Some(ConnectionId::of_socket(file));
        }
        // A UNIX socket has streams or datagrams. Streams come without an address.
        let client = call.message_address().and_then(address_name).map(|name| FxBuildHasher.hash_one(name) | 1);
        let known = if begins(b"UNIX") { Some(client.unwrap_or(0)) } else { client.filter(|_| begins(b"UDP")) };
        known.map(|client| ConnectionId { file, client })
    }

    pub fn is_of_datagrams(self) -> bool {
        self.client != 0
    }
}

/// A connection that a traced process accepted, or on which the other end spoke first.
pub struct ServedConnection {
    /// The kind of its requests.
    pub kind: u32,
    /// The request that is under way.
    pub request: Option<ServedRequest>,
}

/// More bytes may come before the answer, so often.
const MAX_MORE: usize = 16;

/// A request that came.
pub struct ServedRequest {
    /// The end of the call that received it first, or that accepted its connection.
    pub since: Ns,
    /// The thread that received it last.
    pub receiver: Tid,
    /// The end of the last send, if it was answered. Its time up to here is accounted for.
    pub answered: Option<Ns>,
    /// When more bytes came and was not answered yet, and the threads that received them.
    more: Vec<(Ns, Tid)>,
}

impl ServedRequest {
    pub fn new(since: Ns, receiver: Tid) -> ServedRequest {
        ServedRequest { since, receiver, answered: None, more: Vec::new() }
    }

    /// More bytes came before the answer.
    pub fn goes_on(&mut self, at: Ns, receiver: Tid) {
        self.receiver = receiver;
        if self.more.len() < MAX_MORE {
            self.more.push((at, receiver));
        }
    }

    /// It was answered by a call that began and ended at these moments. The call may have returned later than the one that received the next request, whose
    /// bytes it cannot have answered: this is returned.
    pub fn is_answered(&mut self, began: Ns, ended: Ns) -> Option<ServedRequest> {
        self.answered = Some(ended);
        let next = self.more.iter().position(|(at, _)| *at > began);
        let mut later = self.more.split_off(next.unwrap_or(self.more.len())).into_iter();
        self.more.clear();
        let (since, receiver) = later.next()?;
        let mut request = ServedRequest::new(since, receiver);
        later.for_each(|(at, receiver)| request.goes_on(at, receiver));
        Some(request)
    }

    /// The beginning of the time that a send at this moment accounts for.
    pub fn unaccounted(&self) -> Ns {
        self.answered.unwrap_or(self.since)
    }
}

/// A piece of a request's time that is to be accounted for.
pub struct AnswerTime {
    /// The beginning of the request.
    pub since: Ns,
    pub connection: ConnectionId,
    pub from: Ns,
    pub to: Ns,
    /// The thread that sent, and the thread that received.
    pub sender: Tid,
    pub receiver: Tid,
}
