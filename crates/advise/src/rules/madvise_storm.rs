//! madvise(2) tells the kernel again and again that the same memory is not needed.

use super::common::{Bounded, ProcessCounts};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::page_faults::touching_at_most;
use crate::report::finding::{Candidate, Claim, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, MEAN_BYTES, PID, PLACES, TIMES};
use crate::report::statement::say;
use crate::report::trial::Trial;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::FEW_CALLS;
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashMap;
use stride_event::{Event, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::Tracker;

const GIVEN_BACK: Threshold =
    Threshold::count("given-back-bytes", 256 << 20, "bytes that were given back again: then few calls are enough");
const ADVISED_AGAIN: Threshold = Threshold::count("advised-again", 16, "calls about one place in memory");

pub const RULE: RuleInfo = RuleInfo {
    id: "madvise-storm",
    title: "memory given back again and again",
    explanation: "madvise(2) with MADV_DONTNEED or MADV_FREE gives the pages of a range back, and the program soon touches the same \
        range again: the pages are faulted in anew and zeroed each time.\n\n\
        Ranges at the same address that one process gave back at least 16 times are reported. Keeping the pages would save \
        all of these calls but the first. The stack that a thread gives back when it ends does not count.\n\n\
        Example: an allocator that purges at once (jemalloc with dirty_decay_ms:0) gives 2 MiB back after each request: 10,000 \
        calls and 5,120,000 page faults for 10,000 requests. Waiting some seconds before it gives pages back saves nearly all of them.",
    thresholds: &[ADVISED_AGAIN, GIVEN_BACK],
    make: || Box::new(MadviseStorm::default()),
};

#[derive(Default)]
struct MadviseStorm {
    ranges: Bounded<(Tid, u64), Advised>,
    /// The latest range of each thread.
    latest: FxHashMap<Tid, (Tid, u64)>,
    processes: ProcessCounts,
}

struct Advised {
    key: CallKey,
    calls: u64,
    bytes: u64,
    line: u64,
}

impl Advised {
    /// The bytes that were given back after the first time.
    fn again(&self) -> u64 {
        self.bytes - self.bytes / self.calls.max(1)
    }
}

const MAX_THREADS: usize = 1 << 16;

impl Rule for MadviseStorm {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Advises)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        const MADV_DONTNEED: u64 = 4;
        const MADV_FREE: u64 = 8;
        let [addr, size, advice, ..] = observed.call.args;
        if !observed.ok() || !matches!(advice, MADV_DONTNEED | MADV_FREE) {
            return;
        }
        let at = (observed.seen.pid, addr);
        let new = || Advised { key: observed.key, calls: 0, bytes: 0, line: observed.line };
        self.ranges.forget_ended(observed.tracker, |advised| advised.calls >= ADVISED_AGAIN.get());
        let Some(advised) = self.ranges.entry(at, new) else { return };
        advised.calls += 1;
        advised.bytes = advised.bytes.saturating_add(size);
        if advised.calls >= ADVISED_AGAIN.get() {
            self.processes.count(observed.seen.pid, observed.tracker);
        }
        if self.latest.len() < MAX_THREADS || self.latest.contains_key(&observed.call.tid) {
            self.latest.insert(observed.call.tid, at);
        }
    }

    fn event(&mut self, event: &Event<'_>, _: &Index, _: &Tracker) {
        if let Event::Exited { tid, .. } | Event::Killed { tid, .. } = event
            && let Some(stack) = self.latest.remove(tid)
            // (The stack of a process's first thread goes with the process.)
            && stack.0 != *tid
            && let Some(advised) = self.ranges.get_mut(&stack)
        {
            advised.bytes -= advised.bytes / advised.calls.max(1);
            advised.calls = advised.calls.saturating_sub(1);
        }
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> =
            self.ranges.iter().filter(|(_, advised)| advised.calls >= ADVISED_AGAIN.get()).collect();
        often.sort_by_key(|((pid, addr), advised)| (std::cmp::Reverse(advised.calls), *addr, *pid));
        let Some(((pid, addr), worst)) = often.first() else { return Vec::new() };
        let calls: u64 = often.iter().map(|(_, advised)| advised.calls).sum();
        let again: u64 = often.iter().map(|(_, advised)| advised.again()).sum();
        // Allocators give memory back now and then.
        if calls < FEW_CALLS.get() && again < GIVEN_BACK.get() {
            return Vec::new();
        }
        let evidence = often.iter().map(|((_, addr), advised)| {
            let mut evidence = Evidence::new(EvidenceKind::Other, format!("memory at {addr:#x}"), advised.calls);
            evidence.bytes = Some(advised.bytes);
            evidence.line = Some(advised.line);
            evidence
        });
        vec![Candidate {
            sentence: say!(
                "Memory was given back with madvise {} times at {}; at {addr:#x} in process {}, {} times with {} bytes \
                 on average.",
                CALLS.of(calls),
                if often.len() == 1 { "one place".into() } else { say!("{} places", PLACES.of(often.len() as u64)) },
                PID.id(*pid),
                TIMES.of(worst.calls),
                MEAN_BYTES.of(worst.bytes / worst.calls.max(1)),
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice:
                "Keep pages that are needed again soon; have the allocator wait before it gives them back (jemalloc: \
                dirty_decay_ms; tcmalloc: TCMALLOC_RELEASE_RATE). In Go, leave out debug.FreeOSMemory, or call it once."
                    .into(),
            confidence: Confidence::Possible,
            trial: Some(Trial::Environment(&[
                ("MALLOC_CONF", "dirty_decay_ms:10000,muzzy_decay_ms:10000"),
                ("TCMALLOC_RELEASE_RATE", "0"),
            ])),
            claims: often.iter().map(|(_, advised)| Claim { key: advised.key, calls: advised.calls - 1 }).collect(),
            perhaps_more: touching_at_most(again),
            estimate: "every time but the first for each place; more if the program touches the memory in between"
                .into(),
            ..Candidate::default()
        }]
    }
}
