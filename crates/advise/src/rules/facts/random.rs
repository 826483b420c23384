//! Random bytes are drawn in small pieces, a call for each.

use super::super::common::{Claims, ProcessCounts};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, MEAN_BYTES};
use crate::report::statement::say;
use crate::rule::Rule;
use crate::thresholds::threshold::Threshold;
use stride_syscalls::{Effect, Syscall};
use stride_track::Tracker;

pub const RANDOM_DRAWS: Threshold = Threshold::count("random-draws", 1000, "calls");
/// The size of a pool that serves many draws.
const RANDOM_POOL: u64 = 4096;

#[derive(Default)]
pub struct RandomBytes {
    calls: u64,
    bytes: u64,
    name: &'static str,
    line: u64,
    claims: Claims,
    processes: ProcessCounts,
}

impl Rule for RandomBytes {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::DrawsRandom)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let stride_event::Outcome::Value(bytes) = observed.call.outcome else { return };
        if self.calls == 0 {
            (self.name, self.line) = (observed.row.name, observed.line);
        }
        self.calls += 1;
        self.bytes += bytes.max(0) as u64;
        self.claims.add(observed.key, 1);
        self.processes.count(observed.seen.pid, observed.tracker);
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        if self.calls < RANDOM_DRAWS.get() || self.bytes > self.calls * 64 {
            return Vec::new();
        }
        let needed = self.bytes.div_ceil(RANDOM_POOL) as f64 / self.calls as f64;
        let mut claims = Claims::default();
        for (key, calls) in self.claims.iter() {
            claims.add(key, (calls as f64 * (1.0 - needed).max(0.0)) as u64);
        }
        let mut evidence = Evidence::new(EvidenceKind::Syscall, self.name, self.calls);
        evidence.bytes = Some(self.bytes);
        evidence.line = Some(self.line);
        vec![Candidate {
            sentence: say!(
                "{} was called {} times, for {} bytes on average.",
                self.name,
                CALLS.of(self.calls),
                MEAN_BYTES.mean(self.bytes, self.calls)
            ),
            evidence: [evidence].into_iter().chain(self.processes.evidence()).collect(),
            advice: "Draw a few KiB at once and hand them out in pieces, or seed a generator of the language's library once."
                .into(),
            confidence: Confidence::Likely,
            claims: claims.list(),
            estimate: "all but one call for each 4 KiB".into(),
            ..Candidate::default()
        }]
    }
}
