//! Requests are made one at a time, and the program waits for each answer.

use super::common::{Bounded, Claims, ProcessCounts, plain, process, thing};
use super::few_at_once::FewAtOnce;
use super::uneven_connections::UnevenConnections;
use crate::counts::by_thread::LostTime;
use crate::counts::index::{Index, Observed, OpenFile};
use crate::counts::kinds::{is_read, is_write};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::{
    AT_A_TIME, BATCHES, CONNECTIONS, MEAN_BATCH, MEAN_WAIT, OTHERS_LIVED, REQUESTS, REQUESTS_IN_ALL, RUN, SERVERS,
    THREADS, TIMES, WAITED, WORKER_LIVED,
};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::{DELAYED_ACK, FEW_MESSAGES};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{CriticalPath, FileId, HandOvers, HandedOver, ObjectId, ObjectKind, Tracker, Way};

const ROUND_TRIPS: Threshold = Threshold::count("round-trips", 200, "round trips, of any length");
const ROUND_TRIPS_PART: Threshold = Threshold::part("round-trips-part", 0.1, "the part of the run that they took");
const SLOW_TRIPS: Threshold = Threshold::count("slow-trips", 5, "slow round trips");
const SLOW_TRIP: Threshold = Threshold::time("slow-trip", 5_000_000, "a round trip of this time on average is slow");
const SLOW_TRIPS_PART: Threshold =
    Threshold::part("slow-trips-part", 0.5, "the part of the run that slow round trips took");
const IDLE_BATCHES_PART: Threshold = Threshold::part(
    "idle-batches-part",
    0.25,
    "the part of the run in which batches of requests waited for their slowest answers",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "lock-step",
    title: "requests that wait for earlier answers",
    explanation: "A process sends a request to a server, waits for the answer, sends the next request, and so on. It spends most \
        of that time waiting, although the requests may not depend on each other.\n\n\
        A round trip is a send on a connection that the process made (TCP or UNIX), and the first receive after it. Round \
        trips count if the process waited for no other answer meanwhile. A peer is reported from 200 round trips on if \
        the waiting is a tenth of the run, and from five on if each took 5 ms or more and the waiting is half of the run. \
        Slow requests to several servers are counted together. If three or more threads make the requests, the finding says so: they hold a lock meanwhile, or get their work one by one. If two to four requests to one server are under way at a time, for half of the run and \
        5 ms each, that is told as a small pool. \
        If one of three or more connections is used for half of the run and three times as long as the others, which began at the same time, that is told as an uneven division of the work. \
        If three or more begin at the same time, and the next ones only when all of them are answered, that is told as batches, if they waited a quarter of the run for answers that were slower than the mean of their batch. \
        Short round trips on connections of their own are reported as `reconnects`, and answers that a delayed \
        acknowledgement held up as `small-sends`. Calls do not show whether a request needs the answer to the one before.\n\n\
        Example: a program asks redis for 600 keys with GET, one after the other: 600 round trips of 0.7 ms. MGET with all keys, \
        or a pipeline, is one round trip. For SQL, a join or WHERE id IN (...) takes the place of a query for each row. Ten \
        slow HTTP requests take as long as one if they are made at the same time.",
    thresholds: &[ROUND_TRIPS, ROUND_TRIPS_PART, SLOW_TRIPS, SLOW_TRIP, SLOW_TRIPS_PART, IDLE_BATCHES_PART],
    make: || Box::new(LockStep::default()),
};

#[derive(Default)]
struct LockStep {
    flows: Bounded<FileId, Flow>,
    peers: Bounded<(Tid, ObjectId), Peer>,
    /// The number of requests of a process that have no answer yet.
    pending: FxHashMap<Tid, u32>,
    processes: ProcessCounts,
    few: FewAtOnce,
    uneven: UnevenConnections,
}

/// A connection that its process made.
struct Flow {
    peer: (Tid, ObjectId),
    /// The request that has no answer yet.
    request: Option<Request>,
    trips: u64,
}

struct Request {
    /// The time after its last part was sent.
    sent: Ns,
    parts: u64,
    /// Another request was pending meanwhile.
    overlaps: bool,
    claims: Vec<crate::counts::index::CallKey>,
}

#[derive(Default)]
struct Peer {
    trips: u64,
    /// Further ones, whose requests were held up on the way.
    held_up: u64,
    waited: Ns,
    lost: LostTime,
    longest: Ns,
    connections: u64,
    line: u64,
    claims: Claims,
    /// The calls of the first request of each connection.
    first: Claims,
    /// The name of the thread of the first request, if that is not the process's.
    named: Option<Box<[u8]>>,
}

