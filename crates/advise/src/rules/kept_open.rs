//! A client reads its answers to the end of the connection, and waits for that end long after the answer has come: the server keeps the
//! connection for the next request.

use super::common::{Bounded, ProcessCounts, count_stack, plain};
use crate::counts::by_thread::LostTime;
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{is_asked, is_read, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::sync::Arc;
use stride_event::{Ns, Outcome, Stack, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{ObjectId, Tracker};

const KEPT_OPEN: Threshold =
    Threshold::count("kept-open", 3, "ends of connections that were waited for after the last bytes had come");
const KEPT_OPEN_WAIT: Threshold =
    Threshold::time("kept-open-wait", 20_000_000, "a shorter wait for the end of a connection is not looked at");
const KEPT_OPEN_PART: Threshold = Threshold::part("kept-open-part", 0.3, "the part of the run that these waits took");

pub const RULE: RuleInfo = RuleInfo {
    id: "kept-open",
    title: "waiting for the end of a connection that is kept open",
    explanation: "A client sends a request and reads the answer up to the end of the connection. The answer is there at once, but the end is not: the server keeps the connection for the next request, as \
        HTTP/1.1 does, and closes it only when a time has run out. The client waits for that time, though nothing comes any more.\n\n\
        Reported are three connections that the program had made and asked something, of which the end (a read that returns 0) came 20 ms or more after the last bytes, if these waits took three tenths of the run.\n\n\
        Read as much as the protocol says: as many bytes as Content-Length has, up to the last chunk, or up to the end of the line. A library for the protocol does that. Or ask the server to close the connection after its answer: `Connection: close`, \
        HTTP/1.0, or shutdown(2) with SHUT_WR where the server ends then. It is fine if the other side may still have something to say.\n\n\
        Example: a script fetches 12 pages with a socket and `while (chunk := s.recv(4096))`. The server keeps idle connections for 150 ms: 1.9 s. With `Connection: close`, 0.1 s.",
    thresholds: &[KEPT_OPEN, KEPT_OPEN_WAIT, KEPT_OPEN_PART],
    make: || Box::new(KeptOpen::default()),
};

#[derive(Default)]
struct KeptOpen {
    connections: Bounded<ObjectId, Connection>,
    /// How long each thread waited for descriptors before its next read.
    polled: Bounded<Tid, Ns>,
    times: u64,
    waited: LostTime,
    /// Where the connections that were waited for lead to.
    to: Option<ObjectId>,
    processes: ProcessCounts,
    stacks: Vec<(Arc<Stack>, u64)>,
}

/// A connection that the program has made.
#[derive(Default)]
struct Connection {
    /// Something was sent, and bytes came after that.
    asked: bool,
    answered: bool,
    /// When the last bytes came.
    since: Ns,
}

const MOST_STACKS: usize = 32;

impl Rule for KeptOpen {
    fn wants(&self, row: &'static Syscall) -> bool {
        is_read(row) || is_write(row) || row.waits() == Some(For::Readiness)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let (call, tid) = (observed.call, observed.call.tid);
        if observed.row.waits() == Some(For::Readiness) {
            self.polled.make_room_of_ended(observed.tracker, |_| false);
            self.polled.entry(tid, || 0).into_iter().for_each(|polled| *polled += observed.time_waiting());
            return;
        }
        let socket = observed.seen.object.filter(|object| is_asked(*object, observed.tracker));
        let (Some(socket), Outcome::Value(bytes)) = (socket, call.outcome) else { return };
        if is_write(observed.row) {
            self.connections.make_room(|_| false);
            if let Some(connection) = self.connections.entry(socket, Connection::default) {
                *connection = Connection { asked: true, ..Connection::default() };
            }
            return;
        }
        // A thread that could run, but had no CPU, did not wait.
        let slept = self.polled.remove(&tid).unwrap_or(0) + observed.time_waiting();
        let Some(connection) = self.connections.get_mut(&socket) else { return };
        if bytes > 0 {
            (connection.answered, connection.since) = (connection.asked, call.returned);
            return;
        }
        let waited = call.returned.saturating_sub(connection.since).min(slept);
        let is_end = connection.answered;
        self.connections.remove(&socket);
        if !is_end || waited < KEPT_OPEN_WAIT.get() {
            return;
        }
        self.times += 1;
        self.waited.add(tid, waited);
        self.to = Some(socket);
        self.processes.count(observed.seen.pid, observed.tracker);
        if let Some(stack) = &call.stack {
            count_stack(&mut self.stacks, MOST_STACKS, stack, call.stack_calls.into());
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let waited = self.waited.on_path(index.path()).min(index.own_span());
        if self.times < KEPT_OPEN.get() || (waited as f64) < index.own_span() as f64 * KEPT_OPEN_PART.ratio() {
            return Vec::new();
        }
        let Some(socket) = self.to else { return Vec::new() };
        vec![Candidate {
            sentence: say!(
                "After its answer had come, the end of a connection was waited for {} times (the last one is {}), {} each time on average, {} of the run's {}: the other side kept the connection open.",
                TIMES.of(self.times),
                plain(tracker.name(socket)),
                MEAN_WAIT.of(self.waited.total() / self.times),
                WAITED.of(waited),
                RUN.of(index.own_span()),
            ),
            evidence: self.processes.evidence().into_iter().collect(),
            advice: "Read as much as the protocol says (Content-Length, the last chunk, the end of a line), as a library for it does, or ask the other side to close the connection after its answer \
                     (`Connection: close`, HTTP/1.0, shutdown(2) with SHUT_WR)."
                .into(),
            confidence: Confidence::Likely,
            stacks: std::mem::take(&mut self.stacks),
            perhaps_more: waited,
            estimate: "these waits, as far as nothing more was to come".into(),
            matters: true,
            // The server waits for the next request meanwhile.
            instead_of: &["lost-time", "timed-waits", "lock-step"],
            ..Candidate::default()
        }]
    }
}
