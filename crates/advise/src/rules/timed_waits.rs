//! Waits for a lock, a turn or a message end because their time runs out, and not because anything came.

use super::common::{Bounded, family, family_name, is_asleep, plain, process};
use super::held_calls::is_behind_lock;
use super::late_locks::TIME_BEFORE_ASKING;
use super::ran_out::{in_call, shares_in};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_read, is_write, waits_for_any};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, THREADS, TIMES, WAITED};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::collections::BTreeMap;
use std::sync::Arc;
use stride_event::{Ns, Stack, Tid};
use stride_syscalls::{Abi, Effect, For, Syscall, table};
use stride_track::{ObjectId, ObjectKind, Thread, TimeSpent, Tracker, Who, has_numbers};

const TIMED_WAITS: Threshold = Threshold::count("timed-waits", 5, "waits until a time ran out");
const TIMED_PART: Threshold = Threshold::part("timed-part", 0.4, "the part of the run that waited so");
const FEW_TIMED_WAITS: Threshold =
    Threshold::count("few-timed-waits", 2, "such waits that are enough if they take most of the run");
const LONG_TIMED_WAIT: Threshold =
    Threshold::time("long-timed-wait", 300_000_000, "so few waits have to be this long, on average");
const MOSTLY_TIMED: Threshold = Threshold::part("mostly-timed", 0.6, "most of the run, for so few waits");

pub const RULE: RuleInfo = RuleInfo {
    id: "timed-waits",
    title: "waiting until time runs out",
    explanation: "A large part of the run passes in waits for a lock, a permit or a message whose time runs out before anybody gives it. Most often \
        somebody forgot to give something back, or to send it.\n\n\
        Reported are at least five such waits of threads of one name (whose numbers may differ), if the run waited two fifths of its time for them, and if no other finding explains \
        as much. Two are enough if they last 300 ms and take six tenths of the run. Sleeps do not count (nor those by a futex, as in Java, where a stack shows them), and neither do waits at an epoll instance, whose timeouts drive the work of event loops. \
        A wait in poll(2) or select(2) counts if the thread had talked on one of the descriptors since its wait before: it had sent or received something on the socket or the pipe, or begun to connect. Then it expected an answer, or the rest of a message.\n\n\
        Example: a pool of connections gives out permits by sem_timedwait(3), and an error path does not give its permit back. At the end each of 111 waits lasts \
        the whole 17 ms, 96% of the run.",
    thresholds: &[TIMED_WAITS, TIMED_PART, FEW_TIMED_WAITS, LONG_TIMED_WAIT, MOSTLY_TIMED],
    make: || Box::new(TimedWaits::default()),
};

#[derive(Default)]
struct TimedWaits {
    waits: Bounded<(Tid, WaitsOf), Waits>,
    talked: Bounded<Tid, Talk>,
    /// The process that wrote to each pipe last.
    writers: Bounded<ObjectId, Tid>,
}

/// A thread's dealings with others since it waited for descriptors.
#[derive(Default)]
struct Talk {
    /// The sockets and pipes on which it has moved bytes, or begun to connect.
    on: Vec<ObjectId>,
    /// The latest of these calls got bytes.
    got: bool,
}

/// Calls of one kind, those that take long apart from others, and the family of their threads (`common::family`). A thread of an interpreter asks for its
/// lock after a short time (`late-locks`).
type WaitsOf = (CallKey, bool, Box<[u8]>);

/// The same of all processes: the family, the call, and whether the waits are long.
type Group<'a> = (&'a [u8], Abi, u32, bool);

/// The waits of the threads of one family in a process, by calls of one kind.
#[derive(Clone, Default)]
struct Waits {
    calls: u64,
    time: Ns,
    /// Those that ended because their time ran out.
    timed: u64,
    timed_for: Ns,
    /// Those before which the thread had just got bytes from somebody for whom it waited.
    after_bytes: u64,
    /// The processes that had written to a pipe from which such a wait wanted more.
    writers: Vec<Tid>,
    /// Some of the stacks of those.
    stacks: Vec<(Arc<Stack>, u64)>,
    /// The latest of those of some threads: from when to when.
    latest: Vec<(Tid, Ns, Ns)>,
    /// So many threads waited so at the same time, at most, and so many of the family there were then.
    at_once: u64,
    of_threads: u64,
}

const MOST_STACKS: usize = 64;
/// So many threads of a pool are told apart.
const MOST_LATEST: usize = 64;
/// So many processes that wrote to pipes are told apart.
const MOST_WRITERS: usize = 16;
/// So many sockets and pipes are remembered that a thread used between two waits.
const MOST_TALKED: usize = 16;

