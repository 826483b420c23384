//! A thread looks again and again whether something has happened, instead of waiting for it.

use super::common::{Bounded, Claims, Processes};
use crate::finding::{Confidence, Draft, Evidence, EvidenceKind};
use crate::index::{CallKey, Index, Observed};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::{LOOK_COST, LOOKS_IN_A_ROW, PAUSE, SHORT_SLEEP};
use rustc_hash::FxHashMap;
use stride_event::{Memory, Ns, Outcome, Phase, Tid, duration, grouped};
use stride_track::Tracker;

pub const RULE: RuleInfo = RuleInfo {
    id: "busy-wait",
    title: "busy waiting",
    explanation: "A thread asks again and again whether something has happened, with no other call in between: sched_yield(2), \
        poll(2), select(2) or epoll_wait(2) that are told not to wait and find nothing, or sleeps of 10 ms and less.\n\n\
        Fifty and more of these in a row count, unless the thread computed between most of them: then it has something better to \
        do than to wait. Nor do rows of sleeps by other threads than the first count: some runtimes have one that looks after the \
        others (Go's sysmon). Each look but the first of a row could be saved by waiting in the kernel.\n\n\
        Example: a thread wants to know when another has filled a buffer, and calls sched_yield(2) until a flag is set: 120,000 \
        calls in 80 ms, one CPU busy all the time. With a condition variable it is one futex(2), and no CPU.",
    make: || Box::new(BusyWait::default()),
};

#[derive(Default)]
struct BusyWait {
    threads: Bounded<Tid, Looks>,
    processes: Processes,
}

/// Of one thread.
#[derive(Default)]
struct Looks {
    /// The thread that its process began with.
    first: bool,
    row: Row,
    /// From rows that are long enough.
    spins: FxHashMap<CallKey, Spin>,
    /// From the first look of a row to its last.
    time: Ns,
    longest: u64,
}

/// Looks without another call in between.
#[derive(Default)]
struct Row {
    /// How many calls the thread had made with the latest of these.
    at: u64,
    began: Ns,
    ended: Ns,
    calls: u64,
    /// Before so many of them, something was computed.
    pauses: u64,
    kinds: Vec<(CallKey, Spin)>,
}

#[derive(Clone, Copy)]
struct Spin {
    name: &'static str,
    calls: u64,
    cost: Ns,
    line: u64,
}

/// Kinds of calls of a row, and of all rows of a thread, that are told apart.
const MAX_KINDS: usize = 16;

impl Rule for BusyWait {
    fn wants(&self, name: &'static str) -> bool {
        name == "sched_yield" || is_sleep(name) || zero_timeout(name).is_some()
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        if !is_look(observed) {
            return;
        }
        let tid = observed.call.tid;
        let Some(looks) = self.threads.entry(tid, Looks::default) else { return };
        looks.first = tid == observed.seen.pid;
        let nth = index.pace(tid).calls;
        if looks.row.at + 1 != nth {
            looks.end_of_row();
            looks.row.began = observed.call.entered;
        }
        let row = &mut looks.row;
        let between = observed.call.entered.saturating_sub(row.ended);
        let longest = if is_sleep(observed.name) { PAUSE.max(observed.time()) } else { PAUSE };
        row.pauses += u64::from(row.calls > 0 && between > longest);
        row.at = nth;
        row.ended = observed.call.returned;
        row.calls += 1;
        if row.kinds.len() < MAX_KINDS && !row.kinds.iter().any(|(key, _)| *key == observed.key) {
            row.kinds.push((observed.key, Spin { name: observed.name, calls: 0, cost: 0, line: observed.line }));
        }
        if let Some((_, spin)) = row.kinds.iter_mut().find(|(key, _)| *key == observed.key) {
            spin.calls += 1;
            spin.cost += if is_sleep(observed.name) { 0 } else { observed.time().min(LOOK_COST) };
        }
        if row.calls >= LOOKS_IN_A_ROW {
            self.processes.count(observed.seen.pid, observed.tracker);
        }
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Draft> {
        let mut kinds: FxHashMap<&'static str, Spin> = FxHashMap::default();
        let mut claims = Claims::default();
        let (mut longest, mut time) = (0, 0);
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
        vec![Draft {
            sentence: format!(
                "Nothing was done for {} but to look whether something had happened: {}, up to {} in a row.",
                duration(time),
                list.join(", "),
                grouped(longest)
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Wait in the kernel: with a condition variable or futex(2) for another thread, with a timeout of -1 for \
                descriptors, with an eventfd(2) where both may come."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "every look but the first of a row".into(),
            more_time: kinds.iter().map(|spin| spin.cost).sum(),
            matters: false,
        }]
    }
}

impl Looks {
    fn end_of_row(&mut self) {
        let row = &mut self.row;
        let sleeps: u64 = row.kinds.iter().filter(|(_, spin)| is_sleep(spin.name)).map(|(_, spin)| spin.calls).sum();
        let looks_after_others = !self.first && sleeps * 2 >= row.calls;
        if row.calls >= LOOKS_IN_A_ROW && row.pauses * 2 <= row.calls && !looks_after_others {
            self.time += row.ended.saturating_sub(row.began);
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
        (row.calls, row.pauses) = (0, 0);
    }
}

fn is_sleep(name: &str) -> bool {
    matches!(name, "nanosleep" | "clock_nanosleep" | "clock_nanosleep_time64")
}

/// Where a call has its timeout, and whether that is a structure.
fn zero_timeout(name: &str) -> Option<(&'static str, bool)> {
    match name {
        "poll" | "epoll_wait" | "epoll_pwait" => Some(("timeout", false)),
        "select" | "_newselect" | "pselect6" | "pselect6_time64" => Some(("timeout", true)),
        "ppoll" | "ppoll_time64" => Some(("tmo_p", true)),
        _ => None,
    }
}

/// How long it was to sleep at least: what it did may be much longer.
fn asked_to_sleep(observed: &Observed<'_>) -> Ns {
    const TIMER_ABSTIME: u64 = 1;
    let request = observed.arg("req").max(observed.arg("request"));
    let bytes = observed.call.blocks.prefix(Phase::Entry, request, 16);
    let word = |at: usize| Some(i64::from_ne_bytes(*bytes.get(at..)?.first_chunk()?) as u64);
    match (word(0), word(8)) {
        (Some(seconds), Some(ns)) if observed.call.abi.word() == 8 && observed.arg("flags") & TIMER_ABSTIME == 0 => {
            seconds.saturating_mul(1_000_000_000).saturating_add(ns)
        }
        _ => observed.time(),
    }
}

fn is_look(observed: &Observed<'_>) -> bool {
    // Nothing has happened, and it was not interrupted.
    if observed.call.outcome != Outcome::Value(0) {
        return false;
    }
    if is_sleep(observed.name) {
        return asked_to_sleep(observed) <= SHORT_SLEEP;
    }
    let Some((timeout, structure)) = zero_timeout(observed.name) else { return true };
    let timeout = observed.arg(timeout);
    if !structure {
        return timeout as i32 == 0;
    }
    let bytes = observed.call.blocks.prefix(Phase::Entry, timeout, 2 * observed.call.abi.word());
    !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0)
}