const MAX_PROCESSES: usize = 1 << 16;
/// The calls of one request that can be claimed.
const MAX_PARTS: usize = 8;

const AT_ONCE: &str = "Make requests that do not depend on each other at the same time (threads, an event loop, asyncio.gather, \
     goroutines), or ask for several things in one request.";

const BY_ONE_THREAD: &str = "Let several threads make requests that do not depend on each other. If the thread is one of a pool, the pool has one only: \
     give it more (in Java, a ThreadPoolExecutor whose queue has no bound never has more threads than its core size), or use an event loop.";

const IN_ONE: &str = "Ask for several things in one request (MGET, WHERE ... IN, a join, a batch), send the next requests before the \
     first answer is there (a pipeline), or let several connections be used (maxSockets, the pool's maximum). If each request needs the answer to the one before, this is as it must be.";

/// So many threads have each a part in the requests. Then they could have several under way.
const SEVERAL_THREADS: u64 = 3;

const BY_THREADS: &str = "If the threads hold a lock while they wait for the answer (synchronized, a mutex), ask without the lock, and lock only to look and to store, \
     or take a lock for each key; if one thread hands them the requests one by one, let that thread hand out several at a time.";

impl Rule for LockStep {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Connects) || is_write(row) || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Some(file) = observed.seen.file else { return };
        if observed.has(Effect::Connects) {
            return self.connected(observed, file);
        }
        let Some(1..) = observed.seen.bytes else { return };
        let Some(flow) = self.flows.get_mut(&file).filter(|flow| flow.peer.0 == observed.seen.pid) else { return };
        if is_write(observed.row) {
            if flow.request.is_none() {
                self.few.sent(flow.peer, observed.call.tid, observed.call.returned, observed.tracker);
            }
            let pending = self.pending.get_mut(&flow.peer.0);
            flow.sends(observed, pending);
        } else {
            self.answered(observed, file);
        }
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        self.uneven.closed(file.id);
        let Some(flow) = self.flows.remove(&file.id) else { return };
        if flow.request.is_some() {
            self.few.given_up(flow.peer);
        }
        if flow.request.is_some()
            && let Some(pending) = self.pending.get_mut(&flow.peer.0)
        {
            *pending = pending.saturating_sub(1);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let run = index.own_span() as f64;
        if let Some(candidate) = self.on_one_connection(index, tracker) {
            return vec![candidate];
        }
        let mut slow: Vec<_> = self.peers.iter().filter(|(_, peer)| peer.is_slow(run)).collect();
        slow.sort_by_key(|((pid, object), peer)| (Reverse(peer.waited), *object, *pid));
        let Some(((_, object), worst)) = slow.first() else {
            return self
                .of_many_peers(index, tracker)
                .or_else(|| self.in_batches(index, tracker))
                .or_else(|| self.few_at_a_time(index, tracker))
                .into_iter()
                .collect();
        };
        let evidence = slow.iter().map(|((_, object), peer)| peer.evidence(*object, tracker));
        let mut claims = Claims::default();
        claims.add_all(slow.iter().flat_map(|(_, peer)| peer.claims.iter()));
        let saved: Ns = slow.iter().map(|(_, peer)| peer.saved(index.path())).sum();
        // A server may answer many requests as fast as one.
        let together = slow.iter().map(|(_, peer)| peer.waited.saturating_sub(peer.longest)).sum::<Ns>();
        let one_thread = worst.named.as_ref().filter(|_| worst.lost.is_of_one());
        let (how, advice, at_once) = match worst.lost.threads() {
            // (If the server is traced, the run waits for the server's threads, and not for these.)
            n if n >= SEVERAL_THREADS => (
                say!("by {} threads, of which only one at a time had a request under way", THREADS.of(n)),
                BY_THREADS,
                worst.waited - worst.waited / n,
            ),
            _ if worst.connections > 1 => {
                let connections = CONNECTIONS.of(worst.connections);
                match one_thread.map(|name| plain(name)) {
                    Some(name) => (
                        say!("one after another by the thread {name}, on {} connections", connections),
                        BY_ONE_THREAD,
                        together,
                    ),
                    None => (say!("one after another, on {} connections", connections), AT_ONCE, together),
                }
            }
            _ => ("one at a time, on one connection".into(), IN_ONE, together),
        };
        vec![Candidate {
            sentence: say!(
                "{}: {} requests were made {}, each after the answer to the one before; waiting for the answers took {} of {}.",
                plain(tracker.name(*object)),
                REQUESTS.of(worst.trips),
                how,
                WAITED.of(worst.waited),
                RUN.of(index.span()),
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: advice.into(),
            confidence: Confidence::Possible,
            claims: claims.list(),
            makers: slow.iter().flat_map(|(_, peer)| peer.first.iter()).collect(),
            estimate:
                "the waiting for all answers but the longest, as far as the run waited for them, and at most all of it"
                    .into(),
            whole_time: Some(saved),
            perhaps_more: at_once.saturating_sub(saved),
            ..Candidate::default()
        }]
    }
}