impl Waits {
    fn add(&mut self, other: &Waits) {
        self.calls += other.calls;
        self.time += other.time;
        self.timed += other.timed;
        self.timed_for += other.timed_for;
        self.after_bytes += other.after_bytes;
        other.writers.iter().for_each(|writer| self.waits_for_writer(*writer));
        let room = MOST_STACKS.saturating_sub(self.stacks.len());
        self.stacks.extend(other.stacks.iter().take(room).cloned());
        (self.at_once, self.of_threads) = (self.at_once, self.of_threads).max((other.at_once, other.of_threads));
    }

    fn waits_for_writer(&mut self, pid: Tid) {
        if self.writers.len() < MOST_WRITERS && !self.writers.contains(&pid) {
            self.writers.push(pid);
        }
    }

    /// Counts the threads that waited so at the same time, if threads of this name are those of a pool.
    fn see_others(&mut self, observed: &Observed<'_>) {
        let (tid, pid, tracker) = (observed.call.tid, observed.seen.pid, observed.tracker);
        let (began, returned) = (observed.call.began(), observed.call.returned);
        let Some(name) = tracker.thread(tid).map(|thread| family(&thread.comm)) else { return };
        // Threads without names of their own (Python) are those of a pool if the first thread, which has the same name, is none of them.
        let is_named = has_numbers(name);
        if !is_named && tid == pid {
            return;
        }
        self.latest.retain(|(other, ..)| *other != tid);
        if self.latest.len() < MOST_LATEST {
            self.latest.push((tid, began, returned));
        }
        let at_once = self.latest.iter().filter(|(_, from, to)| *from < returned && began < *to).count() as u64;
        if at_once > self.at_once {
            let threads = tracker.live_threads();
            let is_of = |thread: &&&Thread| {
                thread.pid == pid && family(&thread.comm) == name && (is_named || thread.tid != pid)
            };
            (self.at_once, self.of_threads) = (at_once, threads.iter().filter(is_of).count() as u64);
        }
    }

    /// The threads of a pool, if all of them waited so at the same time.
    fn pool(&self) -> Option<u64> {
        (self.at_once > 1 && self.at_once == self.of_threads).then_some(self.at_once)
    }

    /// The part of the run that such waits have to take. `None`: they are too few.
    fn least_part(&self) -> Option<f64> {
        let are_long = self.timed_for / self.timed.max(1) >= LONG_TIMED_WAIT.get();
        match self.timed {
            n if n >= TIMED_WAITS.get() => Some(TIMED_PART.ratio()),
            n if n >= FEW_TIMED_WAITS.get() && are_long => Some(MOSTLY_TIMED.ratio()),
            _ => None,
        }
    }

    /// Most of them are sleeps, as far as is known: a run-time system such as Java's lets a thread sleep by a wait that nobody ends.
    fn are_sleeps(&self) -> bool {
        self.stacks.iter().filter(|(stack, _)| is_asleep(stack)).count() * 2 > self.stacks.len()
    }
}

/// Calls that take less have hardly waited.
const WAITED_AT_LEAST: Ns = 500_000;

/// The thing that a call waits for, if others have to give it.
fn waits_for(row: &Syscall) -> Option<For> {
    let is_it = |what: &For| match what {
        For::Lock | For::Turn | For::Peer => true,
        For::Readiness => !waits_for_any(row),
        _ => false,
    };
    row.waits().or(row.may_wait()).filter(is_it)
}

/// The socket or pipe on which the call moves bytes to or from somebody, or begins to connect.
fn talks_on(observed: &Observed<'_>) -> Option<ObjectId> {
    let is_peer = |object: &ObjectId| matches!(observed.tracker.kind(*object), ObjectKind::Socket | ObjectKind::Pipe);
    let talks = observed.has(Effect::Connects) || observed.seen.bytes.is_some();
    observed.seen.object.filter(|_| talks).filter(is_peer)
}

/// The thread waits for more on one of these. (A server that lets time pass on another descriptor expects nothing of its client.)
fn waits_on(talked: &[ObjectId], observed: &Observed<'_>) -> bool {
    if talked.is_empty() {
        return false;
    }
    let watched = observed.tracker.watched_by(observed.call, observed.seen.pid);
    watched.is_empty() || watched.iter().any(|watched| watched.object.is_some_and(|on| talked.contains(&on)))
}

