//! A thread checks again and again whether something has happened, instead of waiting for it.

use super::common::{Bounded, Claims, ProcessCounts};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::kinds::waits_for_any;
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{MOST_IN_A_ROW, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use stride_event::{Fields, Ns, Outcome, Tid, grouped};
use stride_syscalls::uapi::consts::TIMER_ABSTIME;
use stride_syscalls::{Effect, For, Syscall};
use stride_track::Tracker;

const LOOKS_IN_A_ROW: Threshold = Threshold::count("looks-in-a-row", 50, "looks in a row that find nothing");
const PAUSE: Threshold = Threshold::time(
    "pause",
    200_000,
    "a thread that computes for longer than this between most looks is not busy waiting",
);
const SHORT_SLEEP: Threshold = Threshold::time("short-sleep", 10_000_000, "longer sleeps are meant to let time pass");
/// A look at descriptors or a yield costs at most this.
const LOOK_COST: Ns = 5_000;

pub const RULE: RuleInfo = RuleInfo {
    id: "busy-wait",
    title: "busy waiting",
    explanation: "A thread asks again and again whether something has happened, with no other call in between: sched_yield(2), \
        poll(2), select(2) or epoll_wait(2) that are told not to wait and find nothing, poll(2) or select(2) whose timeout of 10 ms or less runs out, or sleeps of 10 ms and less.\n\n\
        Fifty or more such calls in a row are reported. Rows in which the thread computed between most of the calls are \
        left out, because then it had other work to do. So are rows of sleeps by threads other than the first: some \
        runtimes have a thread that watches over the others (Go's sysmon). Waiting in the kernel would save every call of a \
        row but the first, and with it CPU time. The run gets shorter only by the part of the last sleep of each row that was \
        too long: half of it, on average.\n\n\
        Example: a thread wants to know when another has filled a buffer, and calls sched_yield(2) until a flag is set: 120,000 \
        calls in 80 ms, and one CPU is busy all the time. With a condition variable it makes one futex(2) call and needs no CPU.",
    thresholds: &[LOOKS_IN_A_ROW, PAUSE, SHORT_SLEEP],
    make: || Box::new(BusyWait::default()),
};

#[derive(Default)]
struct BusyWait {
    threads: Bounded<Tid, Looks>,
    processes: ProcessCounts,
}

/// The looks of one thread.
#[derive(Default)]
struct Looks {
    /// The thread is the first of its process.
    first: bool,
    row: Row,
    /// Counts from rows that are long enough.
    spins: FxHashMap<CallKey, Spin>,
    /// Time of all rows, each from its first look to its last.
    time: Ns,
    /// The time that the thread waited too long, because it slept when the thing happened.
    late: Ns,
    longest: u64,
}

/// Looks that follow each other without another call in between.
#[derive(Default)]
struct Row {
    /// The thread's number of calls at the latest look.
    at: u64,
    began: Ns,
    ended: Ns,
    calls: u64,
    /// The number of looks before which the thread computed something.
    pauses: u64,
    /// The length of the latest sleep.
    slept: Ns,
    kinds: Vec<(CallKey, Spin)>,
}

#[derive(Clone, Copy)]
struct Spin {
    name: &'static str,
    sleeps: bool,
    /// It only lets time pass, and asks nothing.
    is_blind: bool,
    calls: u64,
    cost: Ns,
    line: u64,
}

/// The number of kinds of calls that are told apart, in a row and in all rows of a thread.
const MAX_KINDS: usize = 16;

impl Rule for BusyWait {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Yields) || is_sleep(row) || row.waits() == Some(For::Readiness)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        if !is_look(observed) {
            return;
        }
        let tid = observed.call.tid;
        self.threads.forget_ended(observed.tracker, |looks| looks.longest > 0 || looks.row.calls > 1);
        let Some(looks) = self.threads.entry(tid, Looks::default) else { return };
        looks.first = tid == observed.seen.pid;
        let nth = index.pace(tid).calls;
        if looks.row.at + 1 != nth {
            looks.end_of_row();
            looks.row.began = observed.call.began();
        }
        let row = &mut looks.row;
        let sleeps = sleeps(observed);
        let between = observed.call.began().saturating_sub(row.ended);
        let longest = if sleeps { PAUSE.get().max(observed.time()) } else { PAUSE.get() };
        row.pauses += u64::from(row.calls > 0 && between > longest);
        row.at = nth;
        row.ended = observed.call.returned;
        row.calls += 1;
        if sleeps {
            row.slept = observed.time();
        }
        if row.kinds.len() < MAX_KINDS && !row.kinds.iter().any(|(key, _)| *key == observed.key) {
            let (name, is_blind) = (observed.row.name, is_sleep(observed.row));
            row.kinds.push((observed.key, Spin { name, sleeps, is_blind, calls: 0, cost: 0, line: observed.line }));
        }
        if let Some((_, spin)) = row.kinds.iter_mut().find(|(key, _)| *key == observed.key) {
            spin.calls += 1;
            spin.cost += if sleeps { 0 } else { observed.time().min(LOOK_COST) };
        }
        if row.calls >= LOOKS_IN_A_ROW.get() {
            self.processes.count(observed.seen.pid, observed.tracker);
        }
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        let mut kinds: FxHashMap<&'static str, Spin> = FxHashMap::default();
        let mut claims = Claims::default();
        let (mut longest, mut time, mut late) = (0, 0, 0);
        for (_, looks) in self.threads.iter_mut() {
            looks.end_of_row();
            for (key, spin) in &looks.spins {
                claims.add(*key, spin.calls);
                let sum = kinds.entry(spin.name).or_insert(Spin { calls: 0, cost: 0, ..*spin });
                sum.calls += spin.calls;
                sum.cost += spin.cost;
                sum.line = sum.line.min(spin.line);
            }
            longest = longest.max(looks.longest);
            time += looks.time;
            late += looks.late;
        }
        let mut kinds: Vec<Spin> = kinds.into_values().collect();
        if kinds.is_empty() {
            return Vec::new();
        }
        kinds.sort_by_key(|spin| (std::cmp::Reverse(spin.calls), spin.name));
        let list: Vec<String> =
            kinds.iter().map(|spin| format!("{} {} times", spin.name, grouped(spin.calls))).collect();
        let evidence = kinds.iter().map(|spin| {
            let mut evidence = Evidence::new(EvidenceKind::Syscall, spin.name, spin.calls);
            evidence.line = Some(spin.line);
            evidence
        });
        // Sleeps alone do not tell whether the threads wait for something in memory, or go on anyway.
        let (did, wait, or_else) = match kinds.iter().all(|spin| spin.is_blind) {
            true => (
                "sleep a little and go on, without another call in between",
                "If they wait for something, wait",
                " If they do not, and the sleeps only slow the program down, each sleep lasts some 50 µs longer than it says: sleep more \
                 rarely and longer, or not at all.",
            ),
            false => ("check whether something had happened", "Wait", ""),
        };
        vec![Candidate {
            sentence: say!(
                "For {}, threads did nothing but {did}: {}, up to {} in a row.",
                WAITED.of(time),
                list.join(", "),
                MOST_IN_A_ROW.of(longest)
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: format!(
                "{wait} in the kernel: for another thread with a condition variable or futex(2), for descriptors with a \
                timeout of -1, and for either of the two with an eventfd(2).{or_else}"
            ),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "every check but the first of a row".into(),
            more_work: kinds.iter().map(|spin| spin.cost).sum(),
            whole_time: Some(late),
            ..Candidate::default()
        }]
    }
}

