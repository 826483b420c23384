//! A large part of the run passes in waits of one kind, whatever the program does: in sleeps, without a CPU, or without
//! the pages of its memory.

mod sleeps;

use super::common::{Bounded, count_stack, family, family_name, process};
use crate::counts::index::{Index, Observed};
use crate::counts::kinds::{Io, io, is_asked, is_served, is_write, waits_for_any};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{MEAN_WAIT, RUN, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use sleeps::{
    FEW_LOST_SLEEPS, FutexWaits, LONG_SLEEP, LOST_PART, LOST_SLEEPS, LostSleep, MOSTLY_LOST, Peers, SHORTEST_SLEEP,
    Sleeps,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use stride_event::{Event, Interrupt, Ns, Outcome, Tid, WaitKind, Waker};
use stride_syscalls::{Effect, Flow, For, Syscall, uapi::consts as c};
use stride_track::{Activity, CallOn, Futex, ObjectKind, TimeShare, TimeSpent, Tracker, Who};

const THROTTLED_PART: Threshold =
    Threshold::part("throttled-part", 0.1, "the part of the run in which a CPU limit kept threads from running");
const LOST_TO_PAGES: Threshold = Threshold::time(
    "lost-to-pages",
    1_000_000_000,
    "less time without pages is that of a program that runs for the first time since the machine started",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "lost-time",
    title: "time lost in waits of one kind",
    explanation: "A large part of the run passes in waits of one kind, and no other finding says why. This is read from the table of where the time went, not \
        from a pattern of calls.\n\n\
        Sleeps: three tenths of the run passed in at least ten sleeps (nanosleep(2) and its kin, and select(2) or poll(2) without a descriptor) of threads of one name, or three fifths in at least three that take 100 ms on average and do not get longer each time, as those between tries do. Sleeps between two looks at memory, at a queue \
        or at a clock make no call, and so nothing but the sleeps is seen. Sleeps for whose end other traced threads wait (but for those who cannot write because nobody reads), and those after which the thread writes to a pipe, answers a client or ends, do not count: they set a pace. Waits at an epoll instance (epoll_wait(2)) whose time ran out are sleeps, too, if the process took nothing from a pipe or a socket, or only what traced threads sent: so the runtimes of Go and \
        Node.js sleep, and threads of Java sleep at a futex, as their stacks show. A thread that waits learns of a change half a sleep too late, and often a whole \
        one. In C, wait with a condition variable, a semaphore or a futex in shared memory; in Python with threading.Event or queue.Queue.get, in Java with a \
        BlockingQueue or a CountDownLatch, in Go with a channel, in Node.js with an event or a promise, in a shell with `wait` or a read from a FIFO. A sleep that only lets time pass, \
        such as the pause of a rate limit, may stay.\n\n\
        CPU limits: a tenth of the run passed while threads could have run, but their cgroup had used up its share (cpu.max, cpu.cfs_quota_us; limits.cpu of \
        Kubernetes, --cpus of Docker). A program with more busy threads than the limit allows uses the share up at the beginning of each period, and then \
        stands still. Raise the limit, or start no more threads than it lets run (GOMAXPROCS, -XX:ActiveProcessorCount, the number of workers). A limit that is meant may stay.\n\n\
        Pages: three tenths of the run, and a second or more, passed while threads waited for pages of their memory that had to be read from a disk: of mapped files that do not fit into the memory or into \
        the cgroup's limit, of programs that ran for the first time, or from swap. Give it more memory, touch less of it, or read in order.\n\n\
        Example: a decoder and a writer share a frame in memory, and each sleeps 5 ms until the other has changed a flag: 0.8 s of 0.9 s are sleeps. Two semaphores take 0.02 s.",
    thresholds: &[
        LOST_SLEEPS,
        LOST_PART,
        FEW_LOST_SLEEPS,
        LONG_SLEEP,
        MOSTLY_LOST,
        THROTTLED_PART,
        LOST_TO_PAGES,
        SHORTEST_SLEEP,
    ],
    make: || Box::new(LostTime::default()),
};

#[derive(Default)]
struct LostTime {
    /// By process and family.
    sleeps: Bounded<(Tid, Box<[u8]>), Sleeps>,
    latest: Bounded<Tid, Latest>,
    /// The sleep of a thread that has made no call since.
    pending: Bounded<Tid, LostSleep>,
    /// Threads that slept in long rows, and how often.
    in_rows: Bounded<Tid, u64>,
    /// Processes whose run-time system has slept, and which have made no call of their own since, with the family of the thread that slept and the time.
    slept: Bounded<Tid, (Box<[u8]>, Ns)>,
    /// Processes that take something from a peer. Their waits for descriptors may be for that.
    have_peers: Bounded<Tid, Peers>,
}

/// The latest sleep of a thread.
#[derive(Clone, Copy, Default)]
struct Latest {
    /// The number of calls of the thread by then.
    calls: u64,
    /// The sleeps without another call in between, up to this one.
    in_a_row: u64,
    /// A stack has shown that the program's own code sleeps there.
    by_program: bool,
}

/// So many different stacks of next calls are told apart.
const MOST_NEXT: usize = 32;
/// Further sleeps without another call in between wait for one thing, and are no more than busy waiting.
const ROW: u64 = 50;

impl Rule for LostTime {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let tid = observed.call.tid;
        self.goes_on(observed);
        if self.pending.len() > 0
            && let Some(sleep) = self.pending.remove(&tid)
            && !gives_others(observed)
        {
            let gave = sleep.is_wait && wakes_another(observed);
            if let Some(sleeps) = self.sleeps_of(observed) {
                sleeps.count(sleep, gave);
            }
        }
        if observed.has(Effect::Executes) && observed.ok() {
            // A shell that has read from a pipe executes the program.
            self.have_peers.remove(&observed.seen.pid);
        }
        if takes_from_peer(observed) {
            self.have_peers.make_room_of_ended(observed.tracker, |_| false);
            self.have_peers.entry(observed.seen.pid, Peers::default);
        }
        if waits_for_any(observed.row)
            && observed.ok()
            && let Some(peers) = self.have_peers.get_mut(&observed.seen.pid)
        {
            peers.wait(observed);
        }
        let is_timed_out = waits_for_any(observed.row) && observed.call.outcome == Outcome::Value(0);
        if is_timed_out && observed.time_waiting() >= SHORTEST_SLEEP.get() {
            self.run_time_slept(observed);
            return self.slept_now(observed, false, true);
        }
        if Futex::is(observed.row) && observed.errno() == Some(c::ETIMEDOUT as u32) {
            if let Some(sleeps) = self.sleeps_of(observed) {
                sleeps.parked.add(&FutexWaits::of(observed));
                if let Some(stack) = observed.call.stack.as_ref().filter(|stack| stack.is_of_program()) {
                    count_stack(&mut sleeps.parked_stacks, MOST_NEXT, stack, observed.call.stack_calls.into());
                }
            }
            self.run_time_slept(observed);
            return;
        }
        if !sleeps(observed) {
            // A thread that only wakes others between its sleeps, or looks if somebody is to be woken, watches over them.
            if watches(observed)
                && tid != observed.seen.pid
                && let Some(latest) = self.latest.get_mut(&tid)
                && latest.calls + 1 == index.pace(tid).calls
            {
                latest.calls += 1;
            }
            return;
        }
        self.latest.make_room_of_ended(observed.tracker, |_| false);
        let now = index.pace(tid).calls;
        let Some(latest) = self.latest.entry(tid, Latest::default) else { return };
        let follows = latest.calls + 1 == now;
        // (Deciding whose code is on the stack costs more.)
        let by_program = latest.by_program || observed.call.stack.as_ref().is_some_and(|stack| stack.is_of_program());
        *latest = Latest { calls: now, in_a_row: if follows { latest.in_a_row + 1 } else { 1 }, by_program };
        let in_row = latest.in_a_row > ROW;
        // Some runtimes have a thread that watches over the others, and does nothing but sleep. A thread of the program may look into memory between its sleeps.
        if tid != observed.seen.pid && follows && !by_program {
            return;
        }
        self.slept_now(observed, in_row, false);
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, tracker: &Tracker) {
        // Its next call is not known.
        if let Event::Killed { tid, .. } = event
            && let Some(thread) = tracker.thread(*tid)
        {
            self.sleeps.remove(&(thread.pid, family(&thread.comm).into()));
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let slept = self.slept(index, tracker);
        [slept, throttled(index), without_pages(index)].into_iter().flatten().collect()
    }
}

/// Run-time systems make such calls to let other threads go on: Go's monitor also sends signals (it asks for its process's number first) and asks for ready
/// descriptors.
fn watches(observed: &Observed<'_>) -> bool {
    let row = observed.row;
    wakes(observed)
        || [Effect::SendsSignal, Effect::Private, Effect::Yields].into_iter().any(|effect| row.has_effect(effect))
        || waits_for_any(row) && observed.time_waiting() == 0
}

impl LostTime {
    /// The thread has slept. Its next call tells whether that counts.
    fn slept_now(&mut self, observed: &Observed<'_>, in_row: bool, is_for_any: bool) {
        let is_wait = !is_sleep(observed.row);
        let sleep = LostSleep { key: observed.key, time: observed.time_waiting(), in_row, is_for_any, is_wait };
        self.in_rows.make_room_of_ended(observed.tracker, |sleeps| *sleeps >= ROW);
        if in_row && let Some(sleeps) = self.in_rows.entry(observed.call.tid, || 0) {
            *sleeps += 1;
        }
        self.pending.make_room_of_ended(observed.tracker, |_| false);
        self.pending.entry(observed.call.tid, || sleep);
    }

    /// A call of a run-time system slept: the program's next call tells what for.
    fn run_time_slept(&mut self, observed: &Observed<'_>) {
        let Some(thread) = observed.tracker.thread(observed.call.tid) else { return };
        if observed.call.stack.as_ref().is_none_or(|stack| !stack.is_of_program()) {
            self.slept.make_room_of_ended(observed.tracker, |_| false);
            let slept = self.slept.entry(observed.seen.pid, || (family(&thread.comm).into(), 0));
            slept.into_iter().for_each(|(_, time)| *time += observed.time_waiting());
        }
    }

    fn goes_on(&mut self, observed: &Observed<'_>) {
        let pid = observed.seen.pid;
        // (Deciding whose code is on the stack costs more.)
        if self.slept.len() == 0 || self.slept.get(&pid).is_none() {
            return;
        }
        // A library may have the connection in a thread or goroutine of its own.
        let on = observed.seen.object.filter(|_| observed.seen.bytes.is_some_and(|bytes| bytes > 0));
        let is_for_client = on.is_some_and(|object| is_served(observed.tracker.name(object)));
        let is_for_server = on.is_some_and(|object| is_asked(object, observed.tracker));
        let stack = observed.call.stack.as_ref();
        let is_of_program = stack.is_some_and(|stack| stack.is_of_program());
        if !is_of_program && !is_for_client && !is_for_server {
            return;
        }
        if let Some((family, time)) = self.slept.remove(&pid)
            && let Some(sleeps) = self.sleeps.get_mut(&(pid, family))
        {
            if is_for_client {
                sleeps.for_clients += time;
            }
            sleeps.followed += time;
            // The longest sleeps matter most.
            let weight = (time / 1_000).max(1);
            stack.into_iter().for_each(|stack| count_stack(&mut sleeps.next, MOST_NEXT, stack, weight));
        }
    }

    /// The sleeps of the call's process and of threads named like its thread.
    fn sleeps_of(&mut self, observed: &Observed<'_>) -> Option<&mut Sleeps> {
        let pid = observed.seen.pid;
        let process = |pid| observed.tracker.process(pid);
        let thread = observed.tracker.thread(observed.call.tid)?;
        self.sleeps.make_room_of_ended(observed.tracker, |sleeps| sleeps.calls >= LOST_SLEEPS.get());
        self.sleeps.entry((pid, family(&thread.comm).into()), || {
            let parent = process(pid).and_then(|process| process.parent).and_then(process);
            Sleeps::of(parent.is_some_and(|parent| parent.comm != thread.comm))
        })
    }

    fn slept(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let account = index.account();
        // Threads of a server that is idle may sleep for as long as they like.
        if !account.of_run {
            return None;
        }
        let mut families: BTreeMap<&[u8], (Sleeps, Tid)> = BTreeMap::new();
        let many =
            |sleeps: &Sleeps| sleeps.is_for_parent || sleeps.calls + sleeps.parked.calls >= FEW_LOST_SLEEPS.get();
        let has_peer = |pid: &Tid, sleeps: &Sleeps| {
            sleeps.for_any > 0 && self.have_peers.get(pid).is_some_and(|peers| !peers.are_traced())
        };
        let counted =
            self.sleeps.iter().filter(|((pid, _), sleeps)| many(sleeps) && !has_peer(pid, sleeps) && !sleeps.serve());
        for ((pid, name), sleeps) in counted {
            let (sum, of) = families.entry(name).or_insert((Sleeps::default(), *pid));
            sum.add(sleeps);
            sum.pids.push(*pid);
            *of = (*of).min(*pid);
        }
        families.values_mut().for_each(|(sleeps, _)| sleeps.add_parked());
        // One thread in such a row waits for one thing. Several of them may do so for each other, at each step of their work.
        let row_is_one_wait = self.in_rows.iter().filter(|(_, sleeps)| **sleeps >= ROW).count() < 2;
        let asleep = |name: &[u8], of: &Sleeps| {
            let pids = &of.pids;
            let is_of = |who: &Who| family(&who.comm) == name && who.pid.is_none_or(|pid| pids.contains(&pid));
            let shares = account.shares.iter().filter(|share| is_of(&share.who));
            let sleeps = |share: &&TimeShare| {
                let (on, ran_out) = (share.activity.call().and_then(CallOn::row), ran_out(&share.activity));
                let is = |kind: fn(&'static Syscall) -> bool| on.is_some_and(kind);
                match () {
                    () if of.for_any > 0 && ran_out && is(waits_for_any) => !is_awaited_by_others(share),
                    () if of.parked.are_sleeps() && ran_out && is(Futex::is) => !is_awaited(share, tracker),
                    () if ran_out && on.is_some_and(|row| of.are_calls_of(row)) => !is_awaited(share, tracker),
                    () => is(is_sleep) && !is_awaited(share, tracker),
                }
            };
            // Shares have all such waits of these threads, also those that are no sleeps of the program.
            shares.filter(sleeps).map(|share| share.time).sum::<Ns>().min(of.total())
        };
        let lost = families.into_iter().map(|(name, (sleeps, pid))| (asleep(name, &sleeps), name, sleeps, pid));
        let (run, name, sleeps, pid) = lost
            .filter(|(run, _, sleeps, _)| {
                sleeps.least_part(row_is_one_wait).is_some_and(|part| *run as f64 >= index.own_total() as f64 * part)
            })
            .max_by_key(|(run, name, ..)| (*run, Reverse(*name)))?;
        Some(Candidate {
            sentence: say!(
                "{} slept {} times, for {} on average, and the run waited for that for {} of its {}.",
                family_name(name, pid),
                TIMES.of(sleeps.calls),
                MEAN_WAIT.of(sleeps.mean()),
                WAITED.of(run),
                RUN.of(account.total),
            ),
            evidence: vec![process(pid, index.comm(pid, tracker), sleeps.calls)],
            advice: "If a sleep waits until something has changed, wait for that itself: for another thread or process with a condition variable, a semaphore, an event or a \
                     queue, for a child with wait, for a descriptor with poll, for a file with inotify(7). If it only lets time pass (a rate limit, a pause between tries), it may stay, or be shorter."
                .into(),
            confidence: Confidence::Possible,
            makers: sleeps.kinds.into_values().collect(),
            stacks: if sleeps.parked.are_sleeps() { sleeps.parked_stacks } else { Vec::new() },
            next: sleeps.next,
            perhaps_more: run,
            estimate: "all of that if what it waits for wakes it, and nothing if the time has to pass".into(),
            matters: true,
            instead_of: &["busy-wait"],
            unless_told: &["polling", "retries", "timed-waits", "held-lock", "late-locks", "children-in-turn"],
            ..Candidate::default()
        })
    }
}

/// A CPU limit kept threads from running.
fn throttled(index: &Index) -> Option<Candidate> {
    let account = index.account();
    let (lost, most) = lost_to(index, WaitKind::Throttled, THROTTLED_PART.ratio())?;
    Some(Candidate {
        sentence: say!(
            "The CPU limit of its cgroup kept {} from running, for {} of {}.",
            family_name(family(&most.who.comm), most.who.pid.unwrap_or_default()),
            WAITED.of(lost),
            whole(account),
        ),
        advice: "Raise the limit (cpu.max or cpu.cfs_quota_us of the cgroup; limits.cpu in Kubernetes, --cpus in Docker), or run no more threads than it has CPUs for (GOMAXPROCS, \
                 -XX:ActiveProcessorCount, the number of workers). If the limit is meant, less work is the only way."
            .into(),
        confidence: Confidence::Certain,
        more_time: lost,
        estimate: "the time without a CPU because of the limit".into(),
        matters: true,
        ..Candidate::default()
    })
}

/// Threads waited for pages of their memory.
fn without_pages(index: &Index) -> Option<Candidate> {
    let account = index.account();
    let (lost, most) =
        lost_to(index, WaitKind::Disk, LOST_PART.ratio()).filter(|(lost, _)| *lost >= LOST_TO_PAGES.get())?;
    Some(Candidate {
        sentence: say!(
            "{} waited for pages of its memory that came from a disk, for {} of {}.",
            family_name(family(&most.who.comm), most.who.pid.unwrap_or_default()),
            WAITED.of(lost),
            whole(account),
        ),
        advice: "Give it more memory (memory.max or memory.limit_in_bytes of its cgroup), touch less of it, or go through mapped files in order or with MAP_POPULATE or madvise(2) \
                 (MADV_WILLNEED). In a first run after a start of the machine, this is as it must be."
            .into(),
        confidence: Confidence::Likely,
        perhaps_more: lost,
        estimate: "all of that if the pages are in memory".into(),
        matters: true,
        ..Candidate::default()
    })
}

/// The time that threads lost in such waits outside sleeps, if it is this part of the whole, and the largest share of it.
fn lost_to(index: &Index, kind: WaitKind, part: f64) -> Option<(Ns, &TimeShare)> {
    let account = index.account();
    let shares = || account.shares.iter().filter(|share| share.activity == Activity::Off(kind));
    let lost: Ns = shares().map(|share| share.time).sum();
    let enough = lost > 0 && lost as f64 >= index.own_total() as f64 * part;
    shares().next().filter(|_| enough).map(|most| (lost, most))
}

fn whole(account: &TimeSpent) -> crate::report::statement::Statement {
    match account.of_run {
        true => say!("the run's {}", RUN.of(account.total)),
        false => say!("the {} of its threads together", RUN.of(account.total)),
    }
}

/// Others wait for the thread that sleeps: then the sleep stands for work. A shell that waits for sleep(1) sleeps itself, those who cannot write only want the
/// thread to read, and a server that waits for the next request of the thread has nothing to do.
fn is_awaited(share: &TimeShare, tracker: &Tracker) -> bool {
    let stands_for_work = |who: &Who, row: &'static Syscall| {
        !is_write(row) && (row.waits() != Some(For::Child) || who.comm == share.who.comm)
    };
    let is_idle = |on: &CallOn| on.object.is_some_and(|object| is_served(tracker.name(object)));
    let mut waiting = share.awaited_by.iter().skip_while(|(_, on)| is_idle(on));
    waiting.next().is_some_and(|(who, on)| on.row().is_none_or(|row| stands_for_work(who, row)))
}

/// The same of a wait that a runtime makes for its whole process: its other threads have nothing to do meanwhile, and wait for each other.
fn is_awaited_by_others(share: &TimeShare) -> bool {
    // (A shell waits for each program.)
    let waits_for_child = |on: &CallOn| on.row().and_then(Syscall::waits) == Some(For::Child);
    share.awaited_by.iter().any(|(who, on)| who.comm != share.who.comm && !waits_for_child(on))
}

/// Takes bytes that a peer or another process sends.
fn takes_from_peer(observed: &Observed<'_>) -> bool {
    let Some(object) = observed.seen.object else { return false };
    observed.row.transfer().is_some_and(|transfer| transfer.flow == Flow::In)
        && matches!(observed.tracker.kind(object), ObjectKind::Socket | ObjectKind::Pipe)
}

fn wakes(observed: &Observed<'_>) -> bool {
    Futex::is(observed.row) && matches!(Futex::of(&observed.call.args), Some(Futex::Wake))
}

fn wakes_another(observed: &Observed<'_>) -> bool {
    wakes(observed) && matches!(observed.call.outcome, Outcome::Value(1..))
}

/// A wait whose time ran out. Without measured waits, that is not known of each.
fn ran_out(activity: &Activity) -> bool {
    let is_timer = |waker: &Option<Waker>| matches!(waker, Some(Waker::Interrupt(Interrupt::Timer)) | None);
    match activity {
        Activity::Asleep(_, _, waker) => is_timer(waker),
        Activity::InCall(_) | Activity::Unmeasured(_) => true,
        _ => false,
    }
}

/// The call gives something to others: through a pipe or a device, or to a client of a server. The sleep before it sets a pace, or stands for work.
fn gives_others(observed: &Observed<'_>) -> bool {
    let Some(object) = observed.seen.object.filter(|_| is_write(observed.row)) else { return false };
    let asks = is_asked(object, observed.tracker);
    io(object, observed.tracker) != Io::File && !asks
}

/// The call lets time pass: select(2) and poll(2) without a descriptor do so, too.
fn sleeps(observed: &Observed<'_>) -> bool {
    let is_wait = observed.row.waits() == Some(For::Readiness);
    is_sleep(observed.row) || is_wait && observed.call.arg("nfds") == Some(0)
}

fn is_sleep(row: &Syscall) -> bool {
    row.waits() == Some(For::Time)
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Bottom, Call, CallWaits, Event, Ns, Outcome, StackFrame, Tid, WaitKind, WaitTimes};
    use stride_test_support::calls::{call, exited, forked, lasting, spawned};
    use stride_test_support::stacks::{frame, stack};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;

    /// A run that waits for pages for so long, which is most of it.
    fn without_pages(lost: Ns) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        let mut before = WaitTimes::default();
        before.add(WaitKind::Disk, lost);
        let at = lost + 10 * MS;
        let waits = CallWaits { before, ..CallWaits::default() };
        let first = lasting(call(MAIN, "getpid", &[], Outcome::Value(7)), MS, 10);
        let last = lasting(call(MAIN, "getpid", &[], Outcome::Value(7)), at, 10);
        run.show(Event::Exit(&Call { waits: Some(Box::default()), ..first }));
        run.show(Event::Exit(&Call { waits: Some(Box::new(waits)), ..last }));
        run.show(exited(MAIN, at + MS));
        run.finding_ids()
    }

    #[test]
    fn a_first_run_may_wait_for_its_pages() {
        assert!(without_pages(300 * MS).is_empty());
        assert_eq!(without_pages(2_000 * MS), ["lost-time"]);
    }

    /// A run of these calls, each of which begins 1 ms after the one before.
    fn run_of(calls: impl IntoIterator<Item = (Call, Ns)>) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        let mut at = 0;
        for (call, took) in calls {
            run.show(Event::Exit(&lasting(call, at + MS, took)));
            at += MS + took;
        }
        run.show(exited(MAIN, at + MS));
        run.finding_ids()
    }

    /// Sleeps, and a look at the time after each.
    fn sleeps(times: &[Ns]) -> Vec<&'static str> {
        let each = times.iter().flat_map(|time| {
            let sleep = call(MAIN, "clock_nanosleep", &[1, 0, 0x1000, 0], Outcome::Value(0));
            [(sleep, time * MS), (call(MAIN, "getppid", &[], Outcome::Value(1)), 10)]
        });
        run_of(each)
    }

    #[test]
    fn few_sleeps_count_if_they_are_long() {
        assert_eq!(sleeps(&[200; 3]), ["lost-time"]);
        assert!(sleeps(&[200; 2]).is_empty());
        assert!(sleeps(&[20; 3]).is_empty());
        assert_eq!(sleeps(&[20; 10]), ["lost-time"]);
        // Each pause between two tries is longer than the one before.
        assert!(sleeps(&[100, 200, 400, 800]).is_empty());
    }

    #[test]
    fn threads_of_java_sleep_at_futexes() {
        const ETIMEDOUT: u32 = 110;
        let waits = |caller: StackFrame| {
            let stack = stack([frame("/lib/libjvm.so", "Parker::park"), caller], Bottom::Reached);
            let wait = call(MAIN, "futex", &[0x1000, 0x80, 0, 0x2000], Outcome::Error(ETIMEDOUT));
            run_of(std::iter::repeat_n((Call { stack: Some(stack), ..wait }, 20 * MS), 20))
        };
        assert_eq!(waits(frame("", "java.lang.Thread.sleep")), ["lost-time"]);
        // A thread of the runtime itself, which runs no code of the program.
        assert!(waits(frame("/lib/libjvm.so", "WatcherThread::sleep")).is_empty());
    }

    /// A runtime sleeps, and the program then makes this call.
    fn sleeps_before(next: impl Fn() -> Call, connected: bool) -> crate::Findings {
        const PROGRAM: &str = "/bin/p";
        let own = |functions: &[&str]| stack(functions.iter().map(|name| frame(PROGRAM, name)), Bottom::Reached);
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        if connected {
            let accept = call(MAIN, "accept", &[3, 0, 0], Outcome::Value(4));
            let listen = call(MAIN, "listen", &[3, 5], Outcome::Value(0));
            let socket = call(MAIN, "socket", &[2, 1, 0], Outcome::Value(3));
            for (at, call) in (1..).zip([socket, listen, accept]) {
                run.show(Event::Exit(&lasting(call, at * 1_000, 10)));
            }
        }
        let mut show = |call: Call, functions: &[&str], from, took| {
            let call = Call { stack: Some(own(functions)), ..call };
            run.show(Event::Exit(&lasting(call, from, took)));
        };
        for at in (0..20).map(|round| (round * 25 + 1) * MS) {
            let wait = call(MAIN, "epoll_pwait", &[5, 0x1000, 128, 24, 0, 0], Outcome::Value(0));
            show(wait, &["runtime.netpoll", "runtime.findRunnable"], at, 20 * MS);
            show(next(), &["syscall.Call", "main.commit", "runtime.goexit.abi0"], at + 21 * MS, MS);
        }
        run.show(exited(MAIN, 501 * MS));
        run.findings()
    }

    #[test]
    fn the_next_call_tells_what_a_runtime_waited_for() {
        let findings = sleeps_before(|| call(MAIN, "fdatasync", &[4], Outcome::Value(0)), false).reported;
        let lost = findings.iter().find(|finding| finding.id == "lost-time").expect("the sleeps are most of the run");
        let next: Vec<_> = lost.next.shares.iter().map(|(caller, _)| caller.function.as_deref()).collect();
        assert_eq!(next, [Some("main.commit")]);
    }

    /// A client and its server may have one name. The sleeps of the server are no reason to leave out those of the client.
    #[test]
    fn clients_may_have_the_name_of_their_server() {
        let own = |function: &str| Some(stack([frame("/bin/p", function)], Bottom::Reached));
        let server = MAIN + 1;
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        run.show(forked(MAIN, server, server, 500));
        for (at, call) in (1..).zip([
            call(server, "socket", &[2, 1, 0], Outcome::Value(3)),
            call(server, "listen", &[3, 5], Outcome::Value(0)),
            call(server, "accept", &[3, 0, 0], Outcome::Value(4)),
        ]) {
            run.show(Event::Exit(&lasting(call, at * 1_000, 10)));
        }
        let mut show = |call: Call, function: &str, from, took| {
            run.show(Event::Exit(&lasting(Call { stack: own(function), ..call }, from, took)));
        };
        for round in 0..20 {
            let at = (round * 25 + 1) * MS;
            for tid in [MAIN, server] {
                let wait = call(tid, "epoll_pwait", &[5, 0x1000, 128, 24, 0, 0], Outcome::Value(0));
                show(wait, "runtime.netpoll", at, 20 * MS);
            }
            // (The client has a file of its own. After each other sleep, its run-time system has the first call.)
            show(call(server, "read", &[4, 0x2000, 100], Outcome::Value(10)), "main.serve", at + 21 * MS, MS);
            let function = if round % 2 == 0 { "main.commit" } else { "runtime.sync" };
            show(call(MAIN, "fdatasync", &[9], Outcome::Value(0)), function, at + 21 * MS, MS);
        }
        run.show(exited(server, 501 * MS));
        run.show(exited(MAIN, 502 * MS));
        let findings = run.findings().reported;
        let lost = findings.iter().find(|finding| finding.id == "lost-time").expect("the sleeps of the client");
        assert!(lost.sentence.contains(" 20 times"), "{}", lost.sentence);
    }

    /// The sleep of a server before it goes on with its client stands for work, or sets a pace.
    #[test]
    fn sleeps_for_clients_are_not_lost() {
        let reads = || call(MAIN, "read", &[4, 0x2000, 100], Outcome::Value(10));
        assert!(sleeps_before(reads, true).reported.iter().all(|finding| finding.id != "lost-time"));
    }
}
