//! Threads are woken and do nothing but wait again.

use super::common::{Bounded, plain, process};
use super::hand_overs::hands_out;
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{LASTED, MEAN_LIFE, PACE, THREADS, TIMES, WAKES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::collections::BTreeMap;
use stride_event::{Ns, Outcome, Tid, WaitKind};
use stride_syscalls::Syscall;
use stride_track::{Activity, Futex, TimeShare, Tracker};

const VAIN_WAKES: Threshold = Threshold::count("vain-wakes", 2000, "waits that led to nothing but another wait");
const VAIN_WAKES_PART: Threshold =
    Threshold::part("vain-wakes-part", 0.6, "the part of all ended waits that led to nothing");
const VAIN_WAKES_PACE: Threshold =
    Threshold::time("vain-wakes-pace", 2_000_000, "the longest time from one of them to the next, on average");
const OWN_CHANGES: Threshold = Threshold::part(
    "vain-wakes-own-changes",
    0.7,
    "if there are more wakes by threads that did something else before, as a part of all ended waits, each wait has a change of its own",
);
const BARELY_RUN: Threshold =
    Threshold::time("barely-run", 300_000, "a thread that runs for longer between two waits has done something");

pub const RULE: RuleInfo = RuleInfo {
    id: "vain-wakes",
    title: "threads woken for nothing",
    explanation: "Threads wait at a futex, are woken, and wait again a few microseconds later without another call. That is the picture of a herd: many threads \
        wait for one condition (pthread_cond_broadcast, notifyAll), each change wakes all of them, and all but one find nothing to do. Each such wake takes the \
        kernel some microseconds, twice, and takes a CPU from the threads that have work. A lock that is taken and given back for tiny pieces of work by many \
        threads looks the same.\n\n\
        A thread counts if it ran for less than 300 µs, and for the time of four calls that wake others, before it waited again. \
        Reported are 2,000 such waits of a process that has at least four such threads, if they are three fifths of all its waits that another thread ended, and at least one in two milliseconds; and if wakes by threads that did something else before are at most seven tenths as many as these \
        ended waits, because otherwise each wait has a change of its own.\n\n\
        Example: 120 agents wait for tickets with wait() and notifyAll(): 6,000 tickets take 215,000 wakes and 4.3 s. With notify(), or a BlockingQueue, they take 6,000 \
        wakes and 0.2 s.",
    thresholds: &[VAIN_WAKES, VAIN_WAKES_PART, VAIN_WAKES_PACE, OWN_CHANGES, BARELY_RUN],
    make: || Box::new(VainWakes::default()),
};

#[derive(Default)]
struct VainWakes {
    /// The latest wait of each thread that another one ended.
    threads: Bounded<Tid, Woken>,
    processes: Bounded<Tid, Herd>,
    /// The calls that woke others, and their time.
    wakes: u64,
    wakes_took: Ns,
}

#[derive(Clone, Copy)]
struct Woken {
    at: Ns,
    /// The calls that the thread had made by then, and those of futexes that it has made since.
    calls: u64,
    of_futexes: u64,
    /// It did nothing but wait again before.
    is_in_herd: bool,
}

#[derive(Default)]
struct Herd {
    woken: u64,
    vain: u64,
    /// Wakes by threads that did something else before: something has changed, and one thread has to know.
    changes: u64,
    /// The time between the wake and the next wait of those.
    ran: Ns,
    threads: u64,
    calls: BTreeMap<u32, (CallKey, u64)>,
    began: Ns,
    ended: Ns,
}

/// A thread makes up to so many calls of futexes between two waits.
const CALLS_BETWEEN: Ns = 4;

impl VainWakes {
    /// A thread that runs for longer has done something. Under ptrace each call takes longer, and so do threads that do nothing but such calls.
    fn barely_run(&self) -> Ns {
        BARELY_RUN.get() + CALLS_BETWEEN * (self.wakes_took / self.wakes.max(1))
    }
}

/// A herd has at least so many threads.
const SMALLEST_HERD: u64 = 4;

impl Rule for VainWakes {
    fn wants(&self, row: &'static Syscall) -> bool {
        Futex::is(row)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let (tid, call) = (observed.call.tid, observed.call);
        let calls = index.pace(tid).calls;
        let before = self.threads.get_mut(&tid).map(|woken| {
            woken.of_futexes += 1;
            *woken
        });
        let futex = Futex::of(&call.args);
        if matches!(futex, Some(Futex::Wake)) {
            self.wakes += 1;
            self.wakes_took += observed.time();
            let is_of_herd = before.is_some_and(|woken| {
                let ran = call.began().saturating_sub(woken.at);
                calls == woken.calls + woken.of_futexes && ran <= self.barely_run()
            });
            if !is_of_herd
                && matches!(call.outcome, Outcome::Value(1..))
                && let Some(herd) = self.processes.entry(observed.seen.pid, Herd::default)
            {
                herd.changes += 1;
            }
        }
        if matches!(futex, None | Some(Futex::Wake)) {
            return;
        }
        // A wait. All calls since the thread was woken were those of futexes, and it hardly ran.
        let ran = before.map(|woken| call.began().saturating_sub(woken.at));
        let is_vain = before
            .zip(ran)
            .is_some_and(|(woken, ran)| calls == woken.calls + woken.of_futexes && ran <= self.barely_run());
        let is_woken = call.outcome == Outcome::Value(0);
        self.processes.make_room_of_ended(observed.tracker, |_| false);
        let Some(herd) = self.processes.entry(observed.seen.pid, Herd::default) else { return };
        if herd.woken == 0 {
            herd.began = call.returned;
        }
        herd.ended = call.returned;
        herd.woken += u64::from(is_woken);
        if is_vain {
            herd.vain += 1;
            herd.ran += ran.unwrap_or(0);
            herd.threads += u64::from(before.is_some_and(|woken| !woken.is_in_herd));
            herd.calls.entry(observed.key.nr).or_insert((observed.key, 0)).1 += 1;
        }
        let is_in_herd = is_vain || before.is_some_and(|woken| woken.is_in_herd);
        self.threads.make_room_of_ended(observed.tracker, |_| false);
        if is_woken {
            let woken = Woken { at: call.returned, calls, of_futexes: 0, is_in_herd };
            if let Some(latest) = self.threads.entry(tid, || woken) {
                *latest = woken;
            }
        } else if let Some(latest) = self.threads.get_mut(&tid) {
            // Nobody woke it, so what it does next tells nothing.
            latest.calls = u64::MAX / 2;
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        // A thread that does a short piece of work and wakes the one that waits for that is woken for something.
        let herds =
            self.processes.iter().filter(|(pid, herd)| herd.is_large() && !hands_out(index.hand_overs(), **pid));
        let Some((pid, herd)) = herds.max_by_key(|(pid, herd)| (herd.vain, std::cmp::Reverse(**pid))) else {
            return Vec::new();
        };
        let comm = index.comm(*pid, tracker);
        vec![Candidate {
            sentence: say!(
                "{} threads of {} were woken {} times, and {} times they did nothing but wait again, {} later on average: once in {}, for {}.",
                THREADS.of(herd.threads),
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                WAKES.of(herd.woken),
                TIMES.of(herd.vain),
                MEAN_LIFE.of(herd.ran / herd.vain.max(1)),
                PACE.of(herd.pace()),
                LASTED.of(herd.ended - herd.began),
            ),
            evidence: vec![process(*pid, comm, herd.vain)],
            advice: "If many threads wait for one condition, wake one of them for each piece of work (pthread_cond_signal(3), notify(), notify_one), or let them \
                     take work from a queue that does so. If they wait for a lock, let each do more while it has the lock, or use fewer threads."
                .into(),
            confidence: Confidence::Likely,
            makers: herd.calls.values().copied().collect(),
            perhaps_more: pushed(index, comm),
            estimate: "all time in which threads of the run could have gone on, but others of the process had the CPU".into(),
            matters: true,
            instead_of: &["taking-turns", "lock-contention", "goroutine-locks", "busy-wait"],
            ..Candidate::default()
        }]
    }
}

/// The time of the run in which its threads had no CPU because others of this name had it.
fn pushed(index: &Index, comm: &[u8]) -> Ns {
    let account = index.account();
    let is_pushed = |share: &&TimeShare| {
        share.activity == Activity::Off(WaitKind::Runnable)
            && share.cpu_taken_by.as_ref().is_some_and(|who| *who.comm == *comm)
    };
    let shares = account.shares.iter().filter(|_| account.of_run);
    shares.filter(is_pushed).map(|share| share.time).sum()
}

impl Herd {
    fn pace(&self) -> Ns {
        self.ended.saturating_sub(self.began) / self.vain.max(1)
    }

    fn is_large(&self) -> bool {
        self.vain >= VAIN_WAKES.get()
            && self.threads >= SMALLEST_HERD
            && self.changes as f64 <= self.woken as f64 * OWN_CHANGES.ratio()
            && self.vain as f64 >= self.woken as f64 * VAIN_WAKES_PART.ratio()
            && self.pace() <= VAIN_WAKES_PACE.get()
    }
}
