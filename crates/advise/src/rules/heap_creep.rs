//! The heap grows in small steps, or memory is given back and taken again.

use super::common::{Bounded, ProcessCounts};
use crate::counts::index::{CallKey, Index, Observed};
use crate::counts::page_faults::touching_at_most;
use crate::report::finding::{Candidate, Claim, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{MEAN_BYTES, PID, RETURNS, TIMES};
use crate::report::statement::say;
use crate::report::trial::Trial;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Outcome, Tid};
use stride_syscalls::{Effect, Syscall};
use stride_track::Tracker;

const SMALL_GROWTH: Threshold =
    Threshold::bytes("small-growth", 128 << 10, "a heap that grows by less than this at a time grows in small steps");
const HEAP_STEPS: Threshold =
    Threshold::count("heap-steps", 100, "small steps, or times of giving memory back and taking it again");

pub const RULE: RuleInfo = RuleInfo {
    id: "heap-creep",
    title: "heap in small steps",
    explanation: "The end of the heap is moved with brk(2) a little at a time, or back and forth.\n\n\
        Growth in steps of less than 128 KiB is reported if one process makes a hundred of them (the C library takes at \
        least 132 KiB unless told otherwise). The estimate compares them with steps of 1 MiB. Memory at the heap's end that \
        is given back and soon taken again is reported if that happens a hundred times: each time, page faults bring the \
        pages back.\n\n\
        Example: an allocator of a program's own calls sbrk(4096) for every page: 10,000 calls for 40 MB. With 1 MiB at a \
        time, 40 calls are enough. Another program frees 200 KiB at the end of each round and allocates them at the \
        beginning of the next: two \
        calls of brk a round, which mallopt(M_TRIM_THRESHOLD, 1 << 20) saves.",
    thresholds: &[SMALL_GROWTH, HEAP_STEPS],
    make: || Box::new(HeapCreep::default()),
};

/// The one call that the rule looks at.
const BRK: &str = "brk";

#[derive(Default)]
struct HeapCreep {
    heaps: Bounded<Tid, Heap>,
    processes: ProcessCounts,
}

struct Heap {
    key: CallKey,
    line: u64,
    end: u64,
    /// The highest end of the heap so far.
    top: u64,
    /// The latest change lowered the end.
    lowered: bool,
    steps: u64,
    bytes: u64,
    /// The number of times that the heap grew again after it had shrunk.
    returns: u64,
    /// Calls that lowered the end, or raised it no higher than it had been.
    back_and_forth: u64,
    /// The bytes that were taken again after they had been given back.
    again: u64,
}

const LARGE: u64 = 1 << 20;

impl Heap {
    fn creeps(&self) -> bool {
        self.steps >= HEAP_STEPS.get()
    }

    fn swings(&self) -> bool {
        self.returns >= HEAP_STEPS.get()
    }

    fn saved(&self) -> u64 {
        let steps = if self.creeps() { self.steps - self.bytes.div_ceil(LARGE).min(self.steps) } else { 0 };
        steps + if self.swings() { self.back_and_forth } else { 0 }
    }
}

impl Rule for HeapCreep {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::MovesHeapEnd)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let Outcome::Value(end) = observed.call.outcome else { return };
        let (pid, end) = (observed.seen.pid, end as u64);
        let new = || Heap {
            key: observed.key,
            line: observed.line,
            end,
            top: end,
            lowered: false,
            steps: 0,
            bytes: 0,
            returns: 0,
            back_and_forth: 0,
            again: 0,
        };
        self.heaps.forget_ended(observed.tracker, |heap| heap.saved() > 0);
        let Some(heap) = self.heaps.entry(pid, new) else { return };
        let before = std::mem::replace(&mut heap.end, end);
        let asked = observed.arg("addr");
        if asked != end {
            // The program asks for the end of the heap, or there is no room, or a new program has begun.
            (heap.lowered, heap.top) = (false, end);
        } else if end < before {
            heap.lowered = true;
            heap.back_and_forth += 1;
        } else if end > before {
            heap.returns += u64::from(std::mem::take(&mut heap.lowered));
            heap.again += end.min(heap.top).saturating_sub(before);
            if end <= heap.top {
                heap.back_and_forth += 1;
            } else if end - before < SMALL_GROWTH.get() {
                heap.steps += 1;
                heap.bytes += end - before;
            }
            heap.top = heap.top.max(end);
        }
        if heap.creeps() || heap.swings() {
            self.processes.count(pid, observed.tracker);
        }
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> = self.heaps.iter().filter(|(_, heap)| heap.saved() > 0).collect();
        often.sort_by_key(|(pid, heap)| (std::cmp::Reverse(heap.saved()), **pid));
        let Some((pid, worst)) = often.first() else { return Vec::new() };
        let creeps = || {
            let each = worst.bytes / worst.steps;
            say!("grew {} times by {} bytes on average", TIMES.of(worst.steps), MEAN_BYTES.of(each))
        };
        let swings = || say!("was given back and asked for again {} times", RETURNS.of(worst.returns));
        let what = match (worst.creeps(), worst.swings()) {
            (true, false) => creeps(),
            (false, _) => swings(),
            (true, true) => say!("{}, and {}", creeps(), swings()),
        };
        let evidence = often.iter().map(|(_, heap)| {
            let mut evidence = Evidence::new(EvidenceKind::Syscall, BRK, heap.steps + heap.back_and_forth);
            evidence.line = Some(heap.line);
            evidence
        });
        let again = often.iter().map(|(_, heap)| *heap).filter(|heap| heap.swings());
        vec![Candidate {
            sentence: say!("The heap of process {} {}.", PID.id(**pid), what),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Let the allocator take more at a time and keep what is free: M_TOP_PAD and M_TRIM_THRESHOLD of \
                mallopt(3), 1 MiB or more; do not call sbrk(2) for single pages."
                .into(),
            confidence: Confidence::Likely,
            // (A program that calls mallopt(3) itself does not look at these.)
            trial: Some(Trial::Environment(&[("MALLOC_TOP_PAD_", "1048576"), ("MALLOC_TRIM_THRESHOLD_", "67108864")])),
            claims: often.iter().map(|(_, heap)| Claim { key: heap.key, calls: heap.saved() }).collect(),
            perhaps_more: again.map(|heap| touching_at_most(heap.again)).sum(),
            estimate: "growth by 1 MiB at a time, nothing given back in between; more if the program touches what it took again".into(),
            ..Candidate::default()
        }]
    }
}
