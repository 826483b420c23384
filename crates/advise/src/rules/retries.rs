//! A program tries again and again, with hardly a pause, until something outside has happened.

use super::common::{Bounded, Claims, ProcessCounts, plain};
use crate::finding::{Confidence, Draft, Evidence, EvidenceKind};
use crate::index::{CallKey, Index, Observed, OpenFile, opens};
use crate::quantity::{LASTED, PACE, PID, TIMES};
use crate::rule::{Rule, RuleInfo};
use crate::statement::{Statement, say};
use crate::threshold::Threshold;
use stride_event::{Ns, Tid};
use stride_syscalls::{Effect, For, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectKind, Tracker, address_name};

const RETRIES: Threshold = Threshold::count("retries", 50, "tries in a row without success");
const RETRY_PACE: Threshold =
    Threshold::time("retry-pace", 100_000_000, "the longest time between two tries, on average");

pub const RULE: RuleInfo = RuleInfo {
    id: "retries",
    title: "tried again and again",
    explanation: "A program waits for something outside by trying again and again with short pauses: it looks for a file that is \
        not there yet, asks whether a process still lives (kill with signal 0), or connects to a server that refuses.\n\n\
        Fifty tries in a row without success are reported, if on average no more than 100 ms lie between two. Looks for a file \
        count only if the thread waited for something (a sleep) between them, and refused connections only if the process did \
        not connect to another address meanwhile. The wait itself is not saved, only the tries: the estimate is all of them \
        but one, with the sleeps between them. The run gets shorter by half of the time between two tries: so much too late, on \
        average, did the program notice.\n\n\
        Example: a script waits for a lock file to vanish with os.path.exists and time.sleep(0.001): 3,000 calls in 1.5 s. \
        inotify(7) needs three. For a process, waitpid(2) or pidfd_open(2) with poll(2) return when it has ended. For a server, \
        twice as long a pause after each failure makes ten tries of a thousand.",
    thresholds: &[RETRIES, RETRY_PACE],
    make: || Box::new(Retries::default()),
};

const GETSOCKOPT: &str = "getsockopt";
const KILL: &str = "kill";

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Connect,
    Look,
    /// About the process with this id.
    Ask(Tid),
}

/// By process, kind and name.
type Key = (Tid, What, Vec<u8>);

#[derive(Default)]
struct Retries {
    tries: Bounded<Key, Tries>,
    /// Connections that have neither failed nor succeeded yet, and those that failed and are still open.
    pending: Bounded<FileId, Key>,
    failed: Bounded<FileId, Key>,
    /// How many connections of a process succeeded.
    successes: Bounded<Tid, u64>,
    /// The sleeps of each thread since its latest try.
    sleeps: Bounded<Tid, (CallKey, u64)>,
    /// The calls by which the threads of a process let time pass since its latest refused connection.
    pauses: Bounded<Tid, Claims>,
    processes: ProcessCounts,
}

struct Tries {
    calls: u64,
    began: Ns,
    ended: Ns,
    /// The process's successful connections at the latest try.
    successes: u64,
    /// Success came after so many tries, which are told.
    done: bool,
    line: u64,
    claims: Claims,
}