/// The name of the call's thread, if that is not the process's.
fn own_name(observed: &Observed<'_>) -> Option<Box<[u8]>> {
    let thread = observed.tracker.thread(observed.call.tid)?;
    let process = observed.tracker.process(observed.seen.pid)?;
    (process.comm != thread.comm).then(|| thread.comm.as_slice().into())
}

/// How often, and for how long, these threads waited until another one of them woke them.
fn parked(threads: &[Tid], hand_overs: &HandOvers) -> (u64, Ns) {
    let is_of = |between: &HandedOver| {
        between.way == Way::Parked && threads.contains(&between.waiter.0) && threads.contains(&between.waker.0)
    };
    let pairs = hand_overs.iter().filter(|(between, _)| is_of(between));
    pairs.fold((0, 0), |(waits, time), (_, pair)| (waits + pair.waits, time + pair.time))
}

impl LockStep {
    /// One of several connections to a server has most of the requests, and the others have nothing to do.
    fn on_one_connection(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let least = index.own_span() as f64 * SLOW_TRIPS_PART.ratio();
        let uneven = self.uneven.worst(least as Ns)?;
        let (pid, object) = uneven.peer;
        let calls =
            self.peers.get(&uneven.peer).into_iter().flat_map(|peer| peer.first.iter().chain(peer.claims.iter()));
        Some(Candidate {
            sentence: say!(
                "{}: {} of {} requests were made on one of {} connections, one at a time, for {} of {}; the others, which began at the same time, had their last answers after {} at most.",
                plain(tracker.name(object)),
                REQUESTS.of(uneven.longest.requests),
                REQUESTS_IN_ALL.of(uneven.requests),
                CONNECTIONS.of(uneven.connections),
                WORKER_LIVED.of(uneven.longest.used()),
                RUN.of(index.span()),
                OTHERS_LIVED.of(uneven.others),
            ),
            evidence: vec![thing(object, uneven.requests, tracker), process(pid, index.comm(pid, tracker), uneven.requests)],
            advice: "Let all workers take their next piece from one queue (a channel, a pool), so that whoever is free goes on; a division beforehand by a key, a hash or a range gives one of them most of the work. Or \
                     divide the largest part further. If these requests have to keep their order, this is as it must be."
                .into(),
            confidence: Confidence::Possible,
            makers: calls.collect(),
            perhaps_more: uneven.saved,
            estimate: "the time by which this connection was used longer than the mean of all".into(),
            matters: true,
            // A server may sleep for each request.
            instead_of: &["lost-time"],
            ..Candidate::default()
        })
    }

    /// Slow requests of one process to several servers, one after another.
    fn of_many_peers(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let mut processes: FxHashMap<Tid, Vec<(ObjectId, &Peer)>> = FxHashMap::default();
        for ((pid, object), peer) in self.peers.iter().filter(|(_, peer)| peer.waited >= peer.trips * SLOW_TRIP.get()) {
            processes.entry(*pid).or_default().push((*object, peer));
        }
        let waited = |peers: &[(ObjectId, &Peer)]| peers.iter().map(|(_, peer)| peer.waited).sum::<Ns>();
        let trips = |peers: &[(ObjectId, &Peer)]| peers.iter().map(|(_, peer)| peer.trips).sum::<u64>();
        let least = index.own_span() as f64 * SLOW_TRIPS_PART.ratio();
        let slow = processes
            .into_iter()
            .filter(|(_, peers)| peers.len() > 1 && trips(peers) >= SLOW_TRIPS.get() && waited(peers) as f64 >= least);
        let (pid, mut peers) = slow.max_by_key(|(pid, peers)| (waited(peers), Reverse(*pid)))?;
        peers.sort_by_key(|(object, peer)| (Reverse(peer.waited), *object));
        let longest = peers.iter().map(|(_, peer)| peer.longest).max().unwrap_or(0);
        let lost: Ns = peers.iter().map(|(_, peer)| peer.lost.on_path(index.path())).sum();
        let evidence = peers.iter().map(|(object, peer)| peer.evidence(*object, tracker));
        let requests = trips(&peers);
        Some(Candidate {
            sentence: say!(
                "{} requests to {} servers, such as {}, were made one after another, each after the answer to the one before; waiting \
                 for the answers took {} of {}.",
                REQUESTS.of(requests),
                SERVERS.of(peers.len() as u64),
                plain(tracker.name(peers[0].0)),
                WAITED.of(waited(&peers)),
                RUN.of(index.span()),
            ),
            evidence: evidence.take(4).chain([process(pid, index.comm(pid, tracker), requests)]).collect(),
            advice: AT_ONCE.into(),
            confidence: Confidence::Possible,
            makers: peers.iter().flat_map(|(_, peer)| peer.first.iter().chain(peer.claims.iter())).collect(),
            estimate: "the waiting for all answers but the longest, as far as the run waited for them".into(),
            whole_time: Some(lost.saturating_sub(longest)),
            ..Candidate::default()
        })
    }

