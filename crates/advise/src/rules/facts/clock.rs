//! Programs read the clock by syscalls although the vDSO could answer.

use super::super::common::{Claims, ProcessCounts};
use crate::counts::index::{Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::CALLS;
use crate::report::statement::say;
use crate::rule::Rule;
use crate::thresholds::threshold::Threshold;
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::Tracker;

pub const CLOCK_CALLS: Threshold = Threshold::count("clock-calls", 300, "real calls that read the clock");

const CPU_CLOCKS: [i32; 2] = [c::CLOCK_PROCESS_CPUTIME_ID as i32, c::CLOCK_THREAD_CPUTIME_ID as i32];

#[derive(Default)]
pub struct ClockCalls {
    /// Reads that the vDSO could serve, and reads of CPU time.
    of: [Reads; 2],
}

#[derive(Default)]
struct Reads {
    calls: u64,
    line: u64,
    name: &'static str,
    claims: Claims,
    processes: ProcessCounts,
}

impl Rule for ClockCalls {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::ReadsClock)
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        let clock = observed.call.arg("clockid").map(|id| id as i32);
        let cpu = clock.is_some_and(|id| id < 0 || CPU_CLOCKS.contains(&id));
        let reads = &mut self.of[usize::from(cpu)];
        if reads.calls == 0 {
            (reads.line, reads.name) = (observed.line, observed.row.name);
        }
        reads.calls += 1;
        reads.claims.add(observed.key, 1);
        reads.processes.count(observed.seen.pid, observed.tracker);
    }

    fn findings(&mut self, _: &Index, _: &Tracker) -> Vec<Candidate> {
        let fact = |(reads, cpu): (Reads, bool)| {
            if reads.calls < CLOCK_CALLS.get() {
                return None;
            }
            let calls = CALLS.of(reads.calls);
            let (sentence, advice) = if cpu {
                (
                    say!(
                        "The CPU time was read {} times. Clocks of CPU time can only be read by a system call.",
                        calls
                    ),
                    "Take the CPU time before and after the whole, or use CLOCK_MONOTONIC, which is read from memory.",
                )
            } else {
                (
                    say!(
                        "The clock was read {} times by a system call ({}), although the vDSO can read it without one.",
                        calls,
                        reads.name
                    ),
                    "Call clock_gettime(3) of the C library instead of syscall(2). If the program does that already, check \
                     whether the machine's clock source is tsc. Or read the clock once for many steps.",
                )
            };
            let mut evidence = Evidence::new(EvidenceKind::Syscall, reads.name, reads.calls);
            evidence.line = Some(reads.line);
            Some(Candidate {
                sentence,
                evidence: [evidence].into_iter().chain(reads.processes.evidence()).collect(),
                advice: advice.into(),
                confidence: if cpu { Confidence::Possible } else { Confidence::Certain },
                claims: reads.claims.list(),
                estimate: "all of them".into(),
                ..Candidate::default()
            })
        };
        std::mem::take(&mut self.of).into_iter().zip([false, true]).filter_map(fact).collect()
    }
}