impl Rule for Retries {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Asks)
            || opens(row)
            || row.has_effect(Effect::Connects)
            || lets_time_pass(row)
            || row.name == GETSOCKOPT
            || row.name == KILL
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let pid = observed.seen.pid;
        if lets_time_pass(observed.row)
            && let Some(pauses) = self.pauses.get_mut(&pid)
        {
            pauses.add(observed.key, 1);
        }
        match () {
            () if observed.row.waits() == Some(For::Time) => {
                // A shell has a child that sleeps.
                let parent = observed.tracker.process(pid).and_then(|process| process.parent);
                for tid in parent.into_iter().chain([observed.call.tid]) {
                    if let Some((_, sleeps)) = self.sleeps.entry(tid, || (observed.key, 0)) {
                        *sleeps += 1;
                    }
                }
            }
            () if lets_time_pass(observed.row) => {}
            () if observed.has(Effect::Connects) => self.connect(observed),
            () if observed.row.name == GETSOCKOPT => self.asked(observed),
            () if observed.row.name == KILL => {
                let key = || (pid, What::Ask(observed.arg("pid") as Tid), Vec::new());
                match observed.arg("signum") {
                    0 if observed.ok() => self.again(key(), observed),
                    0 => self.succeeded(&key()),
                    _ => {}
                }
            }
            () => {
                let Some(path) = observed.seen.path else { return };
                const ENOENT: Option<u32> = Some(c::ENOENT as u32);
                // Most looks succeed, and are of no interest unless others failed before.
                if observed.errno() == ENOENT {
                    let key = (pid, What::Look, observed.tracker.name(path).to_vec());
                    self.again(key, observed);
                } else if self.tries.len() > 0 {
                    self.succeeded(&(pid, What::Look, observed.tracker.name(path).to_vec()));
                }
            }
        }
    }

    fn closed(&mut self, file: &OpenFile, _: &Index, _: &Tracker) {
        self.pending.remove(&file.id);
        let Some(key) = self.failed.remove(&file.id) else { return };
        // The first try is needed.
        let Some(tries) = self.tries.get_mut(&key).filter(|tries| tries.calls > 1) else { return };
        [file.made, file.closed].into_iter().flatten().for_each(|key| tries.claims.add(key, 1));
        file.others.iter().for_each(|(key, calls)| tries.claims.add(key, calls));
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Draft> {
        let mut often: Vec<_> = self.tries.iter().filter(|(_, tries)| tries.is_a_loop()).collect();
        often.sort_by(|(a, one), (b, other)| (other.calls, &a.2).cmp(&(one.calls, &b.2)));
        let Some(((_, what, name), worst)) = often.first() else { return Vec::new() };
        for ((pid, ..), tries) in &often {
            self.processes.add(*pid, tries.calls, index.comm(*pid, tracker));
        }
        let (name, times) = (told(*what, name, index, tracker), TIMES.of(worst.calls));
        let pace = say!("once in {}, for {}", PACE.of(worst.pace()), LASTED.of(worst.ended - worst.began));
        let (sentence, advice) = match what {
            What::Connect => (
                say!("Connecting to {} failed {} times in a row, tried {}.", name, times, pace),
                "Wait longer after each failure (twice as long each time, with a limit), or start when the server is ready: a \
                 socket that systemd or the parent opens, or a message from the server.",
            ),
            What::Look => (
                say!(
                    "{} was looked for {} times and was not there; the program slept and looked again, {}.",
                    name,
                    times,
                    pace
                ),
                "Let the kernel say when the file appears (inotify(7)), or have its maker say it through a pipe, a socket or its \
                 exit status.",
            ),
            What::Ask(_) => (
                say!(
                    "The program asked {} times with kill whether {} still existed, and slept and asked again, {}.",
                    times,
                    name,
                    pace
                ),
                "Wait for the process: waitpid(2) for a child, poll(2) on a descriptor of pidfd_open(2) for any process.",
            ),
        };
        let evidence = often.iter().map(|((_, what, name), tries)| {
            let kind = match what {
                What::Connect => EvidenceKind::Socket,
                What::Look => EvidenceKind::Path,
                What::Ask(_) => EvidenceKind::Other,
            };
            let mut evidence = Evidence::new(kind, evident(*what, name), tries.calls);
            evidence.line = Some(tries.line);
            evidence.pid = if let What::Ask(pid) = what { Some(*pid) } else { None };
            evidence
        });
        let mut claims = Claims::default();
        often.iter().flat_map(|(_, tries)| tries.claims.iter()).for_each(|(key, calls)| claims.add(key, calls));
        vec![Draft {
            sentence,
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: advice.into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "all tries but the first, and the pauses between them".into(),
            // Hardly any time is saved, but a program that waits so for a good part of its run should wait in another way.
            matters: worst.ended - worst.began >= index.span() / 10,
            whole_time: Some(often.iter().map(|(_, tries)| tries.pace() / 2).sum()),
            ..Draft::default()
        }]
    }
}

/// The name of the file, the address or the process.
fn told(what: What, name: &[u8], index: &Index, tracker: &Tracker) -> Statement {
    let What::Ask(pid) = what else { return plain(name).into() };
    match index.comm(pid, tracker) {
        [] => say!("process {}", PID.id(pid)),
        comm => say!("process {} ({})", PID.id(pid), plain(comm)),
    }
}

