//! Random bytes are drawn in small pieces, a call for each.

use super::common::{Claims, ProcessCounts};
use crate::finding::{Confidence, Draft, Evidence, EvidenceKind};
use crate::index::{Index, Observed};
use crate::quantity::{CALLS, MEAN_BYTES};
use crate::rule::{Rule, RuleInfo};
use crate::statement::say;
use crate::threshold::Threshold;
use stride_syscalls::{Effect, Syscall};
use stride_track::Tracker;

const RANDOM_DRAWS: Threshold = Threshold::count("random-draws", 1000, "calls");
/// The size of a pool that serves many draws.
const RANDOM_POOL: u64 = 4096;

pub const RULE: RuleInfo = RuleInfo {
    id: "random-bytes",
    title: "random bytes in small pieces",
    explanation: "getrandom(2) is called again and again for a few bytes each: for each identifier, key of a hash table, or \
        temporary name. A call costs far more than the bytes.\n\n\
        At least 1,000 calls for 64 bytes or less on average are reported. With a pool of 4 KiB that is filled when it is \
        empty, one call in hundreds is left. After fork(2), a child must not use its parent's pool.\n\n\
        Example: a program makes 5,000 identifiers with os.urandom(16) (uuid.uuid4 does the same): 5,000 calls. One call \
        os.urandom(16 * 256) serves 256 of them. A generator that getrandom seeds once needs no more calls at all.",
    thresholds: &[RANDOM_DRAWS],
    make: || Box::new(RandomBytes::default()),
};

#[derive(Default)]
struct RandomBytes {
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

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Draft> {
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
        vec![Draft {
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
            ..Draft::default()
        }]
    }
}
