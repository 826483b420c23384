//! Connections are first tried to an address where nobody answers.

use super::common::{Bounded, Claims, ProcessCounts, plain};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::is_tcp;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Ns, Tid};
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, Tracker, address_name, address_port};

const FALLBACK: Threshold =
    Threshold::time("fallback", 10_000_000, "an attempt that begins this soon after a failure replaces the failed one");

pub const RULE: RuleInfo = RuleInfo {
    id: "failed-connects",
    title: "the first address fails",
    explanation: "A name has several addresses, and the first does not work: the connection to it fails, and the one to the \
                  next address succeeds at once. For most names, localhost included, IPv6 addresses come before IPv4 ones. \
                  If a server listens on 127.0.0.1 only, each client first gets a refused connection to ::1. An address at \
                  which nobody answers costs seconds.\n\n\
        An attempt over TCP counts if it failed or was given up, and the same thread connected to another address with the \
        same port within 10 ms. It also counts if another attempt, begun later, succeeded first. Without the failed \
        attempt, its calls and the time until the next attempt would be saved.\n\n\
        Example: a client fetches 200 pages from localhost:8080 and tries [::1]:8080 first each time: 600 calls. Listening on both \
        addresses, or asking 127.0.0.1, saves them.",
    thresholds: &[FALLBACK],
    make: || Box::new(FailedConnects::default()),
};

#[derive(Default)]
struct FailedConnects {
    /// Attempts that have begun and neither failed nor succeeded yet.
    pending: Bounded<FileId, Attempt>,
    threads: Bounded<Tid, Latest>,
    /// The address that failed and the address that worked.
    pairs: Bounded<(Address, Address), Lost>,
    processes: ProcessCounts,
}

type Address = Vec<u8>;

/// The latest failure and success of a thread.
#[derive(Default)]
struct Latest {
    /// Failures since the last success, each soon after the one before.
    failures: Vec<Failure>,
    success: Option<Success>,
}

struct Attempt {
    tid: Tid,
    to: Target,
    began: Ns,
    /// The time inside connect(2).
    in_call: Ns,
    line: u64,
    /// The call that made the socket.
    made: Option<CallKey>,
    connect: CallKey,
    /// The failures that this attempt replaces.
    before: Vec<Failure>,
}

#[derive(Clone, PartialEq, Eq)]
struct Target {
    address: Address,
    port: u16,
}

struct Failure {
    file: FileId,
    to: Target,
    at: Ns,
    lost: Ns,
    in_call: Ns,
    line: u64,
    keys: Vec<CallKey>,
}

struct Success {
    to: Target,
    began: Ns,
    at: Ns,
}

#[derive(Default)]
struct Lost {
    times: u64,
    time: Ns,
    /// The part of `time` that was not spent in connect(2).
    waited: Ns,
    line: u64,
    claims: Claims,
}

/// A host name has no more addresses than this.
const MAX_FAILURES: usize = 8;

impl Rule for FailedConnects {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::AsksOfSocket) || row.has_effect(Effect::Connects) || row.has_effect(Effect::Closes)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let Some(file) = observed.seen.file else { return };
        match () {
            () if observed.has(Effect::AsksOfSocket) => self.asked(observed, file),
            () if observed.has(Effect::Connects) => self.connect(observed, file, index),
            () => self.closed(observed, file),
        }
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> = self.pairs.iter().collect();
        often.sort_by(|(a, one), (b, other)| (other.time, other.times, a).cmp(&(one.time, one.times, b)));
        let Some(((bad, good), worst)) = often.first() else { return Vec::new() };
        let evidence = often.iter().map(|((bad, _), lost)| {
            let mut evidence = Evidence::new(EvidenceKind::Socket, bad.clone(), lost.times);
            evidence.time = Some(lost.time);
            evidence.line = Some(lost.line);
            evidence
        });
        let mut claims = Claims::default();
        claims.add_all(often.iter().flat_map(|(_, lost)| lost.claims.iter()));
        vec![Candidate {
            sentence: say!(
                "Connecting to {} was tried first, {}, and failed; that took {}. {} answered.",
                plain(bad),
                if worst.times == 1 { "once".into() } else { say!("{} times", TIMES.of(worst.times)) },
                WAITED.of(worst.time),
                plain(good)
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Have the server listen on all addresses of its name (IPv6 and IPv4), or ask for the address that works; \
                remember which one did; /etc/gai.conf says which come first."
                .into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "the attempts that failed, and the time until the next".into(),
            more_time: often.iter().map(|(_, lost)| lost.waited).sum(),
            ..Candidate::default()
        }]
    }
}

