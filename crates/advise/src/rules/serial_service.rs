//! A server handles few requests at a time and waits for something during each, while other requests wait for the server.

use super::common::{Bounded, ProcessCounts, on_object, plain};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_asked, is_read, is_served, is_write};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{AT_A_TIME, MEAN_WAIT, QUEUED, REQUESTS, RUN, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Event, Ns, Outcome, Tid};
use stride_syscalls::{Effect, For, Syscall, table};
use stride_track::{FileId, ObjectId, ObjectKind, Tracker};

const LEAST_QUEUED: Threshold =
    Threshold::count("queued-requests", 10, "requests that had come before the server was done with the one before");
const SERVICE_WAIT: Threshold =
    Threshold::time("service-wait", 1_000_000, "a server that waits so long for each request, on average, waits long");
const SERVED_AT_ONCE: Threshold =
    Threshold::count("served-at-once", 4, "a server that handles more requests at a time handles many");
const SERVICE_PART: Threshold =
    Threshold::part("service-part", 0.2, "the part of the run in which a server waited so, and others for the server");

pub const RULE: RuleInfo = RuleInfo {
    id: "serial-service",
    title: "requests wait while the server waits",
    explanation: "A server handles one request at a time, or as many as it has workers, and waits during each: for a database, for another server, for a disk, for a timer. Meanwhile \
        other requests are there already and wait for the server, though its CPU has nothing to do.\n\n\
        A request begins when a thread receives bytes on a connection of a client, and ends when the thread sends on it. Reported are ten requests of \
        other connections that were there when the thread had sent the answer before (it did not wait, or had learned of several), if these are at least half of all, if the server waited for 1 ms and more during each request on average, \
        if it never handled more than four requests at a time, and if this took a fifth of the run. The estimate is half of the waiting, because two requests could wait at the same \
        time, and more if more of them can.\n\n\
        Let more requests be under way: more workers or threads (gunicorn -w, --threads; pm.max_children of PHP-FPM; a pool of threads), a thread for each connection, or calls that do \
        not block in an event loop (async). If whatever the server waits for can do only one thing at a time, this is as it must be.\n\n\
        Example: a server with one thread asks a database for 10 ms for each request, and eight clients ask at the same time: 120 requests take 1.3 s. With eight threads they take 0.2 s.",
    thresholds: &[LEAST_QUEUED, SERVICE_WAIT, SERVED_AT_ONCE, SERVICE_PART],
    make: || Box::new(SerialService::default()),
};

#[derive(Default)]
struct SerialService {
    threads: Bounded<Tid, Worker>,
    /// By the common name of the connections of its clients, which all its processes share.
    servers: Bounded<ObjectId, Server>,
}

/// A thread that handles requests.
#[derive(Default)]
struct Worker {
    /// The request that the thread handles now.
    request: Option<Request>,
    /// The connection of the latest request that the thread has answered, and how long it waited for that.
    answered: Option<(FileId, Ns)>,
    /// The thread has waited since then, or may have.
    waited: bool,
    /// Descriptors that the thread has learned to be ready, and has not used yet.
    ready: i64,
}

struct Request {
    file: FileId,
    server: ObjectId,
    waited: Ns,
}

#[derive(Default)]
struct Server {
    requests: u64,
    waited: Ns,
    /// The requests that waited already, and the waits of the threads that they waited for.
    queued: u64,
    held_up: Ns,
    /// Requests that are handled now, and the most that were at a time.
    now: u64,
    at_most: u64,
    processes: ProcessCounts,
    /// The calls that waited.
    calls: FxHashMap<CallKey, (u64, Ns)>,
}

const MOST_CALLS: usize = 64;

