//! Waits for a lock, a turn or a message end because their time runs out, and not because anything came.

use super::common::{Bounded, family, family_name, is_asleep, plain, process};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_write, waits_for_any};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::collections::BTreeMap;
use std::sync::Arc;
use stride_event::{Interrupt, Ns, Stack, Tid, Waker};
use stride_syscalls::{Abi, Effect, For, Syscall, table};
use stride_track::{Activity, CallOn, ObjectKind, TimeShare, TimeSpent, Tracker, Who};

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
        A wait in poll(2) or select(2) counts if the thread had talked with somebody since its wait before: it had sent or received something on a socket or a pipe, or begun to connect. Then it expected an answer, or the rest of a message.\n\n\
        Example: a pool of connections gives out permits by sem_timedwait(3), and an error path does not give its permit back. At the end each of 111 waits lasts \
        the whole 17 ms, 96% of the run.",
    thresholds: &[TIMED_WAITS, TIMED_PART, FEW_TIMED_WAITS, LONG_TIMED_WAIT, MOSTLY_TIMED],
    make: || Box::new(TimedWaits::default()),
};

#[derive(Default)]
struct TimedWaits {
    waits: Bounded<(Tid, WaitsOf), Waits>,
    /// Threads that have moved bytes on a socket or a pipe, or begun to connect, since they waited for descriptors.
    talked: Bounded<Tid, bool>,
}

/// Calls of one kind, and the family of their threads (`common::family`).
type WaitsOf = (CallKey, Box<[u8]>);

/// The waits of the threads of one family in a process, by calls of one kind.
#[derive(Clone, Default)]
struct Waits {
    calls: u64,
    time: Ns,
    /// Those that ended because their time ran out.
    timed: u64,
    timed_for: Ns,
    /// Some of the stacks of those.
    stacks: Vec<(Arc<Stack>, u64)>,
}

const MOST_STACKS: usize = 64;