impl Rule for TimedWaits {
    fn wants(&self, row: &'static Syscall) -> bool {
        waits_for(row).is_some() || row.transfer().is_some() || row.has_effect(Effect::Connects)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let tid = observed.call.tid;
        if let Some(object) = talks_on(observed) {
            if is_write(observed.row) && observed.tracker.kind(object) == ObjectKind::Pipe {
                self.writers.make_room(|_| false);
                self.writers.entry(object, || observed.seen.pid).into_iter().for_each(|pid| *pid = observed.seen.pid);
            }
            self.talked.make_room_of_ended(observed.tracker, |_| false);
            if let Some(talk) = self.talked.entry(tid, Talk::default) {
                talk.got = is_read(observed.row) && observed.seen.bytes.is_some_and(|bytes| bytes > 0);
                if !talk.on.contains(&object) && talk.on.len() < MOST_TALKED {
                    talk.on.push(object);
                }
            }
        }
        let waits_for = waits_for(observed.row);
        // (Without a descriptor, it is a sleep.)
        let waits_for = waits_for.filter(|_| observed.call.arg("nfds") != Some(0));
        let talked = match waits_for {
            Some(For::Readiness) => Some(self.talked.get_mut(&tid).map(std::mem::take).unwrap_or_default()),
            _ => None,
        };
        if waits_for.is_none() || observed.time_waiting() < WAITED_AT_LEAST {
            return;
        }
        if talked.as_ref().is_some_and(|talk| !waits_on(&talk.on, observed)) {
            return;
        }
        let key = CallKey { object: None, ..observed.key };
        let Some(thread) = observed.tracker.thread(observed.call.tid) else { return };
        let is_long = waits_for == Some(For::Lock) && observed.time_waiting() > TIME_BEFORE_ASKING.get();
        let of = (observed.seen.pid, (key, is_long, family(&thread.comm).into()));
        let Some(waits) = self.waits.entry(of, Waits::default) else { return };
        waits.calls += 1;
        waits.time += observed.time_waiting();
        if observed.time_ran_out() {
            waits.timed += 1;
            waits.timed_for += observed.time_waiting();
            waits.after_bytes += u64::from(talked.as_ref().is_some_and(|talk| talk.got));
            let writers = talked.iter().flat_map(|talk| &talk.on).filter_map(|object| self.writers.get(object));
            writers.filter(|pid| **pid != observed.seen.pid).for_each(|pid| waits.waits_for_writer(*pid));
            waits.see_others(observed);
            if let Some(stack) = observed.call.stack.as_ref().filter(|_| waits.stacks.len() < MOST_STACKS) {
                waits.stacks.push((stack.clone(), 1));
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        // Threads of one family, whatever their process: a shell starts a `sleep` for each pause.
        let mut groups: BTreeMap<Group<'_>, (Waits, Tid)> = BTreeMap::new();
        let mut all: BTreeMap<(&[u8], Abi, u32), Ns> = BTreeMap::new();
        for ((pid, (key, is_long, name)), waits) in self.waits.iter().filter(|(_, waits)| waits.timed > 0) {
            let group = groups.entry((name, key.abi, key.nr, *is_long)).or_insert((Waits::default(), *pid));
            group.0.add(waits);
            group.1 = group.1.min(*pid);
            *all.entry((name, key.abi, key.nr)).or_default() += waits.timed_for;
        }
        let account = index.account();
        let timed = groups.into_iter().map(|((name, abi, nr, is_long), (waits, pid))| {
            let part = waits.timed_for as f64 / waits.time.max(1) as f64;
            // The account does not tell long waits from others.
            let of_all = waits.timed_for as f64 / all[&(name, abi, nr)].max(1) as f64;
            let run = (in_call(account, name, abi, nr, part) as f64 * of_all) as Ns;
            (run, name, CallKey { abi, nr, object: None }, waits, pid, is_long)
        });
        let worst = timed.filter(|(run, .., waits, _, _)| {
            let part = *run as f64 / index.own_total().max(1) as f64;
            waits.least_part().is_some_and(|least| part >= least) && !waits.are_sleeps()
        });
        let worst = worst.max_by_key(|(run, name, ..)| (*run, std::cmp::Reverse(*name)));
        let Some((run, name, key, waits, pid, is_long)) = worst else { return Vec::new() };
        let comm = index.comm(pid, tracker);
        let behind_lock = behind_lock(account, key, name);
        let writer = stuck_writer(account, key, name, tracker);
        let reader = waiting_reader(account, key, name, tracker).filter(|reader| {
            let comm = |pid: &Tid| index.comm(*pid, tracker);
            waits
                .writers
                .iter()
                .any(|pid| reader.pid.map_or_else(|| *comm(pid) == *reader.comm, |reader| reader == *pid))
        });
        let name = family_name(name, pid);
        let call = table(key.abi).name(key.nr.into());
        let row = table(key.abi).get(key.nr.into()).map(|entry| entry.row);
        let (times, mean) = (TIMES.of(waits.timed), MEAN_WAIT.of(waits.timed_for / waits.timed.max(1)));
        let of_run = say!("the run waited for that for {} of its {}", WAITED.of(run), RUN.of(account.total));
        // Answers come late because somebody waits for a time to run out before.
        let is_most = row.and_then(waits_for) == Some(For::Readiness)
            && run as f64 >= index.own_total() as f64 * MOSTLY_TIMED.ratio();
        let (sentence, advice) = match row.and_then(waits_for) {
            Some(For::Lock | For::Turn) => (
                say!(
                    "{name} waited in {call} {} times until the time ran out, for {} on average, and nobody woke it; {}{}.",
                    times,
                    mean,
                    of_run,
                    waits.pool().map_or(Statement::default(), |threads| {
                        say!("; all {} of these threads waited so at the same time", THREADS.of(threads))
                    }),
                ),
                "Find out who should have woken it: a permit, a connection or a lock that is not given back on some path, a notification that came \
                 before the wait, an owner that has ended. A longer timeout only hides that.",
            ),
            _ => (
                say!(
                    "{name} waited in {call} {} times until the time ran out, for {} on average, and nothing had come; {}.",
                    times,
                    mean,
                    of_run
                ),
                "If the program expects something there, find out why nothing comes: the other side may wait, too (for the end of a message, or for an answer that is never sent), may be \
                 gone (then remember that for a while), or a message was lost. If the timeout drives work that is due at certain times, this is as it must be.",
            ),
        };
        let advice = match (writer, reader) {
            (Some(writer), _) => format!(
                "Meanwhile, {} waited to write to a pipe that was full: read what it writes before you wait for its end, or in another thread, or let it write to a file.",
                plain(&writer.comm),
            ),
            (None, Some(reader)) => format!(
                "{} had written to the pipe, and still had its end for writing while it waited for what comes back: close that end when all is written, because a reader learns so that nothing more comes. \
                 If more comes later, let each piece tell its own end (a length, or an empty line).",
                plain(&reader.comm),
            ),
            (None, None) if waits.after_bytes * 2 > waits.timed => format!(
                "The thread had got bytes right before: they may have had in them what it waits for. Look into the program's own buffer (that of readline, stdio, a library for TLS) before you wait for more. {advice}"
            ),
            (None, None) if waits.pool().is_some() => format!(
                "If they wait for tasks that were given to the same pool, no thread is left to run these: give such tasks a pool of their own, or run them in the thread that needs \
                 their results. {advice}"
            ),
            (None, None) => advice.into(),
        };
        let is_ask_for_lock = !is_long && row.and_then(waits_for) == Some(For::Lock);
        vec![Candidate {
            sentence,
            evidence: vec![process(pid, comm, waits.timed)],
            advice,
            confidence: Confidence::Possible,
            makers: index.calls_like(key).collect(),
            stacks: waits.stacks,
            perhaps_more: run,
            estimate: "all of that if somebody ends these waits at once, and nothing if they must last".into(),
            matters: true,
            unless_saved: (!is_most).then_some(run / 2),
            instead_of: if is_most { &["lock-step"] } else { &[] },
            unless_told: match () {
                () if is_ask_for_lock => &["late-locks"],
                () if behind_lock * 2 > run => &["lock-contention", "taking-turns", "held-lock"],
                () => &[],
            },
            ..Candidate::default()
        }]
    }
}

/// The time of these waits in which a thread that had a lock waited for them: they are those of a service.
fn behind_lock(account: &TimeSpent, key: CallKey, name: &[u8]) -> Ns {
    let behind = shares_in(account, name, key.abi, key.nr).filter(|share| is_behind_lock(share));
    behind.map(|share| share.time).sum()
}

/// A process that wanted to write to a full pipe while threads of this family waited in such calls.
fn stuck_writer<'a>(account: &'a TimeSpent, key: CallKey, name: &[u8], tracker: &Tracker) -> Option<&'a Who> {
    let (writer, on) = shares_in(account, name, key.abi, key.nr).next()?.awaited_by.first()?;
    let is_pipe = on.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Pipe);
    (is_pipe && on.row().is_some_and(is_write)).then_some(writer)
}

