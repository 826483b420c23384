//! Signals interrupt waits, and the program does not go on with them.

use super::common::{Bounded, plain, process, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Claim, Confidence};
use crate::report::quantity::{CALLS, MEAN_WAIT, PACE, TIMES};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::collections::BTreeMap;
use stride_event::{Event, Ns, Tid};
use stride_syscalls::uapi::consts::{SI_TIMER, SI_TKILL};
use stride_syscalls::uapi::signals::SIGNALS;
use stride_syscalls::{For, Syscall, table};
use stride_track::Tracker;

const INTERRUPTIONS: Threshold = Threshold::count("interruptions", 50, "interrupted calls that were not made again");
const INTERRUPTED_PART: Threshold =
    Threshold::part("interrupted-part", 0.2, "the part of such calls that was interrupted and not made again");
const FEW_INTERRUPTIONS: Threshold =
    Threshold::count("few-interruptions", 10, "such calls that are enough if long pauses follow them");
const INTERRUPTED_LOSS: Threshold =
    Threshold::part("interrupted-loss", 0.3, "the part of the run that the sleeps soon after so few calls took");
const INTERRUPTED_AGAIN: Threshold =
    Threshold::count("interrupted-again", 1000, "interrupted calls that were made again");
const HANDLED: Threshold = Threshold::count(
    "handled-signals",
    2000,
    "signals, with the expirations merged into them, that came while a thread computed",
);
const HANDLED_PACE: Threshold =
    Threshold::time("handled-pace", 500_000, "the longest time from one of those to the next, on average");
const INTERRUPTED_PACE: Threshold =
    Threshold::time("interrupted-pace", 2_000_000, "the longest time from one of those to the next, on average");

pub const RULE: RuleInfo = RuleInfo {
    id: "interrupted",
    title: "waits interrupted by signals",
    explanation: "A signal ends a call that waits before the call has done anything (EINTR). A program that takes this for a failure closes its \
        connection, begins its request again or sleeps, and the answer that was on its way is lost. Timers that send a signal every millisecond are a \
        common cause.\n\n\
        Reported are fifty interrupted calls of a process that are a fifth of its calls of that kind, and after which the thread did something else than making the same \
        call again. Ten are enough if the sleeps soon after them took three tenths of the run. Calls that the kernel or the program simply makes again count if they are a thousand, half of all calls of their kind, and one in two milliseconds: \
        they cost two ways into the kernel each, and wake a CPU that could rest. Signals that come while a process computes count if there were two thousand, \
        and one in half a millisecond: then the program does little else. Expirations of a timer that were merged into one signal count each, because a tracer that delays \
        signals merges them. Signals that a process sends to its own threads do not count: Go stops threads so. A profiler that the user switched on does that on purpose.\n\n\
        In C, take timers as descriptors (timerfd_create(2)) and signals by signalfd(2) in one loop; in Python, use signal.setitimer with a longer interval, or a thread with \
        Event.wait(timeout); elsewhere, the timers of the runtime send no signals.\n\n\
        Example: a client has a timer of 1 ms for its statistics, without SA_RESTART, and its reads take 2 ms. Of 1,113 connections, 613 were given \
        up because read(2) was interrupted.",
    thresholds: &[
        INTERRUPTIONS,
        INTERRUPTED_PART,
        FEW_INTERRUPTIONS,
        INTERRUPTED_LOSS,
        INTERRUPTED_AGAIN,
        INTERRUPTED_PACE,
        HANDLED,
        HANDLED_PACE,
    ],
    make: || Box::new(Interrupted::default()),
};

#[derive(Default)]
struct Interrupted {
    calls: Bounded<(Tid, CallKey), Interruptions>,
    /// The interrupted call of each thread, until it is clear what the thread does next.
    open: Bounded<Tid, Open>,
    /// The interrupted call that each thread has given up last, and how many calls may still come before its pause.
    pausing: Bounded<Tid, (CallKey, u8)>,
    /// The latest signal of each thread.
    signals: Bounded<Tid, Latest>,
    /// Signals that came while threads of a process computed.
    handled: Bounded<Tid, Handled>,
}

/// Many programs pause before they try again. They close a connection or write a message before that.
const BEFORE_PAUSE: u8 = 4;