impl Waits {
    fn add(&mut self, other: &Waits) {
        self.calls += other.calls;
        self.time += other.time;
        self.timed += other.timed;
        self.timed_for += other.timed_for;
        let room = MOST_STACKS.saturating_sub(self.stacks.len());
        self.stacks.extend(other.stacks.iter().take(room).cloned());
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

/// The call moves bytes to or from somebody, or begins to connect.
fn talks(observed: &Observed<'_>) -> bool {
    let is_peer = |object| matches!(observed.tracker.kind(object), ObjectKind::Socket | ObjectKind::Pipe);
    observed.has(Effect::Connects) || observed.seen.bytes.is_some() && observed.seen.object.is_some_and(is_peer)
}

impl Rule for TimedWaits {
    fn wants(&self, row: &'static Syscall) -> bool {
        waits_for(row).is_some() || row.transfer().is_some() || row.has_effect(Effect::Connects)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let tid = observed.call.tid;
        if talks(observed) {
            self.talked.make_room_of_ended(observed.tracker, |_| false);
            self.talked.entry(tid, || false).into_iter().for_each(|talked| *talked = true);
        }
        let waits_for = waits_for(observed.row);
        // (Without a descriptor, it is a sleep.)
        let waits_for = waits_for.filter(|_| observed.call.arg("nfds") != Some(0));
        let expects = waits_for != Some(For::Readiness) || self.talked.get_mut(&tid).is_some_and(std::mem::take);
        if waits_for.is_none() || !expects || observed.time_waiting() < WAITED_AT_LEAST {
            return;
        }
        let key = CallKey { object: None, ..observed.key };
        let Some(thread) = observed.tracker.thread(observed.call.tid) else { return };
        let of = (observed.seen.pid, (key, family(&thread.comm).into()));
        let Some(waits) = self.waits.entry(of, Waits::default) else { return };
        waits.calls += 1;
        waits.time += observed.time_waiting();
        if observed.time_ran_out() {
            waits.timed += 1;
            waits.timed_for += observed.time_waiting();
            if let Some(stack) = observed.call.stack.as_ref().filter(|_| waits.stacks.len() < MOST_STACKS) {
                waits.stacks.push((stack.clone(), 1));
            }
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        // Threads of one family, whatever their process: a shell starts a `sleep` for each pause.
        let mut groups: BTreeMap<(&[u8], Abi, u32), (Waits, Tid)> = BTreeMap::new();
        for ((pid, (key, name)), waits) in self.waits.iter().filter(|(_, waits)| waits.timed > 0) {
            let group = groups.entry((name, key.abi, key.nr)).or_insert((Waits::default(), *pid));
            group.0.add(waits);
            group.1 = group.1.min(*pid);
        }
        let account = index.account();
        let timed = groups.into_iter().map(|((name, abi, nr), (waits, pid))| {
            let part = waits.timed_for as f64 / waits.time.max(1) as f64;
            (in_call(account, name, abi, nr, part), name, CallKey { abi, nr, object: None }, waits, pid)
        });
        let worst = timed.filter(|(run, .., waits, _)| {
            let part = *run as f64 / index.own_total().max(1) as f64;
            waits.least_part().is_some_and(|least| part >= least) && !waits.are_sleeps()
        });
        let worst = worst.max_by_key(|(run, name, ..)| (*run, std::cmp::Reverse(*name)));
        let Some((run, name, key, waits, pid)) = worst else { return Vec::new() };
        let comm = index.comm(pid, tracker);
        let writer = stuck_writer(account, key, name, tracker);
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
                    "{name} waited in {call} {} times until the time ran out, for {} on average, and nobody woke it; {}.",
                    times,
                    mean,
                    of_run
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
        let advice = match writer {
            Some(writer) => format!(
                "Meanwhile, {} waited to write to a pipe that was full: read what it writes before you wait for its end, or in another thread, or let it write to a file.",
                plain(&writer.comm),
            ),
            None => advice.into(),
        };
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
            ..Candidate::default()
        }]
    }
}

/// A process that wanted to write to a full pipe while threads of this family waited in such calls.
fn stuck_writer<'a>(account: &'a TimeSpent, key: CallKey, name: &[u8], tracker: &Tracker) -> Option<&'a Who> {
    let is_it = |on: &CallOn| (on.abi, on.nr) == (key.abi, u64::from(key.nr));
    let waiting =
        account.shares.iter().find(|share| family(&share.who.comm) == name && share.activity.call().is_some_and(is_it));
    let (writer, on) = waiting?.awaited_by.first()?;
    let is_pipe = on.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Pipe);
    (is_pipe && on.row().is_some_and(is_write)).then_some(writer)
}

/// The time of the run that threads of this family spent in such calls until their time ran out. Where wakers are not known, it is that `part` of
/// the time in the calls.
fn in_call(account: &TimeSpent, name: &[u8], abi: Abi, nr: u32, part: f64) -> Ns {
    let is_it = |on: &CallOn| (on.abi, on.nr) == (abi, u64::from(nr));
    let timed = |share: &TimeShare| match &share.activity {
        Activity::Asleep(on, _, Some(Waker::Interrupt(Interrupt::Timer))) if is_it(on) => share.time,
        Activity::Asleep(on, _, None) | Activity::InCall(on) | Activity::Unmeasured(on) if is_it(on) => {
            (share.time as f64 * part) as Ns
        }
        _ => 0,
    };
    account.shares.iter().filter(|share| family(&share.who.comm) == name).map(timed).sum()
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Bottom, Call, Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, lasting, spawned};
    use stride_test_support::stacks::{frame, stack};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;

    /// A run of 1 s with so many waits of 20 ms in a function, of which each `vain`th runs out of time.
    fn waits(count: u64, vain: u64, function: &str) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        for i in 0..count {
            const ETIMEDOUT: u32 = 110;
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
}