impl Rule for SerialService {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let tid = observed.call.tid;
        let of_client = served(observed);
        if let Some((file, server)) = of_client
            && is_read(observed.row)
        {
            return self.begins(observed, file, server);
        }
        let Some(worker) = self.threads.get_mut(&tid) else { return };
        if observed.row.waits() == Some(For::Readiness)
            && let Outcome::Value(ready) = observed.call.outcome
        {
            worker.ready = ready;
        }
        let Some(request) = &mut worker.request else {
            // A request that the thread makes itself was not there before (a client in the same event loop).
            worker.waited |= may_have_waited(observed) || is_asking(observed);
            return;
        };
        match of_client {
            Some((file, _)) if file == request.file && is_write(observed.row) => {
                worker.answered = Some((file, request.waited));
                worker.waited = false;
                self.end(tid);
            }
            _ if slept(observed).unwrap_or_else(|| may_wait(observed.row)) => {
                let waited = observed.time_waiting();
                request.waited += waited;
                let Some(server) = self.servers.get_mut(&request.server) else { return };
                server.waited += waited;
                if server.calls.len() < MOST_CALLS || server.calls.contains_key(&observed.key) {
                    let (calls, time) = server.calls.entry(observed.key).or_default();
                    (*calls, *time) = (*calls + 1, *time + waited);
                }
            }
            _ => {}
        }
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, _: &Tracker) {
        if let Event::Exited { tid, .. } | Event::Killed { tid, .. } | Event::Detached { tid, .. } = *event {
            self.end(tid);
            self.threads.remove(&tid);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let least = index.own_span() as f64 * SERVICE_PART.ratio();
        let serial = self.servers.iter().filter(|(_, server)| server.is_serial() && server.lost() as f64 >= least);
        let Some((object, server)) = serial.max_by_key(|(object, server)| (server.lost(), Reverse(**object))) else {
            return Vec::new();
        };
        let most = server.calls.iter().max_by_key(|(key, (_, time))| (*time, Reverse((key.nr, key.object))));
        let waits_in = most.map_or_else(String::new, |(key, _)| {
            let name = table(key.abi).name(key.nr.into());
            format!("most of all in {name}{}", on_object(key.object, tracker))
        });
        let lost = server.lost();
        let Some(process) = server.processes.evidence() else { return Vec::new() };
        let comm = index.comm(process.pid.unwrap_or_default(), tracker);
        vec![Candidate {
            sentence: say!(
                "{} handled {} requests to {}, at most {} at a time, and waited during each for {} on average, {waits_in}; {} of them were there before and waited for the server meanwhile. So passed {} of {}.",
                plain(if comm.is_empty() { &process.name } else { comm }),
                REQUESTS.of(server.requests),
                plain(tracker.name(*object)),
                AT_A_TIME.of(server.at_most),
                MEAN_WAIT.of(server.waited / server.requests.max(1)),
                QUEUED.of(server.queued),
                WAITED.of(lost),
                RUN.of(index.span()),
            ),
            evidence: vec![process],
            advice: "Let the server handle more requests at a time: more workers or threads, a thread for each connection, or calls that do not block in an event loop. If \
                     whatever it waits for can do only one thing at a time, this is as it must be."
                .into(),
            confidence: Confidence::Likely,
            makers: server.calls.iter().map(|(key, (calls, _))| (*key, *calls)).collect(),
            estimate: "half of that time if two requests are handled at a time, more if more of them are".into(),
            whole_time: Some(lost / 2),
            perhaps_more: lost / 2,
            instead_of: &["lock-step", "lost-time", "reconnects"],
            ..Candidate::default()
        }]
    }
}

impl SerialService {
    fn begins(&mut self, observed: &Observed<'_>, file: FileId, server: ObjectId) {
        let tid = observed.call.tid;
        // (A request may come in several pieces.)
        let known = self.threads.get(&tid).and_then(|worker| worker.request.as_ref());
        if known.is_some_and(|request| request.file == file) {
            return;
        }
        self.end(tid);
        self.threads.make_room_of_ended(observed.tracker, |_| false);
        let Some(worker) = self.threads.entry(tid, Worker::default) else { return };
        let Some(of) = self.servers.entry(server, Server::default) else { return };
        of.requests += 1;
        of.now += 1;
        of.at_most = of.at_most.max(of.now);
        of.processes.count(observed.seen.pid, observed.tracker);
        // A client that asks again after its answer was not waiting.
        let was_told = worker.ready > 0;
        worker.ready -= 1;
        let before = worker.answered.take().filter(|(before, _)| *before != file);
        let was_there = !worker.waited && (was_told || !may_have_waited(observed));
        if let Some((_, waited)) = before.filter(|_| was_there) {
            of.queued += 1;
            of.held_up += waited;
        }
        worker.request = Some(Request { file, server, waited: 0 });
    }

    /// The thread handles no request any more.
    fn end(&mut self, tid: Tid) {
        let Some(request) = self.threads.get_mut(&tid).and_then(|worker| worker.request.take()) else { return };
        if let Some(server) = self.servers.get_mut(&request.server) {
            server.now = server.now.saturating_sub(1);
        }
    }
}

impl Server {
    /// The time for which requests waited at least: its workers may wait at the same time.
    fn lost(&self) -> Ns {
        self.held_up / self.at_most.max(1)
    }

    fn is_serial(&self) -> bool {
        self.queued >= LEAST_QUEUED.get()
            && self.queued * 2 >= self.requests
            && self.at_most <= SERVED_AT_ONCE.get()
            && self.waited / self.requests.max(1) >= SERVICE_WAIT.get()
    }
}

/// The connection of a client that the call moved bytes on, and the common name of those of its server.
fn served(observed: &Observed<'_>) -> Option<(FileId, ObjectId)> {
    let (file, object) = (observed.seen.file?, observed.seen.object?);
    let tracker = observed.tracker;
    let moved = matches!(observed.seen.bytes, Some(1..));
    (moved && tracker.kind(object) == ObjectKind::Socket && is_served(tracker.name(object)))
        .then(|| (file, tracker.group(object)))
}

/// True if the thread sends something on a connection that its process made.
fn is_asking(observed: &Observed<'_>) -> bool {
    is_write(observed.row) && observed.seen.object.is_some_and(|object| is_asked(object, observed.tracker))
}

/// A call that takes no longer has not waited.
const QUICK: Ns = 50_000;

/// True if the thread waited in the call for something other than a CPU. `None`: that is not known.
fn slept(observed: &Observed<'_>) -> Option<bool> {
    let measured = observed.slept().or_else(|| (observed.time() <= QUICK).then_some(false));
    // (A lock is given back by another thread that works.)
    measured.map(|slept| slept && !observed.has(Effect::Wakes))
}

/// Without measured waits, each call that can wait, and takes its time, may have waited.
fn may_have_waited(observed: &Observed<'_>) -> bool {
    slept(observed).unwrap_or_else(|| may_wait(observed.row) || is_read(observed.row))
}

fn may_wait(row: &Syscall) -> bool {
    row.waits().or(row.may_wait()).is_some() && !row.has_effect(Effect::Wakes)
}
