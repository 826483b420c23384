//! Goroutines wait for a lock of Go's.

use super::common::{Bounded, count_stack, plain};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Claim, Confidence};
use crate::report::quantity::{PID, UNLOCKS as UNLOCKED, WAKES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use std::sync::Arc;
use stride_event::{Ns, Stack, StackFrame, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{Futex, Tracker};

const GO_UNLOCKS: Threshold = Threshold::count(
    "go-unlocks",
    50,
    "unlocks at one place in a Go program that woke a thread for a goroutine that waited",
);
const GO_UNLOCKS_PART: Threshold = Threshold::part(
    "go-unlocks-part",
    0.5,
    "... and these are this part of all calls of the process that woke a thread for work",
);
const GO_UNLOCKS_PACE: Threshold =
    Threshold::time("go-unlocks-pace", 50_000_000, "... and came after each other in at most this time on average");
const GO_WORKING: Threshold = Threshold::part(
    "go-working",
    1.5,
    "if more threads of a Go program than this work at the same time on average, a lock does not hold it up",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "goroutine-locks",
    title: "goroutines wait for a lock",
    explanation: "A goroutine that finds a sync.Mutex or sync.RWMutex locked waits without a system call: Go's runtime lets its thread run \
        another goroutine, or parks the thread. So futex(2) tells nothing of Go's locks by itself. The stacks do: a goroutine that unlocks a \
        mutex for which another one waits makes that one ready, and if a thread is parked, wakes the thread. This call's stack has \
        the unlock in it.\n\n\
        A process is reported if at least 50 unlocks at one place woke a thread, not further apart than 50 ms on average; if at least half \
        of the calls that woke a thread for work were such; and if hardly more than one of its threads worked at a time. Stacks are \
        samples, so the numbers are estimates. A recording has stacks if it was made with --stack-trace.\n\n\
        System calls do not tell for how long each goroutine waited, so no time is said to be saved.\n\n\
        Example: eight goroutines call a slow service while they hold one mutex. 330 of 400 unlocks wake a thread for the next one. With \
        the call outside the lock, the program takes an eighth of the time.",
    thresholds: &[GO_UNLOCKS, GO_UNLOCKS_PART, GO_UNLOCKS_PACE, GO_WORKING],
    make: || Box::new(GoroutineLocks::default()),
};

/// The functions that unlock a mutex for which a goroutine waits. Those that find nobody waiting do not get here.
const UNLOCKS: [&str; 4] = [
    "sync.(*Mutex).unlockSlow",
    "internal/sync.(*Mutex).unlockSlow",
    "sync.(*RWMutex).Unlock",
    "sync.(*RWMutex).rUnlockSlow",
];
/// The function by which they hand a waiting goroutine to the scheduler, and the one by which the scheduler wakes a
/// thread for it. The locks of the scheduler itself wake threads in other ways.
const MAKES_READY: &str = "runtime.ready";
const STARTS_THREAD: &str = "runtime.startm";
/// A thread that has found work wakes the next one to look for more: that is a consequence of the wake before.
const LOOKS_FOR_MORE: &str = "runtime.resetspinning";
/// So many different stacks of one place are kept.
const MAX_STACKS: usize = 32;

#[derive(Default)]
struct GoroutineLocks {
    /// By process and the address that the unlock returns to.
    places: Bounded<(Tid, u64), Place>,
    /// The number of wakes that each process made to have work done, as far as stacks tell.
    wakes: Bounded<Tid, u64>,
    threads: Bounded<Tid, Worked>,
}

struct Place {
    key: CallKey,
    unlocks: u64,
    first: Ns,
    last: Ns,
    stacks: Vec<(Arc<Stack>, u64)>,
}

/// The life of a thread, as far as calls that wait tell.
struct Worked {
    pid: Tid,
    first: Ns,
    last: Ns,
    waited: Ns,
}

impl Rule for GoroutineLocks {
    fn wants(&self, row: &'static Syscall) -> bool {
        Futex::is(row) || matches!(row.waits(), Some(For::Time | For::Readiness))
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let call = observed.call;
        let new = || Worked { pid: observed.seen.pid, first: call.began(), last: call.returned, waited: 0 };
        let wakes = Futex::is(observed.row) && Futex::of(&call.args) == Some(Futex::Wake);
        self.threads.make_room_of_ended(observed.tracker, |worked| observed.tracker.process(worked.pid).is_some());
        if let Some(worked) = self.threads.entry(call.tid, new) {
            worked.last = call.returned;
            worked.waited += if wakes { 0 } else { observed.time() };
        }
        if let Some(stack) = call.stack.as_ref().filter(|_| wakes) {
            self.wakes(observed, stack);
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let places = self.places.iter().filter(|((pid, _), place)| self.is_contended(*pid, place));
        let Some(((pid, _), place)) = places.max_by_key(|((pid, at), place)| (place.unlocks, Reverse((*pid, *at))))
        else {
            return Vec::new();
        };
        let wakes = self.wakes.get(pid).copied().unwrap_or(0);
        vec![Candidate {
            sentence: say!(
                "About {} of {} calls by which {} (pid {}) woke a thread to work were made because a goroutine unlocked a mutex and \
                 another one waited for it, and hardly more than one thread worked at a time.",
                UNLOCKED.of(place.unlocks),
                WAKES.of(wakes),
                plain(index.comm(*pid, tracker)),
                PID.id(*pid),
            ),
            advice: "Hold the lock for a shorter time, without slow calls; or use several locks, each for a part of the data; or give \
                     each goroutine data of its own, and merge it at the end. A mutex profile tells how long goroutines waited \
                     (runtime.SetMutexProfileFraction, go tool pprof)."
                .into(),
            confidence: Confidence::Likely,
            claims: vec![Claim { key: place.key, calls: 2 * place.unlocks }],
            estimate: "the futex calls that wake a thread for the next goroutine, and those that park it; the waits of goroutines make no \
                       calls"
                .into(),
            stacks: place.stacks.clone(),
            matters: true,
            instead_of: &["lost-time"],
            ..Candidate::default()
        }]
    }
}

impl GoroutineLocks {
    fn wakes(&mut self, observed: &Observed<'_>, stack: &Stack) {
        let calls = u64::from(observed.call.stack_calls);
        let at = |names: &[&str]| {
            let is_one =
                |frame: &Arc<StackFrame>| frame.symbol.as_ref().is_some_and(|symbol| names.contains(&&*symbol.name));
            stack.frames.iter().position(is_one)
        };
        if at(&[STARTS_THREAD]).is_none() || at(&[LOOKS_FOR_MORE]).is_some() {
            return;
        }
        if let Some(wakes) = self.wakes.entry(observed.seen.pid, || 0) {
            *wakes += calls;
        }
        let unlock = at(&UNLOCKS).filter(|_| at(&[MAKES_READY]).is_some());
        let Some(caller) = unlock.and_then(|at| stack.frames.get(at + 1)) else { return };
        let new = || Place {
            key: observed.key,
            unlocks: 0,
            first: observed.call.began(),
            last: observed.call.began(),
            stacks: Vec::new(),
        };
        let Some(place) = self.places.entry((observed.seen.pid, caller.offset), new) else { return };
        place.unlocks += calls;
        place.last = observed.call.began();
        let Some(stack) = &observed.call.stack else { return };
        count_stack(&mut place.stacks, MAX_STACKS, stack, calls);
    }

    fn is_contended(&self, pid: Tid, place: &Place) -> bool {
        let wakes = self.wakes.get(&pid).copied().unwrap_or(0);
        let (mut worked, mut from, mut to) = (0, Ns::MAX, 0);
        for (_, thread) in self.threads.iter().filter(|(_, thread)| thread.pid == pid) {
            worked += thread.last.saturating_sub(thread.first).saturating_sub(thread.waited);
            (from, to) = (from.min(thread.first), to.max(thread.last));
        }
        place.unlocks >= GO_UNLOCKS.get()
            && place.unlocks as f64 >= wakes as f64 * GO_UNLOCKS_PART.ratio()
            && place.last.saturating_sub(place.first) / place.unlocks.max(1) <= GO_UNLOCKS_PACE.get()
            && worked as f64 <= to.saturating_sub(from) as f64 * GO_WORKING.ratio()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_run::TestRun;
    use stride_event::{Bottom, Event, Outcome, Symbol};
    use stride_test_support::calls::{attached, call, lasting};

    const WAKE: [&str; 3] = ["runtime.futex.abi0", "runtime.notewakeup", STARTS_THREAD];
    const UNLOCK: [&str; 4] = [MAKES_READY, "runtime.semrelease1", "internal/sync.(*Mutex).unlockSlow", "main.work"];

    fn stack(functions: &[&str]) -> Arc<Stack> {
        let frame = |(i, name): (usize, &&str)| {
            let symbol = Some(Symbol { name: (*name).into(), offset: 0 });
            Arc::new(StackFrame { module: None, offset: i as u64, symbol, source: None, inlined: Box::default() })
        };
        Arc::new(Stack { frames: functions.iter().enumerate().map(frame).collect(), bottom: Bottom::Reached })
    }

    /// The ids of the findings about two threads that wake each other a hundred times. Each works for this part of its
    /// time.
    fn found(functions: &[&str], works: f64) -> Vec<&'static str> {
        const PACE: Ns = 1_000_000;
        const WAKE_PRIVATE: u64 = 0x81;
        const WAIT_PRIVATE: u64 = 0x80;
        let stack = stack(functions);
        let mut run = TestRun::new(true);
        run.show(attached(7, 0));
        run.show(Event::Started { tid: 8, process: 7, origin: stride_event::StartKind::Attached, at: 0 });
        for i in 1..=100 {
            for tid in [7, 8] {
                let waited = (PACE as f64 * (1.0 - works)) as Ns;
                let wait = call(tid, "futex", &[0x1000, WAIT_PRIVATE, 0], Outcome::Value(0));
                run.show(Event::Exit(&lasting(wait, i * PACE, waited)));
                let mut wake = call(tid, "futex", &[0x1000, WAKE_PRIVATE, 1], Outcome::Value(1));
                (wake.stack, wake.stack_calls) = (Some(stack.clone()), 1);
                run.show(Event::Exit(&lasting(wake, i * PACE + waited, 1000)));
            }
        }
        run.finding_ids()
    }

    #[test]
    fn unlocks_that_wake_a_thread() {
        assert_eq!(found(&[&WAKE[..], &UNLOCK].concat(), 0.2), ["goroutine-locks"]);
    }

    #[test]
    fn where_nothing_is_certain_nothing_is_said() {
        let other = found(&[&WAKE[..], &[MAKES_READY, "runtime.chansend", "main.work"]].concat(), 0.2);
        assert!(other.is_empty(), "another wait than for a lock: {other:?}");
        let inner = found(&[&WAKE[..2], &["runtime.unlock2"], &UNLOCK[1..]].concat(), 0.2);
        assert!(inner.is_empty(), "a lock of the scheduler: {inner:?}");
        let busy = found(&[&WAKE[..], &UNLOCK].concat(), 0.9);
        assert!(busy.is_empty(), "both threads work: {busy:?}");
    }
}
