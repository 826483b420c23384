//! A connection is made for each request.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::by_thread::LostTime;
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::counts::kinds::is_write;
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{CONNECTIONS, MEAN_MESSAGES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::FEW_MESSAGES;
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{Effect, Syscall, Thing, uapi::consts as c};
use stride_track::{Cloned, FileId, ObjectId, ObjectKind, Tracker};

const RECONNECTS: Threshold =
    Threshold::count("reconnects", 20, "connections of one process to one peer, one after the other");

pub const RULE: RuleInfo = RuleInfo {
    id: "reconnects",
    title: "a connection for each request",
    explanation: "A process connects to the same peer again and again, and closes each connection after a request or two. \
                  Each connection costs three calls and a round trip before the first byte (two or three with TLS), starts \
                  slowly, and leaves a port that cannot be used again for a minute.\n\n\
        A TCP or UNIX connection counts if the same process had closed one to the same peer before, and both carried one to \
        four messages. At least twenty such connections are reported. Connections that were open at the same time do not \
        count.\n\n\
        The estimate is all calls about such connections but those that carry the messages, and the time from socket(2) to the \
        first message.\n\n\
        Example: a script asks an HTTP server for 1,000 pages, each with a new connection: 3,000 calls and 1,000 round trips more than with a connection that is kept open (requests.Session in Python, keep-alive, a connection pool for a database).",
    thresholds: &[RECONNECTS],
    make: || Box::new(Reconnects::default()),
};

#[derive(Default)]
struct Reconnects {
    /// The time at which each socket was made.
    made: Bounded<FileId, Ns>,
    open: Bounded<FileId, Connection>,
    peers: Bounded<(Tid, ObjectId), Peer>,
    processes: ProcessCounts,
    /// Threads that were made.
    threads: u64,
}

struct Connection {
    peer: (Tid, ObjectId),
    connect: CallKey,
    tid: Tid,
    /// The time at which the socket was made, and the time of the first message, or until then of connect(2)'s return.
    began: Ns,
    ready: Ns,
    used: bool,
    line: u64,
    /// An earlier connection to the same peer could have been kept instead.
    again: bool,
}

#[derive(Default)]
struct Peer {
    /// Connections that were used and closed, and could be used again.
    idle: u64,
    again: u64,
    messages: u64,
    lost: LostTime,
    line: u64,
    claims: Claims,
}

impl Rule for Reconnects {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Connects)
            || row.has_effect(Effect::Forks)
            || row.makes() == Some(Thing::Socket)
            || is_write(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        const EINPROGRESS: Outcome = Outcome::Error(c::EINPROGRESS as u32);
        let entered = observed.call.began();
        if observed.has(Effect::Forks) {
            self.threads += u64::from(observed.ok() && Cloned::of(observed.call).makes_thread());
            return;
        }
        if let Some((_, file, _)) = observed.seen.made {
            self.made.entry(file, || entered);
            return;
        }
        if is_write(observed.row) {
            let open = observed.seen.file.and_then(|file| self.open.get_mut(&file));
            if let Some(connection) = open.filter(|connection| !connection.used) {
                (connection.used, connection.ready) = (true, entered);
            }
            return;
        }
        if !observed.ok() && observed.call.outcome != EINPROGRESS {
            return;
        }
        let (Some(object), Some(file)) = (observed.seen.object, observed.seen.file) else { return };
        let tracker = observed.tracker;
        let name = tracker.name(object);
        if tracker.kind(object) != ObjectKind::Socket || !(name.starts_with(b"TCP ") || name.starts_with(b"UNIX ")) {
            return;
        }
        let peer = (observed.seen.pid, object);
        let Some(known) = self.peers.entry(peer, Peer::default) else { return };
        let again = known.idle > 0;
        known.idle -= u64::from(again);
        let began = self.made.remove(&file).unwrap_or(entered);
        let (tid, ready, line) = (observed.call.tid, observed.call.returned, observed.line);
        let connect = observed.key;
        self.open.entry(file, || Connection { peer, connect, tid, began, ready, used: false, line, again });
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, tracker: &Tracker) {
        self.made.remove(&file.id);
        let Some(connection) = self.open.remove(&file.id) else { return };
        let Some(peer) = self.peers.get_mut(&connection.peer) else { return };
        let messages = file.writes.calls.min(file.reads.calls);
        if file.writes.bytes == 0 || file.reads.bytes == 0 || messages > FEW_MESSAGES.get() {
            return;
        }
        peer.idle += 1;
        if !connection.again {
            return;
        }
        peer.again += 1;
        peer.messages += messages;
        peer.lost.add(connection.tid, connection.ready.saturating_sub(connection.began));
        peer.line = connection.line;
        for key in [Some(connection.connect), file.made, file.closed].into_iter().flatten() {
            peer.claims.add(key, 1);
        }
        for (key, calls) in file.others.iter().filter(|(key, _)| *key != connection.connect) {
            peer.claims.add(key, calls);
        }
        if peer.again >= RECONNECTS.get() {
            self.processes.count(connection.peer.0, tracker);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> = self.peers.iter().filter(|(_, peer)| peer.again >= RECONNECTS.get()).collect();
        often.sort_by_key(|((_, object), peer)| (Reverse((peer.again, peer.lost.total())), *object));
        let Some(((_, object), worst)) = often.first() else { return Vec::new() };
        let evidence = often.iter().map(|((_, object), peer)| {
            let mut evidence = thing(*object, peer.again, tracker);
            evidence.time = Some(peer.lost.total());
            evidence.line = Some(peer.line);
            evidence
        });
        let mut claims = Claims::default();
        claims.add_all(often.iter().flat_map(|(_, peer)| peer.claims.iter()));
        // A server that makes a thread for each connection makes fewer if there are fewer connections.
        let again: u64 = often.iter().map(|(_, peer)| peer.again).sum();
        let a_thread_for_each = self.threads.abs_diff(again) * 10 <= again;
        vec![Candidate {
            sentence: say!(
                "{}: {} connections were made one after the other, with messages on each: {}.",
                plain(tracker.name(*object)),
                CONNECTIONS.of(worst.again + 1),
                MEAN_MESSAGES.mean(worst.messages, worst.again)
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Keep the connection open for the next request: keep-alive, a session object, a connection pool that keeps as many idle connections as requests are made at a time (in Go, \
                     Transport.MaxIdleConnsPerHost, which is 2 by default). If the other side closes the connection, keep-alive has to be allowed there, too. Read each answer to its end: libraries close a connection on which bytes were left (in Go, \
                     io.Copy(io.Discard, body) before Close)."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "making and closing each connection but the first".into(),
            instead_of: if a_thread_for_each { &["short-threads"] } else { &[] },
            whole_time: Some(often.iter().map(|(_, peer)| peer.lost.on_path(index.path())).sum()),
            ..Candidate::default()
        }]
    }
}
