//! A program tries again and again, with hardly a pause, until something outside the program changes.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::counts::kinds::{is_read, opens};
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{LASTED, PACE, PID, READS, TIMES};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Event, Ns, Outcome, Tid};
use stride_syscalls::{Effect, For, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, ObjectKind, Tracker, address_name};

const RETRIES: Threshold = Threshold::count("retries", 50, "tries in a row without success");
const RETRY_PACE: Threshold =
    Threshold::time("retry-pace", 100_000_000, "the longest time between two tries, on average");

pub const RULE: RuleInfo = RuleInfo {
    id: "retries",
    title: "tried again and again",
    explanation: "A program waits for something outside by trying again and again with short pauses: it looks for a file that is \
        not there yet, asks whether a process still lives (kill with signal 0), or connects to a server that refuses or whose local socket is not there.\n\n\
        Fifty tries in a row without success are reported, if on average no more than 100 ms lie between two. Looks for a file \
        count only if the thread waited for something (a sleep) between them, and refused connections only if the process did \
        not connect to another address meanwhile. The wait itself is not saved, only the tries: the estimate is all of them \
        but one, with the sleeps between them. The run gets shorter by half of the time between two tries: so much too late, on \
        average, did the program notice.\n\n\
        Example: a script waits for a lock file to vanish with os.path.exists and time.sleep(0.001): 3,000 calls in 1.5 s. \
        inotify(7) needs three. For a process, waitpid(2) or pidfd_open(2) with poll(2) return when it has ended. For a server, \
        twice as long a pause after each failure makes ten tries of a thousand. If the program reads one and the same file between most looks, that file is named first: so does a worker that looks into a database \
        for work, which looks for the database's journal, too.",
    thresholds: &[RETRIES, RETRY_PACE],
    make: || Box::new(Retries::default()),
};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum What {
    /// To this address.
    Connect(Box<[u8]>),
    Look(ObjectId),
    /// About the process with this id.
    Ask(Tid),
}

/// By process, kind and name.
type Key = (Tid, What);

#[derive(Default)]
struct Retries {
    tries: Bounded<Key, Tries>,
    /// The latest vain looks of each process for files that are not among the tries. A program that searches or serves
    /// looks for many files without a pause, and each would take memory.
    looks: Bounded<Tid, [Option<Look>; LATEST]>,
    /// Connections that have neither failed nor succeeded yet, and those that failed and are still open.
    pending: Bounded<FileId, Key>,
    failed: Bounded<FileId, Key>,
    /// The number of connections of a process that succeeded.
    successes: Bounded<Tid, u64>,
    /// The file that each thread has read since its latest try.
    read: Bounded<Tid, ObjectId>,
    /// The sleeps of each thread since its latest try.
    sleeps: Bounded<Tid, (CallKey, u64)>,
    /// The calls by which the threads of a process let time pass since its latest refused connection.
    pauses: Bounded<Tid, Claims>,
    processes: ProcessCounts,
}

#[derive(Clone, Copy)]
struct Look {
    path: ObjectId,
    at: Ns,
    line: u64,
}

/// A try to connect, and a pause, take no more calls than this: a socket, its options, a timer, what the runtime does.
const CALLS_OF_TRY: u64 = 16;

/// A program that waits looks for a file again after few others.
const LATEST: usize = 8;

struct Tries {
    calls: u64,
    began: Ns,
    ended: Ns,
    /// The process's successful connections at the latest try.
    successes: u64,
    /// Success came after so many tries. The finding says how many.
    done: bool,
    /// A file that was read at tries, and at how many.
    read: Option<(ObjectId, u64)>,
    line: u64,
    claims: Claims,
    /// The thread that made the latest try, and the number of its calls by then.
    latest: (Tid, u64),
}

