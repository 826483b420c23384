//! Memory is mapped a page at a time.

use super::common::{Bounded, ProcessCounts};
use super::map_churn::is_anonymous;
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Claim, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, MEAN_BYTES, PID};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::Tid;
use stride_syscalls::{Effect, Syscall};
use stride_track::Tracker;

const TINY_MAPPING: Threshold = Threshold::bytes("tiny-mapping", 16 << 10, "mappings of at most this size are tiny");
const TINY_MAPPINGS: Threshold = Threshold::count("tiny-mappings", 200, "tiny mappings in one process");

pub const RULE: RuleInfo = RuleInfo {
    id: "tiny-maps",
    title: "memory mapped a page at a time",
    explanation: "A process takes its memory from mmap(2) in pieces of one page to four. Each is a call, often a mapping of its own \
        that every page fault has to find, and there is a limit to their number (vm.max_map_count, 65,530).\n\n\
        Mappings of at most 16 KiB, without a file and at no fixed address, are reported if one process makes 200 of them. \
        One mapping of 1 MiB is as large as 64 of 16 KiB.\n\n\
        Example: an allocator for objects maps 4,096 bytes whenever a page is full: 20,000 calls for 80 MB. With 1 MiB at a time it makes 80.",
    thresholds: &[TINY_MAPPING, TINY_MAPPINGS],
    make: || Box::new(TinyMaps::default()),
};

#[derive(Default)]
struct TinyMaps {
    by_process: Bounded<Tid, Tiny>,
    processes: ProcessCounts,
}

struct Tiny {
    name: &'static str,
    key: CallKey,
    calls: u64,
    bytes: u64,
    line: u64,
}

/// The size that one mapping should have instead.
const LARGE: u64 = 1 << 20;

impl Tiny {
    fn saved(&self) -> u64 {
        self.calls.saturating_sub(self.bytes.div_ceil(LARGE))
    }
}

impl Rule for TinyMaps {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Maps)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let size = observed.arg("length");
        if !observed.ok() || !is_anonymous(observed) || size > TINY_MAPPING.get() {
            return;
        }
        let pid = observed.seen.pid;
        let new = || Tiny { name: observed.row.name, key: observed.key, calls: 0, bytes: 0, line: observed.line };
        self.by_process.forget_ended(observed.tracker, |tiny| tiny.calls >= TINY_MAPPINGS.get());
        let Some(tiny) = self.by_process.entry(pid, new) else { return };
        tiny.calls += 1;
        tiny.bytes += size;
        if tiny.calls >= TINY_MAPPINGS.get() {
            self.processes.count(pid, observed.tracker);
        }
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        let mut often: Vec<_> = self.by_process.iter().filter(|(_, tiny)| tiny.calls >= TINY_MAPPINGS.get()).collect();
        often.sort_by_key(|(pid, tiny)| (std::cmp::Reverse(tiny.calls), **pid));
        let Some((pid, worst)) = often.first() else { return Vec::new() };
        let evidence = often.iter().map(|(_, tiny)| {
            let mut evidence = Evidence::new(EvidenceKind::Syscall, tiny.name, tiny.calls);
            evidence.bytes = Some(tiny.bytes);
            evidence.line = Some(tiny.line);
            evidence
        });
        vec![Candidate {
            sentence: say!(
                "Process {} mapped memory {} times, {} bytes each time on average.",
                PID.id(**pid),
                CALLS.of(worst.calls),
                MEAN_BYTES.of(worst.bytes / worst.calls)
            ),
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice: "Map 1 MiB or more at a time and hand out parts of it, or leave that to malloc(3).".into(),
            confidence: Confidence::Likely,
            claims: often.iter().map(|(_, tiny)| Claim { key: tiny.key, calls: tiny.saved() }).collect(),
            estimate: "the same memory, 1 MiB at a time".into(),
            ..Candidate::default()
        }]
    }
}