/// The same as evidence, which may have any bytes.
fn evident(what: What, name: &[u8]) -> Vec<u8> {
    let What::Ask(pid) = what else { return name.to_vec() };
    format!("process {pid}").into_bytes()
}

impl Retries {
    /// Another try without success.
    fn again(&mut self, key: Key, observed: &Observed<'_>) {
        let (now, line) = (observed.call.entered, observed.line);
        let looks = key.1 != What::Connect;
        let slept = self.sleeps.remove(&observed.call.tid);
        let successes = self.successes.get(&key.0).copied().unwrap_or(0);
        let pauses = if looks { None } else { self.pauses.entry(key.0, Claims::default).map(std::mem::take) };
        self.tries.make_room(|tries| tries.calls >= RETRIES.get());
        let new =
            || Tries { calls: 0, began: now, ended: now, successes, done: false, line, claims: Claims::default() };
        let Some(tries) = self.tries.entry(key, new).filter(|tries| !tries.done) else { return };
        if tries.calls > 0 {
            // A search looks for a path again without a pause, and a server with each request.
            if looks && slept.is_none() {
                return;
            }
            // A client with several addresses has connected to another one.
            if tries.successes != successes {
                *tries = new();
            }
        }
        if tries.calls > 0 {
            tries.claims.add(observed.key, u64::from(looks));
            if looks && let Some((sleep, calls)) = slept {
                tries.claims.add(sleep, calls);
            }
            pauses.iter().flat_map(Claims::iter).for_each(|(key, calls)| tries.claims.add(key, calls));
        }
        tries.calls += 1;
        tries.ended = now;
    }

    fn succeeded(&mut self, key: &Key) {
        match self.tries.get_mut(key) {
            Some(tries) if tries.calls >= RETRIES.get() => tries.done = true,
            Some(_) => {
                self.tries.remove(key);
            }
            None => {}
        }
    }

    fn connect(&mut self, observed: &Observed<'_>) {
        const EINPROGRESS: u32 = c::EINPROGRESS as u32;
        let (Some(file), Some(name)) = (observed.seen.file, observed.call.address().and_then(address_name)) else {
            return;
        };
        if observed.seen.object.is_none_or(|object| observed.tracker.kind(object) != ObjectKind::Socket) {
            return;
        }
        let key = (observed.seen.pid, What::Connect, name);
        match observed.errno() {
            None => self.connected(&key),
            Some(EINPROGRESS) => {
                self.pending.entry(file, || key);
            }
            Some(errno) if refuses(errno) => self.refused(key, file, observed),
            Some(_) => {}
        }
    }

    /// The program asks with SO_ERROR how the connection has ended.
    fn asked(&mut self, observed: &Observed<'_>) {
        let Some(file) = observed.seen.file else { return };
        if (observed.arg("level"), observed.arg("optname") & 0xffff_ffff) != (c::SOL_SOCKET, c::SO_ERROR) {
            return;
        }
        let Some(key) = self.pending.remove(&file) else { return };
        match observed.call.answer("optval", 4).first_chunk().map(|error| u32::from_ne_bytes(*error)) {
            Some(0) => self.connected(&key),
            Some(errno) if refuses(errno) => self.refused(key, file, observed),
            _ => {}
        }
    }

    fn refused(&mut self, key: Key, file: FileId, observed: &Observed<'_>) {
        self.failed.entry(file, || key.clone());
        self.again(key, observed);
    }

    fn connected(&mut self, key: &Key) {
        if let Some(successes) = self.successes.entry(key.0, || 0) {
            *successes += 1;
        }
        self.succeeded(key);
    }
}

impl Tries {
    fn pace(&self) -> Ns {
        (self.ended - self.began) / (self.calls - 1).max(1)
    }

    fn is_a_loop(&self) -> bool {
        self.calls >= RETRIES.get() && self.pace() <= RETRY_PACE.get()
    }
}

/// Calls that wait for time, for readiness or for another thread: a program's runtime sleeps by any of these.
fn lets_time_pass(row: &Syscall) -> bool {
    matches!(row.waits(), Some(For::Time | For::Readiness | For::Lock))
}

fn refuses(errno: u32) -> bool {
    [c::ECONNREFUSED, c::EHOSTUNREACH, c::ENETUNREACH].contains(&u64::from(errno))
}
