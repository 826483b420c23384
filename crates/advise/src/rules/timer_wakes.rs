//! A timer wakes a thread often, and the thread does nothing but wait again.

use super::common::{Bounded, Claims, plain, process, process_name};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::{is_read, waits_for_any};
use crate::report::finding::{Candidate, Claim, Confidence};
use crate::report::quantity::{PACE, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::Tracker;

const TIMER_WAKES: Threshold =
    Threshold::count("timer-wakes", 1000, "times that a timer woke a thread, which did nothing but wait again");
const TIMER_PACE: Threshold =
    Threshold::time("timer-pace", 2_000_000, "the longest time from one of those to the next, on average");
const TIMER_WORK: Threshold =
    Threshold::time("timer-work", 100_000, "a thread that computes for longer after a timer does some work");

pub const RULE: RuleInfo = RuleInfo {
    id: "timer-wakes",
    title: "woken by a timer for nothing",
    explanation: "A thread has a timer that runs out hundreds or thousands of times a second (timerfd_create(2), a timeout of epoll_wait(2), a ticker or an interval of the event loop), looks whether something is \
        due, finds nothing and waits again. Each time costs the calls, two changes of the thread on its CPU, and the rest of an idle CPU.\n\n\
        Reported are a thousand such wakes of one thread, one in two milliseconds or less, if the thread made no call before it waited again but to read the timer, and computed for less than 100 µs. Sleeps and \
        timeouts of poll(2) are told as `busy-wait`. Under ptrace, the stops at each call take so long that nothing is reported.\n\n\
        Set the timer to the time at which the next thing is due (timerfd_settime(2), or the timeout of the wait), or let it run out less often. It is fine if something is due nearly each time, \
        as with sound.\n\n\
        Example: a gateway looks for sessions that have expired each 50 µs: 21,517 wakes in 2 s, in which 20 messages came. With a timer of 1 s, it makes 60 calls in place of 65,600.",
    thresholds: &[TIMER_WAKES, TIMER_PACE, TIMER_WORK],
    make: || Box::new(TimerWakes::default()),
};

#[derive(Default)]
struct TimerWakes {
    threads: Bounded<Tid, Wakes>,
}

#[derive(Default)]
struct Wakes {
    pid: Tid,
    /// The latest wait.
    wait: Option<Latest>,
    /// The latest read of a timer.
    read: Option<Latest>,
    idle: u64,
    began: Ns,
    ended: Ns,
    claims: Claims,
}

#[derive(Clone, Copy)]
struct Latest {
    key: CallKey,
    /// The number of the call among those of its thread.
    nth: u64,
    returned: Ns,
    /// The time of the wait ran out.
    ran_out: bool,
}

impl Wakes {
    fn pace(&self) -> Ns {
        self.ended.saturating_sub(self.began) / self.idle.max(1)
    }

    /// A call of the thread waits for the next thing. The wake before was for nothing if no other call was made since.
    fn waits_again(&mut self, nth: u64, began: Ns) {
        let is_before =
            |latest: &Latest| latest.nth + 1 == nth && began.saturating_sub(latest.returned) <= TIMER_WORK.get();
        let Some(last) = [self.read, self.wait.filter(|wait| wait.ran_out)].into_iter().flatten().find(is_before)
        else {
            return;
        };
        if self.idle == 0 {
            self.began = last.returned;
        }
        self.idle += 1;
        self.ended = last.returned;
        self.claims.add(last.key, 1);
        let waited = self.wait.filter(|wait| wait.nth + 1 == last.nth);
        self.claims.add_all(waited.map(|wait| (wait.key, 1)));
    }
}

impl Rule for TimerWakes {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.waits() == Some(For::Readiness) || is_read(row)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        const EXPIRATIONS: i64 = 8;
        let tid = observed.call.tid;
        let nth = index.pace(tid).calls;
        let Outcome::Value(value) = observed.call.outcome else { return };
        let waits = observed.row.waits() == Some(For::Readiness);
        let is_timer = || observed.seen.object.is_some_and(|object| observed.tracker.name(object) == b"timerfd");
        if !waits && (value != EXPIRATIONS || !is_timer()) {
            return;
        }
        self.threads.forget_ended(observed.tracker, |wakes| wakes.idle >= TIMER_WAKES.get());
        let Some(wakes) = self.threads.entry(tid, Wakes::default) else { return };
        wakes.pid = observed.seen.pid;
        let ran_out = waits && value == 0 && waits_for_any(observed.row) && observed.arg("timeout") != 0;
        let latest = Latest { key: observed.key, nth, returned: observed.call.returned, ran_out };
        // A read of a timer waits itself if no wait came before.
        if waits || wakes.wait.is_none_or(|wait| wait.nth + 1 != nth) {
            wakes.waits_again(nth, observed.call.began());
        }
        *(if waits { &mut wakes.wait } else { &mut wakes.read }) = Some(latest);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        if index.calls_are_stopped() {
            return Vec::new();
        }
        let is_often = |wakes: &Wakes| wakes.idle >= TIMER_WAKES.get() && wakes.pace() <= TIMER_PACE.get();
        let often = self.threads.iter().filter(|(_, wakes)| is_often(wakes));
        let Some((_, wakes)) = often.max_by_key(|(tid, wakes)| (wakes.idle, Reverse(**tid))) else {
            return Vec::new();
        };
        let comm = index.comm(wakes.pid, tracker);
        vec![Candidate {
            sentence: say!(
                "A timer woke a thread of {} {} times, once in {}, and the thread did nothing but wait again.",
                plain(&process_name(wakes.pid, comm)),
                TIMES.of(wakes.idle),
                PACE.of(wakes.pace()),
            ),
            evidence: vec![process(wakes.pid, comm, wakes.claims.total())],
            advice: "Set the timer to the time at which the next thing is due (timerfd_settime(2), the timeout of the wait), and stop it if nothing is; or let it run out less often. In an event loop, look \
                     for a ticker or an interval that is so short."
                .into(),
            confidence: Confidence::Likely,
            claims: wakes.claims.iter().map(|(key, calls)| Claim { key, calls }).collect(),
            estimate: "the waits that the timer ended for nothing, and the reads of the timer; the run gets shorter only if others want its CPU"
                .into(),
            whole_time: Some(0),
            ..Candidate::default()
        }]
    }
}