impl Looks {
    fn end_of_row(&mut self) {
        let row = &mut self.row;
        let sleeps: u64 = row.kinds.iter().filter(|(_, spin)| spin.sleeps).map(|(_, spin)| spin.calls).sum();
        let looks_after_others = !self.first && sleeps * 2 >= row.calls;
        if row.calls >= LOOKS_IN_A_ROW.get() && row.pauses * 2 <= row.calls && !looks_after_others {
            self.time += row.ended.saturating_sub(row.began);
            self.late += row.slept / 2;
            self.longest = self.longest.max(row.calls);
            for (i, (key, of_row)) in row.kinds.iter().enumerate() {
                if self.spins.len() >= MAX_KINDS && !self.spins.contains_key(key) {
                    continue;
                }
                let spin = self.spins.entry(*key).or_insert(Spin { calls: 0, cost: 0, ..*of_row });
                spin.calls += of_row.calls - u64::from(i == 0);
                spin.cost += of_row.cost;
            }
        }
        row.kinds.clear();
        (row.calls, row.pauses, row.slept) = (0, 0, 0);
    }
}

fn is_sleep(row: &Syscall) -> bool {
    row.waits() == Some(For::Time)
}

/// The time in a `struct timespec` or `struct timeval`.
fn time(fields: Fields<'_>) -> Option<Ns> {
    let seconds = fields.get("tv_sec")?.saturating_mul(1_000_000_000);
    let rest = fields.get("tv_nsec").or_else(|| Some(fields.get("tv_usec")?.saturating_mul(1_000)))?;
    Some(seconds.saturating_add(rest))
}

/// The shortest time that the call asked to sleep. The sleep itself may have been much longer.
fn asked_to_sleep(observed: &Observed<'_>) -> Ns {
    let request = ["req", "request"].into_iter().find_map(|name| observed.call.fields(name));
    match request.and_then(time) {
        Some(time) if observed.arg("flags") & TIMER_ABSTIME == 0 => time,
        _ => observed.time(),
    }
}

fn is_look(observed: &Observed<'_>) -> bool {
    // Nothing has happened, and no signal interrupted the call.
    if observed.call.outcome != Outcome::Value(0) {
        return false;
    }
    if is_sleep(observed.row) {
        return asked_to_sleep(observed) <= SHORT_SLEEP.get();
    }
    if observed.has(Effect::Yields) {
        return true;
    }
    // (The timeouts at an epoll instance are those of an event loop's timers.)
    let is_short = |timeout: Ns| timeout <= SHORT_SLEEP.get() && !waits_for_any(observed.row);
    timeout(observed).is_some_and(|timeout| timeout == 0 || is_short(timeout))
}

/// A look that lets time pass: a sleep, or a wait for descriptors that has ended because its short time ran out.
fn sleeps(observed: &Observed<'_>) -> bool {
    is_sleep(observed.row) || timeout(observed).is_some_and(|timeout| timeout > 0)
}

/// The longest time for which the call waits for descriptors. `None`: it has no limit.
fn timeout(observed: &Observed<'_>) -> Option<Ns> {
    // poll(2) takes milliseconds, the others a structure.
    let arg = observed.row.args.iter().find(|arg| matches!(arg.name, "timeout" | "tmo_p"))?;
    match arg.ty.is_pointer() {
        true => observed.call.fields(arg.name).and_then(time),
        false => u64::try_from(observed.arg(arg.name) as i32).ok().map(|milliseconds| milliseconds * 1_000_000),
    }
}