impl Rule for Retries {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Asks)
            || opens(row)
            || row.has_effect(Effect::Connects)
            || lets_time_pass(row)
            || row.has_effect(Effect::AsksOfSocket)
            || row.has_effect(Effect::SendsSignal)
            || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        if is_read(observed.row) {
            return self.read(observed);
        }
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
                self.sleeps.forget_ended(observed.tracker, |_| false);
                for tid in parent.into_iter().chain([observed.call.tid]) {
                    if let Some((_, sleeps)) = self.sleeps.entry(tid, || (observed.key, 0)) {
                        *sleeps += 1;
                    }
                }
            }
            () if lets_time_pass(observed.row) => {}
            () if observed.has(Effect::Connects) => self.connect(observed, index),
            () if observed.has(Effect::AsksOfSocket) => self.asked(observed),
            () if observed.has(Effect::SendsSignal) => {
                let of = ["pid", "tid", "tgid"].into_iter().find_map(|name| observed.call.arg(name));
                let Some(key) = of.map(|of| (pid, What::Ask(of as Tid))) else { return };
                match observed.arg("signum") {
                    0 if observed.ok() => self.again(key, observed),
                    0 => self.succeeded(&key),
                    _ => {}
                }
            }
            () => {
                let Some(path) = observed.seen.path else { return };
                const ENOENT: Option<u32> = Some(c::ENOENT as u32);
                if observed.errno() == ENOENT {
                    return self.looked(pid, path, observed);
                }
                // Most looks succeed, and are of no interest unless others failed before.
                if let Some(looks) = self.looks.get_mut(&pid) {
                    looks.iter_mut().for_each(|look| _ = look.take_if(|look| look.path == path));
                }
                if self.tries.len() > 0 {
                    self.succeeded(&(pid, What::Look(path)));
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
        tries.claims.add_all(file.others.iter());
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, _: &Tracker) {
        if let Event::Exited { tid, .. } | Event::Killed { tid, .. } = event {
            self.looks.remove(tid);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> = self.tries.iter().filter(|(_, tries)| tries.is_a_loop()).collect();
        often.sort_by(|(a, one), (b, other)| (other.calls, *a).cmp(&(one.calls, *b)));
        let Some(((_, what), worst)) = often.first() else { return Vec::new() };
        for ((pid, _), tries) in &often {
            self.processes.add(*pid, tries.calls, index.comm(*pid, tracker));
        }
        let (name, times) = (description(what, index, tracker), TIMES.of(worst.calls));
        let pace = say!("once in {}, for {}", PACE.of(worst.pace()), LASTED.of(worst.ended - worst.began));
        let (sentence, advice) = match what {
            What::Connect(_) => (
                say!("Connecting to {} failed {} times in a row, tried {}.", name, times, pace),
                "Wait longer after each failure (twice as long each time, with a limit), or start when the server is ready: a \
                 socket that systemd or the parent opens, or a message from the server.",
            ),
            What::Look(_) if let Some((file, reads)) = worst.polled_file() => (
                say!(
                    "{} was read {} times, with sleeps in between, {}; each time, the program also looked for {}, which was not there.",
                    plain(tracker.name(file)),
                    READS.of(reads),
                    pace,
                    name
                ),
                "If the program waits for a change of the file, or for work in a database: let the kernel say when the file changes (inotify(7)), have those who change it tell of it \
                 (a pipe, a socket, LISTEN and NOTIFY), or sleep longer each time.",
            ),
            What::Look(_) => (
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
        let evidence = often.iter().map(|((_, what), tries)| {
            // Names may have any bytes.
            let mut evidence = match what {
                What::Connect(address) => Evidence::new(EvidenceKind::Socket, address.to_vec(), tries.calls),
                What::Look(path) => thing(*path, tries.calls, tracker),
                What::Ask(pid) => Evidence::new(EvidenceKind::Other, format!("process {pid}"), tries.calls),
            };
            evidence.line = Some(tries.line);
            evidence.pid = if let What::Ask(pid) = what { Some(*pid) } else { None };
            evidence
        });
        let mut claims = Claims::default();
        claims.add_all(often.iter().flat_map(|(_, tries)| tries.claims.iter()));
        vec![Candidate {
            sentence,
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: advice.into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "all tries but the first, and the pauses between them".into(),
            // Hardly any time is saved, but a program that waits so for a good part of its run should wait in another
            // way.
            matters: worst.ended - worst.began >= index.span() / 10,
            whole_time: Some(often.iter().map(|(_, tries)| tries.pace() / 2).sum()),
            instead_of: &["polling"],
            ..Candidate::default()
        }]
    }
}

/// The name of the file, the address or the process.
fn description(what: &What, index: &Index, tracker: &Tracker) -> Statement {
    let pid = match what {
        What::Connect(address) => return plain(address).into(),
        What::Look(path) => return plain(tracker.name(*path)).into(),
        What::Ask(pid) => *pid,
    };
    match index.comm(pid, tracker) {
        [] => say!("process {}", PID.id(pid)),
        comm => say!("process {} ({})", PID.id(pid), plain(comm)),
    }
}

impl Retries {
    /// A vain look for a file. The file is among the tries as soon as the thread slept between two looks, or before a
    /// look.
    fn looked(&mut self, pid: Tid, path: ObjectId, observed: &Observed<'_>) {
        let key = (pid, What::Look(path));
        if self.tries.len() > 0 && self.tries.get(&key).is_some() {
            return self.again(key, observed);
        }
        let Some(looks) = self.looks.entry(pid, || [None; LATEST]) else { return };
        let before = looks.iter_mut().find(|look| look.is_some_and(|look| look.path == path));
        if self.sleeps.get(&observed.call.tid).is_none() {
            if before.is_none() {
                looks.rotate_right(1);
                looks[0] = Some(Look { path, at: observed.call.began(), line: observed.line });
            }
            return;
        }
        if let Some(Look { at, line, .. }) = before.and_then(Option::take) {
            let successes = self.successes.get(&pid).copied().unwrap_or(0);
            self.tries.make_room(|tries| tries.calls >= RETRIES.get());
            self.tries.entry(key.clone(), || Tries { calls: 1, ..Tries::new(at, line, successes) });
        }
        self.again(key, observed);
    }

    /// Another try without success.
    fn again(&mut self, key: Key, observed: &Observed<'_>) {
        let (now, line) = (observed.call.began(), observed.line);
        let looks = !matches!(key.1, What::Connect(_));
        let slept = self.sleeps.remove(&observed.call.tid);
        let read = if self.read.len() > 0 { self.read.remove(&observed.call.tid) } else { None };
        let successes = self.successes.get(&key.0).copied().unwrap_or(0);
        let pauses = if looks { None } else { self.pauses.entry(key.0, Claims::default).map(std::mem::take) };
        self.tries.make_room(|tries| tries.calls >= RETRIES.get());
        let new = || Tries::new(now, line, successes);
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
            tries.claims.add_all(pauses.iter().flat_map(Claims::iter));
        }
        tries.calls += 1;
        tries.ended = now;
        if let Some(file) = read {
            let before = tries.read.filter(|(known, _)| *known == file).map_or(0, |(_, times)| times);
            tries.read = Some((file, before + 1));
        }
    }

    /// A program that waits for a change of a file reads this file, whatever else it looks for.
    fn read(&mut self, observed: &Observed<'_>) {
        if self.tries.len() == 0 || !matches!(observed.call.outcome, Outcome::Value(1..)) {
            return;
        }
        let is_file = |object: &ObjectId| observed.tracker.kind(*object) == ObjectKind::Path;
        let Some(file) = observed.seen.object.filter(is_file) else { return };
        self.read.forget_ended(observed.tracker, |_| false);
        if let Some(latest) = self.read.entry(observed.call.tid, || file) {
            *latest = file;
        }
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

    fn connect(&mut self, observed: &Observed<'_>, index: &Index) {
        const EINPROGRESS: u32 = c::EINPROGRESS as u32;
        const ENOENT: u32 = c::ENOENT as u32;
        let (Some(file), Some(name)) = (observed.seen.file, observed.call.address().and_then(address_name)) else {
            return;
        };
        if observed.seen.object.is_none_or(|object| observed.tracker.kind(object) != ObjectKind::Socket) {
            return;
        }
        let key = (observed.seen.pid, What::Connect(name.into()));
        match observed.errno() {
            None => self.connected(&key),
            Some(EINPROGRESS) => {
                self.pending.entry(file, || key);
            }
            Some(errno) if refuses(errno) => self.refused(key, file, observed),
            // The name of a local socket, which its server makes.
            Some(ENOENT) => self.not_there(key, file, observed, index),
            Some(_) => {}
        }
    }

    /// A local socket is not there. Libraries ask so whether there is a server for them (nscd), and go on without; a program that waits for its server does
    /// little else.
    fn not_there(&mut self, key: Key, file: FileId, observed: &Observed<'_>, index: &Index) {
        let (tid, calls) = (observed.call.tid, index.pace(observed.call.tid).calls);
        if let Some(tries) = self.tries.get_mut(&key) {
            let (before, then) = std::mem::replace(&mut tries.latest, (tid, calls));
            if before == tid && calls.saturating_sub(then) > CALLS_OF_TRY && tries.calls < RETRIES.get() {
                self.tries.remove(&key);
            }
        }
        self.refused(key.clone(), file, observed);
        if let Some(tries) = self.tries.get_mut(&key) {
            tries.latest = (tid, calls);
        }
    }

    /// The program asks with SO_ERROR how the connection has ended.
    fn asked(&mut self, observed: &Observed<'_>) {
        let Some(file) = observed.seen.file else { return };
        if !observed.asks_for_error() {
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
    fn new(began: Ns, line: u64, successes: u64) -> Tries {
        Tries {
            calls: 0,
            began,
            ended: began,
            successes,
            done: false,
            read: None,
            line,
            claims: Claims::default(),
            latest: (0, 0),
        }
    }

    fn pace(&self) -> Ns {
        (self.ended - self.began) / (self.calls - 1).max(1)
    }

    /// The file that was read at most of the tries, and at how many.
    fn polled_file(&self) -> Option<(ObjectId, u64)> {
        // The reads of the first two tries are not noted: nobody knew yet that these were tries.
        const NOT_NOTED: u64 = 2;
        let (file, noted) = self.read.filter(|(_, noted)| noted * 2 > self.calls)?;
        Some((file, (noted + NOT_NOTED).min(self.calls)))
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