/// A signal that was delivered.
#[derive(Clone, Copy, Default)]
struct Latest {
    signal: i32,
    expirations: u64,
    /// The thread group that sent the signal to one of its threads.
    by_itself: Option<Tid>,
}

/// An interrupted call.
#[derive(Clone, Copy)]
struct Open {
    key: CallKey,
    time: Ns,
    /// The handler of the signal has returned. Calls before that are the handler's.
    is_handled: bool,
}

/// Signals whose handlers ran while no call waited.
#[derive(Default)]
struct Handled {
    /// By the call with which the handler returned.
    calls: BTreeMap<u32, (CallKey, u64)>,
    signals: BTreeMap<&'static str, u64>,
    times: u64,
    /// The expirations of timers that these signals stand for, and the other signals. A tracer that delays signals merges
    /// expirations, which untraced have a signal each.
    expirations: u64,
    began: Ns,
    ended: Ns,
}

#[derive(Default)]
struct Interruptions {
    calls: u64,
    given_up: u64,
    /// Those after which the thread made the same call.
    again: u64,
    time: Ns,
    /// The sleeps soon after those that were given up.
    paused: Ns,
    /// How many of them each signal ended.
    signals: BTreeMap<&'static str, u64>,
    began: Ns,
    ended: Ns,
}

/// How many expirations of a POSIX timer a `siginfo_t` stands for: one, and the overruns of timer_getoverrun(2), which
/// came while the signal was pending. Other signals stand for themselves.
fn expirations(info: &[u8; 128]) -> u64 {
    let overruns = int(info, 20);
    if code(info) == SI_TIMER { 1 + u64::try_from(overruns).unwrap_or(0) } else { 1 }
}

/// The process that sent a signal by tgkill(2), as run-time systems do to stop their own threads.
fn sender_by_tgkill(info: &[u8; 128]) -> Option<Tid> {
    (code(info) == SI_TKILL).then(|| int(info, 16))
}

/// `si_code`
fn code(info: &[u8; 128]) -> u64 {
    i64::from(int(info, 8)) as u64
}

/// A number of a `siginfo_t` of the native ABI.
pub fn int(info: &[u8; 128], at: usize) -> i32 {
    info[at..].first_chunk().map_or(0, |bytes| i32::from_ne_bytes(*bytes))
}

/// There are few signals, so their names have a bound.
fn count_signal(signals: &mut BTreeMap<&'static str, u64>, latest: Option<Latest>) {
    let Some(latest) = latest else { return };
    if let Some((_, name)) = SIGNALS.iter().find(|(number, _)| *number as i32 == latest.signal) {
        *signals.entry(name).or_default() += 1;
    }
}

/// The signal that came most often.
fn commonest(signals: &BTreeMap<&'static str, u64>) -> &'static str {
    signals.iter().max_by_key(|(_, times)| **times).map_or("A signal", |(name, _)| name)
}

impl Handled {
    fn pace(&self) -> Ns {
        self.ended.saturating_sub(self.began) / self.times.max(1)
    }

    /// Judged by what the timer asked for, which is what the untraced program gets.
    fn is_storm(&self) -> bool {
        let lasted = self.ended.saturating_sub(self.began);
        self.expirations >= HANDLED.get() && lasted / self.expirations.max(1) <= HANDLED_PACE.get()
    }
}

impl Interruptions {
    fn ended_by(&mut self, signal: Option<Latest>) {
        count_signal(&mut self.signals, signal);
    }

    /// The signal that ended most of them.
    fn signal(&self) -> &'static str {
        commonest(&self.signals)
    }

    fn pace(&self) -> Ns {
        self.ended.saturating_sub(self.began) / self.again.max(1)
    }

    fn is_storm(&self) -> bool {
        self.again >= INTERRUPTED_AGAIN.get() && self.again * 2 >= self.calls && self.pace() <= INTERRUPTED_PACE.get()
    }
}