impl FailedConnects {
    fn connect(&mut self, observed: &Observed<'_>, file: FileId, index: &Index) {
        const EINTR: u32 = c::EINTR as u32;
        const EAGAIN: u32 = c::EAGAIN as u32;
        const EISCONN: u32 = c::EISCONN as u32;
        const EALREADY: u32 = c::EALREADY as u32;
        const EINPROGRESS: u32 = c::EINPROGRESS as u32;
        if let Some(attempt) = self.pending.remove(&file) {
            // The program calls connect(2) again to ask how the connection is getting on.
            match observed.errno() {
                None | Some(EISCONN) => self.succeeded(attempt, observed),
                Some(EALREADY | EINTR | EAGAIN | EINPROGRESS) => {
                    self.pending.entry(file, || attempt);
                }
                Some(_) => self.failed(attempt, file, observed),
            }
            return;
        }
        let Some(to) = target(observed) else { return };
        let call = observed.call;
        self.threads.forget_ended(observed.tracker, |_| false);
        let Some(latest) = self.threads.entry(call.tid, Latest::default) else { return };
        let mut before = std::mem::take(&mut latest.failures);
        before.retain(|failure| failure.to.port == to.port && failure.to != to);
        if before.last().is_some_and(|failure| call.began().saturating_sub(failure.at) > FALLBACK.get()) {
            before.clear();
        }
        let attempt = Attempt {
            tid: call.tid,
            to,
            began: call.began(),
            in_call: observed.time(),
            line: observed.line,
            made: index.file(file).and_then(|file| file.made),
            connect: observed.key,
            before,
        };
        match observed.errno() {
            None => self.succeeded(attempt, observed),
            Some(EINPROGRESS | EINTR) => {
                self.pending.entry(file, || attempt);
            }
            Some(EISCONN | EALREADY) => {}
            Some(_) => self.failed(attempt, file, observed),
        }
    }

    /// The program asks with SO_ERROR whether the connection has failed.
    fn asked(&mut self, observed: &Observed<'_>, file: FileId) {
        if !observed.asks_for_error() || !observed.ok() {
            return;
        }
        let error = observed.call.answer("optval", 4);
        if error.len() < 4 {
            return;
        }
        let failed = error.iter().any(|byte| *byte != 0);
        match self.pending.remove(&file) {
            Some(attempt) if failed => self.failed(attempt, file, observed),
            Some(attempt) => self.succeeded(attempt, observed),
            None => {}
        }
    }

    fn closed(&mut self, observed: &Observed<'_>, file: FileId) {
        let now = observed.call.began();
        let Some(latest) = self.threads.get_mut(&observed.call.tid) else { return };
        if let Some(failure) = latest.failures.iter_mut().find(|failure| failure.file == file) {
            failure.keys.push(observed.key);
            // The next attempt may begin only now.
            failure.at = observed.call.returned;
            return;
        }
        let Some(attempt) = self.pending.remove(&file) else { return };
        let overtaken = latest.success.as_ref().filter(|success| {
            success.to.port == attempt.to.port
                && success.to != attempt.to
                && success.began > attempt.began
                && now.saturating_sub(success.at) <= FALLBACK.get()
        });
        if let Some(success) = overtaken {
            let good = success.to.address.clone();
            let lost = success.began - attempt.began;
            let failure = attempt.failure(file, lost, observed.call.returned);
            self.lost(observed, vec![failure], good);
        } else {
            // The program gave the attempt up.
            let tid = attempt.tid;
            self.failed(attempt, file, observed);
            if let Some(failure) = self.threads.get_mut(&tid).and_then(|latest| latest.failures.last_mut()) {
                failure.keys.push(observed.key);
            }
        }
    }

    fn failed(&mut self, mut attempt: Attempt, file: FileId, observed: &Observed<'_>) {
        let now = observed.call.returned;
        let mut failures = std::mem::take(&mut attempt.before);
        let Some(latest) = self.threads.get_mut(&attempt.tid) else { return };
        let lost = now.saturating_sub(attempt.began);
        failures.push(attempt.failure(file, lost, now));
        failures.truncate(MAX_FAILURES);
        latest.failures = failures;
    }

    fn succeeded(&mut self, attempt: Attempt, observed: &Observed<'_>) {
        let Some(latest) = self.threads.get_mut(&attempt.tid) else { return };
        let good = attempt.to.address.clone();
        latest.success = Some(Success { to: attempt.to, began: attempt.began, at: observed.call.returned });
        self.lost(observed, attempt.before, good);
    }

    fn lost(&mut self, observed: &Observed<'_>, failures: Vec<Failure>, good: Address) {
        for failure in failures {
            let Some(lost) = self.pairs.entry((failure.to.address, good.clone()), Lost::default) else { return };
            lost.times += 1;
            lost.time += failure.lost;
            lost.waited += failure.lost.saturating_sub(failure.in_call);
            lost.line = failure.line;
            failure.keys.into_iter().for_each(|key| lost.claims.add(key, 1));
            self.processes.count(observed.seen.pid, observed.tracker);
        }
    }
}

impl Attempt {
    fn failure(self, file: FileId, lost: Ns, at: Ns) -> Failure {
        let keys = [Some(self.connect), self.made].into_iter().flatten().collect();
        Failure { file, to: self.to, at, lost, in_call: self.in_call, line: self.line, keys }
    }
}

/// The target of a TCP connection.
fn target(observed: &Observed<'_>) -> Option<Target> {
    let tracker = observed.tracker;
    let object = observed.seen.object?;
    if !is_tcp(object, tracker) {
        return None;
    }
    let bytes = observed.call.address()?;
    Some(Target { address: address_name(bytes)?, port: address_port(bytes)? })
}