    /// Requests to one server that begin together, after the slowest answer to the ones before.
    fn in_batches(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let least = index.own_span() as f64 * IDLE_BATCHES_PART.ratio();
        let ((pid, object), crowd) = self.few.worst_batches(least, SLOW_TRIP.get())?;
        let batches = &crowd.batches;
        Some(Candidate {
            sentence: say!(
                "{}: {} requests were made in {} batches, each of which began when the last answer of the one before was there. An answer took {} on average, and a batch {}; \
                 so {} of {} passed in waiting for the slowest ones.",
                plain(tracker.name(*object)),
                REQUESTS.of(crowd.requests),
                BATCHES.of(batches.batches),
                MEAN_WAIT.of(crowd.waited / crowd.requests.max(1)),
                MEAN_BATCH.of(batches.busy / batches.batches.max(1)),
                WAITED.of(batches.idle()),
                RUN.of(index.span()),
            ),
            evidence: vec![thing(*object, crowd.requests, tracker), process(*pid, index.comm(*pid, tracker), crowd.requests)],
            advice: "Begin the next request as soon as any answer is there: let a few workers take requests from one queue (a pool, a semaphore, a limit such as p-limit or asyncio.Semaphore), and do not wait for a \
                     whole batch (Promise.all, gather, WaitGroup, invokeAll for each part of the work)."
                .into(),
            confidence: Confidence::Possible,
            perhaps_more: batches.idle(),
            estimate: "the time in which only slower answers than the mean of their batch were waited for".into(),
            matters: true,
            unless_saved: Some(batches.idle() / 2),
            ..Candidate::default()
        })
    }

    /// Slow requests to one server, of which only a few are under way at a time: the pool of threads or connections is small.
    fn few_at_a_time(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let least = index.own_span() as f64 * SLOW_TRIPS_PART.ratio();
        let ((pid, object), crowd) = self.few.worst(least, SLOW_TRIP.get())?;
        let requests = crowd.requests;
        let parked = parked(&crowd.askers, index.hand_overs());
        let others_wait = parked.0 * 2 >= requests && parked.1 >= crowd.busy;
        Some(Candidate {
            sentence: say!(
                "{}: {} requests were made, at most {} at a time; such requests were under way for {} of {}, and each took {} on average{}.",
                plain(tracker.name(*object)),
                REQUESTS.of(requests),
                AT_A_TIME.of(crowd.at_most),
                WAITED.of(crowd.busy),
                RUN.of(index.span()),
                MEAN_WAIT.of(crowd.waited / requests.max(1)),
                match others_wait {
                    true => say!("; meanwhile, threads that made such requests waited {} times for one another", TIMES.of(parked.0)),
                    false => Statement::default(),
                },
            ),
            evidence: vec![thing(*object, requests, tracker), process(*pid, index.comm(*pid, tracker), requests)],
            advice: match others_wait {
                true => "If threads wait for a connection, a permit or a lock that the asking thread has, give it back before you ask, and take it again afterwards. Or let the pool have more of them. \
                         If the server can do no more at a time, this is as it must be.",
                false => "Let more requests be under way at a time: more threads or connections in the pool (max_workers, maxSockets, the pool's maximum), or ask for several \
                          things in one request. If the server can do no more at a time, this is as it must be.",
            }
            .into(),
            confidence: Confidence::Possible,
            perhaps_more: crowd.busy.saturating_sub(crowd.longest),
            estimate: "all waiting but the longest, if all requests are made at the same time".into(),
            matters: true,
            unless_saved: Some(crowd.busy / 2),
            ..Candidate::default()
        })
    }