impl Rule for Interrupted {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let tid = observed.call.tid;
        let key = observed.key;
        let handler_ended = observed.row.name.ends_with("sigreturn");
        if handler_ended && self.open.get_mut(&tid).is_none() {
            self.handled(observed);
        }
        if self.open.len() > 0
            && let Some(open) = self.open.get_mut(&tid)
        {
            if handler_ended {
                open.is_handled = true;
            } else if open.key == key {
                self.open.remove(&tid);
                if let Some(of) = self.calls.get_mut(&(observed.seen.pid, key)) {
                    of.again += 1;
                    of.ended = observed.call.returned;
                    of.ended_by(self.signals.get(&tid).copied());
                }
            } else if open.is_handled
                && let Some(Open { key, time, .. }) = self.open.remove(&tid)
                && let Some(of) = self.calls.get_mut(&(observed.seen.pid, key))
            {
                of.given_up += 1;
                of.time += time;
                of.ended_by(self.signals.get(&tid).copied());
                self.pausing.make_room_of_ended(observed.tracker, |_| false);
                self.pausing.entry(tid, || (key, 0)).into_iter().for_each(|pausing| *pausing = (key, BEFORE_PAUSE));
            }
        }
        if self.pausing.len() > 0 && !handler_ended {
            self.pauses(observed);
        }
        // (The end of a handler has the result of the call that the signal ended.)
        if observed.call.outcome.is_interruption() && !handler_ended {
            self.open.make_room_of_ended(observed.tracker, |_| false);
            self.open.entry(tid, || Open { key, time: observed.time(), is_handled: false });
            // A call that waits for a signal is ended by what it waits for.
            if observed.row.waits() != Some(For::Signal) {
                let began = observed.call.returned;
                self.calls.entry((observed.seen.pid, key), || Interruptions { began, ..Interruptions::default() });
            }
        }
        if self.calls.len() > 0
            && let Some(of) = self.calls.get_mut(&(observed.seen.pid, key))
        {
            of.calls += 1;
        }
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, _: &Tracker) {
        if let Event::Signal { tid, info, .. } = event
            && let Some(latest) = self.signals.entry(*tid, Latest::default)
        {
            *latest =
                Latest { signal: int(info, 0), expirations: expirations(info), by_itself: sender_by_tgkill(info) };
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let lost = index.own_span() as f64 * INTERRUPTED_LOSS.ratio();
        let often = self.calls.iter().filter(|(_, of)| {
            let are_many = of.given_up >= INTERRUPTIONS.get()
                || of.given_up >= FEW_INTERRUPTIONS.get() && of.paused as f64 >= lost;
            are_many && of.given_up as f64 >= of.calls as f64 * INTERRUPTED_PART.ratio()
        });
        let worst = often.max_by_key(|((pid, key), of)| (of.given_up, std::cmp::Reverse((*pid, key.nr))));
        let Some(((pid, key), of)) = worst else { return self.storm(index, tracker) };
        let comm = index.comm(*pid, tracker);
        let call = table(key.abi).name(key.nr.into());
        let signal = of.signal();
        let object = key.object.map(|object| thing(object, of.calls, tracker));
        vec![Candidate {
            sentence: say!(
                "{} ended {call} of {} {} times of {} before anything had come, after {} on average, and the program did something else \
                 then.",
                signal,
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                TIMES.of(of.given_up),
                CALLS.of(of.calls),
                MEAN_WAIT.of(of.time / of.given_up.max(1)),
            ),
            evidence: object.into_iter().chain([process(*pid, comm, of.given_up)]).collect(),
            advice: "Keep the signal away from the thread that waits: block it there (pthread_sigmask(3)), take it by signalfd(2) or sigwait(3) in another \
                     thread, use timerfd_create(2) in place of a timer's signal, or set SA_RESTART; and make the same call again after EINTR."
                .into(),
            confidence: Confidence::Likely,
            makers: vec![(*key, of.calls)],
            matters: true,
            perhaps_more: of.time + of.paused,
            estimate: "the waits that were given up and the pauses right after them, as far as the run waited for them".into(),
            instead_of: &["timed-waits", "reconnects", "lock-step", "lost-time"],
            ..Candidate::default()
        }]
    }
}

impl Interrupted {
    /// A sleep soon after a call that was given up belongs to it.
    fn pauses(&mut self, observed: &Observed<'_>) {
        let tid = observed.call.tid;
        let Some((key, left)) = self.pausing.get_mut(&tid) else { return };
        if observed.row.waits() == Some(For::Time) {
            if let Some(of) = self.calls.get_mut(&(observed.seen.pid, *key)) {
                of.paused += observed.time_waiting();
            }
            // The signal may end the sleep as well, and then it goes on.
            return;
        }
        *left = left.saturating_sub(1);
        if *left == 0 {
            self.pausing.remove(&tid);
        }
    }