/// A process that waited meanwhile for what threads of this family write to a pipe.
fn waiting_reader<'a>(account: &'a TimeSpent, key: CallKey, name: &[u8], tracker: &Tracker) -> Option<&'a Who> {
    let (reader, on) = shares_in(account, name, key.abi, key.nr).next()?.awaited_by.first()?;
    let is_pipe = on.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Pipe);
    (is_pipe && on.row().is_some_and(is_read)).then_some(reader)
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Bottom, Call, Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, forked, lasting, naming, spawned};
    use stride_test_support::stacks::{frame, stack};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;

    /// A run of 1 s with so many waits of 20 ms in a function, of which each `vain`th runs out of time.
    fn waits(count: u64, vain: u64, function: &str) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        for i in 0..count {
            let outcome = if i % vain == 0 { Outcome::Error(ETIMEDOUT) } else { Outcome::Value(0) };
            let wait = call(MAIN, "futex", &[0x1000, 0x80, 0, 0x2000], outcome);
            let stack = stack([frame("/lib/libjvm.so", "wait"), frame("/app", function)], Bottom::Reached);
            let wait = Call { stack: Some(stack), ..wait };
            run.show(Event::Exit(&lasting(wait, (i + 1) * 25 * MS, 20 * MS)));
        }
        run.show(Event::Exit(&lasting(call(MAIN, "getpid", &[], Outcome::Value(7)), 999 * MS, 10)));
        run.show(exited(MAIN, 1_000 * MS));
        run.finding_ids()
    }

    #[test]
    fn waits_that_nobody_ends_are_told() {
        assert_eq!(waits(39, 1, "Pool::take"), ["timed-waits"]);
        // Somebody ends most of them, or they are few.
        assert!(waits(39, 4, "Pool::take").is_empty());
        assert!(waits(15, 1, "Pool::take").is_empty());
    }

    /// Java's Thread.sleep() is a wait at a futex that nobody ends, and Go's runtime sleeps so.
    #[test]
    fn sleeps_are_no_waits_for_others() {
        for sleep in
            ["java.lang.Thread.sleep", "JVM_Sleep", "std::this_thread::sleep_for", "sleep", "runtime.futexsleep"]
        {
            assert!(waits(39, 1, sleep).is_empty(), "{sleep}");
        }
        assert_eq!(waits(39, 1, "unparkAsleepers"), ["timed-waits"]);
    }

    const ETIMEDOUT: u32 = 110;

    /// A wait of this thread for so long, until its time runs out.
    fn timed_wait(tid: Tid, at: Ns, took: Ns) -> Call {
        lasting(call(tid, "futex", &[0x1000, 0x80, 0, 0x2000], Outcome::Error(ETIMEDOUT)), at, took)
    }

    fn named(run: &mut TestRun, tid: Tid, name: &str) {
        const PR_SET_NAME: u64 = 15;
        let name = naming(call(tid, "prctl", &[PR_SET_NAME, 0x9000], Outcome::Value(0)), 0x9000, name);
        run.show(Event::Exit(&lasting(name, 10, 10)));
    }

    /// Two threads of a pool wait for six times, one after the other or at the same time.
    fn pool(at_once: bool) -> String {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        let other = MAIN + 1;
        let pool: [Tid; 2] = [MAIN, other];
        run.show(forked(MAIN, other, MAIN, 1));
        for tid in pool {
            named(&mut run, tid, &format!("pool-1-thread-{tid}"));
        }
        let mut now = MS;
        for _ in 0..6 {
            for tid in pool {
                let at = if at_once { now } else { now + Ns::from(tid == other) * 130 * MS };
                run.show(Event::Exit(&timed_wait(tid, at, 120 * MS)));
            }
            now += 260 * MS;
        }
        run.show(exited(other, now));
        run.show(exited(MAIN, now));
        let findings = run.findings().reported;
        findings.into_iter().find(|finding| finding.id == "timed-waits").map_or_else(String::new, |it| it.sentence)
    }

    #[test]
    fn all_threads_of_a_pool_may_wait_at_the_same_time() {
        const ALL: &str = "all 2 of these threads waited so at the same time";
        let at_once = pool(true);
        assert!(at_once.contains(ALL), "{at_once}");
        let in_turn = pool(false);
        assert!(!in_turn.contains(ALL), "{in_turn}");
    }

    /// Threads of an interpreter ask for its lock after 5 ms. Waits for a queue are told without those.
    #[test]
    fn long_waits_are_told_apart() {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        let mut now = MS;
        for i in 0..40 {
            let took = if i % 4 == 0 { 300 } else { 5 } * MS;
            run.show(Event::Exit(&timed_wait(MAIN, now, took)));
            now += took + MS;
        }
        run.show(exited(MAIN, now));
        let findings = run.findings().reported;
        let told = findings.iter().find(|finding| finding.id == "timed-waits").expect("most of the run");
        assert!(told.sentence.contains("10 times until the time ran out, for 300 ms on average"), "{}", told.sentence);
    }
}