    fn connected(&mut self, observed: &Observed<'_>, file: FileId) {
        const EINPROGRESS: Outcome = Outcome::Error(c::EINPROGRESS as u32);
        if !observed.ok() && observed.call.outcome != EINPROGRESS {
            return;
        }
        let Some(object) = observed.seen.object else { return };
        let tracker = observed.tracker;
        let name = tracker.name(object);
        if tracker.kind(object) != ObjectKind::Socket || !(name.starts_with(b"TCP ") || name.starts_with(b"UNIX ")) {
            return;
        }
        let peer = (observed.seen.pid, object);
        if self.pending.len() < MAX_PROCESSES {
            self.pending.entry(peer.0).or_default();
        }
        self.uneven.connected(file, peer, observed.call.returned);
        self.flows.entry(file, || Flow { peer, request: None, trips: 0 });
    }

    fn answered(&mut self, observed: &Observed<'_>, file: FileId) {
        let Some(flow) = self.flows.get_mut(&file) else { return };
        let Some(request) = flow.request.take() else { return };
        let waited = observed.call.returned.saturating_sub(request.sent);
        self.few.answered(flow.peer, waited, observed.call.returned);
        self.uneven.answered(file, waited, observed.call.returned);
        if let Some(pending) = self.pending.get_mut(&flow.peer.0) {
            *pending = pending.saturating_sub(1);
            if *pending > 0 {
                return;
            }
        }
        if request.overlaps {
            return;
        }
        let Some(peer) = self.peers.entry(flow.peer, Peer::default) else { return };
        // The delayed acknowledgement of the first part held the second one up, and perhaps the load of the machine as well.
        let held_up = DELAYED_ACK.contains(&waited) || waited >= DELAYED_ACK.end && peer.held_up > peer.trips;
        if request.parts > 1 && held_up {
            peer.held_up += 1;
            return;
        }
        peer.connections += u64::from(flow.trips == 0);
        flow.trips += 1;
        peer.trips += 1;
        peer.waited += waited;
        peer.lost.add(observed.call.tid, waited);
        if peer.trips == 1 {
            peer.named = own_name(observed);
        }
        peer.longest = peer.longest.max(waited);
        peer.line = observed.line;
        // The first request of a connection is needed.
        let calls = if flow.trips > 1 { &mut peer.claims } else { &mut peer.first };
        calls.add(observed.key, 1);
        request.claims.into_iter().for_each(|key| calls.add(key, 1));
        if peer.trips >= SLOW_TRIPS.get() {
            self.processes.count(flow.peer.0, observed.tracker);
        }
    }
}

impl Flow {
    fn sends(&mut self, observed: &Observed<'_>, pending: Option<&mut u32>) {
        if let Some(request) = &mut self.request {
            request.sent = observed.call.returned;
            request.parts += 1;
            if request.claims.len() < MAX_PARTS {
                request.claims.push(observed.key);
            }
            return;
        }
        let mut overlaps = false;
        if let Some(pending) = pending {
            overlaps = *pending > 0;
            *pending += 1;
        }
        self.request = Some(Request { sent: observed.call.returned, parts: 1, overlaps, claims: vec![observed.key] });
    }
}

impl Peer {
    fn is_slow(&self, run: f64) -> bool {
        let mean = self.waited / self.trips.max(1);
        let short = mean < SLOW_TRIP.get();
        // Connections for a few messages each are the fault that `reconnects` tells.
        if short && self.connections * FEW_MESSAGES.get() >= self.trips && self.connections > 1 {
            return false;
        }
        let waited = self.waited as f64;
        self.trips >= ROUND_TRIPS.get() && waited >= run * ROUND_TRIPS_PART.ratio()
            || self.trips >= SLOW_TRIPS.get() && !short && waited >= run * SLOW_TRIPS_PART.ratio()
    }

    fn evidence(&self, object: ObjectId, tracker: &Tracker) -> Evidence {
        let (time, line) = (Some(self.waited), Some(self.line));
        Evidence { time, line, ..thing(object, self.trips, tracker) }
    }

    /// The waiting for all answers but the longest, as far as the run waited for it.
    fn saved(&self, path: &CriticalPath) -> Ns {
        self.lost.on_path(path).saturating_sub(self.longest)
    }
}