    /// A handler has returned, and no call had waited when its signal came.
    fn handled(&mut self, observed: &Observed<'_>) {
        let Some(&latest) = self.signals.get(&observed.call.tid) else { return };
        // (Go stops its threads so, to collect garbage.)
        if latest.by_itself == Some(observed.seen.pid) {
            return;
        }
        self.handled.make_room_of_ended(observed.tracker, |of| of.expirations >= HANDLED.get());
        let began = observed.call.returned;
        let new = || Handled { began, ..Handled::default() };
        let Some(of) = self.handled.entry(observed.seen.pid, new) else { return };
        of.times += 1;
        of.expirations += latest.expirations;
        of.ended = observed.call.returned;
        count_signal(&mut of.signals, Some(latest));
        let key = CallKey { object: None, ..observed.key };
        of.calls.entry(key.nr).or_insert((key, 0)).1 += 1;
    }

    /// Handlers that ran again and again while threads computed.
    fn while_computing(&self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let often = self.handled.iter().filter(|(_, of)| of.is_storm());
        let worst = often.max_by_key(|(pid, of)| (of.times, std::cmp::Reverse(**pid)));
        let Some((pid, of)) = worst else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        vec![Candidate {
            sentence: say!(
                "{} came to {} {} times while it computed, once in {}, and its handler ran each time.",
                commonest(&of.signals),
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                TIMES.of(of.times),
                PACE.of(of.pace()),
            ),
            claims: of.calls.values().map(|(key, calls)| Claim { key: *key, calls: *calls }).collect(),
            estimate: "the returns of the handlers, and at most all work in between, which has that of the handlers in it".into(),
            work_after: true,
            evidence: vec![process(*pid, comm, of.times)],
            advice: "Let the timer send its signal less often (setitimer(2), timer_create(2); profilers have an option for that), or do what the handler does at \
                     places of the program where it is due."
                .into(),
            confidence: Confidence::Likely,
            matters: true,
            ..Candidate::default()
        }]
    }

    /// Calls that were made again.
    fn storm(&self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let often = self.calls.iter().filter(|(_, of)| of.is_storm());
        let worst = often.max_by_key(|((pid, key), of)| (of.again, std::cmp::Reverse((*pid, key.nr))));
        let Some(((pid, key), of)) = worst else { return self.while_computing(index, tracker) };
        let comm = index.comm(*pid, tracker);
        vec![Candidate {
            sentence: say!(
                "{} ended {} of {} {} times of {} before anything had come, once in {}, and the program made the same call again.",
                of.signal(),
                table(key.abi).name(key.nr.into()).to_string(),
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                TIMES.of(of.again),
                CALLS.of(of.calls),
                PACE.of(of.pace()),
            ),
            claims: vec![Claim { key: *key, calls: of.again }],
            estimate: "the interrupted calls".into(),
            evidence: vec![process(*pid, comm, of.again)],
            advice: "Let the timer send its signal less often, or keep it away from the thread that waits: block it there (pthread_sigmask(3)), or take time by a descriptor \
                     (timerfd_create(2)) or by the timeout of the wait."
                .into(),
            confidence: Confidence::Likely,
            makers: vec![(*key, of.calls)],
            matters: true,
            ..Candidate::default()
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_of_a_timer_stands_for_its_overruns() {
        let mut info = [0u8; 128];
        assert_eq!(expirations(&info), 1);
        info[20..24].copy_from_slice(&7i32.to_ne_bytes());
        assert_eq!(expirations(&info), 1, "only timers have overruns there");
        info[8..12].copy_from_slice(&(SI_TIMER as i32).to_ne_bytes());
        assert_eq!(expirations(&info), 8);
        info[20..24].copy_from_slice(&(-1i32).to_ne_bytes());
        assert_eq!(expirations(&info), 1);
        assert_eq!(sender_by_tgkill(&info), None);
        info[8..12].copy_from_slice(&(SI_TKILL as i32).to_ne_bytes());
        info[16..20].copy_from_slice(&4711i32.to_ne_bytes());
        assert_eq!(sender_by_tgkill(&info), Some(4711));
    }
}
